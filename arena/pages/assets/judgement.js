// The words for what the analysis found of a single turn.

import { capital, make, signed } from "./elements.js";
import { diceWords } from "./steps.js";
import { fixed, say } from "./words.js";

/** @import {Frame, CallJudgement, TurnJudgement} from "./steps.js" */

const MARK_SIGNS = new Map([
  ["doubtful", "?!"],
  ["bad", "?"],
  ["blunder", "??"],
]);

/**
 * Return points that were lost, or gained by luck: three decimals, for large ones two.
 *
 * @param {number} value
 * @returns {string}
 */
export function pointsOf(value) {
  return fixed(value, Math.abs(value) >= 1 ? 2 : 3);
}

/**
 * @param {number} loss in thousandths of a point
 * @returns {string}
 */
export function lossOf(loss) {
  return `${pointsOf(loss / 1000)} ${say(loss === 1000 ? "point" : "points")}`;
}

/**
 * Make the sign of a mark with its meaning, for those who point at it and for those who hear the
 * page.
 *
 * @param {{ mark: string, loss: number }} judged
 * @returns {HTMLSpanElement | null} null without a mark
 */
export function markOf({ mark, loss }) {
  if (!mark) return null;
  const words = say("{mark}: costs {points}", { mark: say(mark), points: lossOf(loss) });
  return make(
    "span",
    { class: `mark-sign ${mark}`, title: words },
    make("span", { "aria-hidden": "true" }, MARK_SIGNS.get(mark) ?? ""),
    make("span", { class: "unseen" }, ` ${words}`),
  );
}

/**
 * Return what the analysis says of a frame, as lines; none if it is not judged.
 *
 * @param {Pick<Frame, "judged" | "seat">} frame
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function judgementOf({ judged, seat }, names) {
  if (!judged) return [];
  if (!("choices" in judged)) return [callLine(judged)];
  const expected = say(
    "After it {name} can expect {points} points. Luck of the roll: {luck} points.",
    {
      name: names[seat - 1],
      points: signed(pointsOfSeat(judged.value, seat), 2),
      luck: signed(judged.luck, 2),
    },
  );
  return [turnLine(judged, seat), expected];
}

/**
 * @param {CallJudgement} judged
 * @returns {string}
 */
function callLine({ loss, mark, best }) {
  if (loss <= 0) return say("The better number of dice.");
  return say("{mark}: costs {points}. Better: {dice}.", {
    mark: capital(say(mark || "less than the best")),
    points: lossOf(loss),
    dice: diceWords(best),
  });
}

/**
 * @param {TurnJudgement} judged
 * @param {number} seat
 * @returns {string}
 */
function turnLine({ loss, mark, best, bestValue, choices }, seat) {
  if (choices === 1) return say("The only legal turn.");
  if (!best) return say("The best of {count} turns.", { count: choices });
  return say("{mark}: costs {points}. The best turn is {best} ({value} points).", {
    mark: capital(say(mark || "nearly the best")),
    points: lossOf(loss),
    best,
    value: signed(pointsOfSeat(bestValue, seat), 2),
  });
}

/**
 * @param {number} points of seat 1
 * @param {number} seat
 * @returns {number}
 */
function pointsOfSeat(points, seat) {
  return seat === 1 ? points : -points;
}
