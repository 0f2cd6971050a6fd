// The places of a board as nodes: each with what can be done there, in words and as a mark.

import { goalOf, landingsOf, movesFrom, startsOf } from "./clicks.js";
import { draw } from "./elements.js";
import {
  BAR,
  BRANDUBH,
  indexOf,
  OFF,
  readTables,
  spotOf,
  squareAt,
  squareIndex,
  TABLES,
  tablesGeometry,
} from "./geometry.js";
import { keyed } from "./redraw.js";
import { say } from "./words.js";

/** @import {AtTheBoard} from "./contents.d.ts" */
/** @import {Situation} from "./clicks.js" */
/** @import {Spot, TablesGeometry} from "./geometry.js" */
/** @import {Slot} from "./hand_types.d.ts" */

/** @typedef {{ x: number, y: number, width: number, height: number }} Area */

/** The radius of a warrior, with its edge. */
const WARRIOR_RADIUS = 35;

/** The slots of a tables game, in the order in which they get the focus. */
const TABLES_SLOTS = Array.from({ length: 26 }, (_, slot) => slot);

/** The squares of Brandubh, row by row. */
const SQUARES = Array.from({ length: 49 }, (_, index) => {
  const file = BRANDUBH.files[index % 7];
  const row = 7 - Math.floor(index / 7);
  return `${file}${row}`;
});

/**
 * Return the nodes of all places.
 *
 * @param {AtTheBoard} table
 * @param {Situation} situation
 * @returns {SVGGElement[]}
 */
export function spotNodes(table, situation) {
  const slots = situation.isTables ? TABLES_SLOTS : SQUARES;
  return slots.map((slot) => spotNode(table, situation, slot));
}

/**
 * @param {AtTheBoard} table
 * @param {Situation} situation
 * @param {Slot} slot
 * @returns {SVGGElement}
 */
function spotNode(table, situation, slot) {
  const { next, chosen, isTables } = situation;
  const landing = landingsOf(situation).findLast((move) => move.target === slot);
  const rect = draw("rect", { ...areaOf(table, slot), rx: 6 });
  const kind = slot === chosen ? " selected" : "";
  const radius = isTables ? TABLES.radius : WARRIOR_RADIUS;
  if (landing) {
    const attributes = {
      class: `spot can-land${kind}`,
      "data-slot": slot,
      role: "button",
      tabindex: "0",
      "aria-label": say("Move: {move}", { move: landing.text }),
    };
    const { x, y } = placeOf(table, slot, 1);
    const circle = draw("circle", { class: "landing", cx: x, cy: y, r: radius - 3 });
    return keyed(String(slot), draw("g", attributes, rect, circle));
  }
  if (startsOf(next).has(slot)) {
    const attributes = {
      class: `spot can-lift${kind}`,
      "data-slot": slot,
      role: "button",
      tabindex: "0",
      "aria-label": liftWords(table, slot),
      "data-goal": isTables ? (goalOf(situation, Number(slot)) ?? null) : null,
      "aria-pressed": String(slot === chosen),
    };
    const { x, y } = placeOf(table, slot, 0);
    const circle = draw("circle", { class: "lifting", cx: x, cy: y, r: radius + 2 });
    return keyed(String(slot), draw("g", attributes, rect, circle));
  }
  const attributes = { class: `spot${kind}`, "data-slot": slot, "aria-hidden": "true" };
  return keyed(String(slot), draw("g", attributes, rect));
}

/**
 * Say which checker stands on a slot, and what it can play.
 *
 * @param {AtTheBoard} table
 * @param {Slot} slot
 * @returns {string}
 */
export function liftWords(table, slot) {
  const texts = movesFrom(table.next, slot).map((move) => move.text);
  return say("Checker on {place}; it can play {moves}", {
    place: placeName(table, slot),
    moves: texts.join(", "),
  });
}

/**
 * @param {AtTheBoard} table
 * @param {Slot} slot
 * @returns {string}
 */
function placeName({ board }, slot) {
  if (slot === BAR) return say("the bar");
  if (typeof slot === "string") return slot;
  return String(board.facing === "same_way" ? slot : 25 - slot);
}

/**
 * Return how many checkers of the person stand on a slot; a checker of Brandubh counts only if it
 * can move.
 *
 * @param {AtTheBoard} table
 * @param {Slot} slot
 * @returns {number}
 */
export function countOn({ board, next, position, seat }, slot) {
  if (typeof slot === "string") return startsOf(next).has(slot) ? 1 : 0;
  if (slot === OFF) return 0;
  const side = readTables(position, board.remembers)[seat - 1];
  return slot === BAR ? side.bar : side.points[indexOf(board, seat, slot)];
}

/**
 * Return where the top checker of a slot stands, or would stand with `more` of them.
 *
 * @param {AtTheBoard} table
 * @param {Slot} slot
 * @param {number} more
 * @returns {Spot}
 */
function placeOf({ board, position, seat }, slot, more) {
  if (typeof slot === "string") return squareAt(squareIndex(slot), false);
  const geometry = tablesGeometry(board, seat === 2);
  return spotOf(board, geometry, readTables(position, board.remembers), seat, slot, more);
}

/**
 * Return the part of the board that belongs to a slot.
 *
 * @param {AtTheBoard} table
 * @param {Slot} slot
 * @returns {Area}
 */
function areaOf({ board, seat }, slot) {
  if (typeof slot === "string") {
    const { x, y } = squareAt(squareIndex(slot), false);
    const { square } = BRANDUBH;
    return { x: x - square / 2, y: y - square / 2, width: square, height: square };
  }
  const { column, bar, tray } = TABLES;
  const geometry = tablesGeometry(board, seat === 2);
  const isLower = seat === geometry.lower;
  if (slot === BAR) return halfColumn(geometry, geometry.bar, bar, isLower);
  if (slot === OFF) return halfColumn(geometry, geometry.tray, tray, isLower);
  const point = geometry.points[indexOf(board, seat, slot)];
  return halfColumn(geometry, point.x, column, point.isLower);
}

/**
 * @param {TablesGeometry} geometry
 * @param {number} x the middle
 * @param {number} width
 * @param {boolean} isLower
 * @returns {Area}
 */
function halfColumn({ half }, x, width, isLower) {
  const { edge } = TABLES;
  return { x: x - width / 2, y: isLower ? edge + half : edge, width, height: half };
}
