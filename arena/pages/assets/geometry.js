// Where everything on a board stands, in units of its picture, and what a position in text says:
// nothing here draws.

import { counted } from "./elements.js";
import { say } from "./words.js";

/** @import {Board} from "./contents.d.ts" */

/** @typedef {{ x: number, y: number }} Spot */

/**
 * A board as it is shown: upright for a screen that is higher than wide, where it is square.
 *
 * @typedef {Pick<Board, "facing"> & { isUpright?: boolean }} ShownBoard
 */

/**
 * A point of a tables board as it is drawn; `place` counts from the left, and `numbers` are what
 * each seat calls it.
 *
 * @typedef {object} DrawnPoint
 * @property {number} x
 * @property {boolean} isLower
 * @property {number} place 0 to 11
 * @property {[first: number, second: number]} numbers
 */

/**
 * @typedef {object} TablesGeometry
 * @property {number} width
 * @property {number} height
 * @property {number} half from the edge to the middle
 * @property {string} facing
 * @property {DrawnPoint[]} points `points[i]` is point i + 1 of seat 1
 * @property {number} bar the middle of the bar
 * @property {number} tray the middle of the tray
 * @property {number} lower the seat whose home is at the bottom
 */

/**
 * What a seat has on a board: `points[i]` are its checkers on point i + 1 of seat 1.
 *
 * @typedef {object} Side
 * @property {number[]} points
 * @property {number} bar
 * @property {number} off
 * @property {[name: string, value: number][]} remembered
 */

/**
 * A move by slots of the mover's own path: 0 is the bar, 25 is off.
 *
 * @typedef {{ from: number, to: number }} Move
 */

export const BAR = 0;
export const OFF = 25;

// In a tables game the home of the seat it is seen from is at the bottom: in Bräde at the lower
// left, from where its checkers run counter-clockwise as in the rule book; in backgammon at the
// lower right.
export const TABLES = {
  column: 60,
  bar: 62,
  half: 285,
  upright: 395,
  edge: 50,
  side: 14,
  radius: 27,
  tray: 66,
};

/**
 * Return where each thing stands, for one way of facing.
 *
 * @param {ShownBoard} board
 * @param {boolean} [flipped] the view of seat 2
 * @returns {TablesGeometry}
 */
export function tablesGeometry({ facing, isUpright = false }, flipped = false) {
  const { column, bar, edge, side, tray } = TABLES;
  const half = isUpright ? TABLES.upright : TABLES.half;
  const rightOfField = side + 12 * column + bar + side;
  return {
    width: rightOfField + tray + side,
    height: 2 * (edge + half),
    half,
    facing,
    points: Array.from({ length: 24 }, (_, index) => drawnPoint(index + 1, facing, flipped)),
    bar: side + 6 * column + bar / 2,
    tray: rightOfField + tray / 2,
    lower: flipped ? 2 : 1,
  };
}

/**
 * @param {number} path the point on the path of seat 1, from 1 on
 * @param {string} facing
 * @param {boolean} flipped
 * @returns {DrawnPoint}
 */
function drawnPoint(path, facing, flipped) {
  const isSameWay = facing === "same_way";
  const first = isSameWay ? path : 25 - path;
  const second = isSameWay ? ((path + 11) % 24) + 1 : path;
  const isLower = first <= 12;
  const along = (first - 1) % 12;
  const place = isSameWay === isLower ? along : 11 - along;
  const shown = flipped ? 11 - place : place;
  return {
    x: columnMiddle(shown),
    isLower: isLower !== flipped,
    place: shown,
    numbers: [first, second],
  };
}

/**
 * @param {number} place 0 to 11 from the left
 * @returns {number}
 */
function columnMiddle(place) {
  const { side, column, bar } = TABLES;
  return side + column * (place + 0.5) + (place > 5 ? bar : 0);
}

/**
 * Read a position of a tables game.
 *
 * @param {string} text
 * @param {readonly string[]} remembers what a position says beside its checkers
 * @returns {Side[]} one for each seat
 */
export function readTables(text, remembers) {
  return [1, 2].map((seat) => {
    /** @param {number} place */
    const count = (place) => checkersAt(text, place, seat);
    return {
      points: Array.from({ length: 24 }, (_, place) => count(place)),
      bar: count(23 + seat),
      off: count(25 + seat),
      remembered: remembers.map((name, place) => [name, Number(text[27 + 2 * place + seat])]),
    };
  });
}

