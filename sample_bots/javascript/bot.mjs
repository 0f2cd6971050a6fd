// A sample bot: it scores every legal turn by a few plain rules and plays the best one. See README.md.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { decode, encode } from "@msgpack/msgpack";

/** @import { FromArena, FromBot, Position, Turn } from "./protocol.d.ts" */

const FINGERPRINT = "1"; // of this build: in a venue another one makes a new version of the bot
const LONGEST_FRAME = 262_144; // bytes; the arena sends no more in one frame
const PASSING = ["already_connected", "too_many_connections"]; // it may let me in later
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO/; // Node's codes for a certificate of an authority that it does not know
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 2000];

const { ARENA_ADDRESS = "", ARENA_NAME = "", ARENA_TOKEN = "" } = process.env; // the arena sets them
const { ARENA_CA = "" } = process.env; // a file: the certificate to trust, of an arena elsewhere whose operator made it

/** An end of the connection after which it is worth connecting again. */
class Lost extends Error {}

/** An end after which it is not. */
class Refused extends Error {}

/**
 * The strategy: how much I like the board after these moves. In a game without `points` all turns are equally good.
 * @param {Position} position
 * @param {[number | string, number | string][]} moves
 */
function score(position, moves) {
  if (!position.points) return 0;
  const { points, bar } = position;
  const board = [bar[0], ...points, 0]; // numbered as moves are: 0 my bar, 1 to 24 my points, 25 off; theirs are < 0
  let liking = 0;
  for (const [from, to] of /** @type {[number, number][]} */ (moves)) {
    board[from] -= 1;
    if (to < 25 && board[to] < 0) {
      liking += 30; // a hit: the opponent has to enter again
      board[to] = 0;
    }
    board[to] += 1;
  }
  for (let point = 1; point <= 24; point++) {
    if (board[point] === 1) liking -= 5; // alone, a checker can be hit
    if (board[point] >= 2) liking += 4; // in company it closes the point
    if (board[point] > 0 && point >= 19) liking += 2 * board[point]; // it has run home, to the last six points
  }
  return liking + 8 * board[25];
}

/**
 * The index of the turn I like best; among equals, any.
 * @param {Turn} turn
 */
function choose({ position, legal }) {
  const likings = (legal ?? []).map((moves) => score(position, moves) + Math.random());
  return likings.indexOf(Math.max(...likings));
}

function connect() {
  const [, kind, path, host, port] = /^(?:(unix):(.+)|(?:tcp|tls):\[?(.+?)\]?:(\d+))$/.exec(ARENA_ADDRESS) ?? [];
  if (kind) return net.connect(path);
  if (!host) throw new Refused(`ARENA_ADDRESS is '${ARENA_ADDRESS}', not unix:path, tcp:host:port or tls:host:port`);
  const place = { host, port: Number(port) };
  const socket = ARENA_ADDRESS.startsWith("tls:") ? tls.connect({ ...place, ca: trusted() }) : net.connect(place);
  return socket.setNoDelay(true); // or a small answer may wait in the operating system while the clock runs
}

