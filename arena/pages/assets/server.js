// The contents as a server gives them: page by page, and what changes as a stream.

/**
 * @import {
 *   CrosstableCells, GamesFound, GamesQuery, BotWithHistory, GameWithReason, MatchMessage,
 *   OverviewMessage, Source,
 * } from "./source.js"
 * @import { MatchPage, Overview, PairingsPage, RunPage } from "./contents.d.ts"
 */

import { fetched } from "./asking.js";
import { LiveStream } from "./live_stream.js";
import { say } from "./words.js";

const MOST_ROWS = 200;

/** @type {Source} */
export const SERVER = {
  isLive: true,
  mostRows: MOST_ROWS,

  get footer() {
    return say(
      "These pages show what the records say. arena verify checks the records; closing these pages harms no match.",
    );
  },

  get gamesNote() {
    return say("Every game can be played through, turn by turn: choose one.");
  },

  /** @param {(...message: OverviewMessage) => void} heard */
  overview(heard) {
    return new LiveStream("events/run", heard);
  },

  /** @returns {Promise<RunPage>} */
  async run() {
    /** @type {Overview} */
    const { run } = await fetched("api/run");
    return run;
  },

  /** @returns {Promise<CrosstableCells>} */
  crosstable() {
    return fetched("api/crosstable");
  },

  /** @returns {Promise<PairingsPage>} */
  pairings() {
    return fetched("api/pairings");
  },

  /**
   * @param {string} id
   * @returns {Promise<BotWithHistory>}
   */
  bot(id) {
    return fetched(`api/bots/${encodeURIComponent(id)}`);
  },

  /**
   * @param {GamesQuery} query
   * @returns {Promise<GamesFound>}
   */
  games({ find, sort, isUp, most }) {
    const query = new URLSearchParams({
      find,
      sort,
      up: isUp ? "1" : "0",
      most: String(Math.min(MOST_ROWS, most)),
    });
    return fetched(`api/games?${query}`);
  },

  /**
   * @param {string} fixture
   * @param {number} attempt
   * @returns {Promise<MatchPage>}
   */
  match(fixture, attempt) {
    const query = attempt ? `?attempt=${attempt}` : "";
    return fetched(`${addressOf(fixture)}${query}`);
  },

  playable: (match) => match.games.map(({ game }) => game),

  /**
   * @param {MatchPage} match
   * @param {number} number
   * @returns {Promise<GameWithReason>}
   */
  game({ fixture, attempt }, number) {
    return fetched(`${addressOf(fixture)}/${attempt}/${number}`);
  },

  /**
   * @param {string} fixture
   * @param {string | undefined} key
   * @param {(...message: MatchMessage) => void} heard
   */
  changes(fixture, key, heard) {
    return new LiveStream(`events/matches/${encodeURIComponent(fixture)}`, heard, { last: key });
  },

  isHere: () => true,
};

/** @param {string} fixture */
function addressOf(fixture) {
  return `api/matches/${encodeURIComponent(fixture)}`;
}
