// A part of the page that is asked for again whenever the run has changed.

/** @import { Child } from "./elements.js" */

import { troubleOf, untilAnswered } from "./asking.js";
import { keepingScroll, make } from "./elements.js";
import { rest } from "./timing.js";

const PAUSE_MS = 1000;

/**
 * Show parts in the place of others; leave tables where the reader has moved them, and open what the
 * reader has opened.
 *
 * @param {HTMLElement} node
 * @param {Child[]} parts
 */
export function showParts(node, parts) {
  const shown = make("div", {}, parts);
  /** @type {NodeListOf<HTMLElement>} */
  const opened = node.querySelectorAll("details[open]");
  for (const { dataset } of opened) {
    const { part } = dataset;
    if (part) shown.querySelector(`[data-part="${CSS.escape(part)}"]`)?.setAttribute("open", "");
  }
  keepingScroll(node, () => node.replaceChildren(...shown.childNodes));
}

/**
 * One question at a time, and at most one a second.
 *
 * @template T
 */
export class Followed {
  /**
   * @param {() => T | Promise<T>} ask
   * @param {(content: T, opened: Map<string, boolean>) => Child[] | null} parts What is shown of an
   *   answer; null if a newer one is on its way. `opened` are the rounds that the reader has opened
   *   or closed.
   */
  constructor(ask, parts) {
    this.ask = ask;
    this.parts = parts;
    this.node = make("div");
    this.isDue = false;
    this.isAsking = false;
    this.isClosed = false;
  }

  /**
   * Show what is known, or ask for it.
   *
   * @param {T} [known]
   */
  async follow(known) {
    if (known) this.show(known);
    this.isDue = !known;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isDue && !this.isClosed) {
      this.isDue = false;
      await this.askOnce();
      await rest(PAUSE_MS);
    }
    this.isAsking = false;
  }

  async askOnce() {
    /** @param {unknown} error */
    const tellTrouble = (error) => this.node.replaceChildren(troubleOf(error));
    try {
      this.show(await untilAnswered(this.ask, () => !this.isClosed, tellTrouble));
    } catch (error) {
      tellTrouble(error);
    }
  }

  /** @param {T} content */
  show(content) {
    const parts = this.parts(content, this.openedRounds());
    if (parts) showParts(this.node, parts);
  }

  /** Rounds that the reader has changed: at first only the first one in the list is open. */
  openedRounds() {
    /** @type {Map<string, boolean>} */
    const opened = new Map();
    for (const [place, details] of this.node.querySelectorAll("details").entries()) {
      const { round } = details.dataset;
      const isFirst = place === 0;
      if (round !== undefined && details.open !== isFirst) opened.set(round, details.open);
    }
    return opened;
  }

  close() {
    this.isClosed = true;
  }
}
