// Checks a run folder of the arena with nothing but node: node verify.mjs my-run
// It checks hashes, signatures, dice, and the order of games and turns. It does not know the rules of any game; `arena
// verify` does. What that proves is told in docs/trust.md. Exit status 0 if all is in order, 1 with the first problem.

import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const done = { attempts: 0, rolls: 0, hashes: 0, signatures: 0 };
const disputes = []; // what bots did not agree with, or have not signed
const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const bytes = (hex) => Buffer.from(hex, "hex");
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function demand(isTrue, where, problem) {
  if (!isTrue) throw new Error(`${where}: ${problem}`);
}

function hash(data, expected, where, problem) {
  done.hashes++;
  demand(sha256(data) === expected, where, problem);
}

/** Why an Ed25519 signature of a text proves nothing; key and signature in hexadecimal. */
function signatureProblem(key, text, signed) {
  done.signatures++;
  const prime = 2n ** 255n - 19n;
  const place = BigInt(`0x${bytes(key).reverse().toString("hex")}`) % 2n ** 255n;
  const ofOrder8 = 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
  const isLow = [0n, 1n, prime - 1n, ofOrder8, prime - ofOrder8].includes(place % prime);
  if (isLow || place >= prime) return `the key is ${isLow ? "of low order" : "not in canonical form"}, proves nothing`;
  const der = Buffer.concat([bytes("302a300506032b6570032100"), bytes(key)]);
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  return verify(null, Buffer.from(text), publicKey, bytes(signed)) ? "" : `the signature does not fit the key ${key}`;
}

/** Every field of a record, in an order that holds in each line and in what stands in a line (records.md). */
const ORDER = `event v at_ms game turn seat spent_ms lag_ms dice lines fixture format name run sha256 moves match attempt reason entropy grace_ms blameless starter opening turns result
  left_ms info draw_offered code extended_ms measured objection dice_seed schedule best_game bots round fixtures byes standings tie_breaks notes hash fields form games score winner decision
  clock rejections turn_limit startup_ms delay_ms bank_ms increment_ms version fingerprint cpu_ms starved_ms steal_ms pressure_ms ending clause values legal_turns left draw call choice place
  entrant violations commitment break_ms is_last record_sha256 match_points points monk rank cause entrants names ruleset terms file_sha256 entrants names dice_commitment luck
  public_key kind absent away signature key_commitment before anchors_mean_elo players run lines sha256 edges entrant bot version name parent player fingerprint at_once is_house is_anchor
  is_frozen forfeited rests_until_ms constant_elo why free free_sha256 number probability key rating error`.split(/\s+/);

/** Whether all fields are known, in their order, and in one spelling where they are hexadecimal. */
function isSpelled(object) {
  let at = 0;
  return Object.entries(object).every(([name, value]) => {
    at = ORDER.indexOf(name, at) + 1;
    if (!at || /^(bots|decision|fields|info|moves|names|notes|reason|schedule|tie_breaks|values)$/.test(name)) return at;
    const size = /(256|commitment|_seed|_key|^hash)$/.test(name) ? "32" : { signature: "64", entropy: "0,32" }[name];
    if (size && value === null) return name === "commitment" || name === "public_key";
    if (size) return typeof value === "string" && RegExp(`^([0-9a-f]{2}){${size}}$`).test(value);
    return [value].flat(Infinity).every((one) => typeof one !== "object" || one === null || isSpelled(one));
  });
}

/** A number that is written with a point or an exponent, without its sign, as records spell it. */
function fraction(size) {
  if (size >= 1e16 || /e|^0\.0{5}/.test(size)) return size.toExponential().replace("+", "");
  return Number.isInteger(size) ? `${size}.0` : String(size);
}

/** The object of a line of JSON; throws a SyntaxError if it is spelled in another way than in records. */
function parse(text) {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^"{}[\]:,]+|[^]/g).map((token) => {
    if (/^([{}[\]:,]|0|-?[1-9][0-9]*)$/.test(token)) return token;
    const value = JSON.parse(token);
    const number = typeof value === "number" && fraction(Math.abs(value));
    if ((number || JSON.stringify(value)) !== token.replace(/^-/, "")) throw new SyntaxError(token);
    return number ? `["${token}"]` : token; // kept apart, so that no turn has the number 1.0
  });
  const found = JSON.parse(tokens.join(""));
  if (JSON.stringify(found).length !== tokens.join("").length) throw new SyntaxError("a key stands twice");
  return found;
}

