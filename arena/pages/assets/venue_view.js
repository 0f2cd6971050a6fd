// A page of a venue that is asked for again whenever the server says that something has changed.

/** @import { Child } from "./elements.js" */

import { troubleOf, untilAnswered } from "./asking.js";
import { keepingScroll, make } from "./elements.js";
import { readingPart } from "./page_head.js";
import { keyed, redraw } from "./redraw.js";
import { rest } from "./timing.js";
import { isolated, say } from "./words.js";

const PAUSE_MS = 1000;

/**
 * One question at a time, and at most one a second.
 *
 * @template T
 */
export class VenueView {
  /**
   * @param {string} kind A class of the page.
   * @param {() => T | Promise<T>} ask
   * @param {(content: T) => Child[]} parts
   */
  constructor(kind, ask, parts) {
    this.ask = ask;
    this.parts = parts;
    this.node = make("div", { class: `venue ${kind}` }, readingPart());
    this.isDue = false;
    this.isAsking = false;
    this.isClosed = false;
    this.isDrawn = false;
  }

  async follow() {
    this.isDue = true;
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
    const tellTrouble = (error) => {
      if (!this.isDrawn) this.node.replaceChildren(firstPageCrumb(), troubleOf(error));
    };
    try {
      const content = await untilAnswered(this.ask, () => !this.isClosed, tellTrouble);
      if (!this.isClosed) this.show(content);
    } catch (error) {
      tellTrouble(error);
    }
  }

  /** @param {T} content */
  show(content) {
    if (!this.isDrawn) this.node.replaceChildren();
    this.isDrawn = true;
    showIn(this.node, this.parts(content));
  }

  close() {
    this.isClosed = true;
  }
}

/**
 * Show parts in an element; what is alike stays, with its focus and its scroll.
 *
 * @param {HTMLElement} node
 * @param {Child[]} parts
 */
export function showIn(node, parts) {
  const { childNodes } = make("div", {}, parts);
  keepingScroll(node, () => redraw(node, ...childNodes));
}

/** @param {string} words */
export function titlePage(words) {
  document.title = `${isolated(words)} · Bräde arena`;
}

/** @param {Child[]} more Links beside the one to the first page. */
export function firstPageCrumb(...more) {
  const first = keyed("first", make("a", { href: "#" }, `← ${say("The venue")}`));
  return make("p", { class: "crumbs" }, first, more);
}

/**
 * The address of a ladder, a cup or a bot.
 *
 * @param {"ladder" | "cup" | "bot"} kind
 * @param {string} name
 */
export function addressOf(kind, name) {
  return `#${kind}/${encodeURIComponent(name)}`;
}
