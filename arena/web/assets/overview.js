// The first page: what is played now, the standings, the cross-table, and the games that are over.

const CROSSTABLE_AT_ONCE = 24, ROWS = 25;

class OverviewPage {
  constructor() {
    this.node = make("div", { class: "overview" }, make("p", { class: "quiet" }, say("Reading the records …")));
    this.stream = new LiveStream("/events/run", ["snapshot", "news", "trouble"], (kind, content) => this.heard(kind, content));
  }

  heard(kind, content) {
    if (kind === "trouble") {
      this.boards?.close();
      this.boards = null;
      this.node.replaceChildren(make("p", { class: "notice bad", role: "alert" }, toldSpan(content)));
    } else if (kind === "snapshot") this.begin(content);
    else if (this.boards) this.take(content);
  }

  begin({ run, running, more_running: more, games }) {
    const isNew = !this.boards;
    if (isNew) {
      this.head = make("div", { class: "intro" });
      this.table = make("section", { id: "standings", "aria-labelledby": "standings-title" });
      this.cross = make("section", { id: "crosstable", "aria-labelledby": "crosstable-title" });
      this.boards = new LiveBoards(run.board, run.names);
      this.games = new GamesList(run.names);
      this.node.replaceChildren(this.head, this.boards.node, this.table, this.cross, this.games.node);
    }
    this.boards.names = run.names;
    this.more = more;
    this.boards.reset(running);
    this.games.first(games);
    this.showRun(run);
    this.isCrossWanted ||= run.entrants.length <= CROSSTABLE_AT_ONCE;
    this.showCrosstable();
    if (isNew && location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
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
    document.title = `${run.name} · Bräde arena`;
    const share = run.scheduled ? run.settled / run.scheduled : 0;
    this.head.replaceChildren(...headOf(run),
      make("progress", { class: "course", max: 1, value: share, "aria-label": say("Matches played") }),
      run.delay_ms ? make("p", { class: "notice" }, say("Everything is shown {time} later than it is played.", { time: duration(run.delay_ms) })) : null ?? "",
      run.broken ? make("p", { class: "notice bad", role: "alert" }, say("The record can be followed no further: {reason}", { reason: told(run.broken) })) : "");
    const link = (one) => make("a", { href: `#bot/${encodeURIComponent(one.id)}` }, one.name);
    keepingScroll(this.table, () => this.table.replaceChildren(make("h2", { id: "standings-title" }, say("Standings")),
      ...standingsParts(run, link).filter(Boolean)));
    this.boards.tell(this.more, run.is_finished);
    if (was && !was.is_finished && run.is_finished) announce(say("The tournament is over."));
  }

  /** The cross-table is fetched only where it is wanted: of a hundred entrants it has ten thousand cells. */
  async showCrosstable() {
    const title = make("h2", { id: "crosstable-title" }, say("Cross-table"));
    const { entrants } = this.run;
    if (!this.isCrossWanted) {
      const button = make("button", { type: "button" }, say("Show the cross-table of {count} entrants", { count: number(entrants.length) }));
      button.addEventListener("click", () => { this.isCrossWanted = true; this.showCrosstable(); });
      this.cross.replaceChildren(title, button);
      return;
    }
    const asked = this.asked = (this.asked ?? 0) + 1;
    try {
      const cells = await fetched("/api/crosstable");
      if (asked !== this.asked || cells.length !== entrants.length) return; // a newer one is on its way
      const rows = entrants.map((one, row) => [one.name, ...entrants.map((_, column) =>
        row === column ? make("td", { class: "diagonal" }, "·") : make("td", {}, make("span", { class: "meetings" }, meetingsOf(cells[row][column]))))]);
      keepingScroll(this.cross, () => this.cross.replaceChildren(title, table(say("Game points of the row against the column"), ["", ...entrants.map((one) => one.name)], rows, "cross")));
    } catch (error) {
      this.cross.replaceChildren(title, troubleOf(error));
    }
  }

  close() {
    this.stream.close();
    this.boards?.close();
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

const FINISHED_COLUMNS = [["match", say("match")], ["game", say("game")], ["one", say("seat 1")], ["two", say("seat 2")], ["winner", say("winner")], ["ending", say("ending")],
  ["points", say("points")], ["turns", say("turns")]];

/** The games that are over: searched and sorted by the server, since there may be thousands. */
class GamesList {
  constructor(names) {
    this.names = names;
    this.sort = "";
    this.isUp = false;
    this.most = ROWS;
    this.filter = make("input", { type: "search", id: "filter", placeholder: say("a name, an ending, forfeit …"), autocomplete: "off" });
    this.filter.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { this.most = ROWS; this.ask(); }, 200);
    });
    this.count = make("p", { class: "quiet", role: "status" });
    this.box = make("div", { class: "match-list" });
    this.node = section("games", say("Finished games"), make("p", {}, make("label", { for: "filter" }, `${say("Find")} `), this.filter), this.count, this.box);
  }

