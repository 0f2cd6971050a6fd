// What a page has before its modules run, for tests of these modules in Node.

import { readFileSync } from "node:fs";

const WORDS = new URL("../../../arena/words/", import.meta.url);

/**
 * Read a catalogue into a table without a prototype, as pages have it.
 *
 * @param {string} language
 * @returns {object}
 */
function catalogue(language) {
  const text = readFileSync(new URL(`${language}.json`, WORDS), "utf8");
  return Object.assign(Object.create(null), JSON.parse(text));
}

/**
 * Let this process be a page with both catalogues, in a browser that wants these languages.
 *
 * @param {readonly string[]} languages as the browser names them, the dearest first
 */
export function openPage(languages) {
  const globals = {
    CATALOGUES: { en: catalogue("en"), sv: catalogue("sv") },
    document: { documentElement: { lang: "" } },
    navigator: { languages },
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true });
}
