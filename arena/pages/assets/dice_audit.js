// The audit of the dice of a run: whether every record is in order, how the dice fell, and what
// fixed them.

/**
 * @import { Audit, MatchPage } from "./contents.d.ts"
 * @import { ReportContents } from "./source.js"
 */

import { columns } from "./charts.js";
import { longTable, make, number, section, sentenceSpan, signed, table } from "./elements.js";
import { fixed, say, told } from "./words.js";

const SEEDS_AT_ONCE = 50;
const FACES = ["1", "2", "3", "4", "5", "6"];

/**
 * The section of the dice.
 *
 * @param {ReportContents} report
 */
export function diceSection({ figures: { audit }, matches }) {
  const dice = audit.faces.reduce((sum, count) => sum + count, 0);
  /** @type {HTMLElement[]} */
  const parts = [verdictPart(audit)];
  if (dice) parts.push(make("h3", {}, say("How the dice fell")), facesPart(audit, dice));
  if (dice && audit.tests.length) parts.push(testsTable(audit));
  const counted = matches.filter(({ link }) => !link.includes("~"));
  if (counted.length) parts.push(seedsPart(counted));
  return section("dice", say("Dice audit"), ...parts);
}

/** @param {Audit} audit */
function verdictPart({ state, sentence }) {
  const kinds = {
    "in order": "verdict good",
    "not in order": "verdict bad",
    "left out": "verdict",
  };
  const words = {
    "in order": `✓ ${say("In order.")} `,
    "not in order": `✗ ${say("Not in order.")} `,
    "left out": "",
  };
  const verdict = make("strong", {}, words[state]);
  return make("p", { class: kinds[state] }, verdict, sentenceSpan(sentence));
}

/**
 * How often each face fell, as columns and in words.
 *
 * @param {Audit} audit
 * @param {number} dice How many there are.
 */
function facesPart({ faces, doubles, rolls, verdict }, dice) {
  const titles = faces.map((count, place) => `${place + 1}: ${number(count)}`);
  const falls = faces.map((count, place) =>
    say("{face} fell {count} times", { face: place + 1, count: number(count) }),
  );
  const doublesWords = say("{doubles} doubles in {rolls} rolls.", {
    doubles: number(doubles),
    rolls: number(rolls),
  });
  const words = make(
    "p",
    {},
    `${say("{count} dice", { count: number(dice) })}: `,
    falls.join(", "),
    `; ${doublesWords} `,
    verdict && sentenceSpan(verdict),
  );
  return make("div", { class: "beside" }, columns(faces, FACES, titles, dice / 6), words);
}

/** @param {Audit} audit */
function testsTable({ tests }) {
  /** @type {Record<string, string>} */
  const questions = {
    faces: say("is every face as frequent?"),
    rolls: say("is each of the 36 rolls?"),
    doubles: say("is every sixth roll a double?"),
    runs: say("do high and low dice come in streaks?"),
    neighbours: say("does a die depend on the one before?"),
  };
  const rows = tests.map(([name, value, freedom, p]) => [
    told([`dice_test.${name}`, {}]),
    questions[name],
    statisticWords(value, freedom),
    fixed(p, 4),
  ]);
  const headings = [say("test"), say("question"), say("statistic"), "p"];
  return table(say("Tests of the dice"), headings, rows, "incidents");
}

/**
 * @param {number | null} value Null if it has no bound.
 * @param {number | null} freedom Of a chi-square.
 */
function statisticWords(value, freedom) {
  if (value === null) return "∞";
  if (freedom === null) return say("{value} standard deviations", { value: signed(value, 2) });
  return say("chi-square {value} ({count} degrees of freedom)", {
    value: fixed(value, 2),
    count: freedom,
  });
}

/**
 * Commitments and seeds, which are listed once the reader wants to see them.
 *
 * @param {MatchPage[]} matches
 */
function seedsPart(matches) {
  const title = say("Commitments and seeds");
  const words = say(
    "A commitment is the SHA-256 of the seed: it was sent to both bots before they added their own part to the dice.",
  );
  const lines = matches.map(({ fixture, commitment, seed }) => () => [
    fixture,
    make("td", {}, make("code", {}, commitment)),
    make("td", {}, seed ? make("code", {}, seed) : say("not revealed yet")),
  ]);
  const headings = [say("match"), say("commitment"), say("seed")];
  const summary = make("summary", {}, title);
  const part = make("details", {}, summary, make("p", { class: "quiet" }, words));
  const list = () => part.append(longTable(title, headings, lines, "seeds", SEEDS_AT_ONCE));
  part.addEventListener("toggle", list, { once: true });
  return part;
}