/** The certificates to trust; without `ARENA_CA` those that Node knows. */
function trusted() {
  try {
    return ARENA_CA ? readFileSync(ARENA_CA) : undefined;
  } catch (error) {
    throw new Refused(`ARENA_CA=${ARENA_CA} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * One message after the other: four bytes of length, big-endian, then a msgpack map. A read may bring half of one.
 * @param {net.Socket} socket
 * @returns {AsyncGenerator<FromArena>}
 */
async function* messages(socket) {
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4) {
      const length = received.readUInt32BE(0);
      if (length > LONGEST_FRAME) {
        throw new Refused(`a frame of ${length} bytes was announced, ${LONGEST_FRAME} are allowed: is this an arena?`);
      }
      if (received.length < 4 + length) break;
      const frame = received.subarray(4, 4 + length);
      received = received.subarray(4 + length);
      yield /** @type {FromArena} */ (read(frame));
    }
  }
}

/** @param {Buffer} frame */
function read(frame) {
  try {
    return decode(frame);
  } catch (error) {
    throw new Refused(`a frame of the arena cannot be read: ${error}`);
  }
}

/** My share in the dice of each match under way: random bytes, which I reveal when both bots have committed to theirs. */
const shares = /** @type {Map<string, { attempt: number, entropy: Buffer }>} */ (new Map());

/**
 * The share of a match; the same until its next attempt, even if the connection is lost meanwhile.
 * @param {string} match
 * @param {number} attempt
 */
function shareIn(match, attempt) {
  const known = shares.get(match);
  if (known?.attempt === attempt) return known.entropy;
  const entropy = randomBytes(32);
  shares.set(match, { attempt, entropy });
  return entropy;
}

const me = { isWelcome: false, resumeKey: /** @type {string | null} */ (null), graceMs: 0 };

/**
 * What a message asks for, if it asks for anything.
 * @param {FromArena} said
 * @returns {FromBot | undefined}
 */
function answer(said) {
  switch (said.type) {
    case "hello": {
      if (said.protocol !== 1) throw new Refused(`the arena speaks protocol ${said.protocol}, this bot speaks 1`);
      const [name, token, resume] = [ARENA_NAME, ARENA_TOKEN, me.resumeKey];
      const [version, fingerprint] = ["1.0", FINGERPRINT];
      return { type: "login", protocol: 1, name, version, fingerprint, token, wants: ["legal"], resume };
    }
    case "welcome":
      me.isWelcome = true;
      me.resumeKey = said.resume_key;
      me.graceMs = said.limits.grace_ms ?? 0; // how long the arena waits for a bot that is gone
      return;
    case "match_start": {
      const entropy = shareIn(said.match, said.attempt ?? 1);
      return { type: "match_ready", match: said.match, commitment: createHash("sha256").update(entropy).digest() };
    }
    case "match_reveal":
      return { type: "match_entropy", match: said.match, entropy: shares.get(said.match)?.entropy ?? Buffer.alloc(0) };
    case "turn":
      return { type: "play", game: said.game, turn: said.turn, choice: choose(said) };
    case "rejected":
      console.error(`rejected (${said.code}, ${said.clause}): ${said.message}`);
      if (said.left < 0) return; // the game is lost
      return { type: "play", game: said.game, turn: said.turn, choice: 0 }; // the first legal turn is always there
    case "match_end":
      shares.delete(said.match);
      console.log(`${said.match}: ${said.result}, ${said.score.join(" to ")}`);
      return;
    case "ping":
      return { type: "pong", data: said.data ?? 0 };
    case "error": {
      const sentence = `the arena says: ${said.message} (${said.code})`;
      if (said.code === "internal" || (!me.isWelcome && PASSING.includes(said.code))) throw new Lost(sentence);
      if (said.fatal) throw new Refused(sentence);
      console.error(sentence);
    }
  } // what I do not know I skip
}

/** One connection, until the arena says goodbye. */
async function session() {
  me.isWelcome = false;
  try {
    const socket = connect();
    socket.on("error", () => {}); // the loop hears of it too
    for await (const said of messages(socket)) {
      if (said.type === "bye") return;
      const message = answer(said);
      if (!message) continue;
      const body = encode(message); // strings become str, Buffers bin. Send no fractions: the arena refuses floats
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      socket.write(Buffer.concat([length, body]));
    }
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!code) throw error;
    const advice = UNTRUSTED.test(code) ? "; if the operator has made the certificate, set ARENA_CA=arena.pem" : "";
    throw new Lost(`the connection to ${ARENA_ADDRESS} failed: ${code}${advice}`);
  }
  throw new Lost("the arena hung up");
}

async function main() {
  if (!ARENA_ADDRESS || !ARENA_NAME || !ARENA_TOKEN) {
    throw new Refused(
      "ARENA_ADDRESS, ARENA_NAME and ARENA_TOKEN are not all set: let the arena start this bot, " +
        'as in: arena run --bot js="..." --bot ... (see README.md)',
    );
  }
  let giveUp = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await session();
    } catch (error) {
      if (me.isWelcome) {
        giveUp = performance.now() + me.graceMs; // the grace begins
        pauseMs = FIRST_PAUSE_MS;
      }
      if (!(error instanceof Lost) || performance.now() >= giveUp) throw error;
      console.error(`${error.message}; connecting again`);
      await sleep(pauseMs);
    }
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Lost || error instanceof Refused)) throw error; // a mistake in this program
  console.error(error.message);
  process.exitCode = 1;
}