/**
 * @param {string} text
 * @param {number} place
 * @param {number} seat
 * @returns {number} 0 for none, and for checkers of the other seat
 */
function checkersAt(text, place, seat) {
  const beforeFirst = seat === 1 ? "`" : "@"; // the signs before "a" and "A"
  const count = text.charCodeAt(place) - beforeFirst.charCodeAt(0);
  return count >= 1 && count <= 15 ? count : 0;
}

/**
 * Return how high a level of a stack of checkers is.
 *
 * @param {Pick<TablesGeometry, "half">} geometry
 * @param {boolean} isLower
 * @param {number} count checkers in the stack
 * @param {number} level 0 for the checker at the edge
 * @param {number} [inset]
 * @returns {number}
 */
export function levelOf({ half }, isLower, count, level, inset = 0) {
  const { edge, radius } = TABLES;
  const room = half - 12 - 2 * radius - inset;
  const step = count > 1 ? Math.min(2 * radius, room / (count - 1)) : 0;
  if (isLower) return edge + 2 * half - radius - 1 - step * level;
  return edge + radius + 1 + step * level;
}

/**
 * Return the points that all checkers of a seat still have to go.
 *
 * @param {Board} board
 * @param {string} position
 * @param {number} seat
 * @returns {number}
 */
export function tablesPips(board, position, seat) {
  const side = readTables(position, board.remembers)[seat - 1];
  const { points } = tablesGeometry(board);
  let pips = 25 * side.bar;
  for (const [index, count] of side.points.entries()) {
    const number = points[index].numbers[seat - 1];
    pips += count * (board.facing === "same_way" ? 25 - number : number);
  }
  return pips;
}

/**
 * Return how many of its points 1 to 6 a seat has no checker on (B9.1).
 *
 * @param {Board} board
 * @param {string} position
 * @param {number} seat
 * @returns {number}
 */
export function tablesRoom(board, position, seat) {
  const { points } = readTables(position, board.remembers)[seat - 1];
  const home = [1, 2, 3, 4, 5, 6].map((slot) => points[indexOf(board, seat, slot)]);
  return home.filter((count) => count === 0).length;
}

/**
 * Return in words what a side remembers beside its checkers; empty if nothing.
 *
 * @param {Board} board
 * @param {string} position
 * @param {number} seat
 * @returns {string}
 */
export function tablesRemembered(board, position, seat) {
  const { remembered } = readTables(position, board.remembers)[seat - 1];
  return remembered
    .map(([name, value]) => rememberedWords(name, value))
    .filter(Boolean)
    .join(", ");
}

/**
 * @param {string} name
 * @param {number} value
 * @returns {string}
 */
function rememberedWords(name, value) {
  if (name === "unlocked") return say(value ? "unlocked" : "locked");
  if (name !== "one_die" || !value) return "";
  return say("one die for {turns}", { turns: counted(value, "more turn", "more turns") });
}

// Seven by seven, the throne in the middle, a refuge in each corner.
export const BRANDUBH = {
  square: 90,
  margin: 44,
  corners: [0, 6, 42, 48],
  throne: 24,
  files: "abcdefg",
};

/**
 * Return the number of a square such as d4, from a7 on.
 *
 * @param {string} name
 * @returns {number}
 */
export function squareIndex(name) {
  return 7 * (7 - Number(name[1])) + BRANDUBH.files.indexOf(name[0]);
}

/**
 * Return the middle of a square.
 *
 * @param {number} index
 * @param {boolean} flipped
 * @returns {Spot}
 */
export function squareAt(index, flipped) {
  const { square, margin } = BRANDUBH;
  const place = flipped ? 48 - index : index;
  return {
    x: margin + square * ((place % 7) + 0.5),
    y: margin + square * (Math.floor(place / 7) + 0.5),
  };
}

/**
 * Return what stands on a square. Corners and the throne have signs of their own when they are
 * empty.
 *
 * @param {string} position
 * @param {number} index
 * @returns {string} `b`, `w`, `k` for the king, or nothing
 */
export function pieceAt(position, index) {
  return "bwk".includes(position[index]) ? position[index] : "";
}

