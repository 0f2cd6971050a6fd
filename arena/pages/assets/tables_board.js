// The board of a tables game as a picture.

import { endingBanner, tablesArrows } from "./board_marks.js";
import { shades } from "./board_shades.js";
import { draw } from "./elements.js";
import { levelOf, readTables, TABLES, tablesGeometry } from "./geometry.js";
import { drawDice } from "./tables_dice.js";
import { say } from "./words.js";

/** @import {Board, Said} from "./contents.d.ts" */
/** @import {DrawnPoint, Side, TablesGeometry} from "./geometry.js" */

/**
 * What a board shows. Only a `turn`, the `end` and the `best` turn need their seat and their text.
 *
 * @typedef {object} BoardFrame
 * @property {string} kind
 * @property {string} position
 * @property {string} before the position before it; what differs is marked
 * @property {string | readonly number[]} dice
 * @property {number} mover the seat that plays
 * @property {number} [seat]
 * @property {Said | string} [text]
 */

/**
 * Draw the board after a step; the moves of a turn are arrows.
 *
 * @param {Board} board
 * @param {readonly string[]} names
 * @param {BoardFrame} frame
 * @param {boolean} flipped
 * @returns {SVGSVGElement}
 */
export function tablesBoard(board, names, frame, flipped) {
  const { kind, position, before, dice, mover, seat = mover, text } = frame;
  const sides = readTables(position, board.remembers);
  const geometry = tablesGeometry(board, flipped);
  const old = readTables(before, board.remembers);
  const words = tablesWords(geometry, names, sides);
  const picture = tablesPicture(geometry, sides, old, dice, mover, words);
  const turn = { kind, seat, text: typeof text === "string" ? text : "" };
  const isPlayed = kind === "turn" || kind === "end";
  if (isPlayed || kind === "best") {
    picture.append(...tablesArrows(board, geometry, sides, turn));
    picture.append(...picture.querySelectorAll(".count")); // no arrow covers a count
  }
  if (isPlayed) picture.append(...endingBanner(board, geometry, sides, turn, picture));
  return picture;
}

/**
 * Draw a board with these checkers; what differs from `old` is marked.
 *
 * @param {TablesGeometry} geometry
 * @param {readonly Side[]} sides
 * @param {readonly Side[]} old
 * @param {string | readonly number[]} dice shown in the colour of `mover`
 * @param {number} mover
 * @param {string} words
 * @returns {SVGSVGElement}
 */
export function tablesPicture(geometry, sides, old, dice, mover, words) {
  const { width, height } = geometry;
  return draw(
    "svg",
    {
      class: "board tables",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": words,
    },
    shades(),
    tablesGround(geometry),
    tablesNumbers(geometry, mover),
    placeNames(geometry),
    [1, 2].map((seat) => checkersOf(geometry, sides, old, seat)),
    drawDice(geometry, dice, mover),
  );
}

/**
 * @param {TablesGeometry} geometry
 * @param {readonly Side[]} sides
 * @param {readonly Side[]} old
 * @param {number} seat
 * @returns {SVGElement[]}
 */
function checkersOf(geometry, sides, old, seat) {
  const side = sides[seat - 1];
  const was = old[seat - 1];
  const other = sides[2 - seat];
  const { half } = geometry;
  const stacks = side.points.flatMap((count, index) => {
    const { x, isLower } = geometry.points[index];
    const isHit = other.points[index] > 0; // the checker that hit it says enough
    const gained = isHit ? 0 : count - was.points[index];
    return stack({ half, x, isLower, count, gained, seat });
  });
  const onBar = stack({
    half,
    x: geometry.bar,
    isLower: seat === geometry.lower,
    count: side.bar,
    gained: side.bar - was.bar,
    seat,
    inset: 60,
  });
  const bar = draw("g", { class: `bar seat-${seat}` }, onBar);
  return [...stacks, bar, ...borneOff(geometry, side.off, seat)];
}

/**
 * Draw grain of wood: lines along a plank, no two alike, and the same at every look.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} high
 * @param {number} [lines]
 * @returns {SVGPathElement}
 */
export function grain(x, y, wide, high, lines = 11) {
  const paths = Array.from({ length: lines }, (_, line) => {
    const at = x + (wide * (line + 0.5 + 0.3 * Math.sin(7 * line + x))) / lines;
    const bow = 9 * Math.sin(3 * line + x);
    return `M${at.toFixed(1)} ${y}q${bow.toFixed(1)} ${high / 4} 0 ${high / 2}t0 ${high / 2}`;
  });
  return draw("path", { class: "grain", d: paths.join("") });
}

/**
 * @param {TablesGeometry} geometry
 * @returns {SVGElement[]}
 */
