// What the page of playing by hand shows where no board is, and the way back to one.

import { make, pressed, sentence } from "./elements.js";
import { courseParts, invitationPart } from "./hand_around.js";
import { say } from "./words.js";

/** @import {Said} from "./contents.d.ts" */
/** @import {Ask, HandState} from "./hand_types.d.ts" */

/**
 * @param {HandState} state
 * @returns {string} for who has another tab before it
 */
export function titleOf({ table, lesson, opponent }) {
  const isDue = table?.phase === "turn" || table?.phase === "call";
  const mark = isDue && !lesson ? "● " : "";
  const name = opponent ? `${opponent} · ` : "";
  return `${mark}${name}Bräde`;
}

/**
 * @param {string} words
 * @returns {HTMLHeadingElement}
 */
function heading(words) {
  return make("h1", { tabindex: "-1" }, words);
}

/**
 * @param {string | Node} words
 * @returns {HTMLParagraphElement}
 */
function notice(words) {
  return make("p", { class: "notice bad", role: "alert" }, words);
}

/**
 * @param {string} name of the opponent, empty if it is not known yet
 * @returns {(Node | string)[]}
 */
export function startingParts(name) {
  const words = name ? say("It tries out {name} first.", { name }) : "";
  return [heading(say("The arena starts …")), make("p", {}, words)];
}

/** @returns {Node[]} for a guest before the match */
export function invitedParts() {
  const words = say("Leave this page open: the board appears here once the match is begun.");
  return [heading(say("You are invited to a match")), make("p", { role: "status" }, words)];
}

/**
 * @param {Said} why
 * @param {(() => void) | null} choose another opponent, for who may
 * @returns {Node[]}
 */
export function lostParts(why, choose) {
  const reload = make("p", {}, say("Load this page again to take your seat."));
  return [
    heading(say("You are not at the board")),
    notice(make("span", {}, sentence(why))),
    choose ? pressed(say("Another opponent"), choose, { class: "main" }) : reload,
  ];
}

/**
 * @param {HandState} state
 * @param {Ask} act
 * @returns {Node[]} until the opponent has come
 */
export function arrivingParts(state, act) {
  const { in_tournament: tournament, opponent: name, invitation } = state;
  if (tournament) return [heading(tournament.name), ...courseParts()];
  const title = heading(say("Waiting for {name} …", { name }));
  return invitation ? [title, invitationPart(state, act)] : [title];
}
