// Words in the reader's language. Every word of a page goes through `say`: English stands in the scripts, the other
// languages in catalogues by the English words (swedish.js). Sentences that records and servers make in English go through
// `told`, with catalogues of their own (sentences_swedish.js). Tests compare them, so that none is missing.

const CATALOGUES = { en: {}, sv: SWEDISH };
const LANGUAGE_NAMES = { en: "English", sv: "Svenska" };
const LOCALES = { en: "en-GB", sv: "sv-SE" };

/** What the reader chose; else the first language of the browser that there is a catalogue for. */
const LANGUAGE = (() => {
  const kept = keptChoice("arena-language");
  if (kept in CATALOGUES) return kept;
  const wanted = (navigator.languages ?? [navigator.language]).map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find((tag) => tag in CATALOGUES) ?? "en";
})();
document.documentElement.lang = LANGUAGE;

/** The words in the reader's language, with values in place of `{name}`. */
function say(english, values = {}) {
  const words = CATALOGUES[LANGUAGE][english] ?? english;
  return words.replace(/\{(\w+)\}/g, (whole, name) => name in values ? String(values[name]) : whole);
}

/** Marks words for the catalogue that are said later. */
function term(english) {
  return english;
}

const SENTENCES = { sv: SWEDISH_SENTENCES }[LANGUAGE];
const WORDS = new Map(Object.entries({ ...CATALOGUES[LANGUAGE], ...SENTENCES }));
const TRANSLATED = new Map();

/** What a value of this name may be; any other is any text. */
const VALUES = { count: "(\\S+)", number: "(\\S+)", points: "(\\S+)", side: "(\\S+)", inner: "([^()]+)", innermost: "([^()]+)", Ending: "([^,]+)" };

/** The sentences with values, those first that say most by themselves. */
const PATTERNS = Object.entries(SENTENCES ?? {}).filter(([english]) => english.includes("{")).map(([english, words]) => {
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = english.split(/\{(\w+)\}/); // text, name, text, name, ..., text
  const names = parts.filter((_, place) => place % 2), texts = parts.filter((_, place) => place % 2 === 0);
  const value = (name) => name === undefined ? "" : VALUES[name] ?? "(.+)";
  const pattern = new RegExp(`^${texts.map((text, place) => escaped(text) + value(names[place])).join("")}$`, "s");
  return { pattern, names, words, length: texts.join("").length };
}).sort((one, other) => other.length - one.length);

/** A sentence that a record or a server has made, in the reader's language; null if there are no words for it. */
function translated(english) {
  if (!SENTENCES) return english;
  if (!TRANSLATED.has(english)) {
    const isEnded = english.endsWith("."), plain = isEnded ? english.slice(0, -1) : english;
    const lowered = plain.slice(0, 1).toLowerCase() + plain.slice(1), words = translatedPlain(plain) ?? translatedPlain(lowered);
    const begun = words !== null && lowered !== plain ? words[0].toUpperCase() + words.slice(1) : words;
    TRANSLATED.set(english, begun !== null && isEnded ? `${begun}.` : begun);
  }
  return TRANSLATED.get(english);
}

/** The same, in English if there are no words for it. */
function told(english) {
  return translated(english) ?? english;
}

/** The same without capital and full stop: the whole of it, or each part before a semicolon, or with values. */
function translatedPlain(english) {
  if (WORDS.has(english)) return WORDS.get(english);
  const cut = english.lastIndexOf("; ");
  const both = cut < 0 ? [null] : [translated(english.slice(0, cut)), translated(english.slice(cut + 2))];
  if (!both.includes(null)) return both.join("; ");
  for (const { pattern, names, words } of PATTERNS) {
    const found = pattern.exec(english)?.slice(1), values = found?.map((value) => translated(value));
    const isWhole = found && names.every((name, place) => values[place] !== null || /^[a-z]/.test(name));
    if (isWhole) return words.replace(/\{(\w+)\}/g, (_, name) => values[names.indexOf(name)] ?? found[names.indexOf(name)]);
  }
  return null;
}

/** Keep a choice of the reader, or without a value say which is kept; a browser may refuse storage to a file. */
function keptChoice(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
