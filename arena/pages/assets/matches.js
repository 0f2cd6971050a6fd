// All games as a list that can be searched and sorted, with links to those that can be played
// through.

/** @import { GameRow, GamesFound } from "./source.js" */

import { troubleOf, untilAnswered } from "./asking.js";
import {
  capital,
  counted,
  keepingScroll,
  make,
  number,
  pressed,
  section,
  table,
} from "./elements.js";
import { nameNode } from "./names.js";
import { ROWS, source } from "./source.js";
import { endingWords } from "./steps.js";
import { say } from "./words.js";

const TYPING_MS = 200;

/** How many times as many rows are shown when the reader wants more. */
const MORE = 4;

const GAME_COLUMNS = [
  { key: "match", words: say("match") },
  { key: "game", words: say("game") },
  { key: "one", words: say("seat 1") },
  { key: "two", words: say("seat 2") },
  { key: "winner", words: say("winner") },
  { key: "ending", words: say("ending") },
  { key: "points", words: say("points") },
  { key: "turns", words: say("turns") },
];

/** Columns of which the reader wants the largest first. */
const LARGEST_FIRST = new Set(["points", "turns"]);

/** The source searches and sorts: there may be thousands. */
export class GamesList {
  /** @param {Record<string, string>} names Of the entrants. */
  constructor(names) {
    this.names = names;
    this.sort = "";
    this.isUp = false;
    this.most = ROWS;
    this.asked = 0;
    this.isClosed = false;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.filter = make("input", {
      type: "search",
      id: "filter",
      placeholder: say("a name, an ending, forfeit …"),
      autocomplete: "off",
    });
    this.filter.addEventListener("input", () => this.typed());
    this.count = make("p", { class: "quiet", role: "status" });
    this.box = make("div", { class: "match-list" });
    const label = make("label", { for: "filter" }, `${say("Find")} `);
    this.node = section(
      "games",
      capital(say("games")),
      make("p", {}, source().gamesNote),
      make("p", {}, label, this.filter),
      this.count,
      this.box,
    );
  }

  typed() {
    window.clearTimeout(this.timer);
    const pause = source().isLive ? TYPING_MS : 0;
    this.timer = window.setTimeout(() => {
      this.most = ROWS;
      this.ask();
    }, pause);
  }

  get wanted() {
    return this.filter.value.trim();
  }

  /**
   * The games to begin with; shown as they are, unless the reader has asked for others.
   *
   * @param {GamesFound} games
   */
  first(games) {
    if (this.wanted || this.sort || this.most > ROWS) this.ask();
    else this.show(games);
  }

  async ask() {
    this.asked += 1;
    const { asked } = this;
    const isWanted = () => asked === this.asked && !this.isClosed;
    const query = { find: this.wanted, sort: this.sort, isUp: this.isUp, most: this.most };
    /** @param {unknown} error */
    const tellTrouble = (error) => {
      if (isWanted()) this.box.replaceChildren(troubleOf(error));
    };
    try {
      const games = await untilAnswered(() => source().games(query), isWanted, tellTrouble);
      if (isWanted()) this.show(games);
    } catch (error) {
      tellTrouble(error);
    }
  }

  /** @param {GamesFound} games */
  show({ rows, found, all = found }) {
    this.count.textContent = this.countWords(found, all);
    if (!found) {
      this.box.replaceChildren();
      return;
    }
    const { activeElement: active } = document;
    const focused = active instanceof HTMLElement && this.box.contains(active);
    const focusedColumn = focused ? active.dataset.sort : undefined;
    const headings = GAME_COLUMNS.map(({ words }) => words);
    const lines = rows.map((row) => this.cells(row));
    const games = table(capital(say("games")), headings, lines, "games-table");
    keepingScroll(this.box, () => this.box.replaceChildren(games));
    this.addSorting(focusedColumn);
    if (found > rows.length) this.box.append(this.rest(rows.length, found));
  }

  /**
   * @param {number} found
   * @param {number} all
   */
  countWords(found, all) {
    const games = counted(found, "game");
    if (found) return found < all ? say("{games} of {all}", { games, all: number(all) }) : games;
    return this.wanted ? say("No game is found.") : say("No game is over yet.");
  }

  /**
   * What stands below the table, if there are more games than it shows.
   *
   * @param {number} shown
   * @param {number} found
   */
  rest(shown, found) {
    if (shown < source().mostRows) {
      const showMore = () => {
        this.most *= MORE;
        this.ask();
      };
      return pressed(say("Show more"), showMore, { class: "more" });
    }
    const words = say("{count} of {all} games are shown; find or sort to see others.", {
      count: number(shown),
      all: number(found),
    });
    return make("p", { class: "quiet" }, words);
  }

  /** @param {GameRow} row */
  cells(row) {
    const { fixture, link = fixture, game, isHere = true, entrants, winner, points, turns } = row;
    const tag = row.tag ?? (row.annulled ? say("annulled") : "");
    const [first, second] = entrants.map((id) => this.names[id] ?? id);
    const nameOfWinner = ["", first, second][winner ?? 0];
    return [
      [fixture, tag ? make("span", { class: "tag" }, tag) : null],
      gameCell(link, game, isHere),
      nameNode(first),
      nameNode(second),
      winner ? make("strong", {}, nameNode(nameOfWinner)) : "–",
      endingWords(row),
      points ?? "–",
      turns ?? "–",
    ];
  }

  /**
   * Make buttons of the headings.
   *
   * @param {string} [focusedColumn] The key of the column whose button had the focus.
   */
  addSorting(focusedColumn) {
    const headings = this.box.querySelectorAll("thead th");
    GAME_COLUMNS.forEach(({ key, words }, column) => {
      const isSorted = this.sort === key;
      const heading = headings[column];
      if (isSorted) heading.setAttribute("aria-sort", this.isUp ? "ascending" : "descending");
      const sign = this.isUp ? " ▲" : " ▼";
      const button = pressed([words, isSorted ? sign : ""], () => this.sortBy(key), {
        class: "sort",
        "data-sort": key,
      });
      heading.replaceChildren(button);
      if (focusedColumn === key) button.focus({ preventScroll: true });
    });
  }

  /** @param {string} key Of a column; the second time the other way round. */
  sortBy(key) {
    const isSorted = this.sort === key;
    this.isUp = isSorted ? !this.isUp : !LARGEST_FIRST.has(key);
    this.sort = key;
    this.ask();
  }

  close() {
    this.isClosed = true;
    window.clearTimeout(this.timer);
  }
}

/**
 * The number of a game, as a link if it can be played through here.
 *
 * @param {string} link
 * @param {number | null} game
 * @param {boolean} isHere
 */
export function gameCell(link, game, isHere) {
  if (isHere) return make("a", { href: `#${link}/${game}/0`, class: "game" }, `▶ ${game}`);
  return make("span", { class: "quiet", title: say("not in this page") }, game ?? "–");
}
