// Words in the reader's language. Every word of a page goes through `say`: English stands in the scripts, the other
// languages in catalogues by the English words (swedish.js). A test compares them, so that none is missing.

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

/** Keep a choice of the reader, or without a value say which is kept; a browser may refuse storage to a file. */
function keptChoice(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
