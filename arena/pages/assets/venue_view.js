// A page of a venue that is asked for again whenever the server says that something has changed.

/** @import { Child } from "./elements.js" */

import { troubleOf, untilAnswered } from "./asking.js";
import { keepingScroll, make } from "./elements.js";
import { Followed } from "./followed.js";
import { readingPart } from "./page_head.js";
import { keyed, redraw } from "./redraw.js";
import { isolated, say } from "./words.js";

/**
 * A page that is asked for again whenever something has changed.
 *
 * @template T
 * @extends {Followed<T>}
 */
export class VenueView extends Followed {
  /**
   * @param {string} kind A class of the page.
   * @param {() => T | Promise<T>} ask
   * @param {(content: T) => Child[]} parts
   */
  constructor(kind, ask, parts) {
    super(ask, parts);
    this.node.className = `venue ${kind}`;
    this.node.append(readingPart());
    this.isDrawn = false;
  }

  /**
   * Ask, and show the answer; a page that is drawn stays while there is none.
   *
   * @override
   */
  async askOnce() {
    /** @param {unknown} error */
    const tellTrouble = (error) => {
      if (!this.isDrawn) this.node.replaceChildren(firstPageCrumb(), troubleOf(error));
    };
    try {
      const content = await untilAnswered(this.ask, () => !this.isClosed, tellTrouble);
      if (!this.isClosed) await this.show(content);
    } catch (error) {
      tellTrouble(error);
    }
  }

  /**
   * @override
   * @param {T} content
   */
  show(content) {
    if (!this.isDrawn) this.node.replaceChildren();
    this.isDrawn = true;
    showIn(this.node, this.parts(content, new Map()) ?? []);
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
