// What a person sees between two matches of a tournament: the next one, and the standings.

import { make, pressed, section } from "./elements.js";
import { fetchStandings } from "./hand_server.js";
import { brokenNotice, standingsParts } from "./standings.js";
import { say } from "./words.js";

/** @import {InTournament} from "./contents.d.ts" */
/** @import {Ask} from "./hand_types.d.ts" */

/**
 * Show the course of the tournament where the page has room for it.
 *
 * @param {Element} main
 * @param {InTournament} tournament
 * @param {boolean} isLost true if the seat is lost
 * @param {Ask} act
 */
export function showCourse(main, tournament, isLost, act) {
  const next = main.querySelector(".next-match");
  /** @type {HTMLElement | null} */
  const course = main.querySelector(".in-tournament");
  if (!next || !course) return;
  next.replaceChildren(nextMatch(tournament, isLost));
  if (tournament.is_expected) {
    const goOn = () => act("next", {});
    next.append(make("p", {}, pressed(say("To the board"), goOn, { class: "main" })));
  }
  showStandings(course, `${tournament.decided} ${tournament.is_finished}`);
}

/**
 * @param {InTournament} tournament
 * @param {boolean} isLost
 * @returns {HTMLParagraphElement}
 */
function nextMatch(tournament, isLost) {
  if (tournament.is_finished) return make("p", { class: "lead" }, say("The tournament is over."));
  if (isLost) return make("p", { class: "lead" }, say("Load this page again to take your seat."));
  return make("p", { class: "lead", role: "status" }, nextWords(tournament));
}

/**
 * @param {InTournament} tournament
 * @returns {string}
 */
function nextWords({ next_opponent: name, may_follow: mayFollow, is_expected: isExpected }) {
  if (isExpected)
    return say(
      "{name} is at the board: your next match has begun, and your clock runs when it is your turn.",
      { name },
    );
  if (name)
    return say("Your next match is against {name}. The board appears here when it begins.", {
      name,
    });
  if (mayFollow)
    return say("Your next match, if there is one, is not drawn yet. Leave this page open.");
  return say("You have played all your matches. The standings change as the others play.");
}

/**
 * Fetch the standings, once for each result.
 *
 * @param {HTMLElement} course
 * @param {string} results changes with each result
 */
async function showStandings(course, results) {
  if (course.dataset.decided === results) return;
  course.dataset.decided = results;
  try {
    const run = await fetchStandings();
    const parts = [brokenNotice(run), ...standingsParts(run)].filter(Boolean);
    course.replaceChildren(section("standings", say("Standings"), parts));
  } catch {
    course.dataset.decided = ""; // it is fetched again with the next result
  }
}
