// The first page: what is played now, the standings, the cross-table, the games, and in a report
// the figures of the run.

/**
 * @import { Featured, News, PairingsPage, RunPage } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import {
 *   CrosstableCells, FirstPage, OverviewMessage, ReportFirstPage, RunInReport,
 * } from "./source.js"
 * @import { Superiority } from "./standings.js"
 */

import { PAGES, tellNotice, writeAddress } from "./address.js";
import { diceSection } from "./dice_audit.js";
import {
  capital,
  duration,
  make,
  number,
  pressed,
  section,
  sentenceSpan,
  toldSpan,
} from "./elements.js";
import { conductSection, endingsSection, thinkingSection } from "./figures.js";
import { Followed, showParts } from "./followed.js";
import { Leaders, leadersOf } from "./leaders.js";
import { LiveBoards } from "./live_boards.js";
import { GamesList } from "./matches.js";
import { nameNodes } from "./names.js";
import { announce, readingPart } from "./page_head.js";
import { pairingsParts } from "./pairings.js";
import { playSection } from "./play_section.js";
import { Replay } from "./replay.js";
import { source } from "./source.js";
import {
  brokenNotice,
  crosstableParts,
  headOf,
  standingsParts,
  strengthTable,
} from "./standings.js";
import { besideEachOther, introOf, pagePanel, Tabs } from "./tabs.js";
import { isolated, say, told } from "./words.js";

/** A larger cross-table is shown when the reader wants it: of 100 entrants it has 10 000 cells. */
const CROSSTABLE_AT_ONCE = 24;

const FIGURES = [playSection, endingsSection, thinkingSection, conductSection, diceSection];

export class OverviewPage {
  constructor() {
    const kind = source().isLive ? "overview live" : "overview";
    this.node = make("div", { class: kind }, readingPart());
    /** The section that the address names. */
    this.wanted = "";
    this.isScrolled = true;
    /** @type {Sections | null} */
    this.sections = null;
    this.stream = source().overview((...message) => this.heard(message));
  }

  /** @param {OverviewMessage} message */
  heard([kind, content]) {
    if (kind === "trouble") {
      this.sections?.close();
      this.sections = null;
      const trouble = toldSpan(content);
      this.node.replaceChildren(make("p", { class: "notice bad", role: "alert" }, trouble));
    } else if (kind === "snapshot") this.begin(content);
    else this.sections?.take(content);
  }

  /** @param {FirstPage} content */
  begin(content) {
    const isNew = this.sections === null;
    this.sections ??= new Sections(content);
    if (isNew) this.node.replaceChildren(...this.sections.nodes);
    this.sections.begin(content);
    if (isNew && this.node.isConnected) this.goTo(this.wanted, this.isScrolled);
  }

  /**
   * Go to a section.
   *
   * @param {string} id
   * @param {boolean} isScrolled False if the reader returns to where he was.
   */
  goTo(id, isScrolled) {
    this.wanted = id;
    this.isScrolled = isScrolled;
    if (!id || !this.sections) return;
    const target = document.getElementById(id);
    if (target) {
      this.sections.tabs?.reveal(target);
      if (isScrolled) target.scrollIntoView();
      return;
    }
    const words = say(
      "There is nothing called {name} in this page. The tournament lists all games under Games.",
      { name: id },
    );
    tellNotice(words);
  }

  /** The page is shown, perhaps again. */
  opened() {
    this.sections?.opened();
  }

  close() {
    this.stream?.close();
    if (source().isLive) this.sections?.close();
    this.sections?.featured?.hide();
  }
}

/** The sections of the first page, once its contents are known. */
class Sections {
  /** @param {FirstPage} content */
  constructor(content) {
    const { run } = content;
    /** @type {RunPage | RunInReport} */
    this.run = run;
    this.isBegun = false;
    this.more = 0;
    this.isCrossWanted = false;
    /** @type {Superiority | undefined} */
    this.superior = content.figures?.superior;
    this.head = make("div");
    this.places = make("div");
    this.pairings = run.shape === "crosstable" ? null : this.followedPairings();
    const hasCross = run.shape === "crosstable" || run.shape === "rounds";
    this.cross = hasCross ? this.followedCrosstable() : null;
    this.featured = content.featured ? new FeaturedGame(content, content.featured) : null;
    const isFollowed = source().isLive;
    const hasBoards = isFollowed && !run.is_finished;
    this.boards = hasBoards ? new LiveBoards(run.board, run.names) : null;
    this.leaders = hasBoards ? new Leaders() : null;
    this.games = new GamesList(run.names);
    const meetings = this.meetings(content);
    this.tabs = isFollowed ? this.makeTabs(meetings) : null;
    if (this.tabs) {
      const boards = this.boards ? [this.boards.node] : [];
      const intro = this.intro([...boards, ...meetings, this.games.node]);
      this.nodes = besideEachOther(intro, this.leaders?.node, this.tabs);
    } else {
      const parts = this.belowEachOther(meetings, content);
      this.nodes = [this.intro(parts), ...parts];
    }
  }

