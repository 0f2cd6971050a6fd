// A position as commands and other programs read it.

import { readTables, tablesGeometry } from "./geometry.js";

/** @import {Board} from "./contents.d.ts" */
/** @import {Frame} from "./steps.js" */

/** The signs of an XGID for 0 to 15 checkers of the side to move. */
const CHECKERS = "-ABCDEFGHIJKLMNO";

/**
 * Return the position of a frame before the next roll: an XGID in backgammon, else the literal.
 *
 * @param {Board} board
 * @param {Frame} frame
 * @returns {string}
 */
export function positionId(board, frame) {
  if (board.kind !== "tables") return frame.position;
  const mover = frame.kind === "turn" ? 3 - frame.seat : frame.seat;
  const sides = readTables(frame.position, board.remembers);
  const mine = slotsOf(board, mover, sides[mover - 1]);
  const theirs = slotsOf(board, mover, sides[2 - mover]);
  const isBackgammon = board.facing === "opposite_ways" && board.remembers.length === 0;
  return isBackgammon ? xgid(mine, theirs) : `${mine.join(" ")} | opp ${theirs.join(" ")}`;
}

/**
 * @param {Board} board
 * @param {number} mover the seat whose numbers the points have
 * @param {ReturnType<typeof readTables>[0]} side
 * @returns {string[]} such as `24:2`, `bar:1`, `off:12`
 */
function slotsOf(board, mover, { points, bar, off, remembered }) {
  const geometry = tablesGeometry(board);
  const slots = points.map((count, index) => ({
    count,
    number: geometry.points[index].numbers[mover - 1],
  }));
  slots.sort((one, other) => one.number - other.number);
  if (board.facing === "opposite_ways") slots.reverse();
  const words = slots.filter(({ count }) => count).map(({ number, count }) => `${number}:${count}`);
  if (bar) words.push(`bar:${bar}`);
  if (off) words.push(`off:${off}`);
  for (const [name, value] of remembered) {
    if (value) words.push(name === "one_die" ? `one-die:${value}` : name);
  }
  return words;
}

/**
 * @param {string[]} mine slots of the side to move
 * @param {string[]} theirs
 * @returns {string}
 */
function xgid(mine, theirs) {
  const signs = Array(26).fill(CHECKERS[0]);
  for (const [slot, count] of mine.map((word) => word.split(":"))) {
    if (slot !== "off") signs[slot === "bar" ? 25 : Number(slot)] = CHECKERS[Number(count)];
  }
  for (const [slot, count] of theirs.map((word) => word.split(":"))) {
    if (slot !== "off")
      signs[slot === "bar" ? 0 : Number(slot)] = CHECKERS[Number(count)].toLowerCase();
  }
  return `XGID=${signs.join("")}:0:0:1:00:0:0:0:0:10`;
}
