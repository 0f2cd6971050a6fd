// Follows the address: nothing or a section is the first page, `#bot/anna` a bot, `#r1-anna-v-bo` a match,
// `#r1-anna-v-bo/2/17` a turn of a game, `#r1-anna-v-bo~1` an attempt that does not count.

import { PAGES, tellNotice } from "./address.js";
import { BotPage } from "./bot_page.js";
import { make } from "./elements.js";
import { MatchView } from "./match_view.js";
import { OverviewPage } from "./overview.js";
import { drawHead } from "./page_head.js";
import { source } from "./source.js";

/** Show the page that the address names, and follow it. */
export function startPages() {
  drawHead(make("a", { href: "#", class: "home" }, "Bräde arena"), source().footer);
  const view = make("div", { id: "view" });
  document
    .getElementById("main")
    .replaceChildren(
      make("p", { id: "notice", class: "notice", role: "alert", hidden: true }),
      view,
    );
  let page = null,
    at = null,
    overview = null;

  const show = (name, build) => {
    if (at === name) return page;
    page?.close?.();
    page = build();
    at = name;
    document.body.classList.toggle("wide", page instanceof MatchView);
    view.replaceChildren(page.node);
    page.opened?.();
    window.scrollTo(0, 0);
    return page;
  };
  /** A first page that does not change keeps what the reader looked for in it. */
  const firstPage = () => {
    if (source().isLive || !overview) overview = new OverviewPage();
    return overview;
  };
  const route = () => {
    PAGES.address = location.hash;
    let address = location.hash.slice(1);
    try {
      address = decodeURIComponent(address);
    } catch (error) {
      if (!(error instanceof URIError)) throw error; // an address that was cut within a character names nothing here
    }
    tellNotice("");
    const [, bot] = /^bot\/(.+)$/.exec(address) ?? [];
    const [, fixture, attempt, game, label] =
      /^((?:[a-z0-9-]+\.)?r\d+-[^/~]+)(?:~(\d+))?(?:\/(\d+)(?:\/(.*))?)?$/.exec(address) ?? [];
    if (bot) show(`bot/${bot}`, () => new BotPage(bot));
    else if (fixture)
      show(`${fixture}~${attempt ?? 0}`, () => new MatchView(fixture, Number(attempt ?? 0))).go(
        Number(game ?? 0),
        label ?? "",
      );
    else show("", firstPage).goTo(address);
  };
  window.addEventListener("hashchange", route);
  document.addEventListener("keydown", (event) => {
    if (page instanceof MatchView) page.key(event);
  });
  route();
}
