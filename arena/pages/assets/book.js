// What every page explains: the signs on the board, the game in five minutes, the glossary and the
// rules, in a dialog above it.

import { NoAnswer, orNoAnswer, troubleOf, untilAnswered } from "./asking.js";
import { shades } from "./board_shades.js";
import { bookLink, draw, endingName, make, pressed } from "./elements.js";
import { checker, leftFrom, tablesBoard } from "./tables_board.js";
import { LANGUAGE, say } from "./words.js";

/**
 * @import { Board } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 */

/**
 * The book, once it has been opened.
 *
 * @type {Book | null}
 */
let opened = null;

/**
 * Buttons for the chapters.
 *
 * @returns {HTMLButtonElement[]}
 */
export function bookLinks() {
  return [
    bookLink(say("Signs on the board"), "signs"),
    bookLink(say("The game in five minutes"), "the-game"),
    bookLink(say("Glossary"), "glossary"),
    bookLink(say("Rules"), "rules"),
    bookLink(say("Backgammon and Brandubh"), "other-games"),
  ];
}

/** Elements in which a question mark is written. */
const IS_WRITTEN_IN = "input, select, textarea";

/** What a search finds: the smallest parts of the book that can be read by themselves. */
const ENTRIES = "h3, h4, p, li, tr, pre";

/** How many of them are shown, and how long the beginning of each is. */
const MOST_FOUND = 50;
const SHOWN_LENGTH = 160;

/**
 * Open the book at a clause or a chapter.
 *
 * @param {string} place
 */
export async function openBook(place) {
  opened ??= new Book();
  await opened.open(place);
}

class Book {
  constructor() {
    const title = say("Rules and signs");
    const words = { class: "chapters", tabindex: "0", role: "region", "aria-label": title };
    this.chapters = make("div", words);
    const closing = pressed("✕", () => this.dialog.close(), {
      "aria-label": say("Close"),
      class: "close",
    });
    const search = say("Search in the book");
    this.field = make("input", {
      type: "search",
      "aria-label": search,
      placeholder: search,
    });
    this.field.addEventListener("input", () => this.search());
    this.results = make("ol", { class: "book-results", hidden: true });
    const head = make("div", { class: "book-head" }, bookLinks(), this.field, closing);
    this.dialog = make(
      "dialog",
      { class: "book", "aria-label": title },
      head,
      this.results,
      this.chapters,
    );
    this.dialog.addEventListener("click", (event) => this.pressed(event));
    this.dialog.addEventListener("close", () => {
      if (history.state?.book) history.back();
    });
    addEventListener("popstate", () => {
      if (!history.state?.book) this.dialog.close();
    });
    /** @type {Promise<void> | null} */
    this.filled = null;
    document.body.append(this.dialog);
  }

  /** @param {string} place */
  async open(place) {
    if (!this.dialog.open) {
      this.dialog.showModal();
      // the way back closes the book, and leaves the page as it is
      if (!history.state?.book) history.pushState({ ...history.state, book: true }, "");
    }
    this.filled ??= this.fill();
    await this.filled;
    this.turnTo(`book-${place}`);
  }

  /**
   * A press beside the book closes it; a link within it turns to its place, since what stands
   * after the # of the address belongs to the page.
   *
   * @param {MouseEvent} event
   */
  pressed(event) {
    if (event.target === this.dialog) this.dialog.close();
    if (!(event.target instanceof Element)) return;
    const address = event.target.closest("a[href^='#']")?.getAttribute("href");
    if (!address) return;
    event.preventDefault();
    this.turnTo(address.slice(1));
  }

  /**
   * Put the chapters into the book; if it is closed before they come, the next opening asks again.
   */
  async fill() {
    const isOpen = () => this.dialog.open;
    /** @param {NoAnswer} error */
    const tellSilence = (error) => this.chapters.replaceChildren(troubleOf(error));
    try {
      const chapters = await untilAnswered(docsChapters, isOpen, tellSilence);
      this.chapters.replaceChildren(signsChapter(), ...chapters);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.filled = null;
    }
  }

  /**
   * Show a place of the book at the top; a clause without a rule of its own is that of its chapter.
   *
   * @param {string} id
   */
  turnTo(id) {
    const { chapters } = this;
    this.field.value = "";
    this.search();
    const chapter = CSS.escape(id.slice("book-".length).toLowerCase());
    const target =
      chapters.querySelector(`#${CSS.escape(id)}`) ??
      chapters.querySelector(`[id^="book-rules-${chapter}-"]`);
    chapters.querySelector(".looked-up")?.classList.remove("looked-up");
    if (!target) return;
    const rule = target.localName === "strong" && target.closest("li");
    if (rule) this.show(rule);
    else target.scrollIntoView({ block: "start", behavior: "instant" });
  }

