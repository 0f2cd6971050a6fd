// Making elements. Text only ever becomes text nodes: names, versions and reasons come from bots
// and may be anything.

import { fixed, isSaid, LANGUAGE, LOCALES, say, told } from "./words.js";

/** @import {Said} from "./contents.d.ts" */

/**
 * What an element may hold; null stands for nothing.
 *
 * @typedef {Node | string | number | null | readonly Child[]} Child
 */

/**
 * Attributes by name: true for a bare one, null or false for none.
 *
 * @typedef {Readonly<Record<string, string | number | boolean | null>>} Attributes
 */

const NAME_OF_CLAUSE = /[BMGT]\d+(?:\.\d+)?/.source;
const CLAUSE = new RegExp(`(${NAME_OF_CLAUSE})`);

/** Clauses in brackets, `(B4.1)` or `(M2, M4)`, or with the code of a rejection. */
const IN_BRACKETS = `\\((?:[a-z_]+, )?${NAME_OF_CLAUSE}(?:, ${NAME_OF_CLAUSE})*\\)`;

/** The code of a rejection with its clause, which is all of a text. */
const OF_REJECTION = `^[a-z_]+, ${NAME_OF_CLAUSE}$`;
const CLAUSES = new RegExp(`(${IN_BRACKETS}|${OF_REJECTION})`);

const SVG = "http://www.w3.org/2000/svg";

/** Elements whose text is pressed as a whole: no link to a rule stands in them. */
const PRESSED = new Set(["button", "a", "option"]);

/**
 * Return a text in parts, with each clause that it names as a link to the rule.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function withClauses(text) {
  return text.split(CLAUSES).map((part, place) => (place % 2 ? clauseLinks(part) : part));
}

/**
 * @param {string} text clauses, with the brackets and commas around them
 * @returns {HTMLSpanElement}
 */
function clauseLinks(text) {
  const parts = text.split(CLAUSE).map((part, at) => (at % 2 ? bookLink(part, part) : part));
  return filled(document.createElement("span"), { class: "clauses" }, parts);
}

/**
 * Make a button that looks like a link, and opens the book at a clause or a chapter.
 *
 * @param {Child} words
 * @param {string} place
 * @returns {HTMLButtonElement}
 */
export function bookLink(words, place) {
  return pressed(
    words,
    () => document.dispatchEvent(new CustomEvent("open-book", { detail: place })),
    { class: "book-link", "aria-haspopup": "dialog" },
  );
}

/**
 * Make an element of HTML. Clauses in its texts lead to the rules.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  if (PRESSED.has(name)) return filled(node, attributes, children);
  const parts = flat(children).flatMap((child) =>
    typeof child === "string" ? withClauses(child) : [child],
  );
  return filled(node, attributes, parts);
}

/**
 * Make a button.
 *
 * @param {Child} words
 * @param {(event: MouseEvent) => void} act what a press does
 * @param {Attributes} [attributes]
 * @returns {HTMLButtonElement}
 */
export function pressed(words, act, attributes = {}) {
  const node = make("button", { type: "button", ...attributes }, words);
  node.addEventListener("click", act);
  return node;
}

/**
 * Make an element of SVG.
 *
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/**
 * @template {Element} Made
 * @param {Made} node
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 * @returns {Made}
 */
function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false)
      node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of flat(children)) node.append(child);
  return node;
}

/**
 * Return nodes and texts in one row, without what is null.
 *
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
function flat(children) {
  /** @type {(Node | string)[]} */
  const parts = [];
  for (const child of children) {
    if (child === null) continue;
    if (child instanceof Node) parts.push(child);
    else if (typeof child === "object") parts.push(...flat(child));
    else parts.push(String(child));
  }
  return parts;
}

/**
 * Make a span of what the arena says. Text that no catalogue has is marked as English.
 *
 * @param {Said | string} said
 * @returns {HTMLSpanElement}
 */
export function toldSpan(said) {
  const isTranslated = isSaid(said) || said in CATALOGUES[LANGUAGE];
  return make("span", { lang: isTranslated ? null : "en" }, told(said));
}

/**
 * Make the same as a sentence, with a capital and a full stop; English is one already.
 *
 * @param {Said | string} said
 * @returns {HTMLSpanElement}
 */
export function sentenceSpan(said) {
  return isSaid(said) ? make("span", {}, sentence(said)) : toldSpan(said);
}

/**
 * Return what the arena says with a capital and a full stop.
 *
 * @param {Said | string} said
 * @returns {string}
 */
export function sentence(said) {
  return `${capital(told(said))}.`;
}

/**
 * @param {string} words
 * @returns {string}
 */
export function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * Make a section of the page with its heading; nothing in it is wider than the page.
 *
 * @param {string} id
 * @param {Child} title
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function section(id, title, ...children) {
  return make(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title),
    ...children,
  );
}

