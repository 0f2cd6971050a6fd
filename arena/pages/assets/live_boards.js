// The boards of the matches that are being played, as the first page shows them.

/**
 * @import { Board, RunPage, SmallBoard } from "./contents.d.ts"
 * @import { RunInReport } from "./source.js"
 */

import { make, number, percent, section, sentence } from "./elements.js";
import { nameNode } from "./names.js";
import { BOARDS } from "./replay.js";
import { turnWords } from "./steps.js";
import { say, told } from "./words.js";

/** For so long the board of a match that is over stays, if no other match takes its place. */
const VACANT_MS = 3000;

/** So many boards are drawn at once; of more, each is drawn when it comes into sight. */
const AT_ONCE = 6;

/** A smaller part of the bar has no room for its figure. */
const TOO_NARROW = 0.2;

/**
 * A small board with what stands around it.
 *
 * @typedef {object} Card
 * @property {SmallBoard} match
 * @property {HTMLElement} node
 * @property {HTMLElement} link
 * @property {HTMLElement} box Of the board.
 * @property {HTMLElement} last The last turn.
 * @property {HTMLElement} where How far the match is.
 * @property {HTMLElement} pips What each side has to go.
 * @property {Chances} chances
 * @property {HTMLElement[]} scores By seat, as the discs and the notes.
 * @property {HTMLElement[]} discs
 * @property {HTMLElement[]} notes
 * @property {boolean} isSeen
 * @property {boolean} isStale True if it has to be drawn once it is seen.
 */

export class LiveBoards {
  /**
   * @param {Board} board
   * @param {Record<string, string>} names Of the entrants.
   * @param {string} [pages] The address of the run's pages; empty on these themselves.
   */
  constructor(board, names, pages = "") {
    this.board = board;
    this.names = names;
    this.pages = pages;
    /** @type {Map<string, Card>} */
    this.cards = new Map();
    /** @type {Set<Element>} Boards of matches that are over, whose places the next matches take. */
    this.vacant = new Set();
    this.list = make("ul", { class: "cards" });
    this.none = make("p", { class: "quiet", hidden: true });
    this.more = make("p", { class: "quiet", hidden: true });
    this.node = section("now", say("Now playing"), this.none, this.list, this.more);
    // A board out of sight is drawn once it comes into sight.
    this.sight = new IntersectionObserver((entries) => this.see(entries), { rootMargin: "200px" });
  }

