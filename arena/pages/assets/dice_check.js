// The dice of a match, computed again from its secrets when the match is over.

import { make, number, pressed } from "./elements.js";
import { isSaid, say, told } from "./words.js";

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/**
 * A line of the record of a match, as far as the dice depend on it.
 *
 * @typedef {object} Fact
 * @property {string} event
 * @property {number} [seat]
 * @property {number} [game]
 * @property {number} [turn]
 * @property {readonly number[] | number} [dice] the faces; in a call for dice, how many
 * @property {readonly (readonly number[])[]} [opening] the throws for the start
 * @property {string} [dice_seed] in hexadecimal digits, as all that is secret
 * @property {string} [entropy]
 * @property {string | null} [commitment] null if the seat adds no entropy
 */

/**
 * The first line of an attempt.
 *
 * @typedef {object} Opened
 * @property {string} match
 * @property {number} attempt
 * @property {string} dice_commitment the hash of the seed
 * @property {{ fields: { opening: string } }} ruleset
 */

/**
 * Roll dice, 1 to 6, without end: HMAC-SHA256 in counter mode over a label and the entropies of
 * both sides.
 *
 * @param {Bytes} seed
 * @param {string} label
 * @param {readonly string[]} entropies
 * @returns {AsyncGenerator<number, never>}
 */
export async function* diceOf(seed, label, entropies) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", seed, algorithm, false, ["sign"]);
  for (let counter = 0; ; counter += 1) {
    const text = new TextEncoder().encode([label, ...entropies, counter].join("|"));
    const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, text));
    for (const byte of bytes) if (byte < 252) yield (byte % 6) + 1;
  }
}

/**
 * @param {string} hex
 * @returns {Bytes}
 */
function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/**
 * @param {Bytes} data
 * @returns {Promise<string>} in hexadecimal digits
 */
async function sha256Of(data) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Check the dice of the last attempt of a match.
 *
 * @param {string} record of the match, a fact in JSON on each line
 * @returns {Promise<number>} the rolls that follow from the seed
 * @throws {Error} with a sentence for the reader if a roll or a secret is another one
 */
export async function checkedRolls(record) {
  const lines = record.split("\n").filter(Boolean);
  const all = lines.map((line) => JSON.parse(line));
  const begin = all.findLastIndex((fact) => fact.event === "match_opened");
  /** @type {Opened} */
  const opened = all.at(begin);
  /** @type {Fact[]} */
  const facts = all.slice(begin);
  const seed = await revealedSeed(facts, opened);
  const entropies = [await revealedEntropy(facts, 1), await revealedEntropy(facts, 2)];
  return comparedRolls(opened, facts, seed, entropies);
}

/**
 * @param {readonly Fact[]} facts
 * @param {Opened} opened
 * @returns {Promise<Bytes>}
 */
async function revealedSeed(facts, opened) {
  const revealed = facts.find((fact) => fact.event === "dice_revealed");
  if (!revealed)
    throw new Error(say("The seed of the dice is not revealed before the match is over."));
  const seed = bytesOf(revealed.dice_seed ?? "");
  if ((await sha256Of(seed)) !== opened.dice_commitment)
    throw new Error(say("The seed is not the one that was fixed before the match."));
  return seed;
}

/**
 * @param {readonly Fact[]} facts
 * @param {number} seat
 * @returns {Promise<string>} empty if the seat adds none
 */
async function revealedEntropy(facts, seat) {
  /** @param {string} event */
  const last = (event) => facts.findLast((fact) => fact.event === event && fact.seat === seat);
  const entropy = last("entropy_revealed")?.entropy ?? "";
  const commitment = last("bot_ready")?.commitment;
  if (commitment !== null && (await sha256Of(bytesOf(entropy))) !== commitment)
    throw new Error(say("Seat {seat} has revealed something else than it had fixed.", { seat }));
  return entropy;
}

