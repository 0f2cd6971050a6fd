// The plate of a seat beside the board: who sits there, and what is left of its time.

import { duration, make } from "./elements.js";
import { tablesPips, tablesRemembered } from "./geometry.js";
import { nameNode } from "./names.js";
import { say } from "./words.js";

/** @import {Board} from "./contents.d.ts" */
/** @import {Frame} from "./steps.js" */

export class Plate {
  /**
   * @param {number} seat
   * @param {number} disc the seat whose checkers have its colour
   * @param {string} name
   * @param {string} version empty if it is unknown
   * @param {string} colour empty if both sides play alike
   */
  constructor(seat, disc, name, version, colour) {
    this.seat = seat;
    this.clock = make("span", { class: "clock", title: say("left of the bank") });
    /** What its side remembers. */
    this.extra = make("span", { class: "quiet extra" });
    this.pips = make("span", { class: "quiet pips", title: say("points to go in all") });
    const versionWords = version ? say("version {version}", { version }) : "";
    this.node = make(
      "div",
      { class: `plate ${seat === 1 ? "near" : "far"}` },
      make("span", { class: `disc seat-${disc}` }),
      make("strong", {}, nameNode(name)),
      versionWords ? make("span", { class: "quiet version" }, versionWords) : null,
      colour ? make("span", { class: "quiet" }, colour) : null,
      this.extra,
      this.pips,
      this.clock,
    );
  }

  /**
   * @param {Board} board
   * @param {Frame} frame
   */
  tell(board, frame) {
    const { seat } = this;
    this.node.classList.toggle("moving", frame.seat === seat);
    this.clock.textContent = duration(frame.left[seat - 1]);
    if (board.kind !== "tables") return;
    const count = tablesPips(board, frame.position, seat);
    this.extra.textContent = tablesRemembered(board, frame.position, seat);
    this.pips.textContent = say("{count} pips", { count });
  }
}
