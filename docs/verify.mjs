// Checks a run folder of the arena with nothing but node: hashes, signatures and dice. It does not know the rules of any
// game; `arena verify` does. What is checked, and what that proves, is told in docs/trust.md.
//
//   node verify.mjs my-run
//
// Exit status 0 if all is in order, 1 with the first thing that is not.

import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";

class Problem extends Error {}

const [folder] = process.argv.slice(2);
const done = { attempts: 0, rolls: 0, hashes: 0, signatures: 0 };
const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const bytes = (hex) => Buffer.from(hex, "hex");

function demand(isTrue, where, problem) {
  if (!isTrue) throw new Problem(`${where}: ${problem}`);
}

/** The lines of a record that have an end, each with its fact, its number and where it begins and ends in the file. */
function read(name) {
  const data = readFileSync(`${folder}/${name}`);
  const lines = [];
  for (let from = 0, to; (to = data.indexOf(10, from) + 1) > 0; from = to) {
    const where = `${name}:${lines.length + 1}`;
    let fact = null;
    try {
      fact = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data.subarray(from, to - 1)));
    } catch {} // it is no JSON
    demand(typeof fact?.event === "string" && fact.v === 1, where, "this is no line of a record");
    if (fact.event === "record_closed") hash(data.subarray(0, from), fact.sha256, where, "a line before it was changed");
    lines.push({ fact, where, from, to, number: lines.length + 1 });
  }
  return { data, lines };
}

function hash(data, expected, where, problem) {
  done.hashes++;
  demand(sha256(data) === expected, where, problem);
}

/** An Ed25519 signature of a text; key and signature in hexadecimal. */
function signature(key, text, signed, where, problem) {
  done.signatures++;
  let isIts = false;
  try {
    const der = Buffer.concat([bytes("302a300506032b6570032100"), bytes(key)]);
    isIts = verify(null, Buffer.from(text), createPublicKey({ key: der, format: "der", type: "spki" }), bytes(signed));
  } catch {} // no key at all
  demand(isIts, where, problem);
}

/** Dice, 1 to 6, without end (docs/dice.md). */
function* stream(seed, label, entropies) {
  for (let counter = 0; ; counter++)
    for (const byte of createHmac("sha256", seed).update([label, ...entropies, counter].join("|")).digest())
      if (byte < 252) yield (byte % 6) + 1;
}

const take = (dice, number) => Array.from({ length: number }, () => dice.next().value);

/** Every commitment, throw and roll of an attempt whose seed is revealed. */
function checkDice(lines) {
  const [{ fact: opened, where }] = lines;
  const all = (event) => lines.filter((line) => line.fact.event === event);
  const [revealed] = all("dice_revealed");
  if (!revealed) return;
  const seed = bytes(revealed.fact.dice_seed);
  hash(seed, opened.dice_commitment, revealed.where, "this is not the seed that was committed to");
  if (!all("game_started").length) return; // no die was rolled
  const entropies = [1, 2].map((seat) => {
    const last = (event) => all(event).filter((line) => line.fact.seat === seat).at(-1)?.fact;
    const [ready, given] = [last("bot_ready"), last("entropy_revealed")];
    demand(ready, where, `the bot at seat ${seat} was never ready`);
    const entropy = given?.entropy ?? "";
    if (ready.commitment !== null)
      hash(bytes(entropy), ready.commitment, where, `the entropy of seat ${seat} is not what it had committed to`);
    else demand(entropy === "", where, `the bot at seat ${seat} has revealed what it had not committed to`);
    return entropy;
  });
  const isOfPairs = opened.terms.form === "pairs";
  const label = isOfPairs ? "brade-dice-pairs-2" : "brade-dice-2";
  const of = (...place) => stream(seed, [label, opened.match, opened.attempt, ...place].join("|"), entropies);
  const step = (fact, number) => of(Math.ceil(fact.game / 2), number);
  const games = new Map();
  const rolled = new Map(); // game to the last turn that was rolled for: a rejected turn is asked for again
  for (const { fact, where } of lines) {
    const compare = (found, expected) => {
      done.rolls++;
      demand(String(found) === String(expected), where, "these dice do not follow from the seed and the entropies");
    };
    if (fact.event === "game_started") {
      const dice = isOfPairs ? step(fact, 0) : of(fact.game);
      games.set(fact.game, dice);
      for (const thrown of fact.opening) {
        const two = take(dice, 2);
        compare(thrown, isOfPairs && fact.game % 2 === 0 ? two.reverse() : two);
      }
      if (opened.ruleset.fields.opening === "higher_starts") rolled.set(fact.game, 1); // played from the throw (G2)
    } else if (fact.dice?.length && rolled.get(fact.game) !== fact.turn) {
      demand(games.has(fact.game), where, "this game has not begun");
      compare(fact.dice, take(isOfPairs ? step(fact, fact.turn) : games.get(fact.game), fact.dice.length));
      rolled.set(fact.game, fact.turn);
    }
  }
}

/** The receipts that bots have signed (docs/receipts.md). */
function checkReceipts(data, lines, before) {
  const [{ fact: opened }] = lines;
  const keys = new Map();
  for (const { fact, where, number } of lines) {
    if (fact.event === "bot_ready") keys.set(fact.seat, fact.entrant.public_key);
    if (fact.event !== "receipt_signed") continue;
    demand(keys.get(fact.seat) && fact.lines < number, where, "no key was given, or the signed lines follow");
    const signed = sha256(data.subarray(0, before[fact.lines - 1]?.to ?? 0));
    const text = `brade-receipt-1|${opened.match}|${opened.attempt}|${fact.lines}|${signed}`;
    signature(keys.get(fact.seat), text, fact.signature, where, "the bot has not signed these lines");
  }
}