  /** @param {IntersectionObserverEntry[]} entries Cards that came into sight, or left it. */
  see(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.cards.get(target.getAttribute("data-fixture") ?? "");
      if (!card) continue;
      card.isSeen = isIntersecting;
      if (isIntersecting && card.isStale) this.draw(card);
    }
  }

  /** @param {SmallBoard[]} matches All that have a board. */
  reset(matches) {
    const wanted = new Set(matches.map((match) => match.fixture));
    this.remove([...this.cards.keys()].filter((fixture) => !wanted.has(fixture)));
    for (const match of matches) this.update(match);
  }

  /**
   * Forget matches that are over. Their boards stay for a moment: the next matches take their
   * places, so that no other board moves.
   *
   * @param {string[]} fixtures
   */
  remove(fixtures) {
    for (const fixture of fixtures) {
      const card = this.cards.get(fixture);
      if (!card) continue;
      this.sight.unobserve(card.node);
      this.cards.delete(fixture);
      this.vacant.add(card.node);
      window.setTimeout(() => this.clear(card.node), VACANT_MS);
    }
  }

  /** @param {Element} node The board of a match that is over; it may have gone already. */
  clear(node) {
    this.vacant.delete(node);
    node.remove();
  }

  /** @param {SmallBoard} match One that is over gets no new board. */
  update(match) {
    const { fixture, is_over: isOver } = match;
    if (isOver && !this.cards.has(fixture)) return;
    const card = this.cards.get(fixture) ?? this.add(match);
    card.match = match;
    if (card.isSeen && !document.hidden) this.draw(card);
    else card.isStale = true;
  }

  /** @param {SmallBoard} match */
  add(match) {
    const card = this.cardOf(match);
    const vacant = this.vacantPlace();
    this.cards.set(match.fixture, card);
    if (vacant) {
      vacant.replaceWith(card.node);
      this.clear(vacant);
    } else {
      this.list.append(card.node);
    }
    this.sight.observe(card.node);
    return card;
  }

  /**
   * The board of a match that is over; it may still be waiting to be settled.
   *
   * @returns {Element | undefined}
   */
  vacantPlace() {
    const [vacant] = this.vacant;
    if (vacant) return vacant;
    for (const [fixture, { match, node }] of this.cards) {
      if (!match.is_over) continue;
      this.remove([fixture]);
      return node;
    }
    return undefined;
  }

  /**
   * @param {SmallBoard} match
   * @returns {Card}
   */
  cardOf(match) {
    const { fixture } = match;
    const box = make("div", { class: "small-board" });
    const last = make("p", { class: "last" }, "\u00a0");
    const where = make("span", { class: "where" }, "\u00a0");
    const pips = make("span", { class: "pips" });
    const chances = new Chances(this.namesOf(match));
    const scores = [make("b"), make("b")];
    const notes = [make("span", { class: "note" }), make("span", { class: "note" })];
    const discs = [make("span"), make("span")];
    const [first, second] = this.namesOf(match).map((name, place) => {
      const nameBox = make("span", { class: "name" }, nameNode(name));
      const parts = [discs[place], nameBox, notes[place], scores[place]];
      return make("span", { class: "player" }, parts);
    });
    const state = make("p", { class: "quiet state" }, where, pips);
    const parts = [second, box, first, chances.node, state, last];
    const link = make("a", { class: "card", href: `${this.pages}#${fixture}` }, parts);
    const node = make("li", { "data-fixture": fixture }, link);
    const known = { match, node, link, box, last, where, pips, chances, scores, notes, discs };
    return { ...known, isSeen: this.cards.size < AT_ONCE, isStale: true };
  }

  /** @param {SmallBoard} match */
  namesOf({ entrants }) {
    return entrants.map((id) => this.names[id] ?? id);
  }

  /** @param {Card} card */
  draw(card) {
    const { match, box, last, where, pips, scores, notes, discs, link } = card;
    card.isStale = false;
    box.replaceChildren(match.position ? this.picture(match) : waitingWords());
    match.score.forEach((points, place) => {
      scores[place].textContent = String(points);
      discs[place].className = `disc small seat-${this.discOf(match, place + 1)}`;
      notes[place].textContent = barWords(match, place);
    });
    pips.textContent = pipsWords(match);
    card.chances.tell(match);
    where.textContent = whereWords(match);
    last.replaceChildren(...this.lastParts(match));
    link.classList.toggle("over", match.is_over ?? false);
  }

  /**
   * @param {string} fixture
   * @param {number} chance That seat 1 wins the game.
   */
  tellChance(fixture, chance) {
    const card = this.cards.get(fixture);
    if (!card) return;
    card.match.chance = chance;
    card.chances.tell(card.match);
  }

  /** @param {boolean} areThere False if nothing judges the boards: then no room is kept. */
  showChances(areThere) {
    this.list.classList.toggle("without-chances", !areThere);
  }

  /** @param {SmallBoard} match */
  picture(match) {
    const [seat = 0, dice = "", text = ""] = match.last ?? [];
    const frame = {
      kind: "start",
      position: match.position,
      before: match.before,
      dice,
      seat: seat || match.starter,
      text: typeof text === "string" ? text : told(text),
      mover: seat || match.starter || 1,
    };
    const picture = BOARDS[this.board.kind](this.board, this.namesOf(match), frame, false);
    if (picture.localName === "svg") {
      picture.setAttribute("aria-hidden", "true"); // the words below say it shorter
      picture.removeAttribute("role");
    }
    return picture;
  }

  /**
   * The checkers of a seat; where sides have colours, the side that begins has the second.
   *
   * @param {SmallBoard} match
   * @param {number} seat
   */
  discOf({ starter }, seat) {
    if (!this.board.colours.length) return seat;
    return starter === seat ? 2 : 1;
  }

  /**
   * The last turn, beside the disc of its side: a name could push it out of the card.
   *
   * @param {SmallBoard} match
   * @returns {(Node | string)[]}
   */
  lastParts(match) {
    const [seat = 0, dice = "", text = ""] = match.last ?? [];
    if (!seat) return ["\u00a0"];
    const disc = make("span", { class: `disc small seat-${this.discOf(match, seat)}` });
    const name = make("span", { class: "unseen" }, nameNode(this.namesOf(match)[seat - 1]), ": ");
    const roll = dice ? `${[...dice].join("-")} ` : "";
    const turn = typeof text === "string" ? turnWords(text) : told(text);
    return [disc, name, make("span", { class: "turn-words" }, `${roll}${turn}`)];
  }

  /**
   * What stands below the boards: how many there are beside them, or that there are none.
   *
   * @param {number} more Matches that have no board.
   * @param {RunPage | RunInReport} run
   */
  tell(more, run) {
    const words = say("{count} more matches are being played.", { count: number(more) });
    this.more.hidden = !more;
    this.more.textContent = more ? words : "";
    this.none.hidden = this.cards.size > 0 || more > 0;
    this.none.textContent = noneWords(run);
  }

  close() {
    this.sight.disconnect();
  }
}

