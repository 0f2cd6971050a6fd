// Where a run stands in its venue, as links for the bar above its pages.

/** @import { RunPlace } from "./contents.d.ts" */

import { make } from "./elements.js";
import { nameNode } from "./names.js";
import { say } from "./words.js";

/**
 * Links to the venue, to the ladder or cup of a run, and to the runs before and after it.
 *
 * @param {RunPlace} place
 * @param {string} top The address of the venue's first page.
 */
export function placeLinks({ venue, kind, name, before, after }, top) {
  const links = [
    make("a", { href: top }, "← ", nameNode(venue)),
    make(
      "a",
      { href: `${top}#${kind}/${encodeURIComponent(name)}` },
      `${kind === "cup" ? say("Cup") : say("Ladder")} `,
      nameNode(name),
    ),
  ];
  const words = {
    ladder: [say("The day before"), say("The day after")],
    cup: [say("The cup before"), say("The cup after")],
  }[kind];
  if (before) links.push(stepLink(`${top}runs/${before}/`, words[0], "‹"));
  if (after) links.push(stepLink(`${top}runs/${after}/`, words[1], "›"));
  return links;
}

/**
 * @param {string} address
 * @param {string} words
 * @param {string} sign
 */
function stepLink(address, words, sign) {
  return make("a", { href: address, class: "step-link", "aria-label": words, title: words }, sign);
}
