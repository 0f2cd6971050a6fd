// A sample bot: it scores every legal turn by a few plain rules and plays the best one. See README.md.
import { randomBytes } from "node:crypto";
import net from "node:net";
import tls from "node:tls";
import { decode, encode } from "@msgpack/msgpack";

const { ARENA_ADDRESS, ARENA_NAME, ARENA_TOKEN } = process.env; // the arena sets them when it starts the bot

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

// The strategy: how much I like the board after these moves. In a game without `points` all turns are equally good.
function score({ points, bar }, moves) {
  if (!points) return 0;
  const board = [bar[0], ...points, 0]; // numbered as moves are: 0 my bar, 1 to 24 my points, 25 off; theirs are < 0
  let liking = 0;
  for (const [from, to] of moves) {
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

// The index of the turn I like best; among equals, any.
function choose({ position, legal }) {
  const likings = legal.map((moves) => score(position, moves) + Math.random());
  return likings.indexOf(Math.max(...likings));
}

function connect(address) {
  const [, kind, path, host, port] = /^(?:(unix):(.+)|(?:tcp|tls):\[?(.+?)\]?:(\d+))$/.exec(address) ?? [];
  if (kind) return net.connect(path);
  if (!host) fail("ARENA_ADDRESS is none of unix:path, tcp:host:port and tls:host:port.");
  const socket = address.startsWith("tls:") ? tls.connect({ host, port }) : net.connect({ host, port });
  return socket.setNoDelay(true); // or a small answer may wait in the operating system while the clock runs
}

// One message after the other: four bytes of length, big-endian, then a msgpack map. A read may bring half of one.
async function* messages(socket) {
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
      const end = 4 + received.readUInt32BE(0);
      yield decode(received.subarray(4, end));
      received = received.subarray(end);
    }
  }
}

async function converse(socket) {
  const send = (message) => {
    const body = encode(message); // strings become str, Buffers bin. Send no fractions: the arena refuses floats
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    socket.write(Buffer.concat([length, body]));
  };
  const turns = new Map(); // the latest turn of every game, in case its answer is rejected
  for await (const said of messages(socket)) {
    const { type, match, game, turn } = said;
    if (type === "hello") {
      send({ type: "login", protocol: 1, name: ARENA_NAME, version: "1.0", token: ARENA_TOKEN, wants: ["legal"] });
    } else if (type === "match_start") {
      send({ type: "match_ready", match, entropy: randomBytes(32) }); // my share in the dice
    } else if (type === "turn") {
      turns.set(game, said);
      send({ type: "play", game, turn, choice: choose(said) });
    } else if (type === "rejected") {
      console.error(`rejected (${said.code}, ${said.clause}): ${said.message}`);
      const any = Math.floor(Math.random() * turns.get(game).legal.length);
      if (said.left >= 0) send({ type: "play", game, turn, choice: any });
    } else if (type === "game_end") {
      turns.delete(game);
      console.log(`${match}, game ${said.number}: ${said.result} by ${said.ending}`);
    } else if (type === "match_end") {
      console.log(`${match}: ${said.result}, ${said.score.join(" to ")}`);
    } else if (type === "ping") {
      send({ type: "pong", data: said.data ?? 0 });
    } else if (type === "error") {
      console.error(`the arena says: ${said.message} (${said.code})`);
      if (said.fatal) return 1;
    } else if (type === "bye") {
      return 0;
    } // welcome and game_start need no answer, and what I do not know I skip
  }
  return 0; // the end of the stream
}

if (!ARENA_ADDRESS || !ARENA_NAME || !ARENA_TOKEN) {
  fail('Let the arena start this bot, as in: arena run --bot js="node bot.mjs" --bot ... (see README.md).');
}
try {
  process.exitCode = await converse(connect(ARENA_ADDRESS));
} catch (error) {
  if (!error.code) throw error; // a mistake in this program: Node tells the place and exits with 1
  fail(`no connection to ${ARENA_ADDRESS}: ${error.code}`);
}