/** The lines of a record that have an end, each with its fact, its number and where it begins and ends in the file. */
function read(name, data) {
  const lines = [];
  for (let from = 0, to; (to = data.indexOf(10, from) + 1) > 0; from = to) {
    const where = `${name}:${lines.length + 1}`;
    let fact = null;
    try {
      fact = parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data.subarray(from, to - 1)));
    } catch {} // it is no JSON
    demand(fact?.v === 1 && isSpelled(fact), where, "this is no line of a record");
    if (fact.event === "record_closed") hash(data.subarray(0, from), fact.sha256, where, "a line before was changed");
    const fits = (isTrue) => demand(isTrue, where, `${fact.event} cannot stand here`);
    lines.push({ fact, where, fits, from, to, number: lines.length + 1 });
  }
  return lines;
}

/** Dice, 1 to 6, without end (dice.md). */
function* stream(seed, label, entropies) {
  for (let counter = 0; ; counter++)
    for (const byte of createHmac("sha256", seed).update([label, ...entropies, counter].join("|")).digest())
      if (byte < 252) yield (byte % 6) + 1;
}

/** Compares dice with those of the stream of their game, from a place on, if the seed is known. */
function checkDice({ fact, where }, found, { opened, seed, isOfPairs, entropies }, turn, from, number) {
  const [name, place] = isOfPairs ? ["-pairs", `${Math.ceil(fact.game / 2)}|${turn}`] : ["", fact.game];
  const label = `brade-dice${name}-2|${opened.match}|${opened.attempt}|${place}`;
  const dice = stream(bytes(seed ?? ""), label, entropies);
  const dealt = Array.from({ length: from + number }, () => dice.next().value).slice(from);
  const isRoll = found.length === number && found.every((die) => [1, 2, 3, 4, 5, 6].includes(die));
  demand(isRoll && (!seed || isSame(found, dealt)), where, "these dice do not follow from the seed and the entropies");
  done.rolls++;
}

/** The beginning of a game: its throws, and who starts it (B2, G2, T1). */
function checkStart(line, match) {
  const { fact, fact: { starter }, where, fits } = line;
  const { opened, here, ready, entropies, isOfPairs, before } = match;
  const { family, opening } = opened.ruleset.fields;
  const isSecond = isOfPairs && match.begun % 2 === 1; // half of its pair
  fits(fact.game === ++match.begun && here[1] && here[2] && !match.isBreak);
  fits(isSecond ? before.event === "game_started" : !match.games.size);
  for (const seat of fact.game === 1 ? [1, 2] : []) {
    const { commitment } = ready[seat];
    fits(!commitment === (entropies[seat - 1] === undefined));
    if (commitment) hash(bytes(entropies[seat - 1]), commitment, where, `seat ${seat} has revealed another entropy`);
    entropies[seat - 1] ??= "";
  }
  const throws = isSecond ? fact.opening.map((dice) => [...dice].reverse()) : fact.opening;
  throws.forEach((dice, at) => {
    checkDice(line, dice, match, 0, 2 * at, 2);
    fits((dice[0] === dice[1]) === at < throws.length - 1);
  });
  const [one, two] = throws.at(-1) ?? [];
  const isHigher = opening === "higher_starts";
  const isThrown = { tables: isOfPairs || isHigher || fact.game === 1, brandubh: false }[family] ?? throws.length > 0;
  const tables = !isThrown ? match.starter : one < two === isHigher ? 2 : 1;
  fits(isThrown === throws.length > 0);
  const first = { tables, brandubh: isOfPairs || fact.game % 2 ? 1 : 2 }[family];
  fits(!first || starter === (isSecond ? 3 - first : first));
  const game = { turn: 1, seat: starter, starter, bound: [], used: [0, 0, 0], dealt: 2 * throws.length };
  match.games.set(fact.game, isHigher ? { ...game, dice: throws.at(-1), dealt: game.dealt - 2 } : game);
}

