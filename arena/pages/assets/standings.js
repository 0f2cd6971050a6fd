// The head of the page, the standings and the cross-table.

/**
 * @import { Meeting, RunPage, Said, TableRow, TimeControl } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import { CrosstableCells, EntrantSummary, RunInReport } from "./source.js"
 */

/** @typedef {(number | null)[][]} Superiority
 * For each entrant of a row, how probably it is stronger than the one of a column.
 */

import { errorBar, shadedCell } from "./charts.js";
import {
  counted,
  duration,
  make,
  moment,
  percent,
  sentenceSpan,
  signed,
  table,
  toldSpan,
} from "./elements.js";
import { nameNode } from "./names.js";
import { botLink } from "./source.js";
import { say, told } from "./words.js";

const MOST_UNFOLDED = 6;

/**
 * The name of the run, who has won, and behind a line that opens the facts of the run.
 *
 * @param {RunPage | RunInReport} run
 * @param {boolean} isHeadline False if the headline stands elsewhere.
 * @returns {Child[]}
 */
export function headOf(run, isHeadline) {
  return [
    make("h1", {}, nameNode(run.name)),
    isHeadline ? headlineOf(run) : null,
    make("details", { class: "facts", "data-part": "facts" }, factsOf(run)),
  ];
}

/**
 * Who has won and why, or what is at stake.
 *
 * @param {RunPage | RunInReport} run
 */
export function headlineOf({ outcome, names }) {
  if (!outcome.length) return null;
  const isName = Object.values(names).some((name) => told(outcome[0]).startsWith(name));
  const sentences = outcome.map((said, place) => [place ? "; " : "", toldSpan(said)]);
  const kind = isName ? "lead news" : "lead news sentence-case";
  return make("p", { class: kind }, sentences, ".");
}

/**
 * @param {RunPage | RunInReport} run
 * @returns {Child[]}
 */
function factsOf(run) {
  const { terms } = run;
  const format = run.format.replace(/-\d+$/, "").replaceAll(/[_-]/g, " ");
  const entrants = counted(run.entrants.length, "entrant");
  const facts = [run.ruleset, say(format), entrants, stateOf(run)].join(" · ");
  const isOfPairs = terms.form === "pairs";
  const games = isOfPairs
    ? counted(terms.games / 2, "duplicate pair")
    : counted(terms.games, "game");
  const played = say("{games} a match, {clock}, {turns} forgiven. Played from {begin} to {end}.", {
    games,
    clock: clockWords(terms.clock),
    turns: counted(terms.rejections, "illegal turn"),
    begin: moment(run.started_ms),
    end: moment(run.latest_ms),
  });
  return [
    make("summary", {}, facts),
    make("p", {}, played),
    listOf(say("How launched bots were contained"), run.contained),
    listOf(say("Head of the record"), run.head),
  ];
}

/** @param {RunPage | RunInReport} run */
function stateOf(run) {
  if (run.is_finished) return say("finished");
  return say("in progress: {count} of {all} matches count so far", {
    count: run.counted,
    all: run.scheduled,
  });
}

/** @param {TimeControl} clock */
function clockWords(clock) {
  const parts = [];
  if (clock.delay_ms) parts.push(["clock.delay", { time: duration(clock.delay_ms) }]);
  if (clock.bank_ms) parts.push(["clock.bank", { time: duration(clock.bank_ms) }]);
  if (clock.increment_ms) parts.push(["clock.increment", { time: duration(clock.increment_ms) }]);
  return told(["clock.of", { parts }]);
}

/**
 * A notice that the record is broken, if it is.
 *
 * @param {{ broken?: Said | string }} page
 */
export function brokenNotice({ broken }) {
  if (!broken) return null;
  const words = say("The record can be followed no further: {reason}", { reason: told(broken) });
  return make("p", { class: "notice bad", role: "alert" }, words);
}

/**
 * The table of the standings, and what is to be said below it.
 *
 * @param {RunPage | RunInReport} run
 * @returns {(HTMLElement | null)[]}
 */
export function standingsParts(run) {
  const hasBestGames = run.columns.some(([key]) => key === "best_games");
  return [
    run.entrants.length ? standingsTable(run) : null,
    hasBestGames ? make("p", { class: "quiet" }, sentenceSpan(["column.best_games", {}])) : null,
    listOf(say("Ties"), run.tie_breaks),
    listOf(say("Notes"), run.notes),
  ];
}