/**
 * The dice of a game, rolled once more. `comparedTurn` is the last turn whose dice were compared,
 * or 0: its rejected answers have the same.
 *
 * @typedef {{ dice: AsyncGenerator<number, never>, comparedTurn: number }} GameDice
 */

/**
 * Roll every die once more, and compare it with the record.
 *
 * @param {Opened} opened
 * @param {readonly Fact[]} facts
 * @param {Bytes} seed
 * @param {readonly string[]} entropies
 * @returns {Promise<number>} rolls and throws
 */
async function comparedRolls(opened, facts, seed, entropies) {
  // The last throw for the start is the first roll, where the higher die starts.
  const comparedTurn = opened.ruleset.fields.opening === "higher_starts" ? 1 : 0;
  /** @type {Map<number, GameDice>} */
  const games = new Map();
  let rolls = 0;
  for (const fact of facts) {
    const { game: number = 0, turn = 0 } = fact;
    if (fact.event === "game_started") {
      const label = ["brade-dice-2", opened.match, opened.attempt, number].join("|");
      const game = { dice: diceOf(seed, label, entropies), comparedTurn };
      games.set(number, game);
      for (const faces of fact.opening ?? []) await compare(game, number, faces);
      rolls += fact.opening?.length ?? 0;
      continue;
    }
    if (!Array.isArray(fact.dice) || !fact.dice.length) continue;
    const game = games.get(number);
    if (!game) throw otherRoll(number);
    if (game.comparedTurn === turn) continue;
    await compare(game, number, fact.dice);
    game.comparedTurn = turn;
    rolls += 1;
  }
  return rolls;
}

/**
 * @param {GameDice} game
 * @param {number} number of the game
 * @param {readonly number[]} faces
 * @throws {Error} if the seed gives other faces
 */
async function compare(game, number, faces) {
  for (const face of faces) {
    const rolled = await game.dice.next();
    if (rolled.value !== face) throw otherRoll(number);
  }
}

/**
 * @param {number} game
 * @returns {Error}
 */
function otherRoll(game) {
  return new Error(say("A roll of game {game} does not follow from the seed.", { game }));
}

/**
 * Make a button that checks the dice of a match, and says what came of it.
 *
 * @param {() => Promise<string>} fetchRecord
 * @returns {HTMLDivElement}
 */
export function diceCheck(fetchRecord) {
  const verdict = make("p", { class: "verdict", role: "status", hidden: true });
  const button = pressed(
    say("Check the dice"),
    async () => {
      button.disabled = true;
      const { words, isGood } = await checked(fetchRecord);
      verdict.hidden = false;
      button.disabled = false;
      verdict.className = `verdict ${isGood ? "good" : "bad"}`;
      verdict.replaceChildren(make("strong", {}, words));
    },
    { class: "check-dice" },
  );
  const why = say(
    "Before the match the arena fixed a secret seed and showed its hash; then both sides " +
      "added numbers of their own. Your browser can compute every roll once more from what the " +
      "record reveals.",
  );
  return make("div", { class: "dice-check" }, make("p", {}, why), button, verdict);
}

/**
 * @param {() => Promise<string>} fetchRecord
 * @returns {Promise<{ words: string, isGood: boolean }>}
 */
async function checked(fetchRecord) {
  try {
    const rolls = await checkedRolls(await fetchRecord());
    return { words: rollsWords(rolls), isGood: true };
  } catch (error) {
    return { words: reasonOf(error), isGood: false };
  }
}

/**
 * @param {number} rolls
 * @returns {string}
 */
function rollsWords(rolls) {
  if (rolls === 0) return say("This game has no dice.");
  return say(
    "All {count} rolls and throws follow from the seed: these dice were fixed before you sat down.",
    { count: number(rolls) },
  );
}

/**
 * @param {unknown} error one with what the arena says, or any other
 * @returns {string}
 */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  const reason = "said" in error && isSaid(error.said) ? error.said : error.message;
  return told(reason);
}
