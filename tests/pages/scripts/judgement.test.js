// The words for what the analysis found of a turn.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { judgementOf, markOf, pointsOf } from "../../../arena/pages/assets/judgement.js";

const NAMES = ["Anna", "Bo"];
const BEST = { value: 0.5, loss: 0, mark: "", best: "", bestValue: 0.5, luck: 0.125, choices: 7 };
const BLUNDER = { ...BEST, loss: 1250, mark: "blunder", best: "4/10", bestValue: 1.75, luck: -0.2 };

test("points have three decimals, from one point on two", () => {
  assert.equal(pointsOf(0.0456), "0.046");
  assert.equal(pointsOf(0.9994), "0.999");
  assert.equal(pointsOf(1), "1.00");
  assert.equal(pointsOf(-2.345), "−2.35");
});

test("a frame that is not judged has no judgement", () => {
  assert.deepEqual(judgementOf({ judged: undefined, seat: 1 }, NAMES), []);
});

test("the best of several turns is called so", () => {
  const [words] = judgementOf({ judged: BEST, seat: 1 }, NAMES);
  assert.equal(words, "The best of 7 turns.");
});

test("the only legal turn is neither good nor bad", () => {
  const [words] = judgementOf({ judged: { ...BEST, choices: 1 }, seat: 1 }, NAMES);
  assert.equal(words, "The only legal turn.");
});

test("a blunder tells its price, the best turn and its value", () => {
  const [words] = judgementOf({ judged: BLUNDER, seat: 1 }, NAMES);
  assert.equal(words, "Blunder: costs 1.25 points. The best turn is 4/10 (+1.75 points).");
});

test("a turn that is not the best, but has no mark, is nearly the best", () => {
  const judged = { ...BLUNDER, mark: "", loss: 4 };
  const [words] = judgementOf({ judged, seat: 1 }, NAMES);
  assert.equal(words, "Nearly the best: costs 0.004 points. The best turn is 4/10 (+1.75 points).");
});

test("a price of one point is in the singular", () => {
  const [words] = judgementOf({ judged: { ...BLUNDER, loss: 1000 }, seat: 1 }, NAMES);
  assert.match(words, /costs 1\.00 point\. /);
});

test("values are those of the side that played, luck is its own already", () => {
  const [, first] = judgementOf({ judged: BEST, seat: 1 }, NAMES);
  const [, second] = judgementOf({ judged: BEST, seat: 2 }, NAMES);
  assert.equal(first, "After it Anna can expect +0.50 points. Luck of the roll: +0.13 points.");
  assert.equal(second, "After it Bo can expect −0.50 points. Luck of the roll: +0.13 points.");
});

test("a call for dice tells the better number of them, if it was another", () => {
  const call = { loss: 120, mark: "bad", best: "1" };
  const worse = judgementOf({ judged: call, seat: 1 }, NAMES);
  assert.deepEqual(worse, ["Bad: costs 0.120 points. Better: 1 die."]);
  const better = judgementOf({ judged: { loss: 0, mark: "", best: "" }, seat: 1 }, NAMES);
  assert.deepEqual(better, ["The better number of dice."]);
});

test("a call that costs something without a mark is less than the best", () => {
  const [words] = judgementOf({ judged: { loss: 3, mark: "", best: "2" }, seat: 2 }, NAMES);
  assert.equal(words, "Less than the best: costs 0.003 points. Better: 2 dice.");
});

test("a turn without a mark has no sign", () => {
  assert.equal(markOf(BEST), null);
});
