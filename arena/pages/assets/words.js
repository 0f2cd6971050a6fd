// Words in the reader's language. Every word of a page goes through `say`: English stands in the
// scripts, the other languages in catalogues by the English words. What the arena says goes through
// `told`: a code with values, whose sentence stands in the catalogue of each language
// (arena/words/saying.py does the same).

/** @import {Said} from "./contents.d.ts" */

/** @typedef {keyof typeof LANGUAGE_NAMES} Language */

export const LANGUAGE_NAMES = { en: "English", sv: "Svenska" };

export const LOCALES = { en: "en-GB", sv: "sv-SE" };

const DECIMAL_MARKS = { en: ".", sv: "," };

/**
 * What the reader chose; else the first language of the browser that there is a catalogue for.
 *
 * @type {Language}
 */
export const LANGUAGE = (() => {
  const kept = keptChoice("arena-language");
  if (hasCatalogue(kept)) return kept;
  const tags = navigator.languages ?? [navigator.language];
  const wanted = tags.map((tag) => tag.slice(0, 2).toLowerCase()).find(hasCatalogue);
  if (wanted) return wanted;
  // A server sends one catalogue alone: that of the language that the reader chose.
  const [first] = /** @type {Language[]} */ (Object.keys(CATALOGUES));
  return first;
})();

document.documentElement.lang = LANGUAGE;

const DECIMAL_MARK = DECIMAL_MARKS[LANGUAGE];

const PLURALS = new Intl.PluralRules(LOCALES[LANGUAGE]);

/**
 * @param {string | null} tag
 * @returns {tag is Language}
 */
function hasCatalogue(tag) {
  return tag !== null && tag in CATALOGUES;
}

/**
 * Return the words in the reader's language, with values in place of `{name}`.
 *
 * @param {string} english
 * @param {Readonly<Record<string, string | number>>} [values]
 * @returns {string}
 */
export function say(english, values = {}) {
  const entry = CATALOGUES[LANGUAGE][english];
  const words = typeof entry === "string" ? entry : english;
  return words.replace(/\{(\w+)\}/g, (whole, name) =>
    name in values ? isolated(String(values[name])) : whole,
  );
}

/** Letters and marks that are written from right to left, by the blocks of Unicode. */
const BLOCKS_FROM_RIGHT = [
  "\u0590-\u08ff",
  "\u200f\u202b\u202e\u2067",
  "\ufb1d-\ufdff",
  "\ufe70-\ufefc",
  "\u{10800}-\u{10fff}",
  "\u{1e800}-\u{1efff}",
];
const FROM_RIGHT = new RegExp(`[${BLOCKS_FROM_RIGHT.join("")}]`, "u");

const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/**
 * Return a text that moves nothing beside it: one with letters from right to left is isolated.
 *
 * @param {string} text such as a name, between other words in a sentence or a title
 * @returns {string}
 */
export function isolated(text) {
  return FROM_RIGHT.test(text) ? FIRST_STRONG_ISOLATE + text + POP_ISOLATE : text;
}

/**
 * Return what the arena says in the reader's language. Text is looked up as words of a page are.
 *
 * @param {Said | string} said a code with its values, or text
 * @returns {string}
 */
export function told(said) {
  if (!isSaid(said)) return say(said);
  const [code, values] = said;
  const entry = CATALOGUES[LANGUAGE][code];
  if (entry === undefined) return typeof values.text === "string" ? values.text : lastWordsOf(code);
  const words = typeof entry === "string" ? entry : pluralForm(entry, Number(values.count));
  return words.replace(/\{(\w+)(?::([^}]+))?\}/g, (_, name, form) =>
    valueWords(values[name], form),
  );
}

/**
 * Return the last part of a code as words: `move.not_due` is "not due".
 *
 * @param {string} code
 * @returns {string}
 */
function lastWordsOf(code) {
  return code.slice(code.lastIndexOf(".") + 1).replaceAll("_", " ");
}

/**
 * @param {Readonly<Record<string, string>>} forms by `=1` for a number alone, or by plural category
 * @param {number} count
 * @returns {string}
 */
function pluralForm(forms, count) {
  return forms[`=${count}`] ?? forms[PLURALS.select(count)] ?? forms.other;
}

/**
 * @param {unknown} value
 * @returns {value is Said}
 */
export function isSaid(value) {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    typeof value[0] === "string" &&
    typeof value[1] === "object" &&
    !Array.isArray(value[1])
  );
}

/**
 * Return a value as it stands in a sentence.
 *
 * @param {unknown} value a number, something to be said, a list of these, or text that is the same
 *   in every language
 * @param {string} [form] of a number, as Python writes it
 * @returns {string}
 */
function valueWords(value, form = "") {
  if (typeof value === "number") return numberWords(value, form);
  if (isSaid(value)) return told(value);
  if (!Array.isArray(value)) return isolated(String(value));
  const words = value.map((part) => valueWords(part));
  if (words.length < 2) return words.join("");
  // Names may have commas.
  const hasCommas = value.some((part) => typeof part === "string" && part.includes(","));
  const first = words.slice(0, -1).join(hasCommas ? "; " : ", ");
  return told(["and", { first, last: words.at(-1) }]);
}

/**
 * Return a number with so many decimals, behind the mark of the language.
 *
 * @param {number} value
 * @param {number} digits
 * @returns {string}
 */
export function fixed(value, digits) {
  return value.toFixed(digits).replace(".", DECIMAL_MARK).replace("-", "−");
}

/**
 * Return a number in a form of Python.
 *
 * @param {number} value
 * @param {string} form `,` sets thousands apart, `.3f` has three decimals, `+.3f` a sign as well
 * @returns {string}
 */
function numberWords(value, form) {
  const decimals = /^(\+?)\.(\d)f$/.exec(form);
  if (!decimals)
    return value
      .toLocaleString(LOCALES[LANGUAGE], { useGrouping: form === ",", maximumFractionDigits: 20 })
      .replace("-", "−");
  const sign = decimals[1] && value >= 0 ? "+" : "";
  return sign + fixed(value, Number(decimals[2]));
}

/**
 * Keep a choice of the reader, or without a value return the kept one.
 *
 * @param {string} name
 * @param {string} [value]
 * @returns {string | null} null if there is none, or the browser refuses storage to a file
 */
export function keptChoice(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
