// Follows the address on the pages of a venue: nothing or a section is the first page, `#ladder/vasa` a ladder,
// `#bot/anna` a bot, `#cup/saturday` a cup, `#runs` the list of all runs, `#public` what is public.

import { PAGES, tellNotice } from "./address.js";
import { make } from "./elements.js";
import { LiveStream } from "./live_stream.js";
import { drawHead } from "./page_head.js";
import { RunsList } from "./runs_list.js";
import { ScrollPlace } from "./scroll_place.js";
import { VenueBotPage } from "./venue_bot.js";
import { CupPage } from "./venue_cups.js";
import { VenueFirstPage } from "./venue_first.js";
import { LadderPage } from "./venue_ladder.js";
import { PublicPage } from "./venue_public.js";
import { firstPageCrumb } from "./venue_view.js";
import { say } from "./words.js";

/**
 * A page: what it shows, and how it follows.
 *
 * @typedef {object} VenueView
 * @property {HTMLElement} node
 * @property {() => unknown} follow Asks again, because something has changed.
 * @property {() => void} [close]
 */

const TITLE = "Bräde arena";

/** Show the page that the address names, and follow it. */
export function startVenue() {
  drawHead(
    make("a", { href: "#", class: "home" }, TITLE),
    say(
      "These pages show what the records say. arena verify checks the records; closing these pages harms no match.",
    ),
  );
  const publicLink = make("a", { href: "#public" }, say("What is public"));
  const runsLink = make("a", { href: "#runs" }, say("All days and cups"));
  document
    .getElementById("foot")
    ?.prepend(make("nav", { "aria-label": say("More") }, publicLink, " · ", runsLink));
  const pages = new VenuePages();
  window.addEventListener("hashchange", () => pages.show());
  pages.show();
  new LiveStream("events/runs", () => pages.follow());
}

class VenuePages {
  constructor() {
    this.view = make("div", { id: "view" });
    this.scroll = new ScrollPlace(this.view);
    /** @type {VenueView | null} */
    this.page = null;
    const notice = make("p", { id: "notice", class: "notice", role: "alert", hidden: true });
    document.getElementById("main")?.replaceChildren(notice, this.view);
  }

  show() {
    PAGES.address = location.hash;
    const place = this.scroll.known;
    this.scroll.leave();
    tellNotice("");
    const page = pageOf(location.hash.slice(1), this.page);
    if (page !== this.page) {
      this.page?.close?.();
      this.page = page;
      this.view.replaceChildren(page.node);
      this.follow();
      window.scrollTo(0, 0);
    }
    if (place !== null) this.scroll.returnTo(place);
    else if (page instanceof VenueFirstPage) page.goTo(location.hash.slice(1));
  }

  follow() {
    this.page?.follow();
  }
}

/**
 * @param {string} address
 * @param {VenueView | null} shown The page that is shown: the first page stays for its sections.
 * @returns {VenueView}
 */
function pageOf(address, shown) {
  const [kind, ...rest] = address.split("/");
  const name = rest.join("/");
  if (kind === "ladder") return new LadderPage(name);
  if (kind === "bot") return new VenueBotPage(name);
  if (kind === "cup") return new CupPage(name);
  if (kind === "public") return new PublicPage();
  if (kind === "runs") return runsPage();
  return shown instanceof VenueFirstPage ? shown : new VenueFirstPage();
}

/** @returns {VenueView} */
function runsPage() {
  document.title = `${say("All days and cups")} · ${TITLE}`;
  const list = new RunsList();
  const node = make("div", { class: "venue" }, firstPageCrumb(), list.node);
  return { node, follow: () => list.follow() };
}