/** A line about a turn: whose turn of which game it is, and its dice. */
function checkTurn(line, match) {
  const { opened, isOfPairs, games } = match;
  const { fact, fact: { event, seat }, where, fits } = line;
  const { family, one_die } = opened.ruleset.fields;
  const game = games.get(fact.game);
  fits(game && !game.isOver && fact.turn === game.turn && seat === game.seat);
  fits([...games.values()].every((half) => half.turn >= fact.turn)); // a pair goes on in step
  if (event === "turn_rejected") fits(fact.left === opened.terms.rejections - ++game.used[seat]);
  game.isOver = event === "flag_fell" || event === "draw_agreed" || fact.left < 0;
  const isAsked = one_die && !game.dice && !game.called && !game.bound[seat]; // how many dice it wants (B11.3)
  if (event === "dice_called") fits(isAsked && [1, 2].includes((game.called = fact.dice)));
  else if ("call" in fact || (isAsked && event === "flag_fell" && !fact.dice.length))
    fits(isAsked && isSame(fact.dice, []));
  else if (event !== "draw_agreed" && event !== "clock_extended") {
    const number = { tables: game.called ?? (game.bound[seat] ? 1 : 2), brandubh: 0 }[family] ?? fact.dice.length;
    if (game.dice) demand(isSame(fact.dice, game.dice), where, "these are not the dice that were rolled for this turn");
    else checkDice(line, fact.dice, match, fact.turn, isOfPairs ? 0 : game.dealt, number);
    game.dice = fact.dice;
  }
  if (event !== "turn_played") return;
  if (one_die && game.dice.length === 1) game.bound[seat] = (game.bound[seat] || game.dice[0] + 1) - 1;
  game.dealt += game.dice.length;
  Object.assign(game, { turn: fact.turn + 1, seat: 3 - seat, dice: null, called: null });
}

/** A line of a match: games and turns one after the other, every die, and the receipts of the bots. */
function checkLine(line, match, data, record) {
  const { fact, fact: { event, seat, objection }, where, fits, number } = line;
  const { opened, before, ready, here, rests, games, entropies, end } = match;
  fits(!(fact.at_ms < before.at_ms) && (seat === undefined || seat === 1 || seat === 2));
  fits(match.isRevealed ? event === "record_closed" : !end || /^(receipt_|dice_revealed$)/.test(event));
  if (/^bot_(ready|returned|left|missing)$/.test(event)) {
    fits(!here[seat] === (event !== "bot_left"));
    here[seat] = event === "bot_ready" || event === "bot_returned";
    if (here[seat]) rests[seat] = fact.break_ms > 0; // it asks for breaks
    fits(!here[seat] || !(ready[1] && ready[2]) === (event === "bot_ready"));
    if (event === "bot_ready") fits((ready[seat] = fact).entrant.name === opened.entrants[seat - 1]);
  } else if (event === "match_resumed") here.length = 0;
  else if (event === "break_ended") {
    fits(match.isBreak);
    match.isBreak = false;
  } else if (event === "entropy_revealed") {
    fits(ready[1] && ready[2] && ready[seat].commitment && !match.begun && entropies[seat - 1] === undefined);
    entropies[seat - 1] = fact.entropy;
  } else if (event === "game_started") checkStart(line, match);
  else if (/^(turn_(played|rejected)|dice_called|draw_agreed|flag_fell|clock_extended)$/.test(event))
    checkTurn(line, match);
  else if (event === "game_ended") {
    const { winner, ending, cause } = fact.result;
    const game = games.get(fact.game) ?? { turn: 1 }; // then it never began, and is forfeited with the match
    match.isLost ||= !games.delete(fact.game);
    fits(before.event !== event || before.game < fact.game || cause === "disconnect"); // halves end in their order
    fits(fact.turns === game.turn - 1 && (!match.isLost || (!games.size && fact.game === ++match.begun)));
    fits(!game.isOver === !(ending === "agreement" || cause === "time" || cause === "illegal_turns"));
    match.starter = 3 - (winner ?? game.starter);
    match.results[fact.game - 1] = fact.result;
    match.isBreak = !games.size && match.begun < opened.terms.games && rests.includes(true);
  } else if (event === "match_voided") match.end = fact;
  else if (event === "match_ended" && match.results.length === opened.terms.games && !games.size) match.end = fact;
  else if (event === "dice_revealed") {
    fits(end && match.seed && fact.dice_seed === match.seed && fact.attempt === opened.attempt);
    match.isRevealed = true;
  } else if (event === "receipt_signed" || event === "receipt_disputed") {
    const key = ready[seat]?.entrant.public_key;
    fits(Number.isInteger(fact.lines) && fact.lines >= 1 && fact.lines < number && (key || "objection" in fact));
    const text = `brade-receipt-1|${opened.match}|${opened.attempt}|${fact.lines}`;
    const signed = `${text}|${sha256(data.subarray(0, record[fact.lines - 1].to))}`;
    const reason = objection === undefined ? signatureProblem(key, signed, fact.signature) : JSON.stringify(objection);
    if (reason) disputes.push(`disputed by ${opened.entrants[seat - 1]}: ${where}: ${reason}`);
  } else fits((match.isClosed = event === "record_closed" && match.isRevealed));
}