/** @param {RunPage | RunInReport} run */
function standingsTable({ columns, entrants }) {
  const hasNotes = entrants.some(noteOf);
  const headings = ["#", say("entrant"), ...columns.map(([, text]) => say(text))];
  if (hasNotes) headings.push(say("note"));
  /** @param {TableRow | EntrantSummary} entrant */
  const rowOf = (entrant) => {
    const name = [botLink(entrant.id, entrant.name), versionOf(entrant)];
    /** @type {Child[]} */
    const row = [placeOf(entrant), name];
    columns.forEach(([key], place) => {
      const text = told(entrant.cells[place]);
      row.push(key === "match_points" ? make("strong", {}, text) : text);
    });
    if (hasNotes) row.push(noteOf(entrant));
    return row;
  };
  const caption = say("Places, and what decides them");
  return table(caption, headings, entrants.map(rowOf), "numbers second-is-name");
}

/** @param {TableRow | EntrantSummary} entrant */
function versionOf(entrant) {
  const version = "version" in entrant ? entrant.version : "";
  if (!version) return null;
  return make("span", { class: "quiet version" }, ` ${say("version {version}", { version })}`);
}

/**
 * The place of an entrant, with a sign if others have it too.
 *
 * @param {TableRow} entrant
 */
export function placeOf(entrant) {
  const { place, is_shared: isShared = false } = entrant;
  if (place === null) return "–";
  return isShared ? `${place}=` : String(place);
}

/**
 * What is to be noted of an entrant; empty if there is nothing.
 *
 * @param {TableRow} entrant
 */
export function noteOf(entrant) {
  if (entrant.withdrawal === "stands") return say("withdrawn, results stand");
  if (entrant.withdrawal === "annulled") return say("withdrawn, results annulled");
  return "";
}

/**
 * Sentences under a title; more than a few are folded away.
 *
 * @param {string} title
 * @param {Said[]} sentences
 */
function listOf(title, sentences) {
  if (!sentences.length) return null;
  const list = make(
    "ul",
    {},
    sentences.map((sentence) => make("li", {}, toldSpan(sentence))),
  );
  if (sentences.length <= MOST_UNFOLDED)
    return make("div", { class: "quiet" }, make("h3", {}, title), list);
  const summary = make("summary", {}, `${title} (${sentences.length})`);
  return make("details", { class: "quiet", "data-part": title }, summary, list);
}

/** @typedef {EntrantSummary & { mean: number, elo: number, interval: [number, number] }} Rated */

/** @typedef {[low: number, high: number]} Range */

/**
 * Points per game and ratings with their 95 % intervals, drawn on one scale.
 *
 * @param {RunInReport} run
 * @param {string} unit What counts as one trial: a pair of games or a match.
 */
export function strengthTable({ entrants }, unit) {
  const rated = entrants.filter(isRated);
  if (!rated.length) {
    const words = say("No match counts yet, so there is nothing to say of anybody's strength.");
    return make("p", { class: "notice" }, words);
  }
  const points = rangeOf(rated.flatMap((entrant) => intervalOf(entrant) ?? [entrant.mean]));
  const elo = rangeOf(rated.flatMap((entrant) => entrant.interval));
  const hasFields = new Set(rated.map((entrant) => entrant.field)).size > 1;
  rated.sort((entrant, other) => entrant.field - other.field || entrant.strength - other.strength);
  const headings = [say("entrant"), say("points a game"), "", "95 %", "Elo", "", "95 %"];
  return make(
    "div",
    {},
    make("h3", {}, say("Strength, with errors")),
    table(
      say("Points a game and Elo, each with its 95 % interval"),
      headings,
      rated.map((entrant) => strengthRow(entrant, points, elo, hasFields)),
      "numbers",
    ),
    strengthNote(unit, hasFields),
  );
}

/**
 * @param {EntrantSummary} entrant
 * @returns {entrant is Rated}
 */
function isRated(entrant) {
  return entrant.elo !== null;
}

/**
 * @param {Rated} entrant
 * @returns {Range | null}
 */
function intervalOf({ mean, margin }) {
  return margin === null ? null : [mean - margin, mean + margin];
}

/**
 * The lowest and the highest value, and nothing between them.
 *
 * @param {number[]} values
 * @returns {Range}
 */
function rangeOf(values) {
  return [Math.min(0, ...values), Math.max(0, ...values)];
}

/**
 * @param {Rated} entrant
 * @param {Range} points
 * @param {Range} elo
 * @param {boolean} hasFields
 * @returns {Child[]}
 */
