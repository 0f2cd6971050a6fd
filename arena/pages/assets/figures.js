// The figures of a run: endings, thinking times, what went wrong.

/**
 * @import { Incident, RunPage } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import { EntrantSummary, ReportContents } from "./source.js"
 */

import { columns } from "./charts.js";
import {
  causeName,
  counted,
  draw,
  duration,
  endingName,
  longTable,
  make,
  number,
  percent,
  section,
  signed,
  table,
  toldSpan,
} from "./elements.js";
import { nameNode } from "./names.js";
import { source } from "./source.js";
import { say, told } from "./words.js";

const INCIDENTS_AT_ONCE = 25;

/**
 * How games ended: for each entrant, and over all games.
 *
 * @param {ReportContents} report
 */
export function endingsSection({ run: { entrants }, figures: { endings } }) {
  if (!endings.length) return null;
  const totals = endings.map((_, kind) => gamesEnded(entrants, kind));
  const all = totals.reduce((sum, total) => sum + total, 0);
  const lastRow = [
    say("all games"),
    ...totals.map((total) => make("strong", {}, `${number(total)} (${percent(total / all)})`)),
  ];
  const rows = entrants.map((entrant) => [
    nameNode(entrant.name),
    ...endings.map((_, kind) => endingCell(entrant, kind)),
  ]);
  const caption = say("Endings: games won : lost in this way; drawn games once");
  const headings = [say("entrant"), ...endings.map(told)];
  const counts = table(caption, headings, [...rows, lastRow], "numbers");
  return section("endings", say("Endings"), counts);
}

/**
 * How many games ended in a way; both entrants of a drawn one have it.
 *
 * @param {EntrantSummary[]} entrants
 * @param {number} kind
 */
function gamesEnded(entrants, kind) {
  let games = 0;
  for (const { conduct } of entrants) games += conduct.won[kind] + conduct.drawn[kind] / 2;
  return games;
}

/**
 * @param {EntrantSummary} entrant
 * @param {number} kind
 */
function endingCell({ conduct: { won, drawn, lost } }, kind) {
  if (drawn[kind]) return String(drawn[kind]);
  if (won[kind] || lost[kind]) return `${won[kind]}:${lost[kind]}`;
  return make("span", { class: "quiet" }, "·");
}

/**
 * How long turns took.
 *
 * @param {ReportContents} report
 */
export function thinkingSection({ run: { entrants }, figures: { time_limits_ms: limits } }) {
  const played = entrants.filter(({ conduct }) => conduct.turns);
  if (!played.length) return null;
  const used = [...limits.keys()].filter((place) =>
    played.some(({ conduct }) => conduct.times[place]),
  );
  const first = used[0];
  const end = used[used.length - 1] + 1;
  const names = limits.slice(first, end).map(shortTime);
  const rows = played.map(({ name, conduct }) => {
    const counts = conduct.times.slice(first, end);
    const titles = counts.map((count, place) => timeWords(count, limits, first + place));
    return [
      nameNode(name),
      number(conduct.turns),
      duration(conduct.mean_ms),
      duration(conduct.median_ms),
      duration(conduct.p99_ms),
      duration(conduct.longest_ms),
      columns(counts, names, titles),
    ];
  });
  const headings = [
    say("entrant"),
    say("turns"),
    say("mean"),
    say("half within"),
    say("99 % within"),
    say("longest"),
    say("turns by time, ms"),
  ];
  const times = table(say("Thinking time of a turn"), headings, rows, "numbers");
  return section("thinking", say("Thinking times"), times);
}

/**
 * A time below a column: milliseconds, or seconds with their sign.
 *
 * @param {number} ms
 */
function shortTime(ms) {
  return ms < 1000 ? String(ms) : `${number(ms / 1000)}s`;
}

/**
 * What a column means.
 *
 * @param {number} count Of turns.
 * @param {number[]} limits
 * @param {number} place Of the lower limit.
 */
function timeWords(count, limits, place) {
  const turns = counted(count, "turn");
  const from = duration(limits[place]);
  if (place + 1 === limits.length) return say("{turns} of {from} and more", { turns, from });
  return say("{turns} of {from} to {to}", { turns, from, to: duration(limits[place + 1]) });
}

/**
 * What went wrong: how often, and each case with its place.
 *
 * @param {ReportContents} report
 */
export function conductSection({ run, figures }) {
  const { causes, incidents, incidents_left_out: left } = figures;
  const rows = run.entrants.map(({ name, conduct }) => [
    nameNode(name),
    number(conduct.games),
    ...conduct.forfeits.map(number),
    number(conduct.rejections),
    number(conduct.lost_connections),
  ]);
  const headings = [
    say("entrant"),
    say("games"),
    ...causes.map((cause) => told(["cause.all", { cause: [`cause.${cause}`, {}] }])),
    say("rejected turns"),
    say("lost connections"),
  ];
  const leftWords = say("{count} more are in the records; arena show tells them.", {
    count: number(left),
  });
  return section(
    "conduct",
    say("Forfeits and rejections"),
    table(say("In the matches that count"), headings, rows, "numbers"),
    incidentsPart(run, incidents),
    left ? make("p", { class: "quiet" }, leftWords) : null,
  );
}

/**
 * @param {Pick<RunPage, "names">} run
 * @param {Incident[]} incidents
 */
