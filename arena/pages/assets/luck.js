// The results of a run with the luck of the dice taken out, as `arena stats` tells them.

/**
 * @import { LuckTakenOut, MatchLuck, PointsPerGame } from "./contents.d.ts"
 * @import { MatchDot } from "./figures.js"
 * @import { ReportContents, RunInReport } from "./source.js"
 */

import { counted, longTable, make, sentence, signed, table } from "./elements.js";
import { scatter } from "./figures.js";
import { nameNode } from "./names.js";
import { fixed, say } from "./words.js";

/** Points of luck, below which the dice gave an entrant nothing to speak of. */
const LEAST_GIVEN = 0.5;

/**
 * What there is to say of luck; nothing unless every match that counts is analysed.
 *
 * @param {ReportContents} report
 */
export function withoutLuck({ run, figures: { analysis } }) {
  const luck = analysis?.luck;
  if (!luck) return null;
  const gifts = giftWords(run, luck);
  const explanation = say(
    "Net luck is an entrant's own luck less that of its opponents. Before a roll its luck has " +
      "the mean zero, whatever the bots do and however little the evaluator knows: both columns " +
      "estimate the same. What is taken out is the luck times a coefficient that is fitted on " +
      "other matches. The results as played decide the tournament.",
  );
  const notes = luck.notes.map((note) => ` ${sentence(note)}`);
  return make(
    "div",
    { class: "without-luck" },
    make("h3", {}, say("With the luck of the dice taken out")),
    gifts.length ? make("p", { class: "lead" }, gifts.join(" ")) : null,
    pointsTable(run, luck),
    make("p", { class: "quiet" }, `${sentence(luck.source)} `, explanation, notes),
    luck.matches.length > 1 ? matchesPart(run, luck.matches) : null,
  );
}

/**
 * Points a game of each entrant, as played and without luck.
 *
 * @param {RunInReport} run
 * @param {LuckTakenOut} luck
 */
function pointsTable({ names }, luck) {
  const rows = luck.entrants.map(([id, { given, raw, adjusted }, times]) => {
    const words = times === null ? "–" : timesWords(times);
    const name = nameNode(names[id]);
    return [name, signed(given, 1), pointsWords(raw), pointsWords(adjusted), words];
  });
  const headings = [
    say("entrant"),
    say("net luck"),
    say("as played"),
    say("luck taken out"),
    say("as sure as"),
  ];
  return table(say("Points a game; ± is half the 95 % interval"), headings, rows, "numbers");
}

/** @param {number} times */
function timesWords(times) {
  return say("{times} times the games", { times: fixed(times, 1) });
}

/** @param {PointsPerGame} points */
function pointsWords({ mean, margin }) {
  const words = signed(mean, 2);
  return margin === null ? words : `${words} ± ${fixed(margin, 2)}`;
}

/**
 * To whom the dice gave most, and from whom they took most.
 *
 * @param {RunInReport} run
 * @param {LuckTakenOut} luck
 */
function giftWords({ names }, luck) {
  const gifts = luck.entrants.map(([id, { given }]) => ({ name: names[id], points: given }));
  gifts.sort((gift, other) => other.points - gift.points);
  const ends = gifts.length > 1 ? [gifts[0], gifts[gifts.length - 1]] : gifts;
  const notable = ends.filter(({ points }) => Math.abs(points) >= LEAST_GIVEN);
  return notable.map(({ name, points }) => {
    const words = counted(Math.round(Math.abs(points)), "point");
    if (points > 0) return say("The dice gave {name} {points}.", { name, points: words });
    return say("The dice took {points} from {name}.", { name, points: words });
  });
}

/**
 * Every match as a dot, and as a row of a table.
 *
 * @param {RunInReport} run
 * @param {MatchLuck[]} matches
 */
function matchesPart(run, matches) {
  const dots = matches.map((match) => dotOf(run, match));
  const rows = dots.map((dot) => () => [
    dot.fixture,
    nameNode(dot.of),
    signed(dot.raw, 0),
    signed(dot.adjusted, 1),
  ]);
  const headings = [say("match"), say("seen by"), say("as played"), say("luck taken out")];
  const caption = say("Points of the entrant that stands higher, less those of the other");
  const summary = make("summary", {}, say("The matches of the picture as a table"));
  const list = longTable(caption, headings, rows, "numbers");
  return make("div", {}, scatter(dots), make("details", {}, summary, list));
}

/**
 * A match from the side that stands higher.
 *
 * @param {RunInReport} run
 * @param {MatchLuck} match
 * @returns {MatchDot}
 */
function dotOf({ entrants, names }, { fixture, first, second, raw, adjusted }) {
  /** @param {string} id */
  const rankOf = (id) => entrants.findIndex((entrant) => entrant.id === id);
  if (rankOf(second) < rankOf(first))
    return { fixture, of: names[second], raw: -raw, adjusted: -adjusted };
  return { fixture, of: names[first], raw, adjusted };
}
