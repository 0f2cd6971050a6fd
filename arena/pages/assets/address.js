// The address that is shown: what the pages know of it, and what they write into it.

/** What the pages have in common: the head of the run, once one of them has it, and the address that is shown. */
export const PAGES = { run: null, address: null };

export function tellNotice(words) {
  const notice = document.getElementById("notice");
  notice.textContent = words;
  notice.hidden = !words;
}

/** Write where the reader rests into the address, unless it leads elsewhere by now and the page is yet to be told. */
export function writeAddress(address) {
  if (location.hash !== PAGES.address) return;
  if (location.hash !== address) history.replaceState(null, "", address);
  PAGES.address = location.hash;
}