function tablesGround({ width, height, half, points, bar, tray }) {
  const { column, edge, side } = TABLES;
  const hinges = [0.22, 0.7].map((at) =>
    draw("rect", {
      class: "brass",
      x: bar - 5,
      y: edge + 2 * half * at,
      width: 10,
      height: half * 0.16,
      rx: 2,
    }),
  );
  return [
    draw("rect", { class: "frame", x: 0, y: 0, width, height, rx: 14 }),
    grain(4, 4, width - 8, height - 8, 16),
    draw("rect", { class: "lit frame-light", x: 0, y: 0, width, height, rx: 14 }),
    ...field(half, side, 6 * column),
    ...field(half, bar + TABLES.bar / 2, 6 * column),
    ...field(half, tray - TABLES.tray / 2, TABLES.tray),
    draw("path", { class: "hinge", d: `M${bar} ${edge}V${edge + 2 * half}` }),
    ...hinges,
    ...points.flatMap((point) => emptyPoint(point, height)),
  ];
}

/**
 * @param {number} half
 * @param {number} x
 * @param {number} wide
 * @returns {SVGElement[]}
 */
function field(half, x, wide) {
  const { edge } = TABLES;
  const place = { x, y: edge, width: wide, height: 2 * half, rx: 3 };
  return [
    draw("rect", { class: "field", ...place }),
    grain(x, edge, wide, 2 * half, Math.ceil(wide / 34)),
    draw("rect", { class: "deep", ...place }),
  ];
}

/**
 * @param {DrawnPoint} point
 * @param {number} height of the board
 * @returns {SVGPathElement[]}
 */
function emptyPoint({ x, isLower, place }, height) {
  const { column, edge } = TABLES;
  const half = height / 2 - edge;
  const foot = isLower ? height - edge : edge;
  const tip = isLower ? foot - half * 0.84 : foot + half * 0.84;
  const kind = (place + (isLower ? 0 : 1)) % 2 ? "light" : "dark";
  const left = x - column / 2 + 2;
  const right = x + column / 2 - 2;
  return [
    draw("path", {
      class: `point ${kind}`,
      d: `M${left} ${foot}L${x} ${tip}L${right} ${foot}Z`,
    }),
    draw("path", { class: "facet", d: `M${x} ${foot}L${x} ${tip}L${right} ${foot}Z` }),
  ];
}

/**
 * Draw the names of places: home and head in Bräde, the home boards in backgammon, with an arrow
 * the way each side goes; the bar and the tray.
 *
 * @param {TablesGeometry} geometry
 * @returns {SVGTextElement[]}
 */
function placeNames(geometry) {
  const { bar, tray } = geometry;
  return [
    ...namesOfPoints(geometry, 1),
    ...namesOfPoints(geometry, 2),
    uprightName(geometry, bar, "on-frame", say("bar")),
    uprightName(geometry, tray, "in-tray", say("off")),
  ];
}

/**
 * @param {TablesGeometry} geometry
 * @param {number} seat
 * @returns {SVGTextElement[]}
 */
function namesOfPoints({ points, height, facing }, seat) {
  const numbered = new Map(points.map((point) => [point.numbers[seat - 1], point]));
  /** @param {number} number */
  const x = (number) => numbered.get(number)?.x ?? 0;
  const way = Math.sign(x(2) - x(1));
  const baseline = height / 2 + (numbered.get(1)?.isLower ? 42 : -32);
  if (facing !== "same_way")
    return [placeName((x(3) + x(4)) / 2, baseline, withArrow(say("home board"), -way), "middle")];
  return [
    placeName(x(1) + 34 * way, baseline, withArrow(say("home"), way), way > 0 ? "start" : "end"),
    placeName(x(12), baseline, say("head"), "middle"),
  ];
}

/**
 * @param {string} words
 * @param {number} way above 0 to the right, below 0 to the left
 * @returns {string}
 */
