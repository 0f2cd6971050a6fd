// All games as a list that can be searched and sorted, with links to those that can be played through.

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
import { troubleOf } from "./page_head.js";
import { ROWS, source } from "./source.js";
import { endingWords } from "./steps.js";
import { say } from "./words.js";

const TYPING_MS = 200;

const GAME_COLUMNS = [
  ["match", say("match")],
  ["game", say("game")],
  ["one", say("seat 1")],
  ["two", say("seat 2")],
  ["winner", say("winner")],
  ["ending", say("ending")],
  ["points", say("points")],
  ["turns", say("turns")],
];

/** The source searches and sorts: there may be thousands. */
export class GamesList {
  constructor(names) {
    this.names = names;
    this.sort = "";
    this.isUp = false;
    this.most = ROWS;
    this.filter = make("input", {
      type: "search",
      id: "filter",
      placeholder: say("a name, an ending, forfeit …"),
      autocomplete: "off",
    });
    this.filter.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(
        () => {
          this.most = ROWS;
          this.ask();
        },
        source().isLive ? TYPING_MS : 0,
      );
    });
    this.count = make("p", { class: "quiet", role: "status" });
    this.box = make("div", { class: "match-list" });
    this.node = section(
      "games",
      capital(say("games")),
      make("p", {}, source().gamesNote),
      make("p", {}, make("label", { for: "filter" }, `${say("Find")} `), this.filter),
      this.count,
      this.box,
    );
  }

  /** The games to begin with; shown as they are, unless the reader has asked for others. */
  first(found) {
    if (this.filter.value.trim() || this.sort || this.most > ROWS) this.ask();
    else this.show(found);
  }

  async ask() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    try {
      const found = await source().games({
        find: this.filter.value.trim(),
        sort: this.sort,
        isUp: this.isUp,
        most: this.most,
      });
      if (asked === this.asked) this.show(found);
    } catch (error) {
      if (asked === this.asked) this.box.replaceChildren(troubleOf(error));
    }
  }

  /** `found` is how many were found, `all` how many there are, if that is known. */
  show({ rows, found, all = found }) {
    this.count.textContent = !found
      ? this.filter.value.trim()
        ? say("No game is found.")
        : say("No game is over yet.")
      : found < all
        ? say("{games} of {all}", { games: counted(found, "game"), all: number(all) })
        : counted(found, "game");
    if (!found) {
      this.box.replaceChildren();
      return;
    }
    const focused = this.box.contains(document.activeElement)
      ? document.activeElement.dataset.sort
      : undefined;
    keepingScroll(this.box, () =>
      this.box.replaceChildren(
        table(
          capital(say("games")),
          GAME_COLUMNS.map(([, words]) => words),
          rows.map((row) => this.cells(row)),
          "games-table",
        ),
      ),
    );
    this.addSorting(focused);
    if (found > rows.length && rows.length < source().mostRows) {
      this.box.append(
        pressed(
          say("Show more"),
          () => {
            this.most *= 4;
            this.ask();
          },
          { class: "more" },
        ),
      );
    } else if (found > rows.length)
      this.box.append(
        make(
          "p",
          { class: "quiet" },
          say("{count} of {all} games are shown; find or sort to see others.", {
            count: number(rows.length),
            all: number(found),
          }),
        ),
      );
  }

  cells({
    fixture,
    link = fixture,
    game,
    isHere = true,
    annulled = false,
    tag = annulled ? say("annulled") : "",
    entrants,
    winner,
    points,
    turns,
    ...ended
  }) {
    const name = (seat) => this.names[entrants[seat - 1]] ?? entrants[seat - 1];
    return [
      [fixture, tag ? make("span", { class: "tag" }, tag) : null],
      gameCell(link, game, isHere),
      name(1),
      name(2),
      winner ? make("strong", {}, name(winner)) : "–",
      endingWords(ended),
      points ?? "–",
      turns ?? "–",
    ];
  }

  addSorting(focused) {
    this.box.querySelectorAll("thead th").forEach((heading, column) => {
      const [key, words] = GAME_COLUMNS[column];
      const isSorted = this.sort === key;
      if (isSorted) heading.setAttribute("aria-sort", this.isUp ? "ascending" : "descending");
      const button = pressed(
        [words, isSorted ? (this.isUp ? " ▲" : " ▼") : ""],
        () => {
          this.isUp = isSorted ? !this.isUp : !["points", "turns"].includes(key);
          this.sort = key;
          this.ask();
        },
        { class: "sort", "data-sort": key },
      );
      heading.replaceChildren(button);
      if (focused === key) button.focus({ preventScroll: true });
    });
  }
}

export function gameCell(link, game, isHere) {
  return isHere
    ? make("a", { href: `#${link}/${game}/0`, class: "game" }, `▶ ${game}`)
    : make("span", { class: "quiet", title: say("not in this page") }, game ?? "–");
}
