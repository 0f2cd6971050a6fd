// What a person does at the board by pointer or keyboard: to click, to drag, to choose.

import { warrior } from "./brandubh_board.js";
import { clickOf, dropOf, momentOf, movesFrom, onlyStart, startsOf } from "./clicks.js";
import { draw } from "./elements.js";
import { pieceAt, squareIndex, TABLES } from "./geometry.js";
import { announce } from "./page_head.js";
import { keyed, redraw } from "./redraw.js";
import { countOn, liftWords, spotNodes } from "./spot_nodes.js";
import { checker } from "./tables_board.js";
import { say } from "./words.js";

/** @import {Click, Situation} from "./clicks.js" */
/** @import {AtTheBoard} from "./contents.d.ts" */
/** @import {Slot} from "./hand_types.d.ts" */

/** Pixels that a pointer goes before a click is a drag. */
const FAR_ENOUGH = 8;

/** How long a checker is pressed to choose it without moving it. */
const HELD_MS = 400;

/** @type {Readonly<Record<string, Direction>>} */
const ARROWS = {
  ArrowLeft: { right: -1, down: 0 },
  ArrowUp: { right: 0, down: -1 },
  ArrowRight: { right: 1, down: 0 },
  ArrowDown: { right: 0, down: 1 },
};

/** @typedef {{ right: number, down: number }} Direction */

/** Pixels by which the middles of places in one row may differ. */
const SAME_ROW = 2;

/** More than the places of a board differ in width: another row counts before another column. */
const ROW_FIRST = 10000;

/**
 * Where a pointer went down, whether it was held there, and the dragged checker once it has gone
 * far enough.
 *
 * @typedef {{
 *   slot: Slot, x: number, y: number, isHeld: boolean, ghost: SVGGElement | null,
 * }} Press
 */

/**
 * The places above the board. In a tables game a click moves a checker by the first of the dice; a
 * longer press, or the other button, chooses it, and then the place to land.
 */
export class Spots {
  /**
   * @param {HTMLElement} box in which the board is drawn
   * @param {(start: Slot, target: Slot, isDragged: boolean) => void} tried what the person does
   * @param {() => void} drawBoard draws the board once a checker is lifted, or put back
   */
  constructor(box, tried, drawBoard) {
    this.box = box;
    this.tried = tried;
    this.drawBoard = drawBoard;
    /** @type {AtTheBoard | null} null while nothing can be done on the board */
    this.table = null;
    /** @type {number[]} */
    this.dice = [];
    this.moment = "";
    /** @type {Slot | null} */
    this.chosen = null;
    /** @type {Press | null} */
    this.press = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    box.addEventListener("pointerdown", (event) => this.down(event));
    box.addEventListener("pointermove", (event) => this.drag(event));
    box.addEventListener("pointerup", (event) => this.up(event));
    box.addEventListener("pointercancel", () => this.putBack());
    box.addEventListener("contextmenu", (event) => this.openMenu(event));
    box.addEventListener("keydown", (event) => this.key(event));
  }

  /**
   * Put the places on a new picture of the board. What is chosen stays until something is done.
   *
   * @param {Element} picture
   * @param {AtTheBoard} table
   * @param {number[]} dice that are left, as they lie
   */
  putOn(picture, table, dice) {
    const moment = momentWith(table, dice);
    if (moment !== this.moment) {
      this.chosen = onlyStart(table.next);
      this.release();
    }
    this.moment = moment;
    this.table = table;
    this.dice = dice;
    picture.setAttribute("role", "group");
    picture.append(keyed("spots", draw("g", { class: "spots" }, this.nodes(table))));
    if (this.press?.ghost) picture.append(this.press.ghost);
  }

  /**
   * @param {AtTheBoard} table
   * @param {number[]} dice
   * @returns {Slot | null} the slot whose checker is dragged at this moment
   */
  liftedFrom(table, dice) {
    if (!this.press?.ghost || this.moment !== momentWith(table, dice)) return null;
    return this.press.slot;
  }

  /** Nothing can be done on the board now. */
  putAway() {
    this.table = null;
    this.moment = "";
    this.release();
  }