/**
 * Make a table that scrolls in its own box.
 *
 * @param {string} caption
 * @param {readonly Child[]} headings
 * @param {readonly (readonly Child[])[]} rows the first cell of each is its heading; a cell may be
 *   a ready `td`
 * @param {string} [kind] classes of the table
 * @returns {HTMLDivElement}
 */
export function table(caption, headings, rows, kind = "") {
  const head = make(
    "tr",
    {},
    headings.map((heading) => make("th", { scope: "col" }, heading)),
  );
  const body = rows.map(([first, ...cells]) =>
    make("tr", {}, make("th", { scope: "row" }, first), cells.map(tableCell)),
  );
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      { class: kind || null },
      make("caption", {}, caption),
      make("thead", {}, head),
      make("tbody", {}, body),
    ),
  );
}

/**
 * @param {Child} cell
 * @returns {Child}
 */
function tableCell(cell) {
  const isReady = cell instanceof Element && cell.localName === "td";
  return isReady ? cell : make("td", {}, cell);
}

/**
 * Make a table of the first rows of a long list, and a button for the others.
 *
 * @param {string} caption
 * @param {readonly Child[]} headings
 * @param {readonly (() => readonly Child[])[]} rows make a row each, once it is shown
 * @param {string} [kind] classes of the table
 * @param {number} [most] rows that are shown at first
 * @returns {HTMLDivElement}
 */
export function longTable(caption, headings, rows, kind, most = 100) {
  const box = make("div", {});
  /** @param {number} count */
  const show = (count) => {
    const shown = rows.slice(0, count).map((row) => row());
    box.replaceChildren(table(caption, headings, shown, kind));
    const left = rows.length - count;
    if (left === 0) return;
    const words = say("Show {count} more", { count: number(left) });
    box.append(pressed(words, () => show(rows.length), { class: "more" }));
  };
  show(Math.min(most, rows.length));
  return box;
}

/**
 * @param {string} ending
 * @returns {string}
 */
export function endingName(ending) {
  return told([`ending.${ending}`, {}]);
}

/**
 * @param {string} cause
 * @returns {string}
 */
export function causeName(cause) {
  return told([`cause.${cause}`, {}]);
}

// Numbers and times as people read them; a minus sign is as wide as a plus.

/**
 * @param {number} value
 * @returns {string}
 */
export function number(value) {
  return value.toLocaleString(LOCALES[LANGUAGE]);
}

/**
 * Return a number with its sign; what is rounded to nothing has none.
 *
 * @param {number} value
 * @param {number} digits
 * @returns {string}
 */
export function signed(value, digits) {
  const size = Math.abs(value);
  const text = fixed(size, digits);
  if (Number(size.toFixed(digits)) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/**
 * Return a share in percent; all and nothing alone are 100 % and 0 %.
 *
 * @param {number} share
 * @returns {string}
 */
export function percent(share) {
  if (share === 1 || share === 0) return `${100 * share} %`;
  if (share > 0.999) return `> ${fixed(99.9, 1)} %`;
  if (share < 0.001) return `< ${fixed(0.1, 1)} %`;
  const isNearAnEnd = share > 0.99 || share < 0.01;
  return `${fixed(100 * share, isNearAnEnd ? 1 : 0)} %`;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Return milliseconds in words: 14 ms, 2.5 s, 1:05 min, 24:00 h.
 *
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${fixed(ms / SECOND_MS, ms < 10 * SECOND_MS ? 1 : 0)} s`;
  if (ms < HOUR_MS) return `${inSixtieths(Math.floor(ms / SECOND_MS))} min`;
  return `${inSixtieths(Math.floor(ms / MINUTE_MS))} h`;
}

/**
 * @param {number} count whole seconds of minutes, or whole minutes of hours
 * @returns {string}
 */
function inSixtieths(count) {
  const rest = String(count % 60).padStart(2, "0");
  return `${Math.floor(count / 60)}:${rest}`;
}

const MOMENT = new Intl.DateTimeFormat(LOCALES[LANGUAGE], {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

/**
 * Return a time of day with its date, in the zone of the reader, which is named.
 *
 * @param {number} ms since 1970
 * @returns {string}
 */
export function moment(ms) {
  return MOMENT.format(ms);
}

/**
 * Return a number with the word for what is counted.
 *
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 * @returns {string}
 */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${say(count === 1 ? one : many)}`;
}

/**
 * Change what a section shows, and leave its tables where the reader has moved them.
 *
 * @param {Element} node
 * @param {() => void} change
 */
export function keepingScroll(node, change) {
  const places = [...node.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  const address = focused?.getAttribute("href");
  change();
  for (const [place, box] of node.querySelectorAll(".scroll").entries())
    box.scrollTo({ left: places[place] ?? 0, behavior: "instant" });
  if (!address) return;
  const links = [...node.querySelectorAll("a")];
  const link = links.find((candidate) => candidate.getAttribute("href") === address);
  link?.focus({ preventScroll: true });
}

/** @returns {HTMLSpanElement} */
export function liveDot() {
  return make("span", { class: "live-dot", "aria-hidden": "true" });
}