  /** @returns {Followed<PairingsPage>} */
  followedPairings() {
    return new Followed(
      () => source().pairings(),
      (page, opened) => pairingsParts(this.run, page, opened, this.superior),
    );
  }

  /** @returns {Followed<CrosstableCells>} */
  followedCrosstable() {
    return new Followed(
      () => source().crosstable(),
      (cells) => this.crosstable(cells),
    );
  }

  /**
   * @param {CrosstableCells} cells
   * @returns {Child[] | null}
   */
  crosstable(cells) {
    const { entrants } = this.run;
    if (cells.length !== entrants.length) return null;
    return crosstableParts(entrants, cells, this.superior);
  }

  /**
   * The table of the standings and who meets whom, in the order of what tells most.
   *
   * @param {FirstPage} content
   * @returns {HTMLElement[]}
   */
  meetings(content) {
    const { shape } = this.run;
    const strength = content.figures ? strengthTable(content.run, content.figures.unit) : null;
    const standings = section("standings", say("Standings"), this.places, strength);
    const pairings =
      this.pairings && section("pairings", titleOfPairings(shape), this.pairings.node);
    const cross = this.cross && section("crosstable", say("Cross-table"), this.cross.node);
    const isTableFirst = shape === "rounds" || !pairings;
    const parts = isTableFirst ? [standings, pairings, cross] : [pairings, standings, cross];
    return parts.filter((part) => part !== null);
  }

  /**
   * The sections of a report: the game to begin with stands before the standings.
   *
   * @param {HTMLElement[]} meetings
   * @param {FirstPage} content
   * @returns {HTMLElement[]}
   */
  belowEachOther(meetings, content) {
    const parts = [...meetings];
    const standings = parts.findIndex(({ id }) => id === "standings");
    if (this.featured) parts.splice(standings, 0, this.featured.node);
    const figures = content.figures ? FIGURES.map((figure) => figure(content)) : [];
    return [...parts, this.games.node, ...figures.filter((part) => part !== null)];
  }

  /** @param {HTMLElement[]} meetings */
  makeTabs(meetings) {
    const isBracket = this.run.shape === "bracket";
    const panels = [
      pagePanel(meetings[0].id, isBracket ? say("Bracket") : say("Table"), meetings),
      pagePanel("games", capital(say("games")), this.games.node),
    ];
    if (this.boards) panels.unshift(pagePanel("now", say("Boards"), this.boards.node));
    return new Tabs(say("Sections"), panels, (id) => writeAddress(`#${id}`));
  }

  /**
   * The head of the page, with links to its sections.
   *
   * @param {HTMLElement[]} sections
   */
  intro(sections) {
    const titles = sections.map(({ id, firstElementChild: title }) => ({
      id,
      title: title?.textContent ?? "",
    }));
    return introOf(this.head, titles);
  }

  /** @param {FirstPage} content */
  begin({ run, running, more_running: more, has_chances, games, crosstable, pairings }) {
    if (this.boards) this.boards.names = run.names;
    this.boards?.showChances(has_chances);
    this.more = more;
    this.boards?.reset(running);
    this.games.first(games);
    this.showRun(run);
    this.isCrossWanted ||= run.entrants.length <= CROSSTABLE_AT_ONCE;
    this.showMeetings(crosstable, pairings);
  }

  /** @param {News} news */
  take({ run, games, boards = [], chances = {}, gone = [], more_running: more, trouble }) {
    this.boards?.remove(gone);
    for (const match of boards) this.boards?.update(match);
    for (const [fixture, chance] of Object.entries(chances))
      this.boards?.tellChance(fixture, chance);
    this.more = more;
    if (games) this.games.first(games);
    if (run) {
      this.showRun(run);
      this.showMeetings();
    } else {
      this.tellBoards();
    }
    if (trouble) {
      const words = toldSpan(trouble);
      this.head.append(make("p", { class: "notice bad", role: "alert" }, words));
    }
  }