function incidentsPart({ names }, incidents) {
  if (!incidents.length) {
    const words = say("No game was forfeited, no turn rejected and no connection lost.");
    return make("p", { class: "quiet" }, words);
  }
  const kinds = {
    forfeit: endingName("forfeit"),
    rejected: say("rejected turn"),
    left: causeName("left"),
    missing: causeName("missing"),
  };
  const lines = incidents.map((incident) => () => [
    kinds[incident.kind],
    nameNode(names[incident.entrant]),
    placeLink(incident),
    told(incident.label),
    make("td", { class: "prose" }, toldSpan(incident.text)),
  ]);
  const caption = say("What happened, void matches included");
  const headings = [say("what"), say("entrant"), say("where"), say("reason"), say("in words")];
  return longTable(caption, headings, lines, "incidents stacked", INCIDENTS_AT_ONCE);
}

/**
 * Where something happened, as a link if that game can be played through here.
 *
 * @param {{ link: string, game: number, at: string }} place
 */
export function placeLink({ link, game, at }) {
  const words = placeWords(link, game, at);
  if (!source().isHere(link, game)) return words;
  return make("a", { href: `#${link}/${game}/${at}` }, words);
}

/**
 * @param {string} link
 * @param {number} game 0 before the first.
 * @param {string} at
 */
function placeWords(link, game, at) {
  if (!game) return link;
  if (at === "end") return `${link}, ${say("game {number}", { number: game })}`;
  return `${link}, ${say("game {game}, turn {turn}", { game, turn: at })}`;
}

/**
 * A match, seen by the entrant that stands higher.
 *
 * @typedef {object} MatchDot
 * @property {string} fixture
 * @property {string} of The name of that entrant.
 * @property {number} raw Its points as played, less those of the other.
 * @property {number} adjusted The same with the luck taken out.
 */

const SCATTER = { size: 340, left: 44, right: 10, top: 10, bottom: 40 };

/**
 * A dot for each match: across the points as played, up those with the luck taken out.
 *
 * @param {MatchDot[]} matches
 */
export function scatter(matches) {
  const { size } = SCATTER;
  const values = matches.flatMap(({ raw, adjusted }) => [raw, adjusted]);
  const most = Math.max(1, ...values.map((value) => Math.ceil(Math.abs(value))));
  const scale = scaleOf(most);
  const words = say(
    "{matches}, each seen by the entrant that stands higher: across the points as played, up " +
      "those with the luck taken out.",
    { matches: counted(matches.length, "match", "matches") },
  );
  const picture = draw(
    "svg",
    {
      class: "scatter",
      viewBox: `0 0 ${size} ${size}`,
      width: size,
      height: size,
      role: "img",
      "aria-label": words,
    },
    linesOf(scale, most),
    matches.map((match) => dotOf(match, scale)),
    [-most, 0, most].map((value) => tickOf(value, scale)),
    axisWords(),
  );
  const caption = `${words} ${say("On the broken line the dice changed nothing.")}`;
  const captionPart = make("figcaption", { class: "quiet" }, caption);
  return make("figure", { class: "scatter-figure" }, picture, captionPart);
}

/**
 * Where a value stands in the picture.
 *
 * @typedef {{ x: (value: number) => number, y: (value: number) => number }} Scale
 */

/**
 * @param {number} most The largest value; the smallest is as far below zero.
 * @returns {Scale}
 */
function scaleOf(most) {
  const { size, left, right, top, bottom } = SCATTER;
  const width = size - left - right;
  const height = size - top - bottom;
  return {
    x: (value) => left + (width * (value + most)) / (2 * most),
    y: (value) => top + (height * (most - value)) / (2 * most),
  };
}

/**
 * @param {Scale} scale
 * @param {number} most
 * @returns {Child}
 */
function linesOf({ x, y }, most) {
  const { size, left, right, top, bottom } = SCATTER;
  const upright = { x1: x(0), x2: x(0), y1: top, y2: size - bottom };
  const level = { x1: left, x2: size - right, y1: y(0), y2: y(0) };
  const same = { x1: x(-most), y1: y(-most), x2: x(most), y2: y(most) };
  return [
    draw("line", { class: "zero", ...upright }),
    draw("line", { class: "zero", ...level }),
    draw("line", { class: "expected", ...same }),
  ];
}

/**
 * @param {MatchDot} match
 * @param {Scale} scale
 */
function dotOf({ fixture, of: name, raw, adjusted }, { x, y }) {
  const words = say(
    "{match}, seen by {name}: {raw} as played, {adjusted} with the luck taken out",
    {
      match: fixture,
      name,
      raw: signed(raw, 0),
      adjusted: signed(adjusted, 1),
    },
  );
  const place = { cx: x(raw).toFixed(1), cy: y(adjusted).toFixed(1) };
  return draw("circle", { class: "match-dot", ...place, r: 4 }, draw("title", {}, words));
}

/**
 * A value beside both axes.
 *
 * @param {number} value
 * @param {Scale} scale
 * @returns {Child}
 */
function tickOf(value, { x, y }) {
  const { size, left, bottom } = SCATTER;
  const anchors = ["start", "middle", "end"];
  const anchor = anchors[Math.sign(value) + 1];
  const below = { x: x(value), y: size - bottom + 15, "text-anchor": anchor };
  const beside = { x: left - 6, y: y(value) + 4, "text-anchor": "end" };
  return [draw("text", below, signed(value, 0)), draw("text", beside, signed(value, 0))];
}

/** @returns {Child} */
function axisWords() {
  const { size, left, right, top, bottom } = SCATTER;
  const across = (left + size - right) / 2;
  const up = (top + size - bottom) / 2;
  const below = { x: across, y: size - 6 };
  const beside = { x: 12, y: up, transform: `rotate(-90 12 ${up})` };
  const kind = { class: "axis", "text-anchor": "middle" };
  return [
    draw("text", { ...kind, ...below }, say("points as played")),
    draw("text", { ...kind, ...beside }, say("luck taken out")),
  ];
}
