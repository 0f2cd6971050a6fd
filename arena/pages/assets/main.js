// Follows the address: nothing or a section is the first page, `#bot/anna` a bot, `#r1-anna-v-bo` a
// match, `#r1-anna-v-bo/2/17` a turn of a game, `#r1-anna-v-bo~1` an attempt that does not count.

import { PAGES, tellNotice } from "./address.js";
import { BotPage } from "./bot_page.js";
import { make } from "./elements.js";
import { MatchView } from "./match_view.js";
import { OverviewPage } from "./overview.js";
import { drawHead } from "./page_head.js";
import { ScrollPlace } from "./scroll_place.js";
import { source } from "./source.js";

const BOT_ADDRESS = /^bot\/(.+)$/;
const MATCH_ADDRESS = /^((?:[a-z0-9-]+\.)?r\d+-[^/~]+)(?:~(\d+))?(?:\/(\d+)(?:\/(.*))?)?$/;

/** Show the page that the address names, and follow it. */
export function startPages() {
  drawHead(make("a", { href: "#", class: "home" }, "Bräde arena"), source().footer);
  const pages = new Pages();
  window.addEventListener("hashchange", () => pages.follow());
  document.addEventListener("keydown", (event) => pages.key(event));
  pages.follow();
}

class Pages {
  constructor() {
    this.view = make("div", { id: "view" });
    this.scroll = new ScrollPlace(this.view);
    /** @type {OverviewPage | BotPage | MatchView | null} */
    this.page = null;
    /** @type {string | null} */
    this.at = null;
    /** @type {OverviewPage | null} */
    this.overview = null;
    const notice = make("p", { id: "notice", class: "notice", role: "alert", hidden: true });
    document.getElementById("main")?.replaceChildren(notice, this.view);
  }

  /** Show what the address names, and where the reader was if it was left before. */
  follow() {
    PAGES.address = location.hash;
    const address = addressWords();
    const place = this.scroll.known;
    this.scroll.leave();
    tellNotice("");
    const [, bot] = BOT_ADDRESS.exec(address) ?? [];
    const [, fixture, attempt, game, label] = MATCH_ADDRESS.exec(address) ?? [];
    if (bot) {
      this.show(`bot/${bot}`, () => new BotPage(bot));
    } else if (fixture) {
      const name = `${fixture}~${attempt ?? 0}`;
      const match = this.show(name, () => new MatchView(fixture, Number(attempt ?? 0)));
      match.go(Number(game ?? 0), label ?? "");
    } else {
      const isScrolled = place === null;
      this.show("", () => this.firstPage()).goTo(address, isScrolled);
    }
    if (place !== null) this.scroll.returnTo(place);
  }

  /**
   * Show a page, unless it is the one that is shown already.
   *
   * @template {OverviewPage | BotPage | MatchView} P
   * @param {string} name
   * @param {() => P} build
   * @returns {P} The page that is shown.
   */
  show(name, build) {
    if (this.page && this.at === name) return /** @type {P} */ (this.page);
    this.page?.close();
    const page = build();
    this.page = page;
    this.at = name;
    this.view.replaceChildren(page.node);
    if (page instanceof OverviewPage) page.opened();
    window.scrollTo(0, 0);
    return page;
  }

  /** A first page that does not change keeps what the reader looked for in it. */
  firstPage() {
    if (source().isLive || !this.overview) this.overview = new OverviewPage();
    return this.overview;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.page instanceof MatchView) this.page.key(event);
  }
}

/** @returns {string} The address without its sign, as words. */
function addressWords() {
  const address = location.hash.slice(1);
  try {
    return decodeURIComponent(address);
  } catch (error) {
    // An address that was cut within a character names nothing here.
    if (error instanceof URIError) return address;
    throw error;
  }
}
