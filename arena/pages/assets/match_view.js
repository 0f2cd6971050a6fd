// The page of one match: the board of a game, live while it is played, and the other games of the
// match to play through.

/**
 * @import { Change, GameLine, MatchPage, ReplayedGame, Said } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import { GameWithReason, MatchMessage, Subscription } from "./source.js"
 */

import { PAGES, runOfPages, tellNotice, writeAddress } from "./address.js";
import { troubleOf, untilAnswered } from "./asking.js";
import {
  duration,
  liveDot,
  make,
  number,
  pressed,
  section,
  sentence,
  table,
  toldSpan,
} from "./elements.js";
import { LiveReplay } from "./live_replay.js";
import { gameCell } from "./matches.js";
import { nameNode, nameNodes } from "./names.js";
import { announce, homeCrumb, readingPart } from "./page_head.js";
import { botLink, source } from "./source.js";
import { endingWords, frameAt } from "./steps.js";
import { isolated, say, told } from "./words.js";

const REST_MS = 250;
const NEXT_GAME_MS = 3500;

export class MatchView {
  /**
   * @param {string} fixture
   * @param {number} attempt 0 for the one that counts, or is played.
   */
  constructor(fixture, attempt) {
    this.fixture = fixture;
    this.attempt = attempt;
    this.above = make("div");
    this.box = make("div", {}, readingPart());
    /** Shown with the board, which would move it. */
    this.below = make("div", { hidden: true });
    this.node = make("div", { class: "match" }, this.above, this.box, this.below);
    /** @type {MatchPage | null} */
    this.page = null;
    /** @type {Map<number, ReplayedGame>} */
    this.open = new Map();
    /** @type {string[]} */
    this.names = [];
    /** @type {LiveReplay | null} */
    this.replay = null;
    /** @type {number | null} */
    this.shown = null;
    /** @type {[game: number, label: string]} */
    this.wanted = [0, ""];
    this.asked = 0;
    this.isLive = false;
    this.isClosed = false;
    /** @type {Subscription | null} */
    this.stream = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.begin();
  }

  async begin() {
    /** @param {unknown} error */
    const tellTrouble = (error) => this.box.replaceChildren(homeCrumb(), troubleOf(error));
    try {
      const page = await untilAnswered(
        () => this.ask(),
        () => !this.isClosed,
        tellTrouble,
      );
      this.take(page);
      const { is_over: isOver, key } = page;
      if (source().isLive && !isOver && !this.isClosed)
        this.stream = source().changes(this.fixture, key, (...message) => this.heard(message));
    } catch (error) {
      tellTrouble(error);
    }
  }

  /** @returns {Promise<MatchPage>} */
  async ask() {
    PAGES.run ??= await source().run();
    return source().match(this.fixture, this.attempt);
  }

  /** @param {MatchPage} page */
  take(page) {
    const { names } = runOfPages();
    this.page = page;
    this.open = new Map(page.shown.map((game) => [game.number, game]));
    this.isLive = source().isLive && !page.is_over && page.state === "under way";
    this.names = page.entrants.map((id) => names[id] ?? id);
    this.shown = null;
    this.drawAround(page);
    this.go(...this.wanted);
  }

  /** @param {MatchMessage} message */
  heard([kind, content]) {
    if (kind === "snapshot") this.take(content);
    else if (this.page) this.change(this.page, content);
  }

  /**
   * @param {MatchPage} page
   * @param {Change} change
   */
  change(page, change) {
    if (change.kind === "game") this.gameBegins(page, change);
    else if (change.kind === "step") this.grow(change);
    else if (change.kind === "ended") this.gameEnds(page, change);
    else if (change.kind === "bot" && change.versions) page.versions = change.versions;
    else if (change.kind === "over") {
      page.outcome = change.outcome ?? page.outcome;
      this.matchEnds(page, change.void ?? "");
    }
  }

  /**
   * @param {MatchPage} page
   * @param {Change} change
   */
  gameBegins(page, { game, started }) {
    if (!started) return;
    this.open.set(game, started);
    page.games.push({ game, result: null, turns: null });
    this.drawAround(page);
    this.followOn();
  }

  /**
   * Add to a game that is known, on the board if it is shown.
   *
   * @param {Change} change
   */
  grow(change) {
    if (this.replay?.game.number === change.game) {
      this.replay.grow(change);
      return;
    }
    const known = this.open.get(change.game);
    if (!known) return;
    if (change.steps) known.steps.push(...change.steps);
    if (change.ended) Object.assign(known, { ended: change.ended, why: change.why ?? "" });
  }

  /**
   * @param {MatchPage} page
   * @param {Change} change
   */
  gameEnds(page, change) {
    this.grow(change);
    const { game, ended } = change;
    if (!ended) return;
    page.outcome = change.outcome ?? page.outcome;
    const row = page.games.find((line) => line.game === game);
    if (row) Object.assign(row, { result: ended.result, turns: ended.turns });
    page.score = ended.score;
    this.drawAround(page);
    setTimeout(() => this.followOn(), NEXT_GAME_MS);
  }

