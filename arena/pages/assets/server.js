// The contents as a server gives them: page by page, and what changes as a stream.

import { LiveStream } from "./live_stream.js";
import { fetched } from "./page_head.js";
import { say } from "./words.js";

export const SERVER = {
  isLive: true,
  mostRows: 200,

  get footer() {
    return say(
      "These pages show what the records say. arena verify checks the records; closing these pages harms no match.",
    );
  },

  get gamesNote() {
    return say("Every game can be played through, turn by turn: choose one.");
  },

  /** The first page, and what changes on it: `heard` is called with the kind of each message and its content. */
  overview: (heard) => new LiveStream("events/run", heard),
  run: async () => (await fetched("api/run")).run,
  crosstable: () => fetched("api/crosstable"),
  pairings: () => fetched("api/pairings"),
  bot: (id) => fetched(`api/bots/${encodeURIComponent(id)}`),
  playable: (match) => match.games.map(({ game }) => game),

  games({ find, sort, isUp, most }) {
    return fetched(
      `api/games?${new URLSearchParams({ find, sort, up: isUp ? "1" : "0", most: String(Math.min(this.mostRows, most)) })}`,
    );
  },

  /** The page of a match; attempt 0 is the one that counts, or is played. */
  match: (fixture, attempt) =>
    fetched(`api/matches/${encodeURIComponent(fixture)}${attempt ? `?attempt=${attempt}` : ""}`),
  /** A game of a match that its page does not have, and why it can be followed no further, if so. */
  game: ({ fixture, attempt }, number) =>
    fetched(`api/matches/${encodeURIComponent(fixture)}/${attempt}/${number}`),
  changes: (fixture, key, heard) =>
    new LiveStream(`events/matches/${encodeURIComponent(fixture)}`, heard, { last: key }),
};
