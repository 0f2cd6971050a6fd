// The board of Brandubh as a picture.

import { shades } from "./board_shades.js";
import { draw } from "./elements.js";
import { BRANDUBH, pieceAt, squareAt } from "./geometry.js";
import { checker, grain, leftFrom } from "./tables_board.js";
import { say } from "./words.js";

/** @import {Board} from "./contents.d.ts" */

/** @typedef {{ position: string, before: string }} BrandubhFrame */

const SIZE = 7 * BRANDUBH.square + 2 * BRANDUBH.margin;

/**
 * Draw the board after a step; what differs from the position before it is marked.
 *
 * @param {Board} _board
 * @param {readonly string[]} _names
 * @param {BrandubhFrame} frame
 * @param {boolean} [flipped]
 * @returns {SVGSVGElement}
 */
export function brandubhBoard(_board, _names, { position, before }, flipped = false) {
  const squares = Array.from({ length: 49 }, (_, index) => [
    ...emptySquare(index, flipped),
    ...warriorsOn(index, position, before, flipped),
  ]);
  return draw(
    "svg",
    {
      class: "board brandubh",
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": brandubhWords(position),
    },
    shades(),
    draw("rect", { class: "frame", x: 0, y: 0, width: SIZE, height: SIZE, rx: 14 }),
    grain(4, 4, SIZE - 8, SIZE - 8, 16),
    draw("rect", { class: "lit frame-light", x: 0, y: 0, width: SIZE, height: SIZE, rx: 14 }),
    squares,
    edgeNames(flipped),
  );
}

/**
 * @param {number} index
 * @returns {"corner" | "throne" | ""}
 */
function kindOfSquare(index) {
  if (BRANDUBH.corners.includes(index)) return "corner";
  return index === BRANDUBH.throne ? "throne" : "";
}

/**
 * @param {number} index
 * @param {boolean} flipped
 * @returns {SVGElement[]}
 */
function emptySquare(index, flipped) {
  const { square } = BRANDUBH;
  const middle = squareAt(index, flipped);
  const x = middle.x - square / 2;
  const y = middle.y - square / 2;
  const kind = kindOfSquare(index);
  const parts = [
    draw("rect", { class: `square ${kind}`, x, y, width: square, height: square }),
    grain(x, y, square, square, 3),
  ];
  if (!kind) return parts;
  const cross = `M${x + 18} ${y + 18}L${x + 72} ${y + 72}M${x + 72} ${y + 18}L${x + 18} ${y + 72}`;
  return [...parts, draw("path", { class: "mark", d: cross })];
}

/**
 * @param {number} index
 * @param {string} position
 * @param {string} before
 * @param {boolean} flipped
 * @returns {SVGElement[]}
 */
function warriorsOn(index, position, before, flipped) {
  const { x, y } = squareAt(index, flipped);
  const now = pieceAt(position, index);
  const was = pieceAt(before, index);
  if (now) return warrior(now, x, y, now !== was);
  return was ? [leftFrom(x, y, 11)] : [];
}

/**
 * Draw the names of the files and the numbers of the ranks along the edges.
 *
 * @param {boolean} flipped
 * @returns {SVGTextElement[]}
 */
function edgeNames(flipped) {
  const { square, margin, files } = BRANDUBH;
  return [0, 1, 2, 3, 4, 5, 6].flatMap((place) => {
    const middle = margin + square * (place + 0.5);
    const file = files[flipped ? 6 - place : place];
    const rank = flipped ? place + 1 : 7 - place;
    const below = { x: middle, y: SIZE - 14 };
    const beside = { x: margin / 2, y: middle + 8 };
    return [
      draw("text", { class: "point-number", ...below, "text-anchor": "middle" }, file),
      draw("text", { class: "point-number", ...beside, "text-anchor": "middle" }, rank),
    ];
  });
}

/**
 * Draw a warrior, or the king with its crown.
 *
 * @param {string} piece `b`, `w` or `k`
 * @param {number} x
 * @param {number} y
 * @param {boolean} isNew
 * @returns {SVGElement[]}
 */
export function warrior(piece, x, y, isNew) {
  const seat = piece === "b" ? 2 : 1;
  if (piece !== "k") return [checker(x, y, 36, seat, isNew)];
  const left = `M${x - 17} ${y + 12}L${x - 20} ${y - 12}L${x - 8} ${y - 2}`;
  const right = `L${x} ${y - 17}L${x + 8} ${y - 2}L${x + 20} ${y - 12}L${x + 17} ${y + 12}Z`;
  const crown = draw("path", { class: `crown${isNew ? " moved" : ""}`, d: left + right });
  return [checker(x, y, 36, seat, false), crown];
}

/**
 * Return the position in words.
 *
 * @param {string} position
 * @returns {string}
 */
export function brandubhWords(position) {
  return say("King on {king}; white warriors on {white}; black warriors on {black}", {
    king: squaresOf(position, "k"),
    white: squaresOf(position, "w"),
    black: squaresOf(position, "b"),
  });
}

/**
 * @param {string} position
 * @param {string} piece
 * @returns {string}
 */
function squaresOf(position, piece) {
  const names = [];
  for (const [index, sign] of [...position].entries())
    if (sign === piece) names.push(`${BRANDUBH.files[index % 7]}${7 - Math.floor(index / 7)}`);
  return names.join(", ") || say("no square");
}