  /**
   * Show an entry of the book at the top, and mark it.
   *
   * @param {Element} entry
   */
  show(entry) {
    this.chapters.querySelector(".looked-up")?.classList.remove("looked-up");
    entry.classList.add("looked-up");
    entry.scrollIntoView({ block: "start", behavior: "instant" });
  }

  /** Show in place of the chapters where the words stand that are searched; nothing shows them. */
  search() {
    const wanted = this.field.value.trim().toLocaleLowerCase(LANGUAGE);
    this.results.hidden = wanted === "";
    this.chapters.hidden = wanted !== "";
    if (wanted === "") return;
    const rows = [];
    for (const entry of this.chapters.querySelectorAll(ENTRIES)) {
      if (rows.length === MOST_FOUND) break;
      if (entry.parentElement?.closest("li, td")) continue;
      const text = textOf(entry);
      const at = text.toLocaleLowerCase(LANGUAGE).indexOf(wanted);
      if (at >= 0) rows.push(this.result(entry, text, at, wanted.length));
    }
    if (rows.length === 0) rows.push(make("li", {}, say("Nothing found.")));
    this.results.replaceChildren(...rows);
  }

  /**
   * @param {Element} entry
   * @param {string} text of the entry
   * @param {number} at where the words stand in it
   * @param {number} length of the words
   * @returns {HTMLElement}
   */
  result(entry, text, at, length) {
    const chapter = entry.closest("article")?.querySelector("h2")?.textContent ?? "";
    const begin = at < SHOWN_LENGTH / 2 ? 0 : text.lastIndexOf(" ", at - SHOWN_LENGTH / 3) + 1;
    const end = Math.max(begin + SHOWN_LENGTH, at + length);
    const words = make("span");
    words.append(
      begin > 0 ? "… " : "",
      text.slice(begin, at),
      make("mark", {}, text.slice(at, at + length)),
      text.slice(at + length, end),
      end < text.length ? " …" : "",
    );
    const show = () => {
      this.field.value = "";
      this.search();
      this.show(entry);
      this.chapters.focus({ preventScroll: true });
    };
    return make("li", {}, pressed([make("span", { class: "quiet" }, chapter), words], show));
  }
}

/**
 * @param {Element} entry
 * @returns {string} its words in one line, without what stands on pictures
 */
function textOf(entry) {
  const parts = entry.localName === "tr" ? [...entry.children] : [entry];
  const texts = parts.map((part) => {
    const copy = /** @type {Element} */ (part.cloneNode(true));
    for (const picture of copy.querySelectorAll("svg")) picture.remove();
    return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
  });
  return texts.filter(Boolean).join(" · ");
}

/**
 * The chapters of the documentation: a report has them inside, a server is asked for them.
 *
 * @returns {Promise<Iterable<Node>>}
 */
async function docsChapters() {
  const template = document.getElementById(`book-${LANGUAGE}`);
  if (!(template instanceof HTMLTemplateElement)) throw new Error("the page has no book");
  const { address } = template.dataset;
  if (!address) return template.content.cloneNode(true).childNodes;
  const answer = await orNoAnswer(fetch(address));
  const text = await orNoAnswer(answer.text());
  return new DOMParser().parseFromString(text, "text/html").body.childNodes;
}

/** The signs that stand on boards and in lists of turns, each with what it means. */
function signsChapter() {
  return make(
    "article",
    { id: "book-signs" },
    make("h2", {}, say("Signs on the board")),
    signsTable(say("On the board"), signsOfBoards()),
    signsTable(say("In lists of turns"), signsOfTurns()),
    signsTable(say("How a game can end, and what it is worth"), endings()),
  );
}

/** @typedef {[sign: Child, words: string]} SignRow */

/**
 * @param {string} caption
 * @param {SignRow[]} list
 */
function signsTable(caption, list) {
  const rows = list.map(([sign, words]) =>
    make("tr", {}, make("th", { scope: "row" }, sign), make("td", {}, words)),
  );
  return make("table", { class: "signs" }, make("caption", {}, caption), make("tbody", {}, rows));
}

