// What the analysis found: a section of the page.

/**
 * @import { LossSummary, PlayAnalysis, RemarkableMoment } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import { ReportContents, RunInReport } from "./source.js"
 */

import { counted, make, number, section, signed, table } from "./elements.js";
import { placeLink } from "./figures.js";
import { pointsOf } from "./judgement.js";
import { withoutLuck } from "./luck.js";
import { nameNode } from "./names.js";
import { diceWords } from "./steps.js";
import { fixed, say } from "./words.js";

/**
 * How well the entrants played, and what luck they had; nothing without an analysis.
 *
 * @param {ReportContents} report
 */
export function playSection(report) {
  const { run, figures } = report;
  const { analysis } = figures;
  if (!analysis) return null;
  const explanation = say(
    "The loss of a turn is what the best turn is worth beyond it; a turn without a choice is " +
      "no decision. Own luck is what a bot's own rolls were worth beyond the mean of all that " +
      "could have come.",
  );
  return section(
    "play",
    say("Play and luck"),
    lossesTable(run, analysis),
    make("p", { class: "quiet" }, `${evaluatorWords(analysis)} `, explanation),
    withoutLuck(report),
    costliestPart(run, analysis),
    luckiestPart(run, analysis),
  );
}

/**
 * @param {RunInReport} run
 * @param {PlayAnalysis} analysis
 */
function lossesTable(run, { losses }) {
  const headings = [
    say("entrant"),
    say("games"),
    say("decisions"),
    say("mean loss"),
    say("in contact"),
    say("in a race"),
    `${say("doubtful")} ?!`,
    `${say("bad")} ?`,
    `${say("blunders")} ??`,
    say("own luck"),
    say("own luck a game"),
  ];
  const caption = say("Losses in thousandths of a point a decision, luck in points");
  const rows = losses.map((summary) => lossRow(run, summary));
  return table(caption, headings, rows, "numbers");
}

/**
 * @param {RunInReport} run
 * @param {LossSummary} summary
 * @returns {Child[]}
 */
function lossRow(
  { names },
  { entrant, games, decisions, means, marks, luck, luck_per_game: each },
) {
  const [inAll, inContact, inRace] = means.map(meanWords);
  return [
    nameNode(names[entrant]),
    number(games),
    number(decisions),
    make("strong", {}, inAll),
    inContact,
    inRace,
    ...marks.map(number),
    signed(luck, 2),
    each === null ? "–" : signed(each, 3),
  ];
}

/** @param {number | null} mean */
function meanWords(mean) {
  return mean === null ? "–" : fixed(mean, 1);
}

/**
 * Whose word it is, how far it looked, and at how many matches.
 *
 * @param {PlayAnalysis} analysis
 */
function evaluatorWords({ evaluator, plies, analysed, matches }) {
  const depths = plies.map((depth) =>
    depth === 1 ? say("one turn ahead") : say("{count} turns ahead", { count: depth }),
  );
  const ahead = depths.join(` ${say("or")} `);
  const words = say("By the word of {evaluator}, {ahead}.", { evaluator, ahead });
  if (analysed >= matches) return words;
  const some = say("{count} of {matches} are analysed.", {
    count: number(analysed),
    matches: counted(matches, "match", "matches"),
  });
  return `${words} ${some}`;
}

/**
 * @param {RunInReport} run
 * @param {PlayAnalysis} analysis
 * @returns {Child}
 */
function costliestPart(run, { costliest }) {
  if (!costliest.length) return null;
  const counts = ["", "", say("two"), say("three"), say("four"), say("five")];
  const many = say("The {count} costliest turns", { count: counts[costliest.length] });
  const title = costliest.length === 1 ? say("The costliest turn") : many;
  const turns = costliest.map((moment) => make("li", {}, costlyParts(run, moment)));
  return [make("h3", {}, title), make("ol", { class: "costliest" }, turns)];
}

/**
 * @param {RunInReport} run
 * @param {PlayAnalysis} analysis
 * @returns {Child}
 */
function luckiestPart(run, { luckiest }) {
  if (!luckiest) return null;
  return [make("h3", {}, say("The luckiest roll")), make("p", {}, luckyParts(run, luckiest))];
}

/**
 * @param {RunInReport} run
 * @param {RemarkableMoment} moment
 * @returns {Child[]}
 */
function costlyParts({ names }, moment) {
  const loss = make("strong", {}, `−${pointsOf(moment.points)}`);
  return [loss, ` ${costlyWords(names[moment.entrant], moment)}: `, placeLink(moment), "."];
}

/**
 * @param {string} name
 * @param {RemarkableMoment} moment
 */
function costlyWords(name, { dice, played, best }) {
  if (!dice)
    return say("{name} called for {dice}. Better was {best}", {
      name,
      dice: diceWords(played),
      best,
    });
  return say("{name} rolled {dice} and played {played}. The best was {best}", {
    name,
    dice: [...dice].join("-"),
    played,
    best,
  });
}

/**
 * @param {RunInReport} run
 * @param {RemarkableMoment} moment
 * @returns {Child[]}
 */
function luckyParts({ names }, moment) {
  const roll = say("{name} rolled {dice}", {
    name: names[moment.entrant],
    dice: [...moment.dice].join("-"),
  });
  return [make("strong", {}, signed(moment.points, 2)), ` ${roll}: `, placeLink(moment), "."];
}