  /**
   * @param {AtTheBoard} table
   * @returns {Situation}
   */
  situation({ board, next, far }) {
    const isTables = board.kind === "tables";
    return { next, far, dice: this.dice, isTables, chosen: this.chosen };
  }

  /**
   * @param {AtTheBoard} table
   * @returns {SVGGElement[]}
   */
  nodes(table) {
    return spotNodes(table, this.situation(table));
  }

  /** Draw the places again, on the same picture. */
  draw() {
    const layer = this.box.querySelector(".spots");
    if (layer && this.table) redraw(layer, ...this.nodes(this.table));
  }

  /**
   * Choose a checker, or take the choice back.
   *
   * @param {Slot} slot
   * @param {boolean} [isKey] true if the focus goes on to where the checker can land
   */
  choose(slot, isKey = false) {
    if (!this.table) return;
    this.chosen = this.chosen === slot ? null : slot;
    this.draw();
    const [first] = movesFrom(this.table.next, this.chosen);
    if (isKey) this.focusOn(first ? first.target : slot);
    if (first) announce(say("chosen: {place}", { place: liftWords(this.table, slot) }));
  }

  /** @param {Slot} slot */
  focusOn(slot) {
    /** @type {SVGElement | null} */
    const node = this.box.querySelector(`.spot[data-slot="${slot}"]`);
    node?.focus();
  }

  /**
   * @param {Element | null} node
   * @returns {Slot | null} the slot of the place that a node is in
   */
  slotOf(node) {
    /** @type {SVGElement | null | undefined} */
    const spot = node?.closest(".spot");
    if (!this.table || !spot || !this.box.contains(spot)) return null;
    const { slot = "" } = spot.dataset;
    return this.table.board.kind === "tables" ? Number(slot) : slot;
  }

  /**
   * @param {MouseEvent} event
   * @returns {Slot | null} the slot below a pointer
   */
  slotAt(event) {
    return this.slotOf(document.elementFromPoint(event.clientX, event.clientY));
  }

  /**
   * @param {Slot} slot
   * @returns {boolean} true if a checker of the person stands there
   */
  hasChecker(slot) {
    return this.table !== null && countOn(this.table, slot) > 0;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const slot = this.slotAt(event);
    if (slot === null) return;
    this.press = { slot, x: event.clientX, y: event.clientY, isHeld: false, ghost: null };
    this.timer = setTimeout(() => this.hold(event), HELD_MS);
    if (this.hasChecker(slot)) this.box.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const { press } = this;
    if (!press || !this.hasChecker(press.slot)) return;
    if (!press.ghost) {
      const way = Math.hypot(event.clientX - press.x, event.clientY - press.y);
      if (way < FAR_ENOUGH) return;
      clearTimeout(this.timer);
      this.chosen = press.slot;
      press.ghost = this.ghostOf(press.slot);
      this.drawBoard();
    }
    this.moveGhost(press.ghost, event);
    event.preventDefault();
  }

  /**
   * @param {Slot} slot
   * @returns {SVGGElement} the checker that is dragged
   */
  ghostOf(slot) {
    const { seat = 1, position = "" } = this.table ?? {};
    const ghost = keyed("ghost", draw("g", { class: "ghost" }));
    if (typeof slot === "number") {
      ghost.append(checker(0, 0, TABLES.radius, seat, false));
    } else {
      const piece = pieceAt(position, squareIndex(slot)) || "b";
      ghost.append(...warrior(piece, 0, 0, false));
    }
    return ghost;
  }

  /**
   * @param {SVGGElement} ghost
   * @param {PointerEvent} event
   */
  moveGhost(ghost, event) {
    const picture = this.box.querySelector("svg");
    const matrix = picture?.getScreenCTM();
    if (!picture || !matrix) return;
    if (ghost.parentNode !== picture) picture.append(ghost);
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { press } = this;
    this.putBack();
    if (!press) return;
    const slot = this.slotAt(event);
    if (press.ghost) this.do(dropOf(press.slot, slot), { isDragged: true });
    else if (slot === press.slot && !press.isHeld) this.click(slot);
  }

