// What is drawn above a tables board: the moves of the last turn, and what ended the game.

import { capital, draw, endingName } from "./elements.js";
import { indexOf, spotOf, TABLES, tablesMoves } from "./geometry.js";

/** @import {Board} from "./contents.d.ts" */
/** @import {Side, Spot, TablesGeometry} from "./geometry.js" */

/**
 * A turn of a seat as it is written; of kind `best` it is not played, but could be.
 *
 * @typedef {{ kind: string, text: string, seat: number }} WrittenTurn
 */

/**
 * Draw an arrow for each move of the turn that led here, or of one that could be played here.
 *
 * @param {Board} board
 * @param {TablesGeometry} geometry
 * @param {readonly Side[]} sides
 * @param {WrittenTurn} turn
 * @returns {SVGGElement[]}
 */
export function tablesArrows(board, geometry, sides, { kind, text, seat }) {
  const isBest = kind === "best";
  const gone = isBest ? 0 : 1;
  return tablesMoves(board, text).map((move) => {
    const from = spotOf(board, geometry, sides, seat, move.from, gone);
    const to = spotOf(board, geometry, sides, seat, move.to, 1 - gone);
    return arrow(from, to, isBest);
  });
}

/**
 * @param {Spot} from
 * @param {Spot} to
 * @param {boolean} isBest
 * @returns {SVGGElement}
 */
function arrow(from, to, isBest) {
  const way = direction(from, to);
  const bend = Math.min(60, way.length / 5);
  const middle = {
    x: (from.x + to.x) / 2 + way.down * bend,
    y: (from.y + to.y) / 2 - way.across * bend,
  };
  const end = direction(middle, to);
  const tip = { x: to.x - end.across * 10, y: to.y - end.down * 10 };
  const neck = { x: tip.x - end.across * 20, y: tip.y - end.down * 20 };
  const left = `${neck.x - end.down * 12} ${neck.y + end.across * 12}`;
  const right = `${neck.x + end.down * 12} ${neck.y - end.across * 12}`;
  return draw(
    "g",
    { class: isBest ? "arrow best" : "arrow" },
    draw("path", {
      class: "shaft",
      d: `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${neck.x} ${neck.y}`,
    }),
    draw("path", { class: "head", d: `M${tip.x} ${tip.y}L${left}L${right}Z` }),
  );
}

/**
 * Return the direction from one spot to another, as parts of 1, and how far it is.
 *
 * @param {Spot} from
 * @param {Spot} to
 * @returns {{ across: number, down: number, length: number }}
 */
function direction(from, to) {
  const across = to.x - from.x;
  const down = to.y - from.y;
  const length = Math.hypot(across, down) || 1;
  return { across: across / length, down: down / length, length };
}

/**
 * Draw what ended the game, across the half without dice, and mark the points that decided it.
 *
 * @param {Board} board
 * @param {TablesGeometry} geometry
 * @param {readonly Side[]} sides
 * @param {WrittenTurn} turn
 * @param {SVGSVGElement} picture
 * @returns {SVGElement[]}
 */
export function endingBanner(board, geometry, sides, { text, seat }, picture) {
  const name = text.split(", ")[1];
  if (!name) return [];
  if (name.endsWith("jan")) picture.querySelector(`.bar.seat-${3 - seat}`)?.classList.add("jan");
  const marks = decidingPoints(board, sides, name, seat).map((index) => pointMark(geometry, index));
  const ending = endingName(name.replaceAll(" ", "_"));
  return [...marks, banner(geometry, ending, seat)];
}

/**
 * Return the points that decided a game: after a jan the free points that are too few for the bar
 * (B9.1), after a handsome game those of its pattern (B8).
 *
 * @param {Board} board
 * @param {readonly Side[]} sides
 * @param {string} ending
 * @param {number} seat
 * @returns {number[]} places in `points`
 */
function decidingPoints(board, sides, ending, seat) {
  if (ending.endsWith("jan")) {
    const victim = 3 - seat;
    const home = [1, 2, 3, 4, 5, 6].map((slot) => indexOf(board, victim, slot));
    return home.filter((index) => sides[victim - 1].points[index] === 0);
  }
  if (!/crown|stair|tower/.test(ending)) return [];
  const last = [19, 20, 21, 22, 23, 24].map((slot) => indexOf(board, seat, slot));
  return last.filter((index) => sides[seat - 1].points[index] > 0);
}

/**
 * @param {TablesGeometry} geometry
 * @param {number} index
 * @returns {SVGRectElement}
 */
function pointMark(geometry, index) {
  const { x, isLower } = geometry.points[index];
  const { column, edge } = TABLES;
  const { half } = geometry;
  return draw("rect", {
    class: "deciding",
    x: x - column / 2 + 2,
    y: isLower ? edge + half + 50 : edge + 2,
    width: column - 4,
    height: half - 52,
    rx: 8,
  });
}

/**
 * @param {TablesGeometry} geometry
 * @param {string} ending
 * @param {number} seat
 * @returns {SVGGElement}
 */
function banner(geometry, ending, seat) {
  const side = seat === geometry.lower ? -1 : 1;
  const centre = geometry.bar + side * (TABLES.bar / 2 + 3 * TABLES.column);
  const wide = 60 + 25 * ending.length;
  const plate = draw("rect", {
    x: centre - wide / 2,
    y: geometry.height / 2 - 36,
    width: wide,
    height: 72,
    rx: 14,
  });
  const words = draw(
    "text",
    { x: centre, y: geometry.height / 2 + 15, "text-anchor": "middle" },
    `${capital(ending)}!`,
  );
  return draw("g", { class: "banner" }, plate, words);
}