/**
 * Return the moves of a turn of a tables game as it is written.
 *
 * @param {Board} board
 * @param {string} text
 * @returns {Move[]}
 */
export function tablesMoves(board, text) {
  const [moves] = text.split(",");
  const written = moves.matchAll(/(bar|\d+)\/(off|\d+)\**(?:\((\d)\))?/g);
  return [...written].flatMap(([, from, to, times]) =>
    Array.from({ length: Number(times ?? 1) }, () => ({
      from: slotOf(board, from),
      to: slotOf(board, to),
    })),
  );
}

/**
 * @param {Board} board
 * @param {string} word
 * @returns {number}
 */
function slotOf(board, word) {
  if (word === "bar") return BAR;
  if (word === "off") return OFF;
  return board.facing === "same_way" ? Number(word) : 25 - Number(word);
}

/**
 * Return the place in `points` of a slot of a seat.
 *
 * @param {Board} board
 * @param {number} seat
 * @param {number} slot 1 to 24
 * @returns {number}
 */
export function indexOf(board, seat, slot) {
  if (seat === 1) return slot - 1;
  return board.facing === "same_way" ? (slot + 11) % 24 : 24 - slot;
}

/**
 * Return a position in text without the checker that somebody has lifted.
 *
 * @param {Board} board
 * @param {string} position
 * @param {number} seat whose checker it is
 * @param {number | string} slot on which it stands
 * @returns {string}
 */
export function withoutLifted(board, position, seat, slot) {
  const place = placeInText(board, seat, slot);
  const sign = position[place];
  const isAlone = typeof slot === "string" || sign.toLowerCase() === "a";
  const left = isAlone ? "." : String.fromCharCode(sign.charCodeAt(0) - 1);
  return position.slice(0, place) + left + position.slice(place + 1);
}

/**
 * @param {Board} board
 * @param {number} seat
 * @param {number | string} slot
 * @returns {number} where a slot stands in the text of a position
 */
function placeInText(board, seat, slot) {
  if (typeof slot === "string") return squareIndex(slot);
  return slot === BAR ? 23 + seat : indexOf(board, seat, slot);
}

/**
 * Return the same sides with more checkers, or fewer, on a slot.
 *
 * @param {Board} board
 * @param {readonly Side[]} sides
 * @param {number} seat
 * @param {number} slot
 * @param {number} by
 * @returns {Side[]}
 */
export function changed(board, sides, seat, slot, by) {
  const copy = sides.map((side) => ({ ...side, points: [...side.points] }));
  const side = copy[seat - 1];
  if (slot === BAR) side.bar += by;
  else if (slot === OFF) side.off += by;
  else side.points[indexOf(board, seat, slot)] += by;
  return copy;
}

/**
 * Return where the top checker of a slot stands, or would stand if there were `more` of them.
 *
 * @param {Board} board
 * @param {TablesGeometry} geometry
 * @param {readonly Side[]} sides
 * @param {number} seat
 * @param {number} slot
 * @param {number} [more]
 * @returns {Spot}
 */
export function spotOf(board, geometry, sides, seat, slot, more = 0) {
  const side = sides[seat - 1];
  const isOwnHalf = seat === geometry.lower;
  if (slot === OFF)
    return { x: geometry.tray, y: levelOf(geometry, isOwnHalf, 15, Math.max(0, side.off - 1)) };
  if (slot === BAR) {
    const count = Math.max(1, side.bar + more);
    return { x: geometry.bar, y: levelOf(geometry, isOwnHalf, count, count - 1, 60) };
  }
  const index = indexOf(board, seat, slot);
  const { x, isLower } = geometry.points[index];
  const count = Math.max(1, side.points[index] + more);
  return { x, y: levelOf(geometry, isLower, count, count - 1) };
}

/**
 * Return how many checkers of the other side a move to `to` sends to the bar, and the sides once
 * they have left their point.
 *
 * @param {Board} board
 * @param {readonly Side[]} sides
 * @param {number} seat
 * @param {number} to
 * @returns {[victims: number, sides: Side[]]}
 */
export function withoutVictims(board, sides, seat, to) {
  const copy = sides.map((side) => ({ ...side, points: [...side.points] }));
  if (to === OFF) return [0, copy];
  const index = indexOf(board, seat, to);
  const { points } = copy[2 - seat];
  const victims = points[index];
  points[index] = 0;
  return [victims, copy];
}
