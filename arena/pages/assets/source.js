// Where the pages get their contents from: the file of a report has them in it, a server is asked for them.

import { make } from "./elements.js";

/** @type {any} */
let chosen = null;

export function useSource(source) {
  chosen = source;
}

export function source() {
  return chosen;
}

/** The name of an entrant, as a link where it has a page. */
export function botLink(id, name) {
  return chosen ? make("a", { href: `#bot/${encodeURIComponent(id)}` }, name) : name;
}

export const ROWS = 25;
