// The places of a board that can be clicked, dragged from and to, or chosen by keyboard: a layer above the drawing.

import { warrior } from "./brandubh_board.js";
import { draw } from "./elements.js";
import {
  BRANDUBH,
  TABLES,
  indexOf,
  pieceAt,
  readTables,
  spotOf,
  squareAt,
  squareIndex,
  tablesGeometry,
} from "./geometry.js";
import { announce } from "./page_head.js";
import { checker } from "./tables_board.js";
import { say } from "./words.js";

const FAR_ENOUGH = 8; // pixels that a pointer goes before a click is a drag

const HELD_MS = 400; // how long a checker is pressed to choose it without moving it

/**
 * The layer for one position. `tried(from, to, isDragged)` is called with what the person does; slots are those of the
 * game. In a tables game a click moves a checker by the first of the `dice`; who presses longer, or with the other button,
 * chooses it, and then the place to land.
 */
export class Spots {
  constructor(picture, table, dice, tried) {
    Object.assign(this, { picture, table, dice, tried });
    this.isTables = table.board.kind === "tables";
    this.flipped = this.isTables && table.seat === 2;
    if (this.isTables) {
      this.geometry = tablesGeometry(table.board.facing, this.flipped);
      this.sides = readTables(table.position, table.board.remembers);
    }
    this.starts = new Set(table.next.map((move) => move.start));
    this.selected = this.starts.size === 1 ? [...this.starts][0] : null;
    this.layer = draw("g", { class: "spots" });
    this.ghost = null;
    picture.setAttribute("role", "group");
    picture.append(this.layer);
    this.show();
    picture.addEventListener("pointerdown", (event) => this.down(event));
    picture.addEventListener("pointermove", (event) => this.drag(event));
    picture.addEventListener("pointerup", (event) => this.up(event));
    picture.addEventListener("pointercancel", () => this.drop());
    picture.addEventListener("contextmenu", (event) => this.hold(event));
    picture.addEventListener("keydown", (event) => this.key(event));
  }

  slots() {
    if (this.isTables) return [0, ...Array.from({ length: 24 }, (_, place) => place + 1), 25];
    return Array.from(
      { length: 49 },
      (_, index) => `${BRANDUBH.files[index % 7]}${7 - Math.floor(index / 7)}`,
    );
  }

  area(slot) {
    if (!this.isTables) {
      const { x, y } = squareAt(squareIndex(slot), false),
        { square } = BRANDUBH;
      return { x: x - square / 2, y: y - square / 2, width: square, height: square };
    }
    const { column, half, edge, tray, bar } = TABLES,
      { geometry } = this,
      { seat } = this.table;
    const top = (isLower) => (isLower ? edge + half : edge);
    if (slot === 0)
      return {
        x: geometry.bar - bar / 2,
        y: top(seat === geometry.lower),
        width: bar,
        height: half,
      };
    if (slot === 25)
      return {
        x: geometry.tray - tray / 2,
        y: top(seat === geometry.lower),
        width: tray,
        height: half,
      };
    const { x, isLower } = geometry.points[indexOf(this.table.board, seat, slot)];
    return { x: x - column / 2, y: top(isLower), width: column, height: half };
  }

  /** Where the top checker of a slot stands, or would stand. */
  place(slot, more) {
    return this.isTables
      ? spotOf(this.table.board, this.geometry, this.sides, this.table.seat, slot, more)
      : squareAt(squareIndex(slot), false);
  }

  count(slot) {
    if (!this.isTables) return this.starts.has(slot) ? 1 : 0;
    const side = this.sides[this.table.seat - 1];
    return slot === 0
      ? side.bar
      : slot === 25
        ? 0
        : side.points[indexOf(this.table.board, this.table.seat, slot)];
  }

  targets() {
    return this.table.next.filter((move) => move.start === this.selected);
  }

  show(focused = null) {
    const targets = new Map(this.targets().map((move) => [move.target, move.text]));
    const radius = this.isTables ? TABLES.radius : 35;
    this.nodes = new Map();
    this.layer.replaceChildren(
      ...this.slots().map((slot) => {
        const canLand = targets.has(slot),
          canLift = this.starts.has(slot) && !canLand;
        const isSelected = slot === this.selected;
        const words = canLand
          ? say("Move: {move}", { move: targets.get(slot) })
          : canLift
            ? this.liftWords(slot)
            : null;
        const node = draw(
          "g",
          {
            class: `spot${canLand ? " can-land" : ""}${canLift ? " can-lift" : ""}${isSelected ? " selected" : ""}`,
            "data-slot": slot,
            role: words ? "button" : null,
            tabindex: words ? "0" : null,
            "aria-label": words,
            "data-goal": canLift && this.isTables ? this.goal(slot) : null,
            "aria-pressed": canLift ? String(isSelected) : null,
            "aria-hidden": words ? null : "true",
          },
          draw("rect", { ...this.area(slot), rx: 6 }),
        );
        if (canLand)
          node.append(
            draw("circle", {
              class: "landing",
              cx: this.place(slot, 1).x,
              cy: this.place(slot, 1).y,
              r: radius - 3,
            }),
          );
        else if (canLift)
          node.append(
            draw("circle", {
              class: "lifting",
              cx: this.place(slot, 0).x,
              cy: this.place(slot, 0).y,
              r: radius + 2,
            }),
          );
        this.nodes.set(slot, node);
        return node;
      }),
    );
    if (focused !== null) this.nodes.get(focused)?.focus();
  }

