// Where the pages get their contents from: the file of a report has them in it, a server is asked
// for them.

/**
 * @import {
 *   BotPage, Change, MatchPage, Meeting, News, Overview, PairingsPage, ReplayedGame,
 *   Report, RunPage, Said, SmallBoard, TableRow,
 * } from "./contents.d.ts"
 */

import { make } from "./elements.js";
import { nameNode } from "./names.js";

/**
 * @template T
 * @typedef {T | Promise<T>} Answer
 * What a source gives: at once if it has it, else when the server has answered.
 */

/**
 * @typedef {object} GamesQuery What a reader wants to see of the list of games.
 * @property {string} find Words that all have to occur.
 * @property {string} sort The key of a column, or nothing for the order of play.
 * @property {boolean} isUp
 * @property {number} most How many rows at most.
 */

/**
 * @typedef {object} GameRow A row of the list of games.
 * @property {string} fixture
 * @property {string} [link] Its part of the address, if that is not the fixture.
 * @property {number | null} game
 * @property {boolean} [isHere] False if it cannot be played through in this page.
 * @property {boolean} [annulled]
 * @property {string} [tag] Words beside the match.
 * @property {[string, string]} entrants
 * @property {number | null} winner
 * @property {number | null} points
 * @property {number | null} [turns]
 * @property {string} ending
 * @property {string | null} [cause]
 * @property {boolean} [monk]
 */

/** @typedef {{ rows: GameRow[], found: number, all?: number }} GamesFound */

/** @typedef {Meeting[][][]} CrosstableCells For each entrant the matches against each other. */

/**
 * @typedef {Overview & Partial<Record<Exclude<keyof Report, "run">, undefined>>} LiveFirstPage
 * @typedef {ReportContents & {
 *   running: SmallBoard[], more_running: number, has_chances: boolean, games: GamesFound,
 * }} ReportFirstPage
 * @typedef {LiveFirstPage | ReportFirstPage} FirstPage What the first page begins with.
 */

/**
 * @typedef {["snapshot", FirstPage] | ["news", News] | ["trouble", Said | string]} OverviewMessage
 * @typedef {["snapshot", MatchPage] | ["change", Change]} MatchMessage
 * @typedef {{ close(): void }} Subscription Messages come until it is closed.
 */

/**
 * @typedef {object} OpponentResults What a bot reached against another.
 * @property {string} opponent
 * @property {number} matches
 * @property {number} won
 * @property {number} drawn
 * @property {number} lost
 * @property {number} points_for
 * @property {number} points_against
 *
 * @typedef {object} EndingCount How many games of a bot ended in this way.
 * @property {string} ending
 * @property {string} cause
 * @property {number} won
 * @property {number} drawn
 * @property {number} lost
 *
 * @typedef {object} MatchOfBot A match, seen from a bot.
 * @property {string} fixture
 * @property {string} opponent
 * @property {number} points_for
 * @property {number} points_against
 * @property {"annulled" | "drawn" | "lost" | "won"} outcome
 * @property {string} version The opponent's; empty if it is unknown.
 * @property {number} settled_ms
 *
 * @typedef {object} BotHistory
 * @property {OpponentResults[]} against
 * @property {EndingCount[]} endings
 * @property {MatchOfBot[]} matches
 *
 * @typedef {Omit<BotPage, keyof BotHistory> & BotHistory} BotWithHistory
 */

/**
 * @typedef {object} Conduct How an entrant behaved in the matches that count.
 * @property {number} games
 * @property {number[]} forfeits By cause, as in `Figures.causes`.
 * @property {number} rejections
 * @property {number} lost_connections
 * @property {number} turns
 * @property {number} mean_ms Null without turns, as the three below.
 * @property {number} median_ms
 * @property {number} p99_ms
 * @property {number} longest_ms
 * @property {number[]} times Turns by thinking time, between `Figures.time_limits_ms`.
 * @property {number[]} won By ending, as in `Figures.endings`.
 * @property {number[]} drawn
 * @property {number[]} lost
 *
 * @typedef {object} Strength How strong an entrant is; null with too little data.
 * @property {string} version
 * @property {number | null} mean Points per game.
 * @property {number | null} margin
 * @property {number | null} elo
 * @property {number} strength Place by Elo within the field, from 0.
 * @property {[number, number] | null} interval
 * @property {number} field Ratings compare within one field.
 * @property {Conduct} conduct
 *
 * @typedef {TableRow & Strength} EntrantSummary An entrant in a report.
 * @typedef {Omit<RunPage, "entrants"> & { entrants: EntrantSummary[] }} RunInReport
 *
 * @typedef {object} DetailedContents Contents of which the types of the arena tell less.
 * @property {RunInReport} run
 * @property {BotWithHistory[]} bots
 *
 * @typedef {Omit<Report, keyof DetailedContents> & DetailedContents} ReportContents
 */

/**
 * @typedef {object} GameWithReason
 * @property {ReplayedGame} game
 * @property {Said | string} broken Why it can be followed no further; empty if it can.
 */

/**
 * @typedef {object} Source
 * @property {boolean} isLive
 * @property {number} mostRows How many rows of the list of games it gives at most.
 * @property {string} footer
 * @property {string} gamesNote
 * @property {(heard: (...message: OverviewMessage) => void) => Subscription} overview
 *   The first page, and then what changes on it.
 * @property {() => Answer<RunPage>} run
 * @property {() => Answer<CrosstableCells>} crosstable
 * @property {() => Answer<PairingsPage>} pairings
 * @property {(query: GamesQuery) => Answer<GamesFound>} games
 * @property {(id: string) => Answer<BotWithHistory>} bot
 * @property {(fixture: string, attempt: number) => Answer<MatchPage>} match
 *   The page of a match; attempt 0 is the one that counts, or is played.
 * @property {(match: MatchPage) => number[]} playable The games of it that can be played through.
 * @property {(match: MatchPage, number: number) => Answer<GameWithReason>} game
 *   A game of a match that its page does not have.
 * @property {(
 *   fixture: string, key: string | undefined, heard: (...message: MatchMessage) => void
 * ) => Subscription} changes What changes in a match after the line with this key.
 * @property {(link: string, game: number) => boolean} isHere
 *   True if a game can be played through in these pages.
 */

/** @type {Source | null} */
let chosen = null;

/** @param {Source} source */
export function useSource(source) {
  chosen = source;
}

/** @returns {Source} */
export function source() {
  if (!chosen) throw new Error("the page has chosen no source");
  return chosen;
}

/**
 * The name of an entrant, as a link where it has a page.
 *
 * @param {string} id
 * @param {string} name
 */
export function botLink(id, name) {
  const node = nameNode(name);
  if (!chosen) return node;
  return make("a", { href: `#bot/${encodeURIComponent(id)}` }, node);
}

export const ROWS = 25;
