// Names of entrants and tournaments, which anybody may choose.

import { make } from "./elements.js";

/**
 * A name between other words. A name that is written from right to left moves nothing beside it,
 * and what looks like a clause in it leads nowhere.
 *
 * @param {string} name
 */
export function nameNode(name) {
  const node = make("bdi");
  node.textContent = name;
  return node;
}

/**
 * Names in a row, with something between them.
 *
 * @param {string[]} names
 * @param {string} between
 */
export function nameNodes(names, between) {
  return names.map((name, place) => [place ? between : "", nameNode(name)]);
}
