// What a click does at the board, and what is left of a turn: nothing here touches the page. The
// referee judges every move; this only finds the move that somebody means.

/** @import {AtTheBoard, Turned} from "./contents.d.ts" */
/** @import {Deed, DeedFields, Slot} from "./hand_types.d.ts" */

/**
 * A move to be tried, or a checker to be chosen (or no longer chosen, if it was).
 *
 * @typedef {{ kind: "move", start: Slot, target: Slot } | { kind: "choose", slot: Slot }} Click
 */

/**
 * What a click depends on.
 *
 * @typedef {object} Situation
 * @property {readonly Turned[]} next moves that can follow
 * @property {readonly Turned[]} far moves of one checker by several dice
 * @property {readonly number[]} dice that are left, the one to be used first before the others
 * @property {boolean} isTables true if a click moves a checker by a die
 * @property {Slot | null} chosen the checker that is chosen
 */

const OFF = 25;

/** How long a turn without a choice is shown before it is played. */
const FORCED_MS = 1400;

/** How long a turn whose dice are used up can be taken back before it plays itself. */
const TAKE_BACK_MS = 2000;

/** The same for a move without a choice. */
const QUICK_MS = 350;

/**
 * Return the slots whose checker can be lifted.
 *
 * @param {readonly Turned[]} next
 * @returns {Set<Slot>}
 */
export function startsOf(next) {
  return new Set(next.map((move) => move.start));
}

/**
 * Return the moves of one checker.
 *
 * @param {readonly Turned[]} next
 * @param {Slot | null} start null if none is chosen
 * @returns {Turned[]}
 */
export function movesFrom(next, start) {
  return next.filter((move) => move.start === start);
}

/**
 * Return where the chosen checker can land, by one die or several.
 *
 * @param {Situation} situation
 * @returns {Turned[]}
 */
export function landingsOf({ next, far, chosen }) {
  return movesFrom([...next, ...far], chosen);
}

/**
 * Return the checker that is chosen before anybody clicks: the only one that can move, if so.
 *
 * @param {readonly Turned[]} next
 * @returns {Slot | null}
 */
export function onlyStart(next) {
  const starts = [...startsOf(next)];
  return starts.length === 1 ? starts[0] : null;
}

/**
 * Return where a click takes the checker of a slot: by the first die that it can use, else where
 * the first die would take it.
 *
 * @param {Pick<Situation, "next" | "dice">} situation
 * @param {number} slot
 * @returns {number | undefined} undefined without dice
 */
export function goalOf({ next, dice }, slot) {
  const goals = dice.map((die) => Math.min(OFF, slot + die));
  const targets = new Set(movesFrom(next, slot).map((move) => move.target));
  return goals.find((goal) => targets.has(goal)) ?? goals[0];
}

/**
 * Return what a click or a key on a slot does: land there, move its checker, or choose it. On a
 * free slot it lands the only checker that can.
 *
 * @param {Situation} situation
 * @param {Slot} slot
 * @param {boolean} hasChecker true if a checker of the person stands there
 * @param {boolean} isKey true for a key, which moves no checker that is not chosen
 * @returns {Click | null} null if it does nothing
 */
export function clickOf(situation, slot, hasChecker, isKey) {
  const { chosen, isTables } = situation;
  if (chosen !== null) {
    const canLand = landingsOf(situation).some((move) => move.target === slot);
    const isPlace = slot !== chosen && (canLand || !hasChecker);
    if (isPlace || isByDice(situation, chosen, slot)) return moveOf(chosen, slot);
  }
  if (!hasChecker) return isTables ? onlyMoveTo(situation, slot) : null;
  if (!isTables || isKey) return { kind: "choose", slot };
  const goal = goalOf(situation, Number(slot));
  return goal === undefined ? null : moveOf(slot, goal);
}

/**
 * @param {Situation} situation
 * @param {Slot} slot
 * @returns {Click | null} null if no checker can land there, by one die or else by several, or
 *   more than one
 */
function onlyMoveTo({ next, far }, slot) {
  const near = next.filter((move) => move.target === slot);
  const moves = near.length ? near : far.filter((move) => move.target === slot);
  const start = onlyStart(moves);
  return start === null ? null : moveOf(start, slot);
}

