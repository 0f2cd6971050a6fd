// The first page: what is played now, the standings, the cross-table, the games, and in a report the figures of the run.

import { PAGES, tellNotice } from "./address.js";
import {
  duration,
  keepingScroll,
  make,
  number,
  pressed,
  section,
  sentence,
  sentenceSpan,
  toldSpan,
} from "./elements.js";
import { conductSection, diceSection, endingsSection, thinkingSection } from "./figures.js";
import { GamesList } from "./matches.js";
import { announce, troubleOf } from "./page_head.js";
import { pairingsParts } from "./pairings.js";
import { playSection } from "./play_section.js";
import { BOARDS, Replay } from "./replay.js";
import { source } from "./source.js";
import {
  brokenNotice,
  crosstableParts,
  headOf,
  standingsParts,
  strengthTable,
} from "./standings.js";
import { turnWords } from "./steps.js";
import { say, told } from "./words.js";

const CROSSTABLE_AT_ONCE = 24;

const FIGURES = [playSection, endingsSection, thinkingSection, conductSection, diceSection];

export class OverviewPage {
  constructor() {
    this.node = make(
      "div",
      { class: "overview" },
      make("p", { class: "quiet" }, say("Reading the records …")),
    );
    this.wanted = "";
    this.stream = source().overview((kind, content) => this.heard(kind, content));
  }

  heard(kind, content) {
    if (kind === "trouble") {
      this.boards?.close();
      this.head = null;
      this.node.replaceChildren(
        make("p", { class: "notice bad", role: "alert" }, toldSpan(content)),
      );
    } else if (kind === "snapshot") this.begin(content);
    else if (this.head) this.take(content);
  }

  begin(content) {
    const { run, running, more_running: more, games, crosstable, pairings } = content,
      isNew = !this.head;
    if (isNew) this.build(content);
    if (this.boards) this.boards.names = run.names;
    this.more = more;
    this.boards?.reset(running);
    this.games.first(games);
    this.showRun(run);
    this.isCrossWanted ||= run.entrants.length <= CROSSTABLE_AT_ONCE;
    this.showMeetings(crosstable, pairings);
    if (isNew && this.node.isConnected) this.goTo(this.wanted);
  }

