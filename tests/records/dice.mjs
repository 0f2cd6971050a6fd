// The dice of docs/dice.md once more, in another language and from that page alone; nothing but node is needed.
//
//   node dice.mjs vectors FILE    work out the dice of every vector of a file; print what differs
//   node dice.mjs record FILE...  check commitments, throws and rolls of match records; print what differs
//
// Exit status 0 if nothing differs, else 1.

import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

/** Dice, 1 to 6, without end; `seed` in bytes, `head` is the message without its counter. */
function* stream(seed, head) {
  for (let counter = 0; ; counter++)
    for (const byte of createHmac("sha256", seed).update(head + counter, "utf8").digest())
      if (byte < 252) yield (byte % 6) + 1;
}

/** The dice of one game of a series; the entropies in hexadecimal. */
const dice = (seed, fixture, attempt, game, entropy1, entropy2) =>
  stream(seed, `brade-dice-2|${fixture}|${attempt}|${game}|${entropy1}|${entropy2}|`);

/** The dice of one step of a pair, the same for both halves. */
const pairDice = (seed, fixture, attempt, pair, step, entropy1, entropy2) =>
  stream(seed, `brade-dice-pairs-2|${fixture}|${attempt}|${pair}|${step}|${entropy1}|${entropy2}|`);

const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const bytes = (hex) => Buffer.from(hex, "hex");
const take = (stream, number) => Array.from({ length: number }, () => stream.next().value);
const differences = [];
let compared = 0;

function compare(where, found, expected) {
  compared++;
  if (String(found) !== String(expected)) differences.push(`${where}: ${found} must be ${expected}`);
}

function checkVectors(file) {
  JSON.parse(readFileSync(file, "utf8")).forEach((one, index) => {
    const { fixture, attempt, game, pair, step, entropy } = one;
    const seed = bytes(one.seed);
    const given = pair
      ? pairDice(seed, fixture, attempt, pair, step, ...entropy)
      : dice(seed, fixture, attempt, game, ...entropy);
    compare(`vector ${index}`, one.dice, take(given, one.dice.length));
  });
}

/** Every attempt in a record: from its first line, `match_opened`, to the next one. */
function attempts(file) {
  const found = [];
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const fact = JSON.parse(line);
    if (fact.event === "match_opened") found.push([]);
    found.at(-1).push(fact);
  }
  return found;
}

function checkAttempt(file, facts) {
  const [opened] = facts;
  const revealed = facts.find((fact) => fact.event === "dice_revealed");
  const where = `${file}, attempt ${opened.attempt}`;
  const seed = bytes(revealed.dice_seed);
  compare(`${where}, commitment`, opened.dice_commitment, sha256(seed));
  const ofSeat = (event, seat) => facts.filter((fact) => fact.event === event && fact.seat === seat).at(-1);
  const entropies = [1, 2].map((seat) => {
    const [ready, given] = [ofSeat("bot_ready", seat), ofSeat("entropy_revealed", seat)];
    const entropy = given?.entropy ?? "";
    if (ready?.commitment && given)
      compare(`${where}, commitment of seat ${seat}`, ready.commitment, sha256(bytes(entropy)));
    return entropy;
  });
  const isOfPairs = opened.terms.form === "pairs";
  const step = (fact, number) =>
    pairDice(seed, opened.match, opened.attempt, Math.ceil(fact.game / 2), number, ...entropies);
  const isPlayedFromThrow = opened.ruleset.fields.opening === "higher_starts"; // backgammon, G2
  const streams = new Map();
  const rolled = new Map(); // game to the last turn that was rolled for, and its dice: every line of a turn has them
  for (const fact of facts) {
    const at = `${where}, game ${fact.game}, turn ${fact.turn}`;
    if (fact.event === "game_started") {
      const isSecondHalf = isOfPairs && fact.game % 2 === 0;
      const given = isOfPairs ? step(fact, 0) : dice(seed, opened.match, opened.attempt, fact.game, ...entropies);
      streams.set(fact.game, given);
      for (const thrown of fact.opening) {
        const two = take(given, 2);
        compare(`${at}, throw`, thrown, isSecondHalf ? [...two].reverse() : two);
        if (isPlayedFromThrow) rolled.set(fact.game, { turn: 1, dice: two });
      }
    } else if (fact.dice?.length) {
      const given = isOfPairs ? step(fact, fact.turn) : streams.get(fact.game);
      if (rolled.get(fact.game)?.turn !== fact.turn)
        rolled.set(fact.game, { turn: fact.turn, dice: take(given, fact.dice.length) });
      compare(at, fact.dice, rolled.get(fact.game).dice);
    }
  }
}

const [what, ...files] = process.argv.slice(2);
for (const file of files) {
  if (what === "vectors") checkVectors(file);
  else for (const facts of attempts(file)) checkAttempt(file, facts);
}
console.log(differences.length ? differences.join("\n") : `${compared} compared, no difference`);
process.exitCode = differences.length ? 1 : 0;