/**
 * Return what it does to drop a checker: move it, or choose it if it is back or beside the board.
 *
 * @param {Slot} start
 * @param {Slot | null} target null beside the board
 * @returns {Click}
 */
export function dropOf(start, target) {
  if (target === null || target === start) return { kind: "choose", slot: start };
  return moveOf(start, target);
}

/**
 * @param {Situation} situation
 * @param {Slot} start
 * @param {Slot} target
 * @returns {boolean} true if dice lead there, one or several
 */
function isByDice({ isTables, dice }, start, target) {
  const way = Number(target) - Number(start);
  let ways = [0];
  for (const die of dice) ways = ways.concat(ways.map((one) => one + die));
  return isTables && way > 0 && ways.includes(way);
}

/**
 * @param {Slot} start
 * @param {Slot} target
 * @returns {Click}
 */
function moveOf(start, target) {
  return { kind: "move", start, target };
}

/**
 * Return dice as they lie: the larger one first, until the person swaps them.
 *
 * @param {readonly number[]} dice
 * @param {boolean} isSwapped
 * @returns {number[]}
 */
export function inOrder(dice, isSwapped) {
  const rising = [...dice].sort((one, other) => one - other);
  return isSwapped ? rising : rising.reverse();
}

/**
 * Return for each die on the board whether it is used. Two equal dice stand for two moves each,
 * and the second one is used up first.
 *
 * @param {readonly number[]} dice as they lie
 * @param {readonly number[]} left dice that are left
 * @returns {boolean[]}
 */
export function usedDice(dice, left) {
  if (dice.length === 2 && dice[0] === dice[1]) return [left.length === 0, left.length <= 2];
  const rest = [...left];
  return dice.map((face) => {
    const place = rest.indexOf(face);
    if (place >= 0) rest.splice(place, 1);
    return place < 0;
  });
}

/**
 * Return a text that changes when something else is asked of the person, or something is done.
 *
 * @param {AtTheBoard} table
 * @returns {string}
 */
export function momentOf({ game, phase, question, moves, is_draw_offered, over }) {
  return [game, phase, question, moves.join(" "), is_draw_offered, over.length].join("|");
}

/**
 * Return the moves that have come to a turn since; none if it is another turn.
 *
 * @param {AtTheBoard | undefined} before
 * @param {AtTheBoard} table
 * @returns {AtTheBoard["moves"]}
 */
export function addedMoves(before, table) {
  if (before?.question !== table.question) return [];
  return table.moves.slice(before.moves.length);
}

/**
 * A deed that is done by itself after some time.
 *
 * @typedef {{ deed: Deed, fields: DeedFields, afterMs: number }} ForcedDeed
 */

/**
 * Return what is done by itself where a roll leaves no choice: the next move, the whole turn, or
 * the word that it is whole. The first move of a turn is done only if it is part of the only turn.
 *
 * @param {AtTheBoard} table
 * @returns {ForcedDeed | null} null if there is a choice
 */
export function forcedDeed({ question, moves, next, only, is_whole, phase, is_draw_offered }) {
  if (phase !== "turn" || is_draw_offered) return null;
  if (only !== null && moves.length === only.length) {
    if (!is_whole) return null;
    return { deed: "confirm", fields: { question, offers_draw: false }, afterMs: FORCED_MS };
  }
  if (only !== null) return { deed: "turn", fields: { question, moves: only }, afterMs: QUICK_MS };
  if (next.length !== 1 || moves.length === 0) return null;
  const [{ start, target }] = next;
  return { deed: "move", fields: { question, moves: [[start, target]] }, afterMs: QUICK_MS };
}

/**
 * Return how a turn plays itself once nothing can be added to it: after a moment in which it can be
 * taken back, in Brandubh at once.
 *
 * @param {AtTheBoard} table
 * @param {boolean} offers true if a draw is offered with it
 * @returns {ForcedDeed | null} null while something can be added
 */
export function wholeDeed({ question, moves, next, is_whole, phase, board }, offers) {
  if (phase !== "turn" || !is_whole || !moves.length || next.length) return null;
  const afterMs = board.kind === "brandubh" ? 0 : TAKE_BACK_MS;
  return { deed: "confirm", fields: { question, offers_draw: offers }, afterMs };
}
