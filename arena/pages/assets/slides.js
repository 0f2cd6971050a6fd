// Turns in motion: checkers slide move by move, and a hit one leaves for the bar.

import { brandubhBoard, brandubhWords, warrior } from "./brandubh_board.js";
import { draw } from "./elements.js";
import {
  BAR,
  changed,
  pieceAt,
  readTables,
  spotOf,
  squareAt,
  squareIndex,
  TABLES,
  tablesGeometry,
  tablesMoves,
  withoutVictims,
} from "./geometry.js";
import { SOUNDS } from "./sounds.js";
import { checker, tablesPicture, tablesWords } from "./tables_board.js";
import { rest } from "./timing.js";

/** @import {Board, Said} from "./contents.d.ts" */
/** @import {Move, Spot} from "./geometry.js" */

/**
 * A turn to be played: its moves, or else those of its text.
 *
 * @typedef {object} SlidFrame
 * @property {string} before
 * @property {string} position
 * @property {string | readonly number[]} dice
 * @property {number} seat
 * @property {Said | string} [text]
 * @property {readonly Move[]} [moves]
 */

const SLIDE_MS = 380;
const LEAVE_MS = 320;

/**
 * Return whether the reader lets things move on pages.
 *
 * @returns {boolean}
 */
export function isMotionWanted() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Show an animation to its end; in a box that is hurried it is over at once.
 *
 * @param {Element} node
 * @param {Keyframe[]} frames
 * @param {number} ms
 * @returns {Promise<void>}
 */
export async function animated(node, frames, ms) {
  const motion = node.animate(frames, {
    duration: node.closest("[data-hurried]") ? 1 : ms,
    easing: "ease-in-out",
    fill: "forwards",
  });
  // A page that nobody looks at may never finish it.
  await Promise.race([motion.finished, rest(ms + 100)]);
}

/**
 * @param {Element} node
 * @param {Spot} from
 * @param {Spot} to
 * @param {number} ms
 * @returns {Promise<void>}
 */
function slide(node, from, to, ms) {
  const frames = [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
  return animated(node, frames, ms);
}

/**
 * End what moves in a box, and all that follows until `calm`: the reader is impatient.
 *
 * @param {HTMLElement} box
 */
export function hurry(box) {
  box.dataset.hurried = "";
  for (const motion of box.getAnimations({ subtree: true }))
    if (!(motion instanceof CSSAnimation)) motion.finish();
}

/**
 * Let what follows in a box take its time again.
 *
 * @param {HTMLElement} box
 */
export function calm(box) {
  delete box.dataset.hurried;
}

/**
 * Play a turn of a tables game in a box, move by move.
 *
 * @param {HTMLElement} box
 * @param {Board} board
 * @param {readonly string[]} names
 * @param {SlidFrame} frame
 * @param {boolean} flipped
 * @param {number} speed
 * @param {() => boolean} isCurrent false once something else is shown: then it stops
 * @returns {Promise<void>}
 */
export async function slideTables(box, board, names, frame, flipped, speed, isCurrent) {
  const { seat, dice } = frame;
  const other = 3 - seat;
  const geometry = tablesGeometry(board, flipped);
  const words = tablesWords(geometry, names, readTables(frame.position, board.remembers));
  let sides = readTables(frame.before, board.remembers);
  /** @param {typeof sides} shown */
  const show = (shown) => {
    const picture = tablesPicture(geometry, shown, shown, dice, seat, words);
    box.replaceChildren(picture);
    return picture;
  };
  calm(box);
  for (const { from, to } of frame.moves ?? tablesMoves(board, textOf(frame))) {
    const lifted = changed(board, sides, seat, from, -1);
    const landed = changed(board, lifted, seat, to, 1);
    const start = spotOf(board, geometry, sides, seat, from);
    const target = spotOf(board, geometry, landed, seat, to);
    await slideChecker(show(lifted), seat, start, target, SLIDE_MS / speed);
    if (!isCurrent()) return;
    sides = landed;
    SOUNDS.checker();
    const [victims, without] = withoutVictims(board, landed, seat, to);
    if (victims === 0) continue;
    sides = changed(board, without, other, BAR, victims);
    const bar = spotOf(board, geometry, sides, other, BAR);
    const picture = show(without);
    const leaving = Array.from({ length: victims }, () =>
      slideChecker(picture, other, target, bar, LEAVE_MS / speed),
    );
    await Promise.all(leaving);
    if (!isCurrent()) return;
  }
}

/**
 * @param {SVGSVGElement} picture
 * @param {number} seat
 * @param {Spot} from
 * @param {Spot} to
 * @param {number} ms
 * @returns {Promise<void>}
 */
function slideChecker(picture, seat, from, to, ms) {
  const node = checker(0, 0, TABLES.radius, seat, false);
  picture.append(node);
  return slide(node, from, to, ms);
}

/**
 * Play a turn of Brandubh: one piece slides, and what it captures fades away.
 *
 * @param {HTMLElement} box
 * @param {Board} board
 * @param {readonly string[]} names
 * @param {SlidFrame} frame
 * @param {boolean} flipped
 * @param {number} speed
 * @param {() => boolean} isCurrent
 * @returns {Promise<void>}
 */
export async function slideBrandubh(box, board, names, frame, flipped, speed, isCurrent) {
  const text = textOf(frame);
  const squares = /([a-g][1-7])-([a-g][1-7])/.exec(text);
  if (!squares) return;
  const from = squareIndex(squares[1]);
  const to = squareIndex(squares[2]);
  const lifted = `${frame.before.slice(0, from)}.${frame.before.slice(from + 1)}`;
  const picture = brandubhBoard(board, names, { position: lifted, before: lifted }, flipped);
  picture.setAttribute("aria-label", brandubhWords(frame.position));
  const piece = draw("g", {}, warrior(pieceAt(frame.before, from), 0, 0, false));
  picture.append(piece);
  box.replaceChildren(picture);
  calm(box);
  await slide(piece, squareAt(from, flipped), squareAt(to, flipped), SLIDE_MS / speed);
  SOUNDS.checker();
  if (!isCurrent() || !text.includes("x")) return;
  const after = brandubhBoard(board, names, frame, flipped);
  const captured = capturedPieces(lifted, frame.position, flipped);
  after.append(...captured);
  box.replaceChildren(after);
  const fade = [{ opacity: 1 }, { opacity: 0 }];
  await Promise.all(captured.map((node) => animated(node, fade, LEAVE_MS / speed)));
}

/**
 * Draw what stands on the board before a capture, and not after it.
 *
 * @param {string} lifted the position without the piece that moves
 * @param {string} position
 * @param {boolean} flipped
 * @returns {SVGGElement[]}
 */
function capturedPieces(lifted, position, flipped) {
  const captured = [];
  for (let index = 0; index < 49; index += 1) {
    const piece = pieceAt(lifted, index);
    if (!piece || pieceAt(position, index)) continue;
    const { x, y } = squareAt(index, flipped);
    captured.push(draw("g", {}, warrior(piece, x, y, false)));
  }
  return captured;
}

/**
 * @param {SlidFrame} frame
 * @returns {string}
 */
function textOf({ text }) {
  return typeof text === "string" ? text : "";
}