  build(content) {
    const { run, featured, figures } = content,
      { shape } = run;
    this.figures = figures;
    this.head = make("div", {});
    this.places = make("div", {});
    if (shape !== "crosstable")
      this.pairings = new Followed(
        () => source().pairings(),
        (page, opened) => pairingsParts(this.run, page, opened, figures?.superior),
      );
    if (shape === "crosstable" || shape === "rounds")
      this.cross = new Followed(
        () => source().crosstable(),
        (cells) => this.crosstable(cells),
      );
    this.featured = featured ? new FeaturedGame(run, featured) : null;
    this.boards = source().isLive ? new LiveBoards(run.board, run.names) : null;
    this.games = new GamesList(run.names);
    const standings = section(
      "standings",
      say("Standings"),
      this.places,
      figures ? strengthTable(run, figures.unit) : null,
    );
    const pairings =
      this.pairings &&
      section(
        "pairings",
        { bracket: say("Bracket"), rounds: say("Rounds"), boards: say("Against each opponent") }[
          shape
        ],
        this.pairings.node,
      );
    const sections = [
      this.boards?.node,
      ...(shape === "rounds"
        ? [this.featured?.node, standings, pairings]
        : [pairings, this.featured?.node, standings]),
      this.cross && section("crosstable", say("Cross-table"), this.cross.node),
      this.games.node,
      ...(figures ? FIGURES.map((figure) => figure(content)) : []),
    ].filter(Boolean);
    const links = sections.map((one) =>
      make("li", {}, make("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)),
    );
    this.node.replaceChildren(
      make(
        "div",
        { class: "intro" },
        this.head,
        make("nav", { "aria-label": say("Sections") }, make("ul", {}, links)),
      ),
      ...sections,
    );
  }

  take({ run, games, boards = [], gone = [], more_running: more, trouble }) {
    this.boards.remove(gone);
    boards.forEach((match) => this.boards.update(match));
    this.more = more;
    if (games) this.games.first(games);
    if (run) {
      this.showRun(run);
      this.showMeetings();
    } else this.boards.tell(this.more, this.run);
    if (trouble)
      this.head.append(make("p", { class: "notice bad", role: "alert" }, toldSpan(trouble)));
  }

  showRun(run) {
    const was = this.run;
    this.run = run;
    PAGES.run = run;
    document.title = this.title;
    this.head.replaceChildren(
      ...headOf(run),
      run.is_finished
        ? ""
        : make("progress", {
            class: "course",
            max: 1,
            value: run.scheduled ? run.settled / run.scheduled : 0,
            "aria-label": say("Matches played"),
          }),
      run.delay_ms
        ? make(
            "p",
            { class: "notice" },
            say("Everything is shown {time} later than it is played.", {
              time: duration(run.delay_ms),
            }),
          )
        : "",
      brokenNotice(run) ?? "",
    );
    keepingScroll(this.places, () =>
      this.places.replaceChildren(...standingsParts(run).filter(Boolean)),
    );
    this.boards?.tell(this.more, run);
    if (was && !was.is_finished && run.is_finished)
      announce([say("The tournament is over."), ...run.outcome.map(told)].join(" "));
  }

  get title() {
    return `${this.run.name} · Bräde arena`;
  }

  /** The cross-table is fetched only where it is wanted: of a hundred entrants it has ten thousand cells. */
  showMeetings(crosstable, pairings) {
    this.pairings?.follow(pairings);
    if (crosstable || this.isCrossWanted) this.cross?.follow(crosstable);
    else {
      const show = () => {
        this.isCrossWanted = true;
        this.cross.follow();
      };
      this.cross?.node.replaceChildren(
        pressed(
          say("Show the cross-table of {count} entrants", {
            count: number(this.run.entrants.length),
          }),
          show,
        ),
      );
    }
  }

  crosstable(cells) {
    const { entrants } = this.run;
    return (
      cells.length === entrants.length && crosstableParts(entrants, cells, this.figures?.superior)
    ); // else a newer one is on its way
  }

  goTo(id) {
    this.wanted = id;
    if (!id || !this.head) return;
    const target = document.getElementById(id);
    if (target) target.scrollIntoView();
    else
      tellNotice(
        say(
          "There is nothing called {name} in this page. The tournament lists all games under Games.",
          { name: id },
        ),
      );
  }

  opened() {
    if (this.run) document.title = this.title;
    this.featured?.show();
  }

  close() {
    this.stream?.close();
    this.boards?.close();
    this.featured?.hide();
  }
}

/** What is fetched whenever the run has changed: one question at a time, and at most one a second. */
class Followed {
  constructor(ask, parts) {
    Object.assign(this, { ask, parts });
    this.node = make("div", {});
  }

  async follow(known) {
    if (known) this.show(known);
    this.isDue = !known;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isDue) {
      this.isDue = false;
      try {
        this.show(await this.ask());
      } catch (error) {
        this.node.replaceChildren(troubleOf(error));
      }
      await new Promise((done) => {
        setTimeout(done, 1000);
      });
    }
    this.isAsking = false;
  }

  show(content) {
    const changed = [...this.node.querySelectorAll("details")].filter(
      (one, place) => one.open !== !place,
    ); // the first is open
    const opened = new Map(changed.map((one) => [one.dataset.round, one.open]));
    const parts = this.parts(content, opened);
    if (parts)
      keepingScroll(this.node, () => this.node.replaceChildren(...parts.flat().filter(Boolean)));
  }
}

class FeaturedGame {
  constructor(run, { link, game: number, why }) {
    Object.assign(this, { run, number, match: source().matchAt.get(link) });
    const names = this.match.entrants.map((id) => run.names[id]);
    this.box = make("div", { class: "featured-game" });
    this.node = section(
      "featured",
      say("One game to begin with"),
      make(
        "p",
        {},
        make(
          "a",
          { href: `#${link}/${number}/0` },
          `${names.join(" – ")}, ${say("game {number}", { number })}`,
        ),
        ". ",
        sentenceSpan(why),
      ),
      this.box,
    );
  }

  show() {
    const replay = (this.replay = new Replay(
      this.run,
      this.match,
      this.match.shown.find((game) => game.number === this.number),
      () => {},
      true,
    ));
    replay.node.addEventListener("keydown", (event) => replay.key(event));
    this.box.replaceChildren(replay.node);
    replay.jump(replay.frames.length - 1); // once it is on the page: only there its list of turns can scroll
  }

