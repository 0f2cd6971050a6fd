// Follows the address: nothing or a section is the first page, `#bot/anna` a bot, `#r1-anna-v-bo` a match,
// `#r1-anna-v-bo/2/17` a turn of a game, `#r1-anna-v-bo~1` an attempt that does not count.

/** What the pages have in common: the head of the run, once one of them has it, and the address that is shown. */
const PAGES = { run: null, address: null };

function tellNotice(words) {
  const notice = document.getElementById("notice");
  notice.textContent = words;
  notice.hidden = !words;
}

/** Write where the reader rests into the address, unless it leads elsewhere by now and the page is yet to be told. */
function writeAddress(address) {
  if (location.hash !== PAGES.address) return;
  if (location.hash !== address) history.replaceState(null, "", address);
  PAGES.address = location.hash;
}

function main() {
  drawHead(make("a", { href: "#", class: "home" }, "Bräde arena"), SOURCE.footer);
  const view = make("div", { id: "view" });
  document.getElementById("main").replaceChildren(make("p", { id: "notice", class: "notice", role: "alert", hidden: true }), view);
  let page = null, at = null, overview = null;

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
    if (SOURCE.isLive || !overview) overview = new OverviewPage();
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
    const [, fixture, attempt, game, label] = /^((?:[a-z0-9-]+\.)?r\d+-[^/~]+)(?:~(\d+))?(?:\/(\d+)(?:\/(.*))?)?$/.exec(address) ?? [];
    if (bot) show(`bot/${bot}`, () => new BotPage(bot));
    else if (fixture) show(`${fixture}~${attempt ?? 0}`, () => new MatchView(fixture, Number(attempt ?? 0))).go(Number(game ?? 0), label ?? "");
    else show("", firstPage).goTo(address);
  };
  window.addEventListener("hashchange", route);
  document.addEventListener("keydown", (event) => { if (page instanceof MatchView) page.key(event); });
  route();
}

main();
