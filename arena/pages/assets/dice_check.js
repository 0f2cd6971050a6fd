// The dice of a match, computed again from its secrets when the match is over.

import { make, number, pressed } from "./elements.js";
import { say, told } from "./words.js";

/** Dice, 1 to 6, without end: HMAC-SHA256 in counter mode over a label and the entropies of both sides. */
async function* diceOf(seed, label, entropies) {
  const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  for (let counter = 0; ; counter += 1) {
    const text = new TextEncoder().encode([label, ...entropies, counter].join("|"));
    for (const byte of new Uint8Array(await crypto.subtle.sign("HMAC", key, text)))
      if (byte < 252) yield (byte % 6) + 1;
  }
}

function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

async function sha256Of(data) {
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", data))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** Check the last attempt of a match record; gives how many rolls follow from the seed, or raises an error. */
async function checkedRolls(record) {
  const facts = record
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const begin = facts.findLastIndex((fact) => fact.event === "match_opened"),
    lines = facts.slice(begin),
    [opened] = lines;
  const revealed = lines.find((fact) => fact.event === "dice_revealed");
  if (!revealed)
    throw new Error(say("The seed of the dice is not revealed before the match is over."));
  const seed = bytesOf(revealed.dice_seed);
  if ((await sha256Of(seed)) !== opened.dice_commitment)
    throw new Error(say("The seed is not the one that was fixed before the match."));
  const entropies = [];
  for (const seat of [1, 2]) {
    const last = (event) =>
      lines.filter((fact) => fact.event === event && fact.seat === seat).at(-1);
    const entropy = last("entropy_revealed")?.entropy ?? "",
      { commitment } = last("bot_ready");
    if (commitment !== null && (await sha256Of(bytesOf(entropy))) !== commitment)
      throw new Error(say("Seat {seat} has revealed something else than it had fixed.", { seat }));
    entropies.push(entropy);
  }
  let rolls = 0;
  const games = new Map(),
    rolled = new Map();
  const compare = async (game, found) => {
    for (const face of found)
      if ((await games.get(game).next()).value !== face)
        throw new Error(say("A roll of game {game} does not follow from the seed.", { game }));
    rolls += 1;
  };
  for (const fact of lines) {
    if (fact.event === "game_started") {
      games.set(
        fact.game,
        diceOf(
          seed,
          ["brade-dice-2", opened.match, opened.attempt, fact.game].join("|"),
          entropies,
        ),
      );
      for (const thrown of fact.opening) await compare(fact.game, thrown);
      if (opened.ruleset.fields.opening === "higher_starts") rolled.set(fact.game, 1);
    } else if (fact.dice?.length && rolled.get(fact.game) !== fact.turn) {
      await compare(fact.game, fact.dice);
      rolled.set(fact.game, fact.turn);
    }
  }
  return rolls;
}

export function diceCheck(fetchRecord) {
  const result = make("p", { class: "verdict", role: "status", hidden: true });
  const button = pressed(
    say("Check the dice"),
    async () => {
      button.disabled = true;
      let words,
        isGood = true;
      try {
        const rolls = await checkedRolls(await fetchRecord());
        words = rolls
          ? say(
              "All {count} rolls and throws follow from the seed: these dice were fixed before you sat down.",
              { count: number(rolls) },
            )
          : say("This game has no dice.");
      } catch (error) {
        [words, isGood] = [told(error.said ?? error.message), false];
      }
      result.hidden = button.disabled = false;
      result.className = `verdict ${isGood ? "good" : "bad"}`;
      result.replaceChildren(make("strong", {}, words));
    },
    { class: "check-dice" },
  );
  return make(
    "div",
    { class: "dice-check" },
    make(
      "p",
      {},
      say(
        "Before the match the arena fixed a secret seed and showed its hash; then both sides added numbers of their own. Your browser can compute every roll once more from what the record reveals.",
      ),
    ),
    button,
    result,
  );
}