  /** @param {RunPage | RunInReport} run */
  showRun(run) {
    const isEnd = this.isBegun && !this.run.is_finished && run.is_finished;
    this.isBegun = true;
    this.run = run;
    PAGES.run = run;
    this.showTitle();
    const isHeadline = !this.leaders || run.is_finished;
    const head = headOf(run, isHeadline);
    showParts(this.head, [...head, courseOf(run), delayNotice(run), brokenNotice(run)]);
    this.leaders?.show(leadersOf(run));
    showParts(this.places, standingsParts(run));
    this.tellBoards();
    if (isEnd) announce([say("The tournament is over."), ...run.outcome.map(told)].join(" "));
  }

  /** Say what stands below the boards; a run that is over has none once the last has gone. */
  tellBoards() {
    this.boards?.tell(this.more, this.run);
    if (!this.boards || !this.run.is_finished || this.boards.cards.size) return;
    this.boards.close();
    this.boards = null;
    this.tabs?.remove("now");
    this.head.parentElement?.querySelector('[href="#now"]')?.parentElement?.remove();
  }

  showTitle() {
    document.title = `${isolated(this.run.name)} · Bräde arena`;
  }

  /**
   * Show the pairings, and the cross-table if it is wanted.
   *
   * @param {CrosstableCells} [crosstable]
   * @param {PairingsPage} [pairings]
   */
  showMeetings(crosstable, pairings) {
    this.pairings?.follow(pairings);
    if (crosstable || this.isCrossWanted) {
      this.cross?.follow(crosstable);
      return;
    }
    const words = say("Show the cross-table of {count} entrants", {
      count: number(this.run.entrants.length),
    });
    const show = () => {
      this.isCrossWanted = true;
      this.cross?.follow();
    };
    this.cross?.node.replaceChildren(pressed(words, show));
  }

  opened() {
    this.showTitle();
    this.featured?.show();
  }

  close() {
    this.boards?.close();
    this.tabs?.close();
    this.games.close();
    this.pairings?.close();
    this.cross?.close();
  }
}

/** @param {RunPage["shape"]} shape */
function titleOfPairings(shape) {
  if (shape === "bracket") return say("Bracket");
  return shape === "rounds" ? say("Rounds") : say("Against each opponent");
}

/**
 * How much of the run is played, as a bar.
 *
 * @param {RunPage | RunInReport} run
 */
function courseOf({ is_finished: isFinished, format, settled, scheduled }) {
  if (isFinished || format === "ladder") return null;
  return make("progress", {
    class: "course",
    max: 1,
    value: scheduled ? settled / scheduled : 0,
    "aria-label": say("Matches played"),
  });
}

/** @param {RunPage | RunInReport} run */
function delayNotice({ delay_ms: delay }) {
  if (!delay) return null;
  const words = say("Everything is shown {time} later than it is played.", {
    time: duration(delay),
  });
  return make("p", { class: "notice" }, words);
}

/** The game that a report begins with. */
class FeaturedGame {
  /**
   * @param {ReportFirstPage} content
   * @param {Featured} featured
   */
  constructor({ run, matches }, { link, game: number, why }) {
    this.run = run;
    this.match = matches.find((match) => match.link === link);
    this.game = this.match?.shown.find((game) => game.number === number);
    /** @type {Replay | null} */
    this.replay = null;
    const names = this.match?.entrants.map((id) => run.names[id]) ?? [];
    const words = [nameNodes(names, " – "), `, ${say("game {number}", { number })}`];
    const title = make("a", { href: `#${link}/${number}/0` }, words);
    this.box = make("div", { class: "featured-game" });
    this.node = section(
      "featured",
      say("One game to begin with"),
      make("p", {}, title, ". ", sentenceSpan(why)),
      this.box,
    );
  }

  show() {
    if (!this.match || !this.game) return;
    const replay = new Replay(this.run, this.match, this.game, () => {}, true);
    this.replay = replay;
    replay.node.addEventListener("keydown", (event) => replay.key(event));
    this.box.replaceChildren(replay.node);
    // once it is on the page: only there its list of turns can scroll
    replay.jump(replay.frames.length - 1);
  }

  hide() {
    this.replay?.stop();
    this.box.replaceChildren();
  }
}
