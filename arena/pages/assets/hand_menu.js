// The menu beside the board: what is needed less often, and switches that the browser remembers.

import { make } from "./elements.js";
import { redraw } from "./redraw.js";
import { choiceSwitch, soundSwitch } from "./sounds.js";
import { say } from "./words.js";

/** @import {HandState} from "./hand_types.d.ts" */

export class HandMenu {
  constructor() {
    this.isForcedQuick = true;
    this.isWholeQuick = false;
    /** The opponents of the last match: a switch is kept for each kind. */
    this.opponents = "";
    this.items = make("div", { class: "menu-items" });
    this.switches = make("p", { class: "switches quiet" });
    this.sign = make("summary", { "aria-label": say("More"), title: say("More") }, "⋯");
    const menu = make("div", { class: "menu" }, this.items, this.switches);
    this.node = make("details", { class: "more-menu" }, this.sign, menu);
    this.items.addEventListener("click", () => this.close());
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !this.node.contains(target)) this.close();
    });
    this.node.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !this.node.open) return;
      this.close();
      this.sign.focus();
    });
  }

  close() {
    this.node.open = false;
  }

  focus() {
    this.sign.focus();
  }

  /**
   * Suit a match: against bots a whole turn plays itself, unless the person has chosen otherwise.
   *
   * @param {HandState} state
   */
  suit({ role, invitation }) {
    const opponents = role === "host" && !invitation ? "bots" : "persons";
    if (opponents === this.opponents) return;
    this.opponents = opponents;
    const takeForced = (/** @type {boolean} */ isOn) => {
      this.isForcedQuick = isOn;
    };
    const takeWhole = (/** @type {boolean} */ isOn) => {
      this.isWholeQuick = isOn;
    };
    const forced = say("Forced turns play themselves");
    const whole = say("A turn plays itself when its dice are used up");
    this.switches.replaceChildren(
      soundSwitch("arena-sound", true),
      choiceSwitch(forced, "arena-forced", true, takeForced),
      choiceSwitch(whole, `arena-whole-${opponents}`, opponents === "bots", takeWhole),
    );
  }

  /** @param {HTMLElement[]} items */
  draw(items) {
    redraw(this.items, ...items);
  }
}