function waitingWords() {
  return make("p", { class: "quiet waiting" }, say("The match begins."));
}

/** The chances of both sides as a bar; its room is kept until they are known. */
class Chances {
  /** @param {string[]} names */
  constructor(names) {
    this.names = names;
    this.first = make("span", { class: "seat-1" });
    this.second = make("span", { class: "seat-2" });
    const kind = { class: "chances unknown", role: "img" };
    this.node = make("span", kind, this.first, this.second);
  }

  /** @param {SmallBoard} match */
  tell({ chance = null, pips = [] }) {
    this.node.hidden = !pips.length;
    this.node.classList.toggle("unknown", chance === null);
    if (chance === null) return;
    // of a game that goes on nothing is certain
    const share = Math.min(Math.max(chance, 0.01), 0.99);
    const first = percent(share);
    const second = percent(1 - share);
    const [one, other] = this.names;
    const words = { one, first, other, second };
    const label = say("Chance to win the game: {one} {first}, {other} {second}", words);
    this.node.setAttribute("aria-label", label);
    this.node.title = label;
    this.first.style.flexGrow = String(share);
    this.second.style.flexGrow = String(1 - share);
    this.first.textContent = share < TOO_NARROW ? "" : first;
    this.second.textContent = 1 - share < TOO_NARROW ? "" : second;
  }
}

/**
 * The checkers on the bar of a side, against its free points in the first quarter.
 *
 * @param {SmallBoard} match
 * @param {number} place Of the side.
 */
function barWords({ bar = [], room = [] }, place) {
  if (!bar[place]) return "";
  return say("bar {bar}, free {free}", { bar: bar[place], free: room[place] });
}

/** @param {SmallBoard} match */
function pipsWords({ pips = [] }) {
  return pips.length ? say("pips {one} : {other}", { one: pips[0], other: pips[1] }) : "";
}

/** @param {SmallBoard} match */
function whereWords({ broken, is_over: isOver, game, games, turn }) {
  if (broken) return say("The record can be followed no further.");
  if (isOver) return sentence(["not_due.over", {}]);
  if (!game) return "\u00a0";
  return say("Game {game}/{games}, turn {turn}", { game, games, turn });
}

/** @param {RunPage | RunInReport} run */
function noneWords(run) {
  if (run.is_finished) return say("The tournament is over.");
  const awaited = run.notes.find(([code]) => code === "absent.awaited");
  return awaited ? sentence(awaited) : say("No match is being played at the moment.");
}