  /**
   * @param {MatchPage} page
   * @param {Said | string} reason Why it counts for neither; empty if it counts.
   */
  matchEnds(page, reason) {
    page.is_over = true;
    page.void = reason;
    this.isLive = false;
    if (this.replay) this.replay.isLive = false;
    this.drawAround(page);
    const isVoid = reason !== "";
    const voidWords = () => say("The match is void: {reason}", { reason: told(reason) });
    announce(isVoid ? voidWords() : sentence(["not_due.over", {}]));
  }

  /** A reader who follows the match goes on to the game that is played next. */
  followOn() {
    const { page, replay } = this;
    const isFollowing = !this.isClosed && !this.wanted[0];
    if (!page || !replay || !isFollowing || !replay.game.ended || !replay.isAtEnd) return;
    const next = this.current(page);
    if (!next || next === replay.game.number) return;
    this.shown = null;
    this.go(0, "");
  }

  /**
   * The game to follow: the one that is shown while it is played, else the first that is; 0 if none
   * has begun.
   *
   * @param {MatchPage} page
   */
  current(page) {
    for (const game of this.open.values()) if (!game.ended) return game.number;
    const playable = source().playable(page).at(-1);
    return page.current || playable || page.games.at(-1)?.game || 0;
  }

  /**
   * Show a game at a place; game 0 is the one that is played, at its last turn.
   *
   * @param {number} number
   * @param {string} label
   */
  async go(number, label) {
    this.wanted = [number, label];
    const { page } = this;
    if (!page) return;
    const game = number || this.current(page);
    if (!game) {
      const words = say("No game of this match has begun yet.");
      this.fill(this.heading(), make("p", { class: "notice" }, words));
      return;
    }
    if (this.shown !== game) {
      const content = await this.askForGame(page, game);
      if (!content) return;
      this.show(page, content);
    }
    this.jump(page, game, label, !number);
  }

  /**
   * A game, at once if it is known; null if it does not come, or is not wanted any more.
   *
   * @param {MatchPage} page
   * @param {number} game
   * @returns {Promise<GameWithReason | null>}
   */
  async askForGame(page, game) {
    this.asked += 1;
    const { asked } = this;
    const known = this.open.get(game);
    if (known) return { game: known, broken: page.broken ?? "" };
    const isWanted = () => asked === this.asked && !this.isClosed;
    /** @param {unknown} error */
    const tellTrouble = (error) => {
      if (!isWanted()) return;
      this.shown = null;
      this.fill(this.heading(), troubleOf(error));
    };
    try {
      const content = await untilAnswered(() => source().game(page, game), isWanted, tellTrouble);
      return isWanted() ? content : null;
    } catch (error) {
      tellTrouble(error);
      return null;
    }
  }

  /**
   * @param {MatchPage} page
   * @param {number} game
   * @param {string} label Of the frame; without one the last of a game that is followed, else the
   *   first.
   * @param {boolean} isFollowed
   */
  jump(page, game, label, isFollowed) {
    const { replay } = this;
    if (!replay) return;
    const last = replay.frames.length - 1;
    const place = label ? frameAt(replay.frames, label) : 0;
    const isAtLast = isFollowed && !label;
    replay.jump(isAtLast ? last : Math.max(0, place));
    if (place >= 0) return;
    const words = say("Game {game} of {match} has no turn {turn}; this is its start.", {
      game,
      match: page.link,
      turn: label,
    });
    tellNotice(words);
  }

  /**
   * Put a game on the page.
   *
   * @param {MatchPage} page
   * @param {GameWithReason} content
   */
  show(page, { game, broken }) {
    this.replay?.close();
    const run = runOfPages();
    const match = { ...page, playable: source().playable(page), broken };
    const isLive = this.isLive && !game.ended;
    const replay = new LiveReplay(run, match, game, (label) => this.moved(label), isLive);
    this.replay = replay;
    this.shown = game.number;
    const back = say("Back to the game as it is played");
    replay.liveButton = pressed([liveDot(), ` ${back}`], () => this.backToLive(page), {
      class: "to-live",
      hidden: true,
    });
    replay.sentence.before(replay.liveButton);
    this.fill(replay.node);
    replay.node.querySelector("h1")?.focus({ preventScroll: true });
    const names = this.names.map(isolated).join(" – ");
    const words = say("game {number}", { number: game.number });
    document.title = `${names}, ${words} · ${isolated(run.name)}`;
  }

  /** @param {...Node} parts */
  fill(...parts) {
    this.box.replaceChildren(...parts);
    this.below.hidden = false;
  }

