// The parts beside the board: plates, buttons, moves as text, hints and the turns of the game. Each
// function makes the nodes for a state; the table draws them where they belong.

import { fixed, make, pressed, sentence, toldSpan } from "./elements.js";
import { tablesPips } from "./geometry.js";
import { pointsOf } from "./judgement.js";
import { keyed, keyedButton } from "./redraw.js";
import { turnWords } from "./steps.js";
import { strengthWords } from "./strengths.js";
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
 * @property {(deed: Deed, fields: DeedFields) => void} act
 * @property {() => void} undo
 * @property {() => void} showHints
 * @property {(offers: boolean) => void} offer
 * @property {(isResigning: boolean) => void} resign
 */

/**
 * @param {AtTheBoard} table
 * @param {ClosedGame | null} final
 * @param {boolean} isMine
 * @returns {number} the colour of a side, as the number of a seat
 */
function discOf(table, final, isMine) {
  const { colour } = final ?? table;
  if (colour) return (colour === "Black") === isMine ? 2 : 1;
  return isMine ? table.seat : 3 - table.seat;
}

/**
 * Return the plate of a side: who plays, and how it stands.
 *
 * @param {StateAtTheBoard} state
 * @param {ClosedGame | null} final
 * @param {boolean} isMine
 * @returns {HTMLParagraphElement}
 */
export function plate(state, final, isMine) {
  const { table, me, opponent, lesson } = state;
  const seat = isMine ? table.seat : 3 - table.seat;
  const isDue = table.phase === "turn" || table.phase === "call";
  const isMoving = !final && isDue === isMine && table.phase !== "arriving";
  const hasPips = table.board.kind === "tables" && !final;
  const pips = hasPips
    ? say("{count} pips", { count: tablesPips(table.board, table.position, seat) })
    : "";
  const name = isMine ? me : opponent || say("nobody");
  const side = isMine ? "near" : "far";
  return make(
    "p",
    {
      class: `plate ${side}${isMoving ? " moving" : ""}`,
      hidden: lesson !== "" && !isMine,
    },
    make("span", { class: `disc seat-${discOf(table, final, isMine)}` }),
    make("strong", {}, document.createTextNode(name)),
    make("span", { class: "quiet" }, noteOf(state, final, isMine)),
    make("span", { class: "quiet pips" }, pips),
  );
}

/**
 * @param {StateAtTheBoard} state
 * @param {ClosedGame | null} final
 * @param {boolean} isMine
 * @returns {string} the person's colour, or the opponent's strength
 */
function noteOf({ table, strength }, final, isMine) {
  if (!isMine) return strength ? strengthWords(strength) : "";
  return table.colour ? say((final ?? table).colour) : "";
}

/**
 * Return what the person can do now, beside moving checkers.
 *
 * @param {Controls} controls
 * @returns {HTMLElement[]}
 */
export function buttons(controls) {
  const { state, final, isResigning } = controls;
  const { table, lesson, role } = state;
  if (isResigning) return resignQuestion(controls);
  const parts = [];
  if (!final && table.phase === "call") parts.push(...callButtons(controls));
  if (!final && table.phase === "turn") parts.push(...turnButtons(controls));
  const isDue = table.phase === "turn" || table.phase === "call";
  if (!final && isDue && !state.no_hints && !lesson) {
    const isPass = table.pass_clause !== "";
    parts.push(keyedButton("hint", say("Show me"), controls.showHints, { disabled: isPass }));
  }
  if (!final && !lesson && role !== "entrant") {
    const ask = () => controls.resign(true);
    parts.push(keyedButton("resign", say("Resign"), ask, { class: "resign" }));
  }
  if (!final && table.phase === "turn" && state.no_hints)
    parts.push(make("p", { class: "quiet" }, toldSpan(state.no_hints)));
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
 * @param {Controls} controls
 * @returns {HTMLElement[]}
 */
function turnButtons(controls) {
  const { state, act, offers, undo } = controls;
  const { table, lesson, judged } = state;
  const { question } = table;
  const parts = [];
  if (judged === "open") {
    const words = table.pass_clause ? say("Pass") : say("Play the turn");
    const confirm = () => act("confirm", { question, offers_draw: offers });
    const attributes = { class: "main", disabled: !table.is_whole };
    parts.push(keyedButton("confirm", words, confirm, attributes));
  }
  parts.push(keyedButton("undo", say("Undo"), undo, { disabled: !table.moves.length }));
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
    keyedButton("yes", say("Yes, give up the match"), giveUp, { class: "resign main" }),
    keyedButton("no", say("No, play on"), goOn),
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
  return isSearched ? fixed(worth, 1) : pointsOf(worth);
}