function withArrow(words, way) {
  return way > 0 ? `${words} →` : `← ${words}`;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {"start" | "middle" | "end"} anchor
 * @returns {SVGTextElement}
 */
function placeName(x, y, words, anchor) {
  return draw("text", { class: "place", x, y, "text-anchor": anchor }, words);
}

/**
 * @param {TablesGeometry} geometry
 * @param {number} x
 * @param {string} kind
 * @param {string} words
 * @returns {SVGTextElement}
 */
function uprightName({ height, lower }, x, kind, words) {
  const angle = lower === 1 ? -90 : 90;
  return draw(
    "text",
    {
      class: `place ${kind}`,
      x,
      y: height / 2 + 5,
      "text-anchor": "middle",
      transform: `rotate(${angle} ${x} ${height / 2})`,
    },
    words,
  );
}

/**
 * Draw the numbers of both sides; those of the side that plays stand out.
 *
 * @param {TablesGeometry} geometry
 * @param {number} mover
 * @returns {SVGTextElement[]}
 */
function tablesNumbers({ points, height, lower }, mover) {
  return points.flatMap(({ x, isLower, numbers }) => {
    const half = isLower ? "lower" : "upper";
    const baselines = isLower ? [height - 30, height - 9] : [41, 20];
    return numbers.map((number, place) => {
      const seat = place + 1;
      const moving = mover === seat ? " moving" : "";
      const own = lower === seat ? " own" : "";
      return draw(
        "text",
        {
          class: `point-number seat-${seat} ${half}${moving}${own}`,
          x,
          y: baselines[place],
          "text-anchor": "middle",
        },
        number,
      );
    });
  });
}

/**
 * Checkers on a point or the bar, from the edge inwards, or on the bar from `inset` off the edge.
 *
 * @typedef {object} Stack
 * @property {number} half of the board
 * @property {number} x
 * @property {boolean} isLower
 * @property {number} count
 * @property {number} gained how many of them are new; below 0 if some have left
 * @property {number} seat
 * @property {number} [inset]
 */

/**
 * Draw a stack of checkers; new ones are marked.
 *
 * @param {Stack} stack
 * @returns {SVGElement[]}
 */
function stack({ half, x, isLower, count, gained, seat, inset = 0 }) {
  const { radius } = TABLES;
  /** @param {number} level */
  const y = (level) => levelOf({ half }, isLower, count, level, inset);
  /** @type {SVGElement[]} */
  const parts = [];
  for (let level = 0; level < count; level += 1)
    parts.push(checker(x, y(level), radius, seat, level >= count - gained));
  if (count > 5) {
    const baseline = y(count - 1) + 9;
    parts.push(
      draw("text", { class: `count seat-${seat}`, x, y: baseline, "text-anchor": "middle" }, count),
    );
  }
  if (gained < 0) {
    const inwards = isLower ? -radius - 12 : radius + 12;
    parts.push(leftFrom(x, count ? y(count - 1) + inwards : y(0), 8));
  }
  return parts;
}

/**
 * Draw where a checker stood before: a small hollow square on its corner.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @returns {SVGPathElement}
 */
export function leftFrom(x, y, size) {
  return draw("path", { class: "left-from", d: squareOnCorner(x, y, size) });
}

/**
 * Draw a checker.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {number} seat
 * @param {boolean} isNew
 * @returns {SVGGElement}
 */
export function checker(x, y, radius, seat, isNew) {
  /**
   * @param {string} kind
   * @param {number} r
   * @param {number} [down]
   */
  const around = (kind, r, down = 0) => draw("circle", { class: kind, cx: x, cy: y + down, r });
  return draw(
    "g",
    { class: `checker seat-${seat}${isNew ? " moved" : ""}` },
    around("cast", radius - 1, 3),
    around("body", radius - 1.5),
    around("lit", radius - 3),
    around("ridge", radius * 0.7),
    around("sunk", radius * 0.7),
    isNew ? movedMark(x, y) : null,
  );
}

/**
 * Draw the mark of what has just been moved: a square on its corner, which no ring is.
 *
 * @param {number} x
 * @param {number} y
 * @returns {SVGPathElement}
 */
function movedMark(x, y) {
  return draw("path", { class: "moved-mark", d: squareOnCorner(x, y, 12) });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} size from the middle to a corner
 * @returns {string}
 */
function squareOnCorner(x, y, size) {
  return `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`;
}

/**
 * Draw the checkers in the tray, on their edges.
 *
 * @param {TablesGeometry} geometry
 * @param {number} count
 * @param {number} seat
 * @returns {SVGRectElement[]}
 */
function borneOff({ tray, height, lower }, count, seat) {
  const { edge } = TABLES;
  const tall = 15;
  const parts = [];
  for (let place = 0; place < count; place += 1) {
    const fromEdge = place * (tall + 1.5);
    const sides = {
      x: tray - TABLES.tray / 2 + 6,
      y: seat === lower ? height - edge - 4 - tall - fromEdge : edge + 4 + fromEdge,
      width: TABLES.tray - 12,
      height: tall,
      rx: 4,
    };
    parts.push(
      draw("rect", { class: `borne-off seat-${seat}`, ...sides }),
      draw("rect", { class: "lit", ...sides }),
    );
  }
  return parts;
}

/**
 * Return the position in words, each side in its own numbering.
 *
 * @param {TablesGeometry} geometry
 * @param {readonly string[]} names
 * @param {readonly Side[]} sides
 * @returns {string}
 */
export function tablesWords({ points }, names, sides) {
  return sides
    .map((side, place) => {
      const stands = side.points
        .map((count, index) => ({ point: points[index].numbers[place], count }))
        .filter(({ count }) => count > 0)
        .sort((one, other) => one.point - other.point)
        .map(({ point, count }) => say("{count} on {point}", { count, point }));
      const onBar = say("{count} on the bar", { count: side.bar });
      const off = say("{count} off", { count: side.off });
      return `${names[place]}: ${[...stands, onBar, off].join(", ")}`;
    })
    .join("; ");
}