  /** @param {MatchPage} page */
  backToLive(page) {
    const { replay } = this;
    if (!replay) return;
    this.wanted = [0, ""];
    replay.jump(replay.frames.length - 1);
    writeAddress(`#${page.link}`);
  }

  /**
   * The address follows the reader once it rests.
   *
   * @param {string} label Of the frame that is shown.
   */
  moved(label) {
    if (!this.replay?.node.isConnected) return;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.rested(label), REST_MS);
  }

  /**
   * Write the address: at the last turn of a game that is played it names the match alone.
   *
   * @param {string} label
   */
  rested(label) {
    const { page, replay, shown } = this;
    if (this.isClosed || !page || !replay || shown === null) return;
    const [game] = this.wanted;
    const isCurrent = !game || game === this.current(page);
    const isFollowing = this.isLive && replay.isAtEnd && isCurrent;
    this.wanted = isFollowing ? [0, ""] : [shown, label];
    writeAddress(isFollowing ? `#${page.link}` : `#${page.link}/${shown}/${label}`);
  }

  heading() {
    return make("h1", { tabindex: "-1" }, nameNodes(this.names, " – "));
  }

  /**
   * Draw what stands above and below the board.
   *
   * @param {MatchPage} page
   */
  drawAround(page) {
    this.above.replaceChildren(this.headOf(page));
    const title = say("Games of this match");
    const headings = [say("game"), say("winner"), say("ending"), say("points"), say("turns")];
    const rows = this.rowsOf(page);
    this.below.replaceChildren(
      section(
        "match-games",
        title,
        leftOutNote(page),
        rows.length ? table(title, headings, rows) : null,
        this.attempt ? null : attemptsBefore(page),
        factsOf(page),
      ),
    );
  }

  /** @param {MatchPage} page */
  headOf(page) {
    const { delay_ms: delay } = runOfPages();
    const [first, second] = page.entrants.map((id, place) => botLink(id, this.names[place]));
    const score = make("b", {}, ` ${page.score[0]} : ${page.score[1]} `);
    const state = this.isLive ? [liveDot(), ` ${say("live")}`] : stateOf(page);
    const later = say("shown {time} later", { time: duration(delay) });
    return make(
      "p",
      { class: "match-head" },
      make("a", { href: "#" }, `← ${say("The tournament")}`),
      make("span", { class: "state" }, state),
      make("span", { class: "score" }, first, score, second),
      delay ? make("span", { class: "quiet" }, later) : null,
    );
  }

  /**
   * A row for each game.
   *
   * @param {MatchPage} page
   */
  rowsOf(page) {
    const playable = source().playable(page);
    return page.games.map((line) => {
      const cell = gameCell(page.link, line.game, playable.includes(line.game));
      return [cell, ...this.resultCells(line), line.turns ?? "–"];
    });
  }

  /**
   * @param {GameLine} line
   * @returns {Child[]}
   */
  resultCells({ result }) {
    if (!result) return ["", say("being played"), "–"];
    if (!result.winner) return ["–", endingWords(result), "–"];
    const winner = nameNode(this.names[result.winner - 1]);
    return [make("strong", {}, winner), endingWords(result), result.points];
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    this.replay?.key(event);
  }

  close() {
    this.isClosed = true;
    window.clearTimeout(this.timer);
    this.stream?.close();
    this.replay?.close();
  }
}

/**
 * How a match that is not followed stands: first of all who won it.
 *
 * @param {MatchPage} page
 */
function stateOf({ state, is_over: isOver, outcome }) {
  return state === "under way" && !isOver ? say("under way") : toldSpan(outcome);
}

/** @param {MatchPage} page */
function leftOutNote({ left_out: count = 0 }) {
  if (!count) return null;
  const words = say("{count} earlier games are not in this list.", { count: number(count) });
  return make("p", { class: "quiet" }, words);
}

/**
 * Links to the attempts that do not count.
 *
 * @param {MatchPage} page
 */
function attemptsBefore({ fixture, attempt, attempts }) {
  if (attempts <= 1) return null;
  const links = [];
  for (let before = 1; before < attempt; before += 1)
    links.push(" ", make("a", { href: `#${fixture}~${before}` }, before));
  const words = say("Attempts before, which do not count:");
  return make("p", { class: "quiet" }, `${words} `, links);
}

/**
 * What fixed the dice of the match.
 *
 * @param {MatchPage} page
 */
function factsOf({ commitment, seed }) {
  /**
   * @param {string} words
   * @param {Node} fact
   */
  const line = (words, fact) => make("p", { class: "quiet" }, `${words} `, fact);
  const lines = [];
  if (commitment) lines.push(line(say("Commitment to the dice:"), make("code", {}, commitment)));
  if (seed) lines.push(line(say("Seed of the dice:"), make("code", {}, seed)));
  return lines;
}
