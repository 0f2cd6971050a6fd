// A game as frames, and what is said of them.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { curveValues } from "../../../arena/pages/assets/charts.js";
import {
  detailsOf,
  diceWords,
  endingWords,
  frameAt,
  framesOf,
  sentenceOf,
  turnWords,
} from "../../../arena/pages/assets/steps.js";

/** @import {GameAnalysis, GameEnded} from "../../../arena/pages/assets/contents.d.ts" */
/** @import {ReplayedGame, ShownStep} from "../../../arena/pages/assets/contents.d.ts" */

const NAMES = ["Anna", "Bo"];
const CLOCK = { bank_ms: 60000 };

/** @type {ShownStep[]} */
const STEPS = [
  ["turn", "1", 1, "34", "1/4 1/5", 1200, 58800, "after 1", null],
  ["rejected", "2a", 2, "66", "1/7", 500, -1, "", rejection(1)],
  ["turn", "2", 2, "66", "pass", 900, 59100, "", { draw: true }],
  ["call", "3a", 1, "", "1", 100, -1, "", null],
  ["turn", "3", 1, "5", "4/9*", 2000, 57000, "after 3", { info: "hm", lag_ms: 30 }],
];

/** @type {GameEnded} */
const ENDED = {
  event: "game_ended",
  v: 1,
  at_ms: 0,
  game: 1,
  turns: 3,
  result: {
    winner: 1,
    ending: "jan",
    clause: "B9.1",
    points: 4,
    monk: false,
    rank: null,
    cause: null,
  },
  score: [4, 0],
};

/** @param {number} left */
function rejection(left) {
  return { code: "not_legal", clause: "B4.1", message: ["ending.jan", {}], left };
}

/**
 * @param {Partial<ReplayedGame>} [changes]
 * @returns {ReplayedGame}
 */
function gameWith(changes = {}) {
  return {
    number: 1,
    starter: 1,
    opening: "",
    start: "start",
    steps: STEPS,
    ended: ENDED,
    why: "",
    analysis: null,
    ...changes,
  };
}

/** @param {ReplayedGame} game */
function saidOf(game) {
  return framesOf(game, CLOCK).map((frame) => sentenceOf(frame, game, NAMES));
}

/**
 * @param {ShownStep} step
 * @returns {string}
 */
function sentenceOfStep(step) {
  return saidOf(gameWith({ steps: [step], ended: null }))[1];
}

test("a game has a frame for its start, each step and its end", () => {
  const labels = framesOf(gameWith(), CLOCK).map(({ label }) => label);
  assert.deepEqual(labels, ["0", "1", "2a", "2", "3a", "3", "end"]);
});

test("a game that is being played has no end", () => {
  const frames = framesOf(gameWith({ ended: null }), CLOCK);
  assert.equal(frames.at(-1)?.label, "3");
});

test("a step that changes no position keeps the one before it", () => {
  const positions = framesOf(gameWith(), CLOCK).map(({ before, position }) => [before, position]);
  assert.deepEqual(positions.slice(1, 4), [
    ["start", "after 1"],
    ["after 1", "after 1"],
    ["after 1", "after 1"],
  ]);
  assert.deepEqual(positions[5], ["after 1", "after 3"]);
});

test("each side has its bank until a step tells another", () => {
  const banks = framesOf(gameWith(), CLOCK).map(({ left }) => left);
  assert.deepEqual(banks, [
    [60000, 60000],
    [58800, 60000],
    [58800, 60000],
    [58800, 59100],
    [58800, 59100],
    [57000, 59100],
    [57000, 59100],
  ]);
});

test("the end shows the last turn", () => {
  const frames = framesOf(gameWith(), CLOCK);
  const [last, end] = frames.slice(-2);
  assert.deepEqual([end.text, end.dice, end.seat], [last.text, last.dice, last.seat]);
  assert.deepEqual([end.before, end.position], [last.before, last.position]);
  assert.deepEqual(end.more, {});
});