  liftWords(slot) {
    const moves = this.table.next
      .filter((move) => move.start === slot)
      .map((move) => move.text)
      .join(", ");
    const place =
      slot === 0
        ? say("the bar")
        : this.isTables
          ? String(this.table.board.facing === "same_way" ? slot : 25 - slot)
          : slot;
    return say("Checker on {place}; it can play {moves}", { place, moves });
  }

  /** Choose a checker, or take the choice back. */
  select(slot, isKey = false) {
    this.selected = this.selected === slot ? null : slot;
    const first = this.targets()[0];
    this.show(isKey ? (this.selected !== null && first ? first.target : slot) : null);
    if (this.selected !== null && first)
      announce(say("chosen: {place}", { place: this.liftWords(slot) }));
  }

  slotAt(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest(".spot");
    if (!node || !this.layer.contains(node)) return null;
    return this.isTables ? Number(node.dataset.slot) : node.dataset.slot;
  }

  down(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const slot = this.slotAt(event);
    if (slot === null) return;
    this.start = { slot, x: event.clientX, y: event.clientY, isDrag: false };
    this.timer = setTimeout(() => this.hold(event), HELD_MS);
    if (this.count(slot)) this.picture.setPointerCapture?.(event.pointerId);
  }

  drag(event) {
    const { start } = this;
    if (!start || !this.count(start.slot)) return;
    if (!start.isDrag && Math.hypot(event.clientX - start.x, event.clientY - start.y) < FAR_ENOUGH)
      return;
    if (!start.isDrag) {
      clearTimeout(this.timer);
      start.isDrag = true;
      if (this.selected !== start.slot) {
        this.selected = start.slot;
        this.show();
      }
      this.ghost = draw(
        "g",
        { class: "ghost" },
        this.isTables
          ? checker(0, 0, TABLES.radius, this.table.seat, true)
          : warrior(pieceAt(this.table.position, squareIndex(start.slot)) || "b", 0, 0, true),
      );
      this.picture.append(this.ghost);
    }
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      this.picture.getScreenCTM().inverse(),
    );
    this.ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
    event.preventDefault();
  }

  up(event) {
    const { start } = this;
    this.drop();
    if (!start) return;
    const slot = this.slotAt(event);
    if (start.isDrag) {
      if (slot !== null && slot !== start.slot) this.tried(start.slot, slot, true);
      else this.select(start.slot);
      return;
    }
    if (slot === start.slot) this.click(slot);
  }

  /** Where a click takes the checker of a slot: by the first die that it can use, else where the first one would. */
  goal(slot) {
    const goals = this.dice.map((die) => Math.min(25, slot + die));
    return (
      goals.find((goal) =>
        this.table.next.some((move) => move.start === slot && move.target === goal),
      ) ?? goals[0]
    );
  }

  /** A click or a key on a slot: land there, move its checker, or choose it; the referee says why something cannot be. */
  click(slot, isKey = false) {
    const isTarget = this.targets().some((move) => move.target === slot);
    if (this.selected !== null && slot !== this.selected && (isTarget || !this.count(slot)))
      this.tried(this.selected, slot);
    else if (this.isTables && this.selected !== null && this.dice.includes(slot - this.selected))
      this.tried(this.selected, slot);
    else if (this.count(slot) && this.isTables && !isKey) this.tried(slot, this.goal(slot));
    else if (this.count(slot)) this.select(slot, isKey);
  }

  /** Choose a checker without moving it: pressed longer, or with the other button. */
  hold(event) {
    const slot = this.slotAt(event);
    if (event.type === "contextmenu") event.preventDefault();
    if (
      slot === null ||
      !this.starts.has(slot) ||
      this.start?.isDrag ||
      (this.start === null && event.type !== "contextmenu")
    )
      return;
    this.drop();
    if (this.selected !== slot) this.select(slot);
  }

  key(event) {
    const node = event.target.closest?.(".spot");
    if (event.key === "Escape" && this.selected !== null) {
      this.select(this.selected, true);
    } else if (node && (event.key === "Enter" || event.key === " ")) {
      this.click(this.isTables ? Number(node.dataset.slot) : node.dataset.slot, true);
    } else if (node && ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) {
      const all = [...this.layer.querySelectorAll("[tabindex]")],
        by = event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 1;
      all[(all.indexOf(node) + by + all.length) % all.length].focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  drop() {
    clearTimeout(this.timer);
    this.ghost?.remove();
    this.ghost = this.start = null;
  }

  /** Give the focus to what a keyboard would do next; false if there is nothing. */
  focus() {
    const node = this.layer.querySelector(".can-land") ?? this.layer.querySelector(".can-lift");
    node?.focus();
    return Boolean(node);
  }
}
