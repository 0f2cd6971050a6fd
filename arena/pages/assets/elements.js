// Making elements. Text only ever becomes text nodes: names, versions and reasons come from bots and may be anything.

import { DECIMAL_MARK, LANGUAGE, LOCALES, isSaid, say, told } from "./words.js";

/** A clause that a page names, alone or with others: `(B4.1)`, `(M2, M4)`; a rejection has its code before it. */
const CLAUSES =
    /(\((?:[a-z_]+, )?[BMGT]\d+(?:\.\d+)?(?:, [BMGT]\d+(?:\.\d+)?)*\)|^[a-z_]+, [BMGT]\d+(?:\.\d+)?$)/,
  CLAUSE = /([BMGT]\d+(?:\.\d+)?)/;

/** A text with each clause that it names as a link to the rule. */
function withClauses(text) {
  return text.split(CLAUSES).map((part, place) =>
    place % 2
      ? filled(
          document.createElement("span"),
          { class: "clauses" },
          part.split(CLAUSE).map((piece, at) => (at % 2 ? bookLink(piece, piece) : piece)),
        )
      : part,
  );
}

/** A button that looks like a link, and opens the book at a clause or a chapter. */
export function bookLink(words, place) {
  return pressed(
    words,
    () => document.dispatchEvent(new CustomEvent("open-book", { detail: place })),
    { class: "book-link", "aria-haspopup": "dialog" },
  );
}

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (true for a bare one, null for none) and children: nodes, or texts, whose clauses lead to the rules. */
export function make(name, attributes = {}, ...children) {
  const parts = children.flat(Infinity),
    isPressed = ["button", "a", "option"].includes(name);
  return filled(
    document.createElement(name),
    attributes,
    isPressed
      ? parts
      : parts.flatMap((child) => (typeof child === "string" ? withClauses(child) : [child])),
  );
}

export function pressed(words, act, attributes = {}) {
  const node = make("button", { type: "button", ...attributes }, words);
  node.addEventListener("click", act);
  return node;
}

export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false)
      node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
  return node;
}

/** What the arena says; in English, and marked so, if there are no words for it. */
export function toldSpan(said) {
  return make(
    "span",
    { lang: isSaid(said) || said in CATALOGUES[LANGUAGE] ? null : "en" },
    told(said),
  );
}

/** The same as a sentence, with a capital and a full stop; English is one already. */
export function sentenceSpan(said) {
  return isSaid(said) ? make("span", {}, sentence(said)) : toldSpan(said);
}

export function sentence(said) {
  return `${capital(told(said))}.`;
}

export function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}

/** A section of the page with its heading; nothing in it is wider than the page. */
export function section(id, title, ...children) {
  return make(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title),
    ...children,
  );
}

/**
 * A table that scrolls in its own box. Headings are texts; the first cell of a row is its heading. A cell is a text, a
 * node, or a ready `td`.
 */
export function table(caption, headings, rows, kind = "") {
  const head = make(
    "tr",
    {},
    headings.map((heading) => make("th", { scope: "col" }, heading)),
  );
  const body = rows.map(([first, ...cells]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, first),
      cells.map((cell) =>
        cell instanceof Element && cell.localName === "td" ? cell : make("td", {}, cell),
      ),
    ),
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

/** The first rows of a long list, and a button for the others; `more` puts rows into the table. */
export function longTable(caption, headings, rows, kind, most = 100) {
  const box = make("div", {});
  const show = (count) => {
    const left = rows.length - count;
    const button = pressed(
      say("Show {count} more", { count: number(left) }),
      () => show(rows.length),
      { class: "more" },
    );
    box.replaceChildren(
      table(
        caption,
        headings,
        rows.slice(0, count).map((row) => row()),
        kind,
      ),
      ...(left > 0 ? [button] : []),
    );
  };
  show(Math.min(most, rows.length));
  return box;
}

export function endingName(ending) {
  return told([`ending.${ending}`, {}]);
}

export function causeName(cause) {
  return told([`cause.${cause}`, {}]);
}

// Numbers and times as people read them; a minus sign is as wide as a plus.
export function number(value) {
  return value.toLocaleString(LOCALES[LANGUAGE]);
}

/** A number with so many decimals, behind the mark of the language. */
export function fixed(value, digits) {
  return value.toFixed(digits).replace(".", DECIMAL_MARK);
}

export function signed(value, digits) {
  const size = Math.abs(value),
    text = fixed(size, digits);
  return Number(size.toFixed(digits)) === 0 ? text : (value < 0 ? "−" : "+") + text;
}

/** A share in percent; all and nothing alone are 100 % and 0 %. */
export function percent(share) {
  if (share === 1 || share === 0) return `${100 * share} %`;
  if (share > 0.999) return `> ${fixed(99.9, 1)} %`;
  if (share < 0.001) return `< ${fixed(0.1, 1)} %`;
  return `${fixed(100 * share, share > 0.99 || share < 0.01 ? 1 : 0)} %`;
}

/** Milliseconds: 14 ms, 2.5 s, 1:05 min, 24:00 h. */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${fixed(ms / 1000, ms < 10000 ? 1 : 0)} s`;
  const [unit, whole] =
    ms < 3600000 ? ["min", Math.floor(ms / 1000)] : ["h", Math.floor(ms / 60000)];
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} ${unit}`;
}

export function moment(ms) {
  return `${new Date(ms).toLocaleString(LOCALES[LANGUAGE], { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })} UTC`;
}

export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${say(count === 1 ? one : many)}`;
}

/** Change what a section shows, and leave its tables where the reader has moved them. */
export function keepingScroll(node, change) {
  const places = [...node.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  const had = node.contains(document.activeElement)
    ? document.activeElement.getAttribute("href")
    : null;
  change();
  [...node.querySelectorAll(".scroll")].forEach((box, place) => {
    box.scrollLeft = places[place] ?? 0;
  });
  if (had)
    [...node.querySelectorAll("a")]
      .find((link) => link.getAttribute("href") === had)
      ?.focus({ preventScroll: true });
}

export function liveDot() {
  return make("span", { class: "live-dot", "aria-hidden": "true" });
}
