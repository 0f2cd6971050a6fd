// Words in the reader's language. Every word of a page goes through `say`: English stands in the scripts, the other
// languages in catalogues by the English words. What the arena says goes through `told`: a code with values, whose sentence
// stands in the catalogue of each language (arena/words/saying.py does the same).

export const LANGUAGE_NAMES = { en: "English", sv: "Svenska" };

export const LOCALES = { en: "en-GB", sv: "sv-SE" };

const DECIMAL_MARKS = { en: ".", sv: "," };

/** What the reader chose; else the first language of the browser that there is a catalogue for. */
export const LANGUAGE = (() => {
  const kept = keptChoice("arena-language");
  if (kept in CATALOGUES) return kept;
  const wanted = (navigator.languages ?? [navigator.language]).map((tag) =>
    tag.slice(0, 2).toLowerCase(),
  );
  const [first] = Object.keys(CATALOGUES); // a server sends one alone, the one that the reader chose
  return wanted.find((tag) => tag in CATALOGUES) ?? first;
})();

document.documentElement.lang = LANGUAGE;

export const DECIMAL_MARK = DECIMAL_MARKS[LANGUAGE];

/** The words in the reader's language, with values in place of `{name}`. */
export function say(english, values = {}) {
  const words = CATALOGUES[LANGUAGE][english] ?? english;
  return words.replace(/\{(\w+)\}/g, (whole, name) =>
    name in values ? String(values[name]) : whole,
  );
}

const PLURALS = new Intl.PluralRules(LOCALES[LANGUAGE]);

/** What the arena says, as `["code", {values}]`, in the reader's language; text is looked up as the words of a page are. */
export function told(said) {
  if (!isSaid(said)) return say(said);
  const [code, values] = said,
    entry = CATALOGUES[LANGUAGE][code];
  if (entry === undefined)
    return values.text ?? code.slice(code.lastIndexOf(".") + 1).replaceAll("_", " ");
  const words =
    typeof entry === "string"
      ? entry
      : (entry[`=${values.count}`] ?? entry[PLURALS.select(values.count)] ?? entry.other);
  return words.replace(/\{(\w+)(?::([^}]+))?\}/g, (_, name, form) =>
    valueWords(values[name], form),
  );
}

export function isSaid(value) {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    typeof value[0] === "string" &&
    typeof value[1] === "object" &&
    !Array.isArray(value[1])
  );
}

/** A value in a sentence: a number, something to be said, a list of these, or text that is the same in every language. */
function valueWords(value, form = "") {
  if (typeof value === "number") return numberWords(value, form);
  if (isSaid(value)) return told(value);
  if (!Array.isArray(value)) return String(value);
  const shown = value.map((one) => valueWords(one));
  const between = value.some((one) => typeof one === "string" && one.includes(",")) ? "; " : ", "; // names may have commas
  return shown.length < 2
    ? shown.join("")
    : told(["and", { first: shown.slice(0, -1).join(between), last: shown.at(-1) }]);
}

/** A number in a form of Python: `,` sets thousands apart, `.3f` has three decimals, `+.3f` a sign as well. */
function numberWords(value, form) {
  const decimals = /^(\+?)\.(\d)f$/.exec(form);
  if (!decimals)
    return value.toLocaleString(LOCALES[LANGUAGE], {
      useGrouping: form === ",",
      maximumFractionDigits: 20,
    });
  const sign = decimals[1] && value >= 0 ? "+" : "";
  return sign + value.toFixed(Number(decimals[2])).replace(".", DECIMAL_MARK);
}

/** Keep a choice of the reader, or without a value say which is kept; a browser may refuse storage to a file. */
export function keptChoice(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