test("turns and calls have the judgement of their own number", () => {
  /** @type {GameAnalysis} */
  const analysis = {
    start: 0.1,
    turns: [[3, 0.5, 120, "bad", "4/10", 0.62, -0.2, 7]],
    calls: [[3, 40, "", "2"]],
  };
  const frames = framesOf(gameWith({ analysis }), CLOCK);
  const judged = new Map(frames.map((frame) => [frame.label, frame.judged]));
  assert.deepEqual(judged.get("3a"), { loss: 40, mark: "", best: "2" });
  assert.deepEqual(judged.get("3"), {
    value: 0.5,
    loss: 120,
    mark: "bad",
    best: "4/10",
    bestValue: 0.62,
    luck: -0.2,
    choices: 7,
  });
  for (const label of ["0", "1", "2a", "2", "end"]) assert.equal(judged.get(label), undefined);
});

test("a label names its frame, or the first one of its turn", () => {
  const frames = framesOf(gameWith(), CLOCK);
  assert.equal(frameAt(frames, "3"), 5);
  assert.equal(frameAt(frames, "3a"), 4);
  assert.equal(frameAt(frames.slice(0, 5), "3"), 4);
  assert.equal(frameAt(frames, "end"), 6);
  assert.equal(frameAt(frames, "0"), 0);
  assert.equal(frameAt(frames, "17"), -1);
});

test("a game is told from its start to its end", () => {
  assert.deepEqual(saidOf(gameWith()), [
    "Anna begins",
    "Anna rolls 3-4: 1/4 1/5",
    "Bo rolls 6-6 and answers 1/7: rejected",
    "Bo rolls 6-6: pass, and offers a draw",
    "Anna calls for 1 die",
    "Anna rolls 5: 4/9*",
    "Anna wins by jan: 4 points",
  ]);
});

test("the start tells the throws, or that there was none", () => {
  const [thrown] = saidOf(gameWith({ opening: "3-3, 2-5", starter: 2 }));
  assert.equal(thrown, "Bo begins (throws 3-3, 2-5)");
  const [forfeited] = saidOf(gameWith({ starter: 0, steps: [] }));
  assert.equal(forfeited, "The game was forfeited before it began");
});

test("a forfeit is told with its cause, a draw without a winner", () => {
  /** @param {Partial<GameEnded["result"]>} result */
  const end = (result) =>
    saidOf(gameWith({ ended: { ...ENDED, result: { ...ENDED.result, ...result } } })).at(-1);
  const forfeit = end({ winner: 2, ending: "forfeit", cause: "time", points: 6 });
  assert.match(forfeit ?? "", /^Bo wins by forfeit \(.+\): 6 points$/);
  assert.match(end({ winner: null, points: 0 }) ?? "", /^Drawn: /);
});

test("what goes wrong at the table is told with its reason", () => {
  const gone = sentenceOfStep(["left", "1a", 2, "", "it crashed", 0, -1, "", null]);
  assert.equal(gone, "Bo is gone: it crashed");
  const silent = sentenceOfStep(["flag", "1a", 1, "34", "", 0, 0, "", null]);
  assert.equal(silent, "Anna rolls 3-4 and does not answer in time");
  const uncalled = sentenceOfStep(["flag", "1a", 1, "", "", 0, 0, "", null]);
  assert.equal(uncalled, "Anna does not answer in time");
  const back = sentenceOfStep(["returned", "1a", 2, "", "", 0, -1, "", null]);
  assert.equal(back, "Bo is back");
});

test("time that is given back is told as a duration", () => {
  const words = sentenceOfStep(["extended", "1a", 1, "", "2500", 0, -1, "", null]);
  assert.equal(words, "Anna gets 2.5 s back: the machine had no processor for it");
});

test("any other event is told by its own text", () => {
  assert.equal(sentenceOfStep(["event", "1a", 1, "", "a thing", 0, -1, "", null]), "a thing");
});

test("a turn that ends the game names its ending", () => {
  assert.equal(turnWords("4/9*, forced jan"), "4/9*, forced jan");
  assert.equal(turnWords("pass, jan"), "pass, jan");
  assert.equal(turnWords("4/9"), "4/9");
});