/**
 * @param {string} kind Its class.
 * @param {...SVGElement} parts
 */
function signPicture(kind, ...parts) {
  const name = `board sign-picture ${kind}`;
  return draw("svg", { class: name, viewBox: "-34 -34 68 68", "aria-hidden": "true" }, ...parts);
}

/** @param {string} kind Its class. */
function ring(kind) {
  return draw("circle", { class: kind, r: 27 });
}

/** @returns {SignRow[]} */
function signsOfBoards() {
  const canLift = draw("g", { class: "spot" }, ring("lifting"));
  const canLand = draw("g", { class: "spot" }, ring("landing"));
  const shaft = draw("path", { class: "shaft", d: "M-24 18L8 -6" });
  const head = draw("path", { class: "head", d: "M26 -20L13 4L0 -14Z" });
  const deciding = draw("rect", { class: "deciding", x: -26, y: -28, width: 52, height: 56 });
  const count = draw("text", { class: "count seat-2", y: 9, "text-anchor": "middle" }, 7);
  return [
    [
      signPicture("", shades(), checker(0, 0, 27, 1, true)),
      say("A checker that was moved in the last turn."),
    ],
    [signPicture("", leftFrom(0, 0, 11)), say("It stood here before.")],
    [
      signPicture("spot can-lift", checker(0, 0, 27, 1, false), canLift),
      say("A checker that you can lift."),
    ],
    [signPicture("", canLand), say("The checker that you have lifted can land here.")],
    [
      signPicture("arrow", shaft, head),
      say("The way of a checker in the last turn; green in a turn that would have been better."),
    ],
    [
      signPicture("", deciding),
      say(
        "A point that decided the game: one that was left for entering at a jan, or one of " +
          "the pattern of a handsome game.",
      ),
    ],
    [
      signPicture("", checker(0, 0, 27, 2, false), count),
      say("So many checkers stand on the point."),
    ],
  ];
}

/** @returns {SignRow[]} */
function signsOfTurns() {
  return [
    ["1/7", say("A checker moves from point 1 to point 7.")],
    ["1/7*", say("It hits a single checker (B4.2).")],
    ["bar/5", say("A checker enters from the bar on point 5 (B5.1).")],
    ["bar/5**", say("It strikes a closed point: all checkers there go to the bar (B5.4).")],
    ["1/7(2)", say("The same move twice.")],
    ["20/off", say("A checker is borne off (B7.1).")],
    ["?! ? ??", say("A turn that was doubtful, bad, or a blunder, as the evaluator sees it.")],
  ];
}

/** @returns {SignRow[]} */
function endings() {
  const handsome = say("A handsome game: all 15 checkers stand like this (B8.1): 2 points.");
  return [
    [endingName("bearing_off"), say("All 15 checkers are off: 1 point.")],
    [[endingName("single_crown"), pattern([3, 3, 3, 3, 3])], handsome],
    [[endingName("double_crown"), pattern([5, 5, 5])], handsome],
    [[endingName("staircase"), pattern([3, 5, 7])], handsome],
    [[endingName("tower"), pattern([15])], handsome],
    [
      endingName("jan"),
      say(
        "More checkers are on the bar than there are points to enter on (B9.1): 4 points, and " +
          "6 for a forced jan, whose last hit was a strike.",
      ),
    ],
    [
      say("monk"),
      say(
        "The loser has a checker on the bar when the game ends, but for a jan: one point more (B10.1).",
      ),
    ],
  ];
}

/** @type {Board} */
const BOARD = { kind: "tables", facing: "same_way", remembers: [], colours: [] };

/**
 * A small board with so many checkers on each of the last points.
 *
 * @param {number[]} counts
 */
function pattern(counts) {
  const points = counts.map((count) => ".abcdefghijklmno"[count]).join("");
  const position = `${points.padStart(24, ".")}....`;
  /** @type {Parameters<typeof tablesBoard>[2]} */
  const frame = { kind: "start", position, before: position, dice: "", mover: 1 };
  const board = tablesBoard(BOARD, ["", ""], frame, false);
  return make("span", { class: "small-board", "aria-hidden": "true" }, board);
}

/** Open the book wherever a link to it is pressed, and by the key `?`. */
export function followBookLinks() {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof Element && target.matches(IS_WRITTEN_IN)) return;
    event.preventDefault();
    openBook("signs");
  });
  document.addEventListener("open-book", (event) => {
    if (event instanceof CustomEvent) openBook(event.detail);
  });
}