function strengthRow(entrant, points, elo, hasFields) {
  const interval = intervalOf(entrant);
  const field = ` (${say("field {number}", { number: entrant.field + 1 })})`;
  return [
    [nameNode(entrant.name), hasFields ? field : ""],
    signed(entrant.mean, 2),
    errorBar(entrant.mean, interval, ...points),
    interval ? rangeWords(interval, 2) : "–",
    signed(entrant.elo, 0),
    errorBar(entrant.elo, entrant.interval, ...elo),
    rangeWords(entrant.interval, 0),
  ];
}

/**
 * @param {Range} range
 * @param {number} digits
 */
function rangeWords([low, high], digits) {
  return say("{low} to {high}", { low: signed(low, digits), high: signed(high, digits) });
}

/**
 * @param {string} unit
 * @param {boolean} hasFields
 */
function strengthNote(unit, hasFields) {
  const isOfPairs = unit === "pair";
  const trials = isOfPairs
    ? say(
        "Bars are 95 % intervals; the pair is what counts as one trial, since its games hang " +
          "together. Elo comes from games won, against the mean of the field.",
      )
    : say(
        "Bars are 95 % intervals; the match is what counts as one trial, since its games hang " +
          "together. Elo comes from games won, against the mean of the field.",
      );
  const fields = say(
    "Entrants of different fields have not met, nor through others; their ratings do not compare.",
  );
  return make("p", { class: "quiet" }, trials, hasFields ? ` ${fields}` : null);
}

/**
 * The cross-table, shaded where it is known who is the stronger one.
 *
 * @param {(TableRow | EntrantSummary)[]} entrants
 * @param {CrosstableCells} cells
 * @param {Superiority} [superior]
 * @returns {Child[]}
 */
export function crosstableParts(entrants, cells, superior) {
  const rows = entrants.map((entrant, row) => {
    /** @type {Child[]} */
    const line = [nameNode(entrant.name)];
    entrants.forEach((other, column) => {
      const sure = superior?.[row][column] ?? null;
      const isSame = row === column;
      line.push(
        isSame
          ? make("td", { class: "diagonal" }, "·")
          : meetingsCell(entrant, other, cells[row][column], sure),
      );
    });
    return line;
  });
  const headings = ["", ...entrants.map((entrant) => nameNode(entrant.name))];
  const isShaded = superior?.flat().some((sure) => sure !== null);
  return [
    table(say("Game points of the row against the column"), headings, rows, "cross"),
    isShaded ? shadesKey() : "",
  ];
}

/**
 * @param {TableRow} entrant
 * @param {TableRow} other
 * @param {Meeting[]} meetings
 * @param {number | null} sure How probably the entrant is stronger than the other.
 */
function meetingsCell(entrant, other, meetings, sure) {
  const score = make("span", { class: "meetings" }, meetingsOf(meetings));
  if (sure === null) return shadedCell(null, score);
  const share = sureWords(sure);
  const cell = shadedCell(sure, score, make("span", { class: "sure" }, share));
  cell.title = say("{one} is stronger than {other} with a probability of {share}", {
    one: entrant.name,
    other: other.name,
    share,
  });
  return cell;
}

/** What the shades of the cross-table mean. */
function shadesKey() {
  const stronger = say("the entrant of the row is the stronger one,");
  const weaker = say(
    "the weaker one. The fuller the colour, the surer that is by all matches that count; it " +
      "begins at 75 % and is full from 97.5 % on. The small figure is the probability itself.",
  );
  return make(
    "p",
    { class: "quiet key" },
    make("span", { class: "swatch stronger" }),
    ` ${stronger} `,
    make("span", { class: "swatch weaker" }),
    ` ${weaker}`,
  );
}

/**
 * The probability of a sample, which is never certain.
 *
 * @param {number} sure
 */
export function sureWords(sure) {
  return percent(Math.min(Math.max(sure, 1e-6), 1 - 1e-6));
}

/**
 * Every result of a pair; of many the sum, with matches won, drawn and lost.
 *
 * @param {Meeting[]} meetings
 */
function meetingsOf(meetings) {
  if (!meetings.length) return "–";
  if (meetings.length <= 3) return meetings.map(meetingWords).join("  ");
  let points = 0;
  let lostPoints = 0;
  const matches = { won: 0, drawn: 0, lost: 0, void: 0, annulled: 0 };
  for (const [own, others, outcome] of meetings) {
    points += own;
    lostPoints += others;
    matches[outcome] += 1;
  }
  const { won, drawn, lost } = matches;
  return `${points}:${lostPoints} (+${won} =${drawn} −${lost})`;
}

/** @param {Meeting} meeting */
function meetingWords([own, others, outcome]) {
  const score = `${own}:${others}`;
  const isCounted = outcome !== "void" && outcome !== "annulled";
  return isCounted ? score : `${score} (${say(outcome)})`;
}
