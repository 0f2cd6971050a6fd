// The parts beside the board: buttons, moves as text, hints and the turns of the game. Each
// function makes the nodes for a state; the table draws them where they belong.

import { make, pressed, sentence, signed, toldSpan } from "./elements.js";
import { discOf } from "./hand_plate.js";
import { keyed, keyedButton } from "./redraw.js";
import { turnWords } from "./steps.js";
import { say } from "./words.js";

/** @import {AtTheBoard, ClosedGame, PlayedTurn} from "./contents.d.ts" */
/** @import {Deed, DeedFields, Hint, StateAtTheBoard} from "./hand_types.d.ts" */

/**
 * What the buttons depend on.
 *
 * @typedef {object} Controls
 * @property {StateAtTheBoard} state
 * @property {ClosedGame | null} final a game that is over and is looked at
 * @property {boolean} offers true if a draw is offered with the turn
 * @property {boolean} isResigning true while the person is asked whether they mean it
 * @property {boolean} isCounting true if the turn plays itself in a moment
 * @property {HTMLElement} more the menu of what is needed less often
 * @property {(deed: Deed, fields: DeedFields) => void} act
 * @property {() => void} confirm
 * @property {() => void} undo
 * @property {() => void} showHints
 * @property {() => void} goToLobby
 * @property {(offers: boolean) => void} offer
 * @property {(isResigning: boolean) => void} resign
 */

/**
 * Return the row of buttons: to take back, to play, and the menu. They keep their places while the
 * opponent plays, so that a second click meets nothing else.
 *
 * @param {Controls} controls
 * @returns {HTMLElement[]}
 */
export function buttons(controls) {
  const { state, final, isResigning, more } = controls;
  const { table } = state;
  if (isResigning) return resignQuestion(controls);
  if (final || table.phase === "counting") return [more];
  if (table.phase === "call") return [...callButtons(controls), more];
  const canUndo = table.phase === "turn" && table.moves.length > 0;
  const undo = keyedButton("undo", say("Undo"), controls.undo, { disabled: !canUndo });
  return [undo, playButton(controls), more];
}

/**
 * @param {Controls} controls
 * @returns {HTMLButtonElement}
 */
function playButton({ state: { table, judged }, isCounting, confirm }) {
  const words = table.pass_clause ? say("Pass") : say("Play the turn");
  const attributes = {
    class: `main${isCounting ? " counting" : ""}`,
    disabled: table.phase !== "turn" || !table.is_whole || judged !== "open",
  };
  return keyedButton("confirm", words, confirm, attributes);
}

/**
 * @param {Controls} controls
 * @returns {HTMLButtonElement}
 */
function hintButton({ state: { table, no_hints: noHints }, final, showHints }) {
  const isDue = table.phase === "turn" || table.phase === "call";
  const disabled = final !== null || !isDue || noHints !== "" || table.pass_clause !== "";
  return keyedButton("hint", say("Show me"), showHints, { disabled });
}

/**
 * Return what the menu has beside its switches.
 *
 * @param {Controls} controls
 * @returns {HTMLElement[]}
 */
export function menuItems(controls) {
  const { lesson, role, no_hints: noHints } = controls.state;
  if (lesson) return [];
  /** @type {HTMLElement[]} */
  const parts = [hintButton(controls)];
  if (noHints) parts.push(make("p", { class: "quiet" }, toldSpan(noHints)));
  if (role === "host") parts.push(keyedButton("lobby", say("To the lobby"), controls.goToLobby));
  if (role !== "entrant") {
    const ask = () => controls.resign(true);
    parts.push(keyedButton("resign", say("Resign"), ask, { class: "resign" }));
  }
  return parts;
}

/**
 * @param {Controls} controls
 * @returns {HTMLElement[]} how many dice may be rolled
 */
function callButtons({ state, act }) {
  const { calls, question } = state.table;
  return calls.map((count) => {
    const words = count === 1 ? say("Roll one die") : say("Roll two dice");
    const call = () => act("call", { question, dice: count });
    return keyedButton(`call ${count}`, words, call, { class: "main" });
  });
}

/**
 * Return what only some turns offer, to stand above the row.
 *
 * @param {Controls} controls
 * @returns {HTMLElement[]}
 */