/** The attempts of a match record, checked; `issued` has the commitments that the tournament record gives them. */
function checkMatch(id, issued, isClosed) {
  const name = `matches/${id}.jsonl`;
  if (!existsSync(`${folder}/${name}`)) return { data: Buffer.alloc(0), attempts: [] };
  const { data, lines } = read(name);
  const attempts = [];
  for (const line of lines) {
    const isClosing = attempts.at(-1)?.at(-1).fact.event === "record_closed";
    demand((line.fact.event === "match_opened") === (!attempts.length || isClosing), line.where, "it cannot stand here");
    if (line.fact.event === "match_opened") attempts.push([]);
    attempts.at(-1).push(line);
  }
  demand(!isClosed || attempts.length <= issued.length, name, "it has more attempts than the tournament");
  attempts.slice(0, issued.length).forEach((attempt, index) => {
    const { fact: opened, where } = attempt[0];
    demand(opened.match === id && opened.attempt === index + 1, where, "this is the header of another match or attempt");
    demand(opened.dice_commitment === issued[index], where, "the tournament record has another commitment to the dice");
    checkDice(attempt);
    checkReceipts(data, attempt, lines);
    done.attempts++;
  });
  return { data, attempts };
}

function checkRun() {
  for (const name of ["tournament.toml", "tournament.jsonl"])
    demand(existsSync(`${folder}/${name}`), name, "the file is missing");
  const { data, lines } = read("tournament.jsonl");
  demand(lines[0]?.fact.event === "tournament_opened", "tournament.jsonl:1", "this is no tournament record");
  const frozen = lines.filter(({ fact }) => fact.file_sha256).at(-1);
  hash(readFileSync(`${folder}/tournament.toml`), frozen.fact.file_sha256, frozen.where, "tournament.toml was changed");
  const isClosed = lines.at(-1).fact.event === "record_closed";
  const issued = new Map();
  for (const { fact } of lines.filter(({ fact }) => fact.event === "fixture_issued"))
    issued.set(fact.fixture, [...(issued.get(fact.fixture) ?? []), fact.dice_commitment]);
  for (const file of existsSync(`${folder}/matches`) ? readdirSync(`${folder}/matches`) : [])
    demand(!isClosed || issued.has(file.replace(/\.jsonl$/, "")), `matches/${file}`, "the tournament has no such match");
  const matches = new Map([...issued].map(([id, commitments]) => [id, checkMatch(id, commitments, isClosed)]));
  const deciding = ["fixture_settled", "fixture_voided", "entrants_added", "tournament_ended"];
  let [state, head, isAll] = ["open", null, false];
  for (const { fact, where, from, number } of lines) {
    const after = { tournament_ended: "ended", record_closed: "closed", entrants_added: "open" }[fact.event] ?? state;
    const isHead = fact.event === "head_signed" && state !== "closed";
    const steps = ["open open", "open ended", "ended closed", "closed open"];
    demand(isHead || steps.includes(`${state} ${after}`), where, `this cannot stand in a record that is ${state}`);
    state = after;
    if (deciding.includes(fact.event)) isAll = false;
    if (fact.event === "head_signed") {
      demand(fact.lines === number - 1, where, "what was signed are not the lines before this one");
      hash(data.subarray(0, from), fact.sha256, where, "what was signed are not the lines before this one");
      const text = `brade-head-1|${fact.lines}|${fact.sha256}`;
      signature(fact.public_key, text, fact.signature, where, "the signature is not by the key beside it");
      demand(fact.public_key === (lines[0].fact.public_key ?? head?.public_key ?? fact.public_key), where, "it is signed with another key than before");
      [head, isAll] = [fact, true];
    } else if (fact.event === "fixture_settled" || fact.event === "fixture_voided") {
      const match = matches.get(fact.fixture);
      const attempt = match?.attempts[fact.attempt - 1];
      demand(attempt?.at(-1).fact.event === "record_closed", where, "this match has no closed record");
      const end = attempt.findLast(({ fact }) => ["match_ended", "match_voided"].includes(fact.event))?.fact;
      const isSame = (key) => String(fact[key]) === String(end?.[key]);
      demand([fact.score ? "score" : "reason", "violations"].every(isSame), where, "its record ends in another way");
      hash(match.data.subarray(0, attempt.at(-1).to), fact.record_sha256, where, "its record is not the one settled");
    }
  }
  const far = isAll ? "" : ` to line ${head?.lines} of ${lines.length}`;
  const signed = head ? `${far} by the key ${head.public_key}${far && "; the rest is signed by nobody"}` : " by nobody";
  return `${lines.length}:${sha256(data.subarray(0, lines.at(-1).to))} (lines of tournament.jsonl, and their SHA-256); signed${signed}`;
}

try {
  const head = checkRun();
  console.log(`in order: ${Object.entries(done).map(([what, number]) => `${number} ${what}`).join(", ")}\nhead: ${head}`);
} catch (error) {
  if (!(error instanceof Problem)) throw error; // a mistake in this program, or a file that cannot be read
  console.log(`not in order: ${error.message}`);
  process.exitCode = 1;
}
