// The faces of opponents: a checker that looks the more intent the stronger its bot is.

import { draw } from "./elements.js";

/** @import {Child} from "./elements.js" */

/**
 * How a face looks.
 *
 * @typedef {object} Look
 * @property {1 | 2} seat the colour of the checker, as that of a seat
 * @property {number} eye the radius of an eye
 * @property {string} brows
 * @property {string} mouth
 */

/** @type {Readonly<Record<string, Look>>} */
const LOOKS = {
  beginner: {
    seat: 1,
    eye: 4.5,
    brows: "M19 20q4-4 8-2M37 18q4-2 8 2",
    mouth: "M23 42q9 13 18 0z",
  },
  easy: { seat: 1, eye: 3.5, brows: "M19 22q4-3 8-1M37 21q4-2 8 1", mouth: "M22 42q10 8 20 0" },
  medium: { seat: 2, eye: 3.2, brows: "M19 22h9M36 22h9", mouth: "M24 45q8 2 16 0" },
  strong: { seat: 2, eye: 3, brows: "M18 20l10 4M46 20l-10 4", mouth: "M24 46q8-4 16-1" },
};

/** The strongest looks as a strong one does, with a crown. */
const CROWN = "M18 13l-2-10 8 5 8-7 8 7 8-5-2 10z";

/** Two heads, for another person. */
const HEADS = [
  { seat: 1, x: 23, y: 26 },
  { seat: 2, x: 42, y: 26 },
];

/**
 * @param {Child[]} parts
 * @returns {SVGSVGElement}
 */
function picture(...parts) {
  return draw("svg", { class: "face", viewBox: "0 0 64 64", "aria-hidden": "true" }, ...parts);
}

/**
 * Return the face of a bot.
 *
 * @param {string} strength as the arena names it
 * @returns {SVGSVGElement}
 */
export function faceOf(strength) {
  const { seat, eye, brows, mouth } = LOOKS[strength] ?? LOOKS.strong;
  const eyes = [23, 41].map((x) => draw("circle", { class: "eye", cx: x, cy: 30, r: eye }));
  const crown = strength in LOOKS ? null : draw("path", { class: "crown", d: CROWN });
  const smile = draw("path", { class: mouth.endsWith("z") ? "laugh" : "line", d: mouth });
  return picture(
    draw(
      "g",
      { class: `head seat-${seat}` },
      draw("circle", { class: "skin", cx: 32, cy: 34, r: 26 }),
      draw("circle", { class: "ring", cx: 32, cy: 34, r: 21.5 }),
      eyes,
      draw("path", { class: "line", d: brows }),
      smile,
    ),
    crown,
  );
}

/** @returns {SVGSVGElement} the picture of another person: two who play each other */
export function twoPersons() {
  const heads = HEADS.map(({ seat, x, y }) =>
    draw(
      "g",
      { class: `head seat-${seat}` },
      draw("path", { class: "skin", d: `M${x - 15} 60q0-19 15-19t15 19z` }),
      draw("circle", { class: "skin", cx: x, cy: y, r: 11 }),
    ),
  );
  return picture(...heads);
}
