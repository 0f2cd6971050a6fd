// The contents as the file of a report has them: all at once, and nothing is fetched.

/**
 * @import { GameLine, MatchPage } from "./contents.d.ts"
 * @import {
 *   GameRow, GamesFound, GamesQuery, OverviewMessage, ReportContents, Source,
 * } from "./source.js"
 */

import { NotHere } from "./asking.js";
import { number } from "./elements.js";
import { ROWS } from "./source.js";
import { endingWords } from "./steps.js";
import { say } from "./words.js";

/**
 * @typedef {GameRow & { values: Record<string, string | number | null>, text: string }} SortableRow
 * A row of the list of games with text to search, and values to sort by the key of their column.
 */

/** @type {ReportContents} */
const REPORT = JSON.parse(document.getElementById("report")?.textContent ?? "");

/** @type {Map<string, MatchPage>} */
const MATCH_AT = new Map(REPORT.matches.map((match) => [match.link, match]));

/** @type {SortableRow[]} */
const ROWS_OF_GAMES = [];

/** @type {Source} */
export const INSIDE = {
  isLive: false,
  mostRows: Number.POSITIVE_INFINITY,

  get footer() {
    return say(
      "Made by arena report from the records of the run; they alone are the truth. arena verify checks them again.",
    );
  },

  get gamesNote() {
    let all = 0;
    let shown = 0;
    for (const match of REPORT.matches) {
      all += match.games.length;
      shown += match.shown.length;
    }
    if (shown === all) return say("Every game can be played through, turn by turn: choose one.");
    return say(
      "{count} of {all} games can be played through here, those that were forfeited first, " +
        "then the others in the order of play. arena report --games all has every game; arena " +
        "show has them from the records.",
      { count: number(shown), all: number(all) },
    );
  },

  /** @param {(...message: OverviewMessage) => void} heard */
  overview(heard) {
    const games = gamesFound({ find: "", sort: "", isUp: true, most: ROWS });
    heard("snapshot", { ...REPORT, running: [], more_running: 0, has_chances: false, games });
    return NOTHING_COMES;
  },

  run: () => REPORT.run,
  crosstable: () => REPORT.crosstable,
  pairings: () => REPORT.pairings,
  playable,
  games: gamesFound,

  /** @param {string} id */
  bot(id) {
    const page = REPORT.bots.find(({ row }) => row.id === id);
    if (!page) throw nothingCalled(id);
    return page;
  },

  /**
   * @param {string} fixture
   * @param {number} attempt
   */
  match(fixture, attempt) {
    const link = attempt ? `${fixture}~${attempt}` : fixture;
    const match = MATCH_AT.get(link);
    if (!match) throw nothingCalled(link);
    return match;
  },

  /**
   * @param {MatchPage} match
   * @param {number} game
   * @returns {never}
   */
  game({ link }, game) {
    throw new NotHere(say("Game {game} of {match} is not in this page.", { game, match: link }));
  },

  changes: () => NOTHING_COMES,
  isHere,
};

const NOTHING_COMES = { close() {} };

/**
 * @param {string} name
 * @returns {NotHere}
 */
function nothingCalled(name) {
  return new NotHere(
    say(
      "There is nothing called {name} in this page. The tournament lists all games under Games.",
      { name },
    ),
  );
}

/**
 * @param {MatchPage} match
 * @returns {number[]}
 */
function playable(match) {
  return match.shown.map((game) => game.number);
}

/**
 * @param {string} link
 * @param {number | null} game
 */
function isHere(link, game) {
  const match = MATCH_AT.get(link);
  return game !== null && match !== undefined && playable(match).includes(game);
}

/**
 * @param {GamesQuery} query
 * @returns {GamesFound}
 */
function gamesFound({ find, sort, isUp, most }) {
  if (!ROWS_OF_GAMES.length) ROWS_OF_GAMES.push(...REPORT.matches.flatMap(rowsOf));
  const wanted = find.toLowerCase().split(/\s+/);
  const rows = ROWS_OF_GAMES.filter(({ text }) => wanted.every((word) => text.includes(word)));
  if (sort) {
    const sign = isUp ? 1 : -1;
    rows.sort((row, other) => compared(row.values[sort], other.values[sort], sign));
  }
  return { rows: rows.slice(0, most), found: rows.length, all: ROWS_OF_GAMES.length };
}

/**
 * A row for each game of a match: what the list shows, and values to sort and search by.
 *
 * @param {MatchPage} match
 * @returns {SortableRow[]}
 */
function rowsOf(match) {
  if (!match.games.length) return [rowOf(match, null)];
  return match.games.map((line) => rowOf(match, line));
}

/**
 * @param {MatchPage} match
 * @param {GameLine | null} line
 * @returns {SortableRow}
 */
function rowOf(match, line) {
  const [first, second] = match.entrants.map((id) => REPORT.run.names[id]);
  const isVoid = match.state === "void";
  const result = isVoid ? null : line?.result;
  const game = line?.game ?? null;
  const ended = result ?? { ending: endingWithoutResult(match), cause: null, monk: false };
  const tag = tagOf(match);
  const winner = result?.winner ?? 0;
  const points = result?.points ?? null;
  const turns = isVoid ? null : (line?.turns ?? null);
  const values = {
    match: match.fixture,
    game,
    one: first,
    two: second,
    winner: ["", first, second][winner],
    ending: endingWords(ended),
    points,
    turns,
  };
  return {
    fixture: match.fixture,
    link: match.link,
    game,
    isHere: isHere(match.link, game),
    tag,
    entrants: match.entrants,
    winner,
    points,
    turns,
    ending: ended.ending,
    cause: ended.cause,
    monk: ended.monk,
    values,
    text: [...Object.values(values), tag].join(" ").toLowerCase(),
  };
}

/** @param {MatchPage} match */
function endingWithoutResult(match) {
  if (match.state === "void") return "void";
  return match.games.length ? "not_over" : "under_way";
}

/**
 * What stands beside a match in the list.
 *
 * @param {MatchPage} match
 */
function tagOf(match) {
  if (match.link.includes("~")) return say("attempt {number}, void", { number: match.attempt });
  const tags = {
    settled: "",
    annulled: say("annulled"),
    void: say("void"),
    "under way": say("under way"),
  };
  return tags[match.state];
}

/**
 * Numbers by size, words by the alphabet, or with the sign -1 the other way round; what is nothing
 * comes last.
 *
 * @param {string | number | null} value
 * @param {string | number | null} other
 * @param {number} sign
 */
function compared(value, other, sign) {
  if (value === null || other === null) return Number(value === null) - Number(other === null);
  if (typeof value === "number") return sign * (value - Number(other));
  return sign * value.localeCompare(String(other));
}