test("an ending has its cause, and the monk", () => {
  assert.equal(endingWords({ ending: "jan", cause: null, monk: true }), "jan with monk");
  assert.match(endingWords({ ending: "forfeit", cause: "time", monk: false }), /^forfeit \(.+\)$/);
});

test("dice are counted from text as from numbers", () => {
  assert.equal(diceWords("1"), "1 die");
  assert.equal(diceWords(2), "2 dice");
});

test("the details of a turn are its time, the arena's lag and what the bot noted", () => {
  const game = gameWith();
  const [, first, , , , last] = framesOf(game, CLOCK);
  assert.deepEqual(detailsOf(first, game, NAMES), ["Took 1.2 s."]);
  assert.deepEqual(detailsOf(last, game, NAMES), [
    "Took 2.0 s; the arena's own lag of 30 ms is taken off.",
    "The bot noted: hm",
  ]);
});

test("what takes no time on a clock tells none", () => {
  /** @param {ShownStep[0]} kind */
  const details = (kind) => {
    /** @type {ShownStep} */
    const step = [kind, "1a", 2, "", "1", 700, -1, "", null];
    const game = gameWith({ steps: [step], ended: null });
    return detailsOf(framesOf(game, CLOCK)[1], game, NAMES);
  };
  for (const kind of /** @type {const} */ (["turn", "call", "draw", "flag", "extended"]))
    assert.deepEqual(details(kind), ["Took 700 ms."], kind);
  for (const kind of /** @type {const} */ (["missing", "returned", "resumed", "event"]))
    assert.deepEqual(details(kind), [], kind);
});

for (const [left, words] of /** @type {const} */ ([
  [-1, "That was one too many: the game is forfeited."],
  [0, "No more are forgiven in this game."],
  [1, "1 more is forgiven in this game."],
  [2, "2 more are forgiven in this game."],
])) {
  test(`a rejection with ${left} left says: ${words}`, () => {
    /** @type {ShownStep} */
    const step = ["rejected", "1a", 1, "34", "1/7", 500, -1, "", rejection(left)];
    const game = gameWith({ steps: [step], ended: null });
    const [, frame] = framesOf(game, CLOCK);
    assert.deepEqual(detailsOf(frame, game, NAMES), [
      "Took 500 ms.",
      "Jan. (not_legal, B4.1)",
      words,
    ]);
  });
}

test("a bot that is gone may have time to come back", () => {
  /** @param {Record<string, unknown> | null} more */
  const details = (more) => {
    /** @type {ShownStep} */
    const step = ["left", "1a", 2, "", "it crashed", 0, -1, "", more];
    const game = gameWith({ steps: [step], ended: null });
    return detailsOf(framesOf(game, CLOCK)[1], game, NAMES);
  };
  assert.deepEqual(details({ grace_ms: 9000 }), ["It may come back within 9.0 s."]);
  assert.deepEqual(details(null), ["It cannot come back to this game."]);
});

test("the details of the end are its clause and how the match stands", () => {
  const game = gameWith({ why: ["ending.jan", {}] });
  const end = framesOf(game, CLOCK).at(-1);
  assert.ok(end);
  assert.deepEqual(detailsOf(end, game, NAMES), [
    "Jan. (B9.1)",
    "3 turns; the match stands Anna 4 : 0 Bo.",
  ]);
});

test("the curve keeps its value between judged turns, and ends with what seat 1 got", () => {
  /** @type {GameAnalysis} */
  const analysis = {
    start: 0.1,
    turns: [[2, -0.5, 0, "", "", 0, 0, 1]],
    calls: [],
  };
  const game = gameWith({ analysis });
  assert.deepEqual(curveValues(framesOf(game, CLOCK), game), [0.1, 0.1, 0.1, -0.5, -0.5, -0.5, 4]);
});

test("a game that is not analysed has no curve", () => {
  const game = gameWith();
  assert.equal(curveValues(framesOf(game, CLOCK), game), null);
});