/** The record of a match and its attempts, checked; `issued` has the commitments of the tournament record to them. */
function checkMatch(id, { entrants, issued }, { ruleset, terms, luck }, isClosed) {
  const name = `matches/${id}.jsonl`;
  const data = existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`) : Buffer.alloc(0);
  demand(!isClosed || !data.length || data.at(-1) === 10, name, "its last line is incomplete");
  const [record, attempts] = [read(name, data), []];
  for (const line of record) {
    const { fact, where } = line;
    if (attempts.at(-1)?.isClosed === false) checkLine(line, attempts.at(-1), data, record);
    else {
      if (attempts.length === issued.length && !isClosed) break; // it is newer than the tournament record
      const own = { event: "match_opened", format: "brade-match-1", match: id, attempt: attempts.length + 1, entrants };
      const header = { ...fact, ...own, dice_commitment: issued[attempts.length], ruleset, terms, luck };
      demand(isSame(fact, header), where, "this is the header of another match or attempt");
      const seed = record.find(({ fact: one }) => one.dice_seed && one.attempt === fact.attempt)?.fact.dice_seed;
      if (seed) hash(bytes(seed), fact.dice_commitment, where, "the seed that is revealed is not the one committed to");
      const isNew = { isClosed: false, games: new Map(), results: [], begun: 0 };
      const seats = { ready: [], here: [], rests: [], entropies: [] };
      attempts.push({ opened: fact, seed, isOfPairs: fact.terms.form === "pairs", ...isNew, ...seats });
      done.attempts++;
    }
    Object.assign(attempts.at(-1), { before: fact, to: line.to });
  }
  return { data, attempts };
}

const STRING = /^("""|'''|"|')([^]*)\1$/;
const TOKENS = /"""(?:[^\\]|\\[^])*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#.*|[[\]{}=,]|[^\s[\]{}=,#"']+/g;
const ESCAPES = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\x1b" };

/** The text of a string of TOML; undefined for any other token. */
function textOf(token) {
  const [, quotes = "", inside] = STRING.exec(token) ?? [];
  const text = quotes[1] ? inside.replace(/^\r?\n/, "") : inside;
  if (quotes[0] !== '"') return text;
  return text.replace(/\\(?:\s*\n\s*|u(.{4})|U(.{8})|([^]))/g, (_, four, eight, one = "") =>
    four || eight ? String.fromCodePoint(parseInt(four ?? eight, 16)) : ESCAPES[one] ?? one);
}

/** What a tournament file says, in TOML; fails somehow if it is none. */
function readToml(text) {
  const tokens = text.match(TOKENS).filter((token) => !token.startsWith("#"));
  let at = 0;
  const path = (end) => {
    const part = tokens.slice(at, tokens.indexOf(end, at));
    at += part.length + 1;
    return part.flatMap((token) => (STRING.test(token) ? [textOf(token)] : token.split(".").filter(Boolean)));
  };
  const inside = (table, names) => names.reduce((one, name) => [(one[name] ??= {})].flat().at(-1), table);
  const put = (table, names = path("=")) => (inside(table, names.slice(0, -1))[names.at(-1)] = value());
  const value = () => {
    const token = tokens[at++];
    const [found, end] = { "[": [[], "]"], "{": [{}, "}"] }[token] ?? [];
    for (; end && tokens[at] !== end; at += tokens[at] === ",") token === "[" ? found.push(value()) : put(found);
    at += end ? 1 : 0;
    return found ?? textOf(token) ?? { true: true, false: false }[token] ?? Number(token.replaceAll("_", ""));
  };
  const root = {};
  for (let table = root; at < tokens.length; )
    if (tokens[at] !== "[") put(table);
    else if (tokens[++at] !== "[") table = inside(root, path("]"));
    else {
      const names = path("]").slice(1); // the first is the second bracket
      (inside(root, names.slice(0, -1))[names.at(-1)] ??= []).push((table = {}));
      at++;
    }
  return root;
}

/** Compares what the tournament file says with the record; what it does not say has its default. */
function checkFile(text, { name, schedule, violations, terms, ruleset }, lines) {
  const { tournament = {}, clock, limits = {}, bot = [] } = readToml(text);
  const { pairs, games = 3, ruleset: rules = "vasa", options = [] } = tournament;
  const names = Object.assign({}, ...lines.map(({ fact }) => fact.names));
  const entrants = lines.flatMap(({ fact }) => fact.entrants ?? []);
  const { rejections = 3, turns = 1000, startup_ms = 10000, violations: most = 5 } = limits;
  const formats = [tournament, { ...schedule, format: schedule.name }];
  const said = {
    tournament: [tournament.name ?? "tournament", name],
    format: formats.map(({ format = "round_robin", cycles = 1, rounds = "all" }) => [format, cycles, rounds ?? "all"]),
    games: [pairs ? [2 * pairs, "pairs"] : [games, "series"], [terms.games, terms.form]],
    clock: [{ delay_ms: 1000, bank_ms: 60000, increment_ms: 0, ...clock }, terms.clock].map(Object.values),
    limits: [[rejections, turns, startup_ms], [terms.rejections, terms.turn_limit, terms.startup_ms]],
    violations: [most, violations],
    ruleset: [rules.name ?? [rules, ...options].join("+"), ruleset.name].map((one) => one.split("+").sort()),
    bots: [bot.map(({ name, id }, at) => [name, id ?? entrants[at]]), entrants.map((id) => [names[id] ?? id, id])],
  };
  for (const rule in Object(rules)) if (rule in ruleset.fields) said[rule] = [rules[rule], ruleset.fields[rule]];
  for (const [what, [one, other]] of Object.entries(said))
    demand(isSame(one, other), "tournament.toml", `${what}: ${one} in the file, ${other} in the record`);
}

const FIXTURE = /^(?:([a-z0-9][a-z0-9-]{0,31})\.)?r[1-9][0-9]{0,5}-([a-z][a-z0-9_-]*?)-v-([a-z][a-z0-9_-]*)$/;
const STEPS = RegExp(
  "^(new tournament_opened|open (fixture_(issued|settled|voided)|round_drawn|bots_contained|entrant_(withdrawn|came|went)|" +
    "ladder_opened|edges_taken|pair_drawn|pairing_key|entrants_(awaited|absent)|tournament_ended)|ended record_closed|(open|closed) entrants_added|(open|ended) head_signed)$");

function checkRun() {
  const data = readFileSync(`${folder}/tournament.jsonl`);
  const lines = read("tournament.jsonl", data);
  const opened = lines[0]?.fact;
  demand(opened?.format === "brade-tournament-1", "tournament.jsonl:1", "this is no tournament record");
  const rest = data.subarray(lines.at(-1).to).toString();
  const isClosed = lines.at(-1).fact.event === "record_closed" || rest.startsWith('{"event":"record_closed"');
  demand(!isClosed || !rest, "tournament.jsonl", "its last line is incomplete, or something follows it");
  const rules = JSON.stringify(opened.ruleset.fields, Object.keys(opened.ruleset.fields).sort());
  const ascii = rules.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  hash(ascii, opened.ruleset.hash, lines[0].where, "the ruleset does not match its hash");
  const frozen = lines.filter(({ fact }) => fact.file_sha256).at(-1);
  const file = readFileSync(`${folder}/tournament.toml`);
  hash(file, frozen.fact.file_sha256, frozen.where, "tournament.toml was changed");
  checkFile(file.toString(), opened, lines);
  const fixtures = Object.create(null);
  for (const { fact, fits } of lines.filter(({ fact }) => fact.event === "fixture_issued")) {
    const [, run, ...entrants] = FIXTURE.exec(fact.fixture) ?? [];
    fits(entrants.length && run === opened.run);
    (fixtures[fact.fixture] ??= { entrants, issued: [], over: 0, voids: [0, 0] }).issued.push(fact.dice_commitment);
  }
  for (const file of existsSync(`${folder}/matches`) ? readdirSync(`${folder}/matches`) : [])
    demand(!isClosed || (/\.jsonl$/.test(file) && file.slice(0, -6) in fixtures), `matches/${file}`, "no such match");
  for (const id in fixtures) Object.assign(fixtures[id], checkMatch(id, fixtures[id], opened, isClosed));
  const [entrants, withdrawn, known, violations] = [new Set(), new Set(), new Set(), Object.create(null)];
  const [isLadder, isNew] = [opened.schedule.name === "ladder", (set, name) => !set.has(name) && set.add(name)];
  const isDue = (name) => !isLadder && violations[name] > opened.violations && !withdrawn.has(name); // to be withdrawn (M5)
  const isLeft = (id) => !fixtures[id]?.isOver && !FIXTURE.exec(id).some((name) => withdrawn.has(name));
  const isDrawn = !/^(round_robin|gauntlet-1)$/.test(opened.schedule.name); // in rounds, or one by one
  let [state, head, isAll, rounds] = ["new", null, false, 0];
  for (const { fact, where, fits, from, number } of lines) {
    const { event, entrant: name } = fact;
    const fixture = fixtures[fact.fixture];
    fits(STEPS.test(`${state} ${event}`));
    fits(!fact.entrants || fact.entrants.every((name) => isNew(entrants, name)));
    state = { head_signed: state, tournament_ended: "ended", record_closed: "closed" }[event] ?? "open";
    isAll &&= !/^(fixture_settled|fixture_voided|entrants_(absent|added)|tournament_ended)$/.test(event);
    if (event === "head_signed") {
      const key = opened.public_key ?? head?.public_key ?? fact.public_key; // a run has one
      fits(fact.lines === number - 1 && fact.public_key === key);
      hash(data.subarray(0, from), fact.sha256, where, "the signature is about other lines than those before this one");
      const text = `brade-head-1|${fact.lines}|${fact.sha256}`;
      const problem = signatureProblem(fact.public_key, text, fact.signature);
      demand(!problem, where, problem);
      [head, isAll] = [fact, true];
    } else if (event === "round_drawn")
      fits(fact.round === ++rounds && ![...known].some(isLeft) && fact.fixtures.every((id) => isNew(known, id)));
    else if (event === "fixture_issued") {
      fits(fixture.entrants.every((name) => entrants.has(name) && !withdrawn.has(name)) && ![...entrants].some(isDue));
      fits(known.has(fact.fixture) || (!isDrawn && known.add(fact.fixture)));
      fits(!fixture.isUnderWay && !fixture.isOver && fact.attempt === fixture.over + 1 && (fixture.isUnderWay = true));
    } else if (event === "fixture_settled" || event === "fixture_voided") {
      fits(fixture?.isUnderWay && fact.attempt === ++fixture.over);
      const { end, results, to, isClosed } = fixture.attempts[fact.attempt - 1] ?? {};
      const [isVoid, isFailed] = [event === "fixture_voided", fact.reason?.[0] === "void.failed"]; // the arena itself
      const found = [isClosed, end?.score ?? end?.reason, end?.score && results, end?.violations];
      const told = [true, fact.score ?? fact.reason, fact.games, fact.violations];
      demand(isSame(found, told), where, "the record of this match ends in another way, or has no end");
      hash(fixture.data.subarray(0, to), fact.record_sha256, where, "its record is not the one settled");
      fixture.entrants.forEach((one, at) => (violations[one] = (violations[one] ?? 0) + fact.violations[at]));
      fixture.voids[+isFailed] += isVoid && fact.reason?.[0] !== "void.stopped";
      [fixture.isUnderWay, fixture.isOver] = [false, !isVoid || fixture.voids[+isFailed] === (isFailed ? 20 : 3)];
      fits(!isVoid || fact.is_last === fixture.isOver);
    } else if (event === "entrant_came") entrants.add(fact.player.entrant);
    else if (event === "pair_drawn") fits(isNew(known, fact.fixture));
    else if (event === "entrant_withdrawn") fits(violations[name] === fact.violations && isNew(withdrawn, name));
    else if (fact.away) {
      fits(opened.absent === "wait" && fact.away.every((name) => entrants.has(name)));
      const given = event === "entrants_absent" ? Object.values(fixtures) : [];
      fits(!given.some((one) => one.isUnderWay));
      for (const one of given) one.isOver ||= one.over > 0 && one.entrants.some((name) => fact.away.includes(name));
    } else if (event === "tournament_ended") fits(![...known].some(isLeft) && ![...entrants].some(isDue));
  }
  const far = isAll ? "" : ` to line ${head?.lines} of ${lines.length}`;
  const signed = head ? `signed${far} by the key ${head.public_key}${far && "; the other lines are not signed"}` : "not signed";
  const reached = `${lines.length}:${sha256(data.subarray(0, lines.at(-1).to))}`;
  return `head: ${reached} (lines of tournament.jsonl, and their SHA-256); ${signed}`;
}

try {
  const head = checkRun();
  const counts = Object.entries(done).map(([what, number]) => `${number} ${what}`);
  const last = "dice and hashes in order; moves and results are for arena verify";
  console.log([`in order: ${counts.join(", ")}`, ...disputes, head, last].join("\n"));
} catch (error) {
  console.log(`not in order: ${error.message}`);
  process.exitCode = 1;
}