  hide() {
    this.replay?.stop();
    this.box.replaceChildren();
  }
}

class LiveBoards {
  constructor(board, names) {
    Object.assign(this, { board, names });
    this.cards = new Map();
    this.list = make("ul", { class: "cards" });
    this.none = make("p", { class: "quiet", hidden: true });
    this.more = make("p", { class: "quiet", hidden: true });
    this.node = section("now", say("Now playing"), this.none, this.list, this.more);
    // A board out of sight is drawn once it comes into sight.
    this.sight = new IntersectionObserver(
      (found) =>
        found.forEach(({ target, isIntersecting }) => {
          const card = this.cards.get(target.dataset.fixture);
          if (!card) return;
          card.isSeen = isIntersecting;
          if (isIntersecting && card.isStale) this.draw(card);
        }),
      { rootMargin: "200px" },
    );
  }

  reset(matches) {
    const wanted = new Set(matches.map((match) => match.fixture));
    this.remove([...this.cards.keys()].filter((fixture) => !wanted.has(fixture)));
    matches.forEach((match) => this.update(match));
  }

  remove(fixtures) {
    for (const fixture of fixtures) {
      const card = this.cards.get(fixture);
      if (!card) continue;
      this.sight.unobserve(card.node);
      card.node.remove();
      this.cards.delete(fixture);
    }
  }

  update(match) {
    let card = this.cards.get(match.fixture);
    if (!card) {
      card = this.card(match);
      this.cards.set(match.fixture, card);
      this.list.append(card.node);
      this.sight.observe(card.node);
    }
    card.match = match;
    if (card.isSeen && !document.hidden) this.draw(card);
    else card.isStale = true;
  }

  card({ fixture, entrants }) {
    const box = make("div", { class: "small-board" }),
      last = make("p", { class: "last" }),
      where = make("p", { class: "quiet where" });
    const scores = [make("b", {}), make("b", {})],
      discs = [make("span", {}), make("span", {})];
    const line = (seat) =>
      make(
        "span",
        { class: "player" },
        discs[seat - 1],
        make("span", { class: "name" }, this.names[entrants[seat - 1]] ?? entrants[seat - 1]),
        scores[seat - 1],
      );
    const link = make(
      "a",
      { class: "card", href: `#${fixture}` },
      line(2),
      box,
      line(1),
      where,
      last,
    );
    return {
      node: make("li", { "data-fixture": fixture }, link),
      link,
      box,
      last,
      where,
      scores,
      discs,
      isSeen: false,
      isStale: true,
    };
  }

  draw(card) {
    const { match, box, last, where, scores, discs, link } = card;
    card.isStale = false;
    const names = match.entrants.map((id) => this.names[id] ?? id);
    const [seat = 0, dice = "", text = ""] = match.last ?? [];
    if (match.position) {
      const frame = {
        kind: "start",
        position: match.position,
        before: match.before,
        dice,
        seat: seat || match.starter,
        text,
        mover: seat || match.starter || 1,
      };
      const picture = BOARDS[this.board.kind](this.board, names, frame, false);
      if (picture.localName === "svg") {
        picture.setAttribute("aria-hidden", "true"); // the words below say it shorter
        picture.removeAttribute("role");
      }
      box.replaceChildren(picture);
    } else box.replaceChildren(make("p", { class: "quiet waiting" }, say("The match begins.")));
    match.score.forEach((points, place) => {
      scores[place].textContent = points;
    });
    const { colours } = this.board;
    discs.forEach((disc, place) => {
      const own = place + 1;
      disc.className = `disc small seat-${colours.length ? (match.starter === own ? 2 : 1) : own}`;
    });
    where.textContent = match.broken
      ? say("The record can be followed no further.")
      : match.is_over
        ? sentence(["not_due.over", {}])
        : match.game
          ? say("Game {game} of {games}, turn {turn}", {
              game: match.game,
              games: match.games,
              turn: match.turn,
            })
          : "";
    last.textContent = seat
      ? `${names[seat - 1]}${dice ? ` ${[...dice].join("-")}` : ""}: ${turnWords(text)}`
      : "\u00a0";
    link.classList.toggle("over", match.is_over);
  }

  /** What stands below the boards: how many there are beside them, or that there are none. */
  tell(more, run) {
    this.more.hidden = !more;
    this.more.textContent = more
      ? say("{count} more matches are being played.", { count: number(more) })
      : "";
    this.none.hidden = this.cards.size > 0;
    const awaited = run.notes.find(([code]) => code === "absent.awaited");
    this.none.textContent = run.is_finished
      ? say("The tournament is over.")
      : awaited
        ? sentence(awaited)
        : say("No match is being played at the moment.");
  }

  close() {
    this.sight.disconnect();
  }
}
