// Where everything on a board stands, in units of its picture, and what a position in text says: nothing here draws.

import { counted } from "./elements.js";
import { say } from "./words.js";

// In a tables game the home of the seat it is seen from is at the bottom: in Bräde at the lower left, from where its
// checkers run counter-clockwise as in the rule book; in backgammon at the lower right.
export const TABLES = { column: 60, bar: 62, half: 285, edge: 50, side: 14, radius: 27, tray: 66 };

/** Where each thing stands, for one way of facing; `flipped` is the view of seat 2. */
export function tablesGeometry(facing, flipped = false) {
  const { column, bar, half, edge, side, tray } = TABLES;
  const width = side + 12 * column + bar + side + tray + side,
    height = 2 * (edge + half);
  const across = (place) => side + column * (place + 0.5) + (place > 5 ? bar : 0);
  const points = Array.from({ length: 24 }, (_, index) => {
    const path = index + 1;
    const isSameWay = facing === "same_way";
    const shown = isSameWay ? path : 25 - path;
    const other = isSameWay ? ((path + 11) % 24) + 1 : path;
    const isLower = shown <= 12;
    const place =
      isSameWay === isLower ? shown - 1 - (isLower ? 0 : 12) : (isLower ? 12 : 24) - shown;
    return flipped
      ? { x: across(11 - place), isLower: !isLower, place: 11 - place, numbers: [shown, other] }
      : { x: across(place), isLower, place, numbers: [shown, other] };
  });
  const trays = side + 12 * column + bar + side + tray / 2;
  return {
    width,
    height,
    facing,
    points,
    bar: side + 6 * column + bar / 2,
    tray: trays,
    lower: flipped ? 2 : 1,
  };
}

/** Read a position: for each seat the checkers on the 24 points, on the bar and off, and what else is remembered. */
export function readTables(text, remembers) {
  const count = (place, seat) => {
    const code = text.charCodeAt(place) - (seat === 1 ? 96 : 64);
    return code >= 1 && code <= 15 ? code : 0;
  };
  return [1, 2].map((seat) => ({
    points: Array.from({ length: 24 }, (_, place) => count(place, seat)),
    bar: count(23 + seat, seat),
    off: count(25 + seat, seat),
    remembered: remembers.map((name, place) => [name, Number(text[28 + 2 * place + seat - 1])]),
  }));
}

/** How high a level of a stack of so many checkers is. */
export function levelOf(isLower, count, level, inset = 0) {
  const { half, edge, radius } = TABLES;
  const room = half - 12 - 2 * radius - inset;
  const step = count > 1 ? Math.min(2 * radius, room / (count - 1)) : 0;
  return isLower ? edge + 2 * half - radius - 1 - step * level : edge + radius + 1 + step * level;
}

export function tablesPips(board, position, seat) {
  const side = readTables(position, board.remembers)[seat - 1],
    { points } = tablesGeometry(board.facing);
  const left = (index) =>
    board.facing === "same_way"
      ? 25 - points[index].numbers[seat - 1]
      : points[index].numbers[seat - 1];
  return side.points.reduce((sum, count, index) => sum + count * left(index), 25 * side.bar);
}

/** What a side remembers beside its checkers, in words; empty if nothing. */
export function tablesRemembered(board, position, seat) {
  return readTables(position, board.remembers)
    [seat - 1].remembered.map(
      ([name, value]) =>
        ({
          unlocked: say(value ? "unlocked" : "locked"),
          one_die: value
            ? say("one die for {turns}", { turns: counted(value, "more turn", "more turns") })
            : "",
        })[name],
    )
    .filter(Boolean)
    .join(", ");
}

// Seven by seven, the throne in the middle, a refuge in each corner.
export const BRANDUBH = {
  square: 90,
  margin: 44,
  corners: [0, 6, 42, 48],
  throne: 24,
  files: "abcdefg",
};

/** The number of a square such as d4, from a7 on. */
export function squareIndex(name) {
  return 7 * (7 - Number(name[1])) + BRANDUBH.files.indexOf(name[0]);
}

export function squareAt(index, flipped) {
  const { square, margin } = BRANDUBH,
    place = flipped ? 48 - index : index;
  return {
    x: margin + square * ((place % 7) + 0.5),
    y: margin + square * (Math.floor(place / 7) + 0.5),
  };
}

/** `b`, `w`, `k` for the king, or nothing: corners and the throne have signs of their own when they are empty. */
export function pieceAt(position, index) {
  return "bwk".includes(position[index]) ? position[index] : "";
}

/** The moves of a turn as it is written, by slots of the mover's own path: 0 is the bar, 25 is off. */
export function tablesMoves(board, text) {
  const slot = (word) =>
    word === "bar"
      ? 0
      : word === "off"
        ? 25
        : board.facing === "same_way"
          ? Number(word)
          : 25 - Number(word);
  return [...text.split(",")[0].matchAll(/(bar|\d+)\/(off|\d+)\**(?:\((\d)\))?/g)].flatMap(
    ([, from, to, times]) =>
      Array.from({ length: Number(times ?? 1) }, () => ({ from: slot(from), to: slot(to) })),
  );
}

export function indexOf(board, seat, slot) {
  if (seat === 1) return slot - 1;
  return board.facing === "same_way" ? (slot + 11) % 24 : 24 - slot;
}

/** The same sides with one checker more, or less, on a slot. */
export function changed(board, sides, seat, slot, by) {
  const copy = sides.map((side) => ({ ...side, points: [...side.points] })),
    side = copy[seat - 1];
  if (slot === 0) side.bar += by;
  else if (slot === 25) side.off += by;
  else side.points[indexOf(board, seat, slot)] += by;
  return copy;
}

/** Where the top checker of a slot stands, or would stand if there were `more` of them. */
export function spotOf(board, geometry, sides, seat, slot, more = 0) {
  const side = sides[seat - 1];
  if (slot === 25)
    return { x: geometry.tray, y: levelOf(seat === geometry.lower, 15, Math.max(0, side.off - 1)) };
  if (slot === 0) {
    const count = Math.max(1, side.bar + more);
    return { x: geometry.bar, y: levelOf(seat === geometry.lower, count, count - 1, 60) };
  }
  const index = indexOf(board, seat, slot),
    { x, isLower } = geometry.points[index];
  const count = Math.max(1, side.points[index] + more);
  return { x, y: levelOf(isLower, count, count - 1) };
}

/** The checkers of the other side that a move to `to` sends to the bar, and the sides once they have left their point. */
export function withoutVictims(board, sides, seat, to) {
  const index = to === 25 ? -1 : indexOf(board, seat, to),
    copy = changed(board, sides, 3 - seat, 0, 0),
    { points } = copy[2 - seat];
  const victims = points[index] ?? 0;
  if (victims) points[index] = 0;
  return [victims, copy];
}