export function specialButtons(controls) {
  const { state, final, act, isResigning } = controls;
  const { table, lesson, role, is_away: isAway } = state;
  const { question } = table;
  /** @type {HTMLElement[]} */
  const parts = [];
  if (isAway && role === "host" && !state.over)
    parts.push(keyedButton("call off", say("Call it off"), () => act("choose", {})));
  if (final || isResigning || table.phase !== "turn") return parts;
  for (const [moves, text] of table.whole) {
    const play = () => act("turn", { question, moves });
    parts.push(keyedButton(`turn ${text}`, say("All at once: {moves}", { moves: text }), play));
  }
  if (table.is_draw_offered) {
    const accept = () => act("accept_draw", { question });
    parts.push(keyedButton("accept", say("Accept the draw"), accept));
  }
  if (table.can_offer_draw && !lesson) parts.push(drawOffer(controls));
  return parts;
}

/**
 * @param {Controls} controls
 * @returns {HTMLLabelElement} the choice of a draw offer with the turn
 */
function drawOffer({ offers, offer }) {
  const box = keyed("offers", make("input", { type: "checkbox", id: "offers-draw" }));
  box.checked = offers;
  box.onchange = () => offer(box.checked);
  return make("label", { class: "offers" }, box, ` ${say("Offer a draw with it")}`);
}

/**
 * @param {Controls} controls
 * @returns {HTMLElement[]}
 */
function resignQuestion({ act, resign }) {
  const words = say(
    "The games that are left go to the opponent, at the most they can be worth (B10.2).",
  );
  const giveUp = () => act("resign", {});
  const goOn = () => resign(false);
  return [
    make("p", {}, words),
    keyedButton("yes", say("Yes, give up the match"), giveUp, { class: "resign" }),
    keyedButton("no", say("No, play on"), goOn, { class: "main" }),
  ];
}

/**
 * Return the moves that can follow as buttons: for keyboards, screen readers and small screens.
 *
 * @param {AtTheBoard} table
 * @param {(deed: Deed, fields: DeedFields) => void} act
 * @returns {HTMLElement[]}
 */
export function textMoves({ next, question }, act) {
  const rows = next.map(({ start, target, text }) => {
    const move = () => act("move", { question, moves: [[start, target]] });
    const button = keyedButton("move", text, move, { class: "text-move" });
    return keyed(`${start} ${target}`, make("li", {}, button));
  });
  const count = next.length;
  return [
    keyed("summary", make("summary", {}, say("Moves as text ({count})", { count }))),
    make("ul", {}, rows),
  ];
}

/**
 * Return the turns of a game.
 *
 * @param {AtTheBoard} table
 * @param {ClosedGame | null} final
 * @returns {HTMLLIElement[]}
 */
export function logRows(table, final) {
  const { log } = final ?? table;
  return log.map((turn) => logRow(turn, discOf(table, final, turn.is_mine)));
}

/**
 * @param {PlayedTurn} turn
 * @param {number} disc
 * @returns {HTMLLIElement}
 */
function logRow({ is_mine: isMine, dice, text }, disc) {
  return make(
    "li",
    { class: isMine ? "mine" : "" },
    make("span", { class: `disc small seat-${disc}` }),
    make("span", { class: "dice" }, dice.join("-")),
    make("span", {}, turnWords(text)),
  );
}

/**
 * Return how many dice the evaluator would roll.
 *
 * @param {number} count
 * @returns {HTMLParagraphElement}
 */
export function callHint(count) {
  const words =
    count === 1
      ? say("the evaluator would roll one die")
      : say("the evaluator would roll two dice");
  return make("p", {}, sentence(words));
}

/**
 * Return the best turns, to be chosen.
 *
 * @param {readonly Hint[]} hints
 * @param {(hint: Hint) => void} choose
 * @returns {HTMLElement[]}
 */
export function turnHints(hints, choose) {
  const isSearched = hints.some((hint) => hint.unit === "warriors");
  const title = isSearched
    ? say("What the bot brandubh would play")
    : say("What the evaluator would play");
  const note = isSearched
    ? say(
        "By how many warriors you stand better, four moves ahead. Choose one to put it on the board.",
      )
    : say("Points that you may expect. Choose one to put it on the board.");
  const rows = hints.map((hint) => {
    const worth = make("span", { class: "points" }, worthWords(hint, isSearched));
    const words = [worth, ` ${turnWords(hint.text)}`];
    return make(
      "li",
      {},
      pressed(words, () => choose(hint), { class: "hint" }),
    );
  });
  return [make("h2", {}, title), make("ol", {}, rows), make("p", { class: "quiet" }, note)];
}

/**
 * @param {Hint} hint
 * @param {boolean} isSearched
 * @returns {string}
 */
function worthWords({ sure, worth }, isSearched) {
  if (sure === "wins") return say("wins");
  if (sure === "loses") return say("loses");
  if (isSearched) return `${signed(worth, 1)} ${say("warriors")}`;
  return `${signed(worth, 3)} ${say("points")}`;
}