  /** The latest games; shown as they are, unless the reader has asked for others. */
  first(found) {
    if (this.filter.value.trim() || this.sort || this.most > ROWS) this.ask();
    else this.show(found);
  }

  async ask() {
    const asked = this.asked = (this.asked ?? 0) + 1;
    const wanted = new URLSearchParams({ find: this.filter.value.trim(), sort: this.sort, up: this.isUp ? "1" : "0", most: String(Math.min(200, this.most)) });
    try {
      const found = await fetched(`/api/games?${wanted}`);
      if (asked === this.asked) this.show(found);
    } catch (error) {
      if (asked === this.asked) this.box.replaceChildren(troubleOf(error));
    }
  }

  show({ rows, found }) {
    this.count.textContent = found ? counted(found, "game") : this.filter.value.trim() ? say("No game is found.") : say("No game is over yet.");
    if (!found) {
      this.box.replaceChildren();
      return;
    }
    const focused = this.box.contains(document.activeElement) ? document.activeElement.dataset.sort : undefined;
    keepingScroll(this.box, () => this.box.replaceChildren(table(say("Finished games"), FINISHED_COLUMNS.map(([, words]) => words), rows.map((row) => this.cells(row)), "games-table")));
    this.addSorting(focused);
    if (found > rows.length && rows.length < 200) {
      const more = make("button", { type: "button", class: "more" }, say("Show more"));
      more.addEventListener("click", () => { this.most *= 4; this.ask(); });
      this.box.append(more);
    } else if (found > rows.length) this.box.append(make("p", { class: "quiet" }, say("{count} of {all} games are shown; find or sort to see others.", { count: number(rows.length), all: number(found) })));
  }

  cells({ fixture, attempt, game, entrants, winner, points, ending, cause, monk, turns }) {
    const name = (seat) => this.names[entrants[seat - 1]] ?? entrants[seat - 1];
    return [fixture, make("td", {}, make("a", { href: `#${fixture}/${game}/0`, class: "game" }, `▶ ${game}`)), name(1), name(2),
      winner ? make("strong", {}, name(winner)) : "–", endingWords({ ending, cause, monk }), winner ? points : "–", turns ?? "–"];
  }

  addSorting(focused) {
    this.box.querySelectorAll("thead th").forEach((heading, column) => {
      const [key, words] = FINISHED_COLUMNS[column];
      if (key === "game") return;
      const isSorted = this.sort === key;
      if (isSorted) heading.setAttribute("aria-sort", this.isUp ? "ascending" : "descending");
      const button = make("button", { type: "button", class: "sort", "data-sort": key }, words, isSorted ? (this.isUp ? " ▲" : " ▼") : "");
      button.addEventListener("click", () => {
        this.isUp = isSorted ? !this.isUp : !["points", "turns"].includes(key);
        this.sort = key;
        this.ask();
      });
      heading.replaceChildren(button);
      if (focused === key) button.focus({ preventScroll: true });
    });
  }
}
