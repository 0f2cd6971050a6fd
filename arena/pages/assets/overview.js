// The first page: what is played now, the standings, the cross-table, the games, and in a report the figures of the run.

const CROSSTABLE_AT_ONCE = 24;
const FIGURES = [playSection, endingsSection, thinkingSection, conductSection, diceSection];

class OverviewPage {
  constructor() {
    this.node = make("div", { class: "overview" }, make("p", { class: "quiet" }, say("Reading the records …")));
    this.wanted = "";
    this.stream = SOURCE.overview((kind, content) => this.heard(kind, content));
  }

  heard(kind, content) {
    if (kind === "trouble") {
      this.boards?.close();
      this.head = null;
      this.node.replaceChildren(make("p", { class: "notice bad", role: "alert" }, toldSpan(content)));
    } else if (kind === "snapshot") this.begin(content);
    else if (this.head) this.take(content);
  }

  begin(content) {
    const { run, running, more_running: more, games, crosstable } = content, isNew = !this.head;
    if (isNew) this.build(content);
    if (this.boards) this.boards.names = run.names;
    this.more = more;
    this.boards?.reset(running);
    this.games.first(games);
    this.showRun(run);
    this.isCrossWanted ||= run.entrants.length <= CROSSTABLE_AT_ONCE;
    this.showCrosstable(crosstable);
    if (isNew && this.node.isConnected) this.goTo(this.wanted);
  }

  /** Every section that there are contents for. */
  build(content) {
    const { run, featured, figures } = content;
    this.figures = figures;
    this.head = make("div", {});
    this.places = make("div", {});
    this.cross = make("div", {});
    this.featured = featured ? new FeaturedGame(run, featured) : null;
    this.boards = SOURCE.isLive ? new LiveBoards(run.board, run.names) : null;
    this.games = new GamesList(run.names);
    const sections = [this.featured?.node, this.boards?.node,
      section("standings", say("Standings"), this.places, figures ? strengthTable(run, figures.unit) : null),
      section("crosstable", say("Cross-table"), this.cross), this.games.node,
      ...(figures ? FIGURES.map((figure) => figure(content)) : [])].filter(Boolean);
    const links = sections.map((one) => make("li", {}, make("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
    this.node.replaceChildren(make("div", { class: "intro" }, this.head, make("nav", { "aria-label": say("Sections") }, make("ul", {}, links))), ...sections);
  }

  take({ run, games, boards = [], gone = [], more_running: more, trouble }) {
    this.boards.remove(gone);
    boards.forEach((match) => this.boards.update(match));
    this.more = more;
    if (games) this.games.first(games);
    if (run) {
      this.showRun(run);
      this.showCrosstable();
    } else this.boards.tell(this.more, this.run.is_finished);
    if (trouble) this.head.append(make("p", { class: "notice bad", role: "alert" }, toldSpan(trouble)));
  }

  showRun(run) {
    const was = this.run;
    this.run = run;
    PAGES.run = run;
    document.title = this.title;
    this.head.replaceChildren(...headOf(run),
      run.is_finished ? "" : make("progress", { class: "course", max: 1, value: run.scheduled ? run.settled / run.scheduled : 0, "aria-label": say("Matches played") }),
      run.delay_ms ? make("p", { class: "notice" }, say("Everything is shown {time} later than it is played.", { time: duration(run.delay_ms) })) : "",
      run.broken ? make("p", { class: "notice bad", role: "alert" }, say("The record can be followed no further: {reason}", { reason: told(run.broken) })) : "");
    keepingScroll(this.places, () => this.places.replaceChildren(...standingsParts(run).filter(Boolean)));
    this.boards?.tell(this.more, run.is_finished);
    if (was && !was.is_finished && run.is_finished) announce(say("The tournament is over."));
  }

  get title() {
    return `${this.run.name} · Bräde arena`;
  }

  /** The cross-table is fetched only where it is wanted: of a hundred entrants it has ten thousand cells. */
  async showCrosstable(known) {
    const { entrants } = this.run;
    if (!known && !this.isCrossWanted) {
      const button = make("button", { type: "button" }, say("Show the cross-table of {count} entrants", { count: number(entrants.length) }));
      button.addEventListener("click", () => { this.isCrossWanted = true; this.showCrosstable(); });
      this.cross.replaceChildren(button);
      return;
    }
    const asked = this.asked = (this.asked ?? 0) + 1;
    try {
      const cells = known ?? await SOURCE.crosstable();
      if (asked !== this.asked || cells.length !== entrants.length) return; // a newer one is on its way
      keepingScroll(this.cross, () => this.cross.replaceChildren(...crosstableParts(entrants, cells, this.figures?.superior)));
    } catch (error) {
      this.cross.replaceChildren(troubleOf(error));
    }
  }

  /** Show a section, now or once it is there. */
  goTo(id) {
    this.wanted = id;
    if (!id || !this.head) return;
    const target = document.getElementById(id);
    if (target) target.scrollIntoView();
    else tellNotice(say("There is nothing called {name} in this page. The tournament lists all games under Games.", { name: id }));
  }

  /** Called once it is on the page. */
  opened() {
    if (this.run) document.title = this.title;
    this.featured?.show();
  }

  close() {
    this.stream.close();
    this.boards?.close();
    this.featured?.hide();
  }
}

/** The game that a report opens with, and why it is that one. */
class FeaturedGame {
  constructor(run, { link, game: number, why }) {
    Object.assign(this, { run, number, match: SOURCE.matchAt.get(link) });
    const names = this.match.entrants.map((id) => run.names[id]);
    this.box = make("div", { class: "featured-game" });
    this.node = section("featured", say("One game to begin with"),
      make("p", {}, make("a", { href: `#${link}/${number}/0` }, `${names.join(" – ")}, ${say("game {number}", { number })}`), ". ", sentenceSpan(why)), this.box);
  }

  show() {
    const replay = this.replay = new Replay(this.run, this.match, this.match.shown.find((game) => game.number === this.number), () => {}, true);
    replay.node.addEventListener("keydown", (event) => replay.key(event));
    this.box.replaceChildren(replay.node);
    replay.jump(replay.frames.length - 1); // once it is on the page: only there its list of turns can scroll
  }

  hide() {
    this.replay?.stop();
    this.box.replaceChildren();
  }
}

/** Change what a section shows, and leave its tables where the reader has moved them. */
function keepingScroll(node, change) {
  const places = [...node.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  const had = node.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  change();
  [...node.querySelectorAll(".scroll")].forEach((box, place) => { box.scrollLeft = places[place] ?? 0; });
  if (had) [...node.querySelectorAll("a")].find((link) => link.getAttribute("href") === had)?.focus({ preventScroll: true });
}