  /**
   * Click on a slot, or press a key on it; the referee says why something cannot be.
   *
   * @param {Slot} slot
   * @param {boolean} [isKey]
   */
  click(slot, isKey = false) {
    if (!this.table) return;
    const click = clickOf(this.situation(this.table), slot, this.hasChecker(slot), isKey);
    if (click) this.do(click, { isKey });
  }

  /**
   * @param {Click} click
   * @param {{ isDragged?: boolean, isKey?: boolean }} how
   */
  do(click, { isDragged = false, isKey = false }) {
    if (click.kind === "move") this.tried(click.start, click.target, isDragged);
    else this.choose(click.slot, isKey);
  }

  /** @param {MouseEvent} event a press of the other button, or a long touch */
  openMenu(event) {
    if (!this.table) return;
    event.preventDefault();
    this.hold(event);
  }

  /**
   * Choose a checker without moving it; it can still be dragged.
   *
   * @param {MouseEvent} event
   */
  hold(event) {
    const slot = this.slotAt(event);
    if (slot === null || !this.table || this.press?.ghost) return;
    if (!startsOf(this.table.next).has(slot)) return;
    clearTimeout(this.timer);
    if (this.press) this.press.isHeld = true;
    if (this.chosen !== slot) this.choose(slot);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { target } = event;
    /** @type {SVGElement | null} */
    const node = target instanceof Element ? target.closest(".spot") : null;
    const slot = this.slotOf(node);
    if (event.key === "Escape" && this.table && this.chosen !== null) {
      this.choose(this.chosen, true);
    } else if (slot !== null && (event.key === "Enter" || event.key === " ")) {
      this.click(slot, true);
    } else if (node && event.key in ARROWS) {
      this.focusBeside(node, ARROWS[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  }

  /**
   * Give the focus to the nearest place in a direction: in the same row, or in the next one.
   *
   * @param {SVGElement} node
   * @param {Direction} direction
   */
  focusBeside(node, direction) {
    const here = middleOf(node);
    let least = Infinity;
    /** @type {SVGElement | null} */
    let nearest = null;
    /** @type {NodeListOf<SVGElement>} */
    const all = this.box.querySelectorAll(".spot[tabindex]");
    for (const other of all) {
      const distance = wayTo(here, middleOf(other), direction);
      if (distance < least) {
        least = distance;
        nearest = other;
      }
    }
    nearest?.focus();
  }

  /** Let go of what is pressed or dragged, and draw it where it was. */
  putBack() {
    const isLifted = Boolean(this.press?.ghost);
    this.release();
    if (isLifted) this.drawBoard();
  }

  /** Let go of what is pressed or dragged. */
  release() {
    clearTimeout(this.timer);
    this.press?.ghost?.remove();
    this.press = null;
  }

  /**
   * Give the focus to what a keyboard would do next.
   *
   * @returns {boolean} false if there is nothing
   */
  focus() {
    if (!this.table) return false;
    /** @type {SVGElement | null} */
    const landing = this.box.querySelector(".can-land");
    /** @type {SVGElement | null} */
    const lifting = this.box.querySelector(".can-lift");
    const node = landing ?? lifting;
    node?.focus();
    return node !== null;
  }
}

/**
 * @param {AtTheBoard} table
 * @param {number[]} dice as they lie
 * @returns {string} what changes when something else can be done
 */
function momentWith(table, dice) {
  return [momentOf(table), ...dice].join(" ");
}

/**
 * @param {SVGElement} node
 * @returns {{ x: number, y: number }} in pixels
 */
function middleOf(node) {
  const area = node.querySelector("rect") ?? node;
  const { left, top, width, height } = area.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/**
 * @param {{ x: number, y: number }} here
 * @param {{ x: number, y: number }} there
 * @param {Direction} direction
 * @returns {number} how far it is in this direction; infinite if the way does not lead there
 */
function wayTo(here, there, { right, down }) {
  const across = Math.abs(there.x - here.x);
  const isSameRow = Math.abs(there.y - here.y) <= SAME_ROW;
  if (right !== 0) return isSameRow && (there.x - here.x) * right > 0 ? across : Infinity;
  const rows = (there.y - here.y) * down;
  return rows > SAME_ROW ? rows * ROW_FIRST + across : Infinity;
}
