// The address that is shown: what the pages know of it, and what they write into it.

/** @import { RunPage } from "./contents.d.ts" */

/**
 * What the pages have in common: the head of the run, once one of them has it, and the address
 * that is shown.
 *
 * @type {{ run: RunPage | null, address: string | null }}
 */
export const PAGES = { run: null, address: null };

/** @returns {RunPage} The head of the run, for pages that are drawn only when it is known. */
export function runOfPages() {
  if (!PAGES.run) throw new Error("the head of the run is not known yet");
  return PAGES.run;
}

/**
 * Show a notice above the page; without words none.
 *
 * @param {string} words
 */
export function tellNotice(words) {
  const notice = document.getElementById("notice");
  if (!notice) return;
  notice.textContent = words;
  notice.hidden = !words;
}

/**
 * Write where the reader rests into the address, unless it leads elsewhere by now and the page is
 * yet to be told.
 *
 * @param {string} address
 */
export function writeAddress(address) {
  if (location.hash !== PAGES.address) return;
  if (location.hash !== address) history.replaceState(history.state, "", address);
  PAGES.address = location.hash;
}
