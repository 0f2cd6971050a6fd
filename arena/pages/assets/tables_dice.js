// The dice on a board.

import { draw } from "./elements.js";
import { TABLES } from "./geometry.js";

/** @import {TablesGeometry} from "./geometry.js" */

const DIE = 50;

/** Where the pips of each face stand, in steps from the middle of the die. */
const PIPS = [
  [],
  [[0, 0]],
  [
    [-1, -1],
    [1, 1],
  ],
  [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  [
    [-1, -1],
    [-1, 1],
    [1, -1],
    [1, 1],
  ],
  [
    [-1, -1],
    [-1, 1],
    [0, 0],
    [1, -1],
    [1, 1],
  ],
  [
    [-1, -1],
    [-1, 0],
    [-1, 1],
    [1, -1],
    [1, 0],
    [1, 1],
  ],
];

/**
 * Draw the roll, in the middle of the half to the right of its owner.
 *
 * @param {TablesGeometry} geometry
 * @param {string | readonly number[]} dice
 * @param {number} mover
 * @returns {SVGGElement[]}
 */
export function drawDice({ bar, height, lower }, dice, mover) {
  const side = mover === lower ? 1 : -1;
  const centre = bar + side * (TABLES.bar / 2 + 3 * TABLES.column);
  return [...dice].map((face, place) => {
    const x = centre + (place - (dice.length - 1) / 2) * (DIE + 12);
    return die(x, height / 2, Number(face), mover);
  });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} face
 * @param {number} seat
 * @returns {SVGGElement}
 */
function die(x, y, face, seat) {
  const left = x - DIE / 2;
  const top = y - DIE / 2;
  const body = { x: left, y: top, width: DIE, height: DIE, rx: 12 };
  const lit = { x: left + 1, y: top + 1, width: DIE - 2, height: DIE - 2, rx: 11 };
  const pips = PIPS[face].map(([across, down]) =>
    draw("circle", { class: "pip", cx: x + across * 13, cy: y + down * 13, r: 5 }),
  );
  return draw(
    "g",
    { class: `die seat-${seat}` },
    draw("rect", { class: "cast", ...body, y: top + 4 }),
    draw("rect", { class: "body", ...body }),
    draw("rect", { class: "lit", ...lit }),
    pips,
  );
}
