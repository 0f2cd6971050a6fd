// The dice of a match, rolled once more from a seed whose commitment is known (docs/dice.md).

import "./english_page.js";

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { checkedRolls, diceOf } from "../../../arena/pages/assets/dice_check.js";

/**
 * @typedef {object} Vector
 * @property {string} seed
 * @property {string} fixture
 * @property {number} attempt
 * @property {number} game
 * @property {[string, string]} entropy
 * @property {number[]} dice
 */

const FILE = new URL("../../records/dice_vectors.json", import.meta.url);
/** @type {Vector[]} */
const VECTORS = JSON.parse(readFileSync(FILE, "utf8"));

const SEED = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd";
const ENTROPIES = ["aa".repeat(16), "bb".repeat(16)];
const COMMITMENTS = [
  "bc1443a0d17aab2db1ea0302ef280717ac9a2f23355c5b649ea87d605430458d",
  "5096f043e0a447557cd2ca843d65911aa67dfdd6883ab03bdb666c44a2753365",
];

/** @typedef {Record<string, unknown> & { event: string }} Fact */

/**
 * The facts of a match of Bräde that begins with game 6, whose dice are 4 4, 4 5, 2 5, 2 4.
 *
 * @returns {Fact[]}
 */
function matchOfBrade() {
  return [
    {
      event: "match_opened",
      match: "r1-anna-v-bo",
      attempt: 1,
      dice_commitment: COMMITMENT,
      ruleset: { fields: { opening: "lower_starts" } },
    },
    { event: "bot_ready", seat: 2, commitment: COMMITMENTS[1] },
    { event: "bot_ready", seat: 1, commitment: COMMITMENTS[0] },
    { event: "entropy_revealed", seat: 1, entropy: ENTROPIES[0] },
    { event: "entropy_revealed", seat: 2, entropy: ENTROPIES[1] },
    {
      event: "game_started",
      game: 6,
      opening: [
        [4, 4],
        [4, 5],
      ],
    },
    { event: "turn_rejected", game: 6, turn: 1, dice: [2, 5] },
    { event: "turn_played", game: 6, turn: 1, dice: [2, 5] },
    { event: "turn_played", game: 6, turn: 2, dice: [2, 4] },
    { event: "dice_revealed", dice_seed: SEED },
  ];
}

/**
 * @param {readonly Fact[]} facts
 * @returns {string}
 */
function recordOf(facts) {
  return facts.map((fact) => `${JSON.stringify(fact)}\n`).join("");
}

/**
 * @param {string} event
 * @param {Record<string, unknown>} changes
 * @returns {string} the record with other values in the facts of that event
 */
function recordWith(event, changes) {
  const facts = matchOfBrade();
  for (const fact of facts) if (fact.event === event) Object.assign(fact, changes);
  return recordOf(facts);
}

test("there are vectors to compare with", () => {
  assert.ok(VECTORS.length >= 10);
});

for (const { seed, fixture, attempt, game, entropy, dice } of VECTORS) {
  const added = entropy.map((hex) => hex.length / 2).join(" and ");
  test(`attempt ${attempt}, game ${game}, ${added} bytes of entropy: the dice follow`, async () => {
    const key = Uint8Array.from(Buffer.from(seed, "hex"));
    const label = `brade-dice-2|${fixture}|${attempt}|${game}`;
    const rolled = [];
    for await (const face of diceOf(key, label, entropy)) {
      rolled.push(face);
      if (rolled.length === dice.length) break;
    }
    assert.deepEqual(rolled, dice);
  });
}

test("every throw and every roll of a match is compared, a rejected turn's once", async () => {
  assert.equal(await checkedRolls(recordOf(matchOfBrade())), 4);
});

test("where the higher die starts, the last throw is the first roll", async () => {
  const facts = matchOfBrade().map((fact) => {
    if (fact.event === "match_opened")
      return { ...fact, ruleset: { fields: { opening: "higher_starts" } } };
    if (fact.turn === 1) return { ...fact, dice: [4, 5] };
    if (fact.turn === 2) return { ...fact, dice: [2, 5] };
    return fact;
  });
  assert.equal(await checkedRolls(recordOf(facts)), 3);
});

test("a call for dice is no roll", async () => {
  const facts = matchOfBrade();
  const call = { event: "dice_called", game: 6, turn: 3, dice: 1 };
  facts.splice(-1, 0, call, { event: "turn_played", game: 6, turn: 3, dice: [6] });
  assert.equal(await checkedRolls(recordOf(facts)), 5);
});

test("only the last attempt of a record is checked", async () => {
  const earlier = recordWith("dice_revealed", { dice_seed: "00" });
  assert.equal(await checkedRolls(earlier + recordOf(matchOfBrade())), 4);
});

test("a match without games has no dice", async () => {
  const facts = matchOfBrade().filter((fact) => fact.game === undefined);
  assert.equal(await checkedRolls(recordOf(facts)), 0);
});

test("one die that is another is found", async () => {
  const facts = matchOfBrade();
  for (const fact of facts) if (fact.turn === 2) fact.dice = [2, 3];
  await assert.rejects(checkedRolls(recordOf(facts)), {
    message: "A roll of game 6 does not follow from the seed.",
  });
});

test("a throw for the start that is another is found", async () => {
  const record = recordWith("game_started", { opening: [[4, 5]] });
  await assert.rejects(checkedRolls(record), /A roll of game 6 does not follow/);
});

test("a roll in a game that never began follows from nothing", async () => {
  const facts = matchOfBrade().filter((fact) => fact.event !== "game_started");
  await assert.rejects(checkedRolls(recordOf(facts)), /A roll of game 6 does not follow/);
});

test("a seed that is not the fixed one is found", async () => {
  const record = recordWith("dice_revealed", { dice_seed: SEED.replace("1f", "20") });
  await assert.rejects(checkedRolls(record), {
    message: "The seed is not the one that was fixed before the match.",
  });
});

test("without the seed nothing can be checked", async () => {
  const facts = matchOfBrade().filter((fact) => fact.event !== "dice_revealed");
  await assert.rejects(checkedRolls(recordOf(facts)), {
    message: "The seed of the dice is not revealed before the match is over.",
  });
});

test("a seat that reveals something else than it had fixed is named", async () => {
  const facts = matchOfBrade();
  for (const fact of facts)
    if (fact.event === "entropy_revealed" && fact.seat === 2) fact.entropy = "bc".repeat(16);
  await assert.rejects(checkedRolls(recordOf(facts)), {
    message: "Seat 2 has revealed something else than it had fixed.",
  });
});

test("of several commitments of a seat the last one counts", async () => {
  const facts = matchOfBrade();
  facts.splice(1, 0, { event: "bot_ready", seat: 1, commitment: "00" });
  assert.equal(await checkedRolls(recordOf(facts)), 4);
});

test("a seat that adds nothing has nothing to reveal", async () => {
  const vector = VECTORS.find(({ entropy }) => entropy[0] !== "" && entropy[1] === "");
  assert.ok(vector);
  const [first, second] = vector.dice;
  const facts = matchOfBrade().filter(
    (fact) => fact.game === undefined && !(fact.event === "entropy_revealed" && fact.seat === 2),
  );
  for (const fact of facts)
    if (fact.event === "bot_ready" && fact.seat === 2) fact.commitment = null;
  const { game } = vector;
  facts.push({ event: "game_started", game, opening: [[first, second]] });
  assert.equal(await checkedRolls(recordOf(facts)), 1);
});
