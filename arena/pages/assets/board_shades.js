// The light on boards and checkers.

import { draw } from "./elements.js";

/** @typedef {[offset: number, colour: string, opacity: number]} Stop */

/** @type {Stop[]} */
const LIT = [
  [0, "#fff", 0.5],
  [0.45, "#fff", 0],
  [0.6, "#000", 0],
  [1, "#000", 0.4],
];

/** @type {Stop[]} */
const SUNK = [
  [0, "#000", 0.38],
  [0.5, "#000", 0.04],
  [0.55, "#fff", 0.02],
  [1, "#fff", 0.3],
];

/** @type {Stop[]} */
const DEEP = [
  [0, "#000", 0.35],
  [0.035, "#000", 0.06],
  [0.1, "#000", 0],
  [0.97, "#fff", 0],
  [1, "#fff", 0.25],
];

/**
 * Define the light from the upper left, for all that has depth: `lit` is raised, `sunk` is hollow,
 * `deep` lies below a frame.
 *
 * @returns {SVGDefsElement}
 */
export function shades() {
  return draw("defs", {}, shade("lit", 1, LIT), shade("sunk", 1, SUNK), shade("deep", 0, DEEP));
}

/**
 * @param {string} name
 * @param {number} corner how far to the right the light goes on its way down
 * @param {readonly Stop[]} stops
 * @returns {SVGLinearGradientElement}
 */
function shade(name, corner, stops) {
  return draw(
    "linearGradient",
    { id: `shade-${name}`, x1: 0, y1: 0, x2: corner, y2: 1 },
    stops.map(([offset, colour, opacity]) =>
      draw("stop", { offset, "stop-color": colour, "stop-opacity": opacity }),
    ),
  );
}
