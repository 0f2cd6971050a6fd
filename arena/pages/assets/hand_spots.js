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

/** @type {Readonly<Record<string, number>>} How far an arrow key goes among the places. */
const ARROWS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

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
   */
  constructor(box, tried) {
    this.box = box;
    this.tried = tried;
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
    box.addEventListener("pointercancel", () => this.release());
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
    const moment = [momentOf(table), ...dice].join(" ");
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
  situation({ board, next }) {
    return { next, dice: this.dice, isTables: board.kind === "tables", chosen: this.chosen };
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
      this.draw();
      press.ghost = this.ghostOf(press.slot);
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
      ghost.append(checker(0, 0, TABLES.radius, seat, true));
    } else {
      const piece = pieceAt(position, squareIndex(slot)) || "b";
      ghost.append(...warrior(piece, 0, 0, true));
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
    this.release();
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
      this.focusNextTo(node, ARROWS[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  }

  /**
   * @param {SVGElement} node
   * @param {number} by
   */
  focusNextTo(node, by) {
    /** @type {NodeListOf<SVGElement>} */
    const all = this.box.querySelectorAll(".spot[tabindex]");
    const nodes = [...all];
    const place = nodes.indexOf(node);
    nodes.at((place + by) % nodes.length)?.focus();
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
