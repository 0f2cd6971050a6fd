// A game as a list of frames: the start, every step of the record, and the end; what each shows and
// says.

import { causeName, counted, duration, endingName, sentence } from "./elements.js";
import { isolated, say, told } from "./words.js";

/** @import {GameAnalysis, ReplayedGame, Result} from "./contents.d.ts" */
/** @import {Said, ShownStep, TimeControl} from "./contents.d.ts" */

/**
 * What the analysis says of a turn. Values are points that seat 1 can expect, `loss` is in
 * thousandths of a point, `luck` in points of the side that rolled.
 *
 * @typedef {object} TurnJudgement
 * @property {number} value
 * @property {number} loss
 * @property {string} mark empty if there is none
 * @property {string} best empty if it was the best
 * @property {number} bestValue
 * @property {number} luck
 * @property {number} choices legal turns
 */

/**
 * What the analysis says of a call for dice; `best` is the better number of them.
 *
 * @typedef {{ loss: number, mark: string, best: string }} CallJudgement
 */

/**
 * What a step has beside its text: of a rejection `code`, `clause`, `message`, and in `left` how
 * many more are forgiven.
 *
 * @typedef {object} StepDetails
 * @property {string} [code]
 * @property {string} [clause]
 * @property {Said | string} [message]
 * @property {number} [left]
 * @property {string} [info]
 * @property {number} [lag_ms]
 * @property {number} [grace_ms]
 * @property {boolean} [draw]
 */

/**
 * A moment of a game: the position with the one before it, both banks, and who plays.
 *
 * @typedef {object} Frame
 * @property {ShownStep[0] | "start" | "end"} kind
 * @property {string} label names it in the page's address: that of its step, `0` or `end`
 * @property {number} turn
 * @property {number} seat
 * @property {string} dice
 * @property {Said | string} text
 * @property {number} [spent] milliseconds
 * @property {StepDetails} more
 * @property {number[]} left milliseconds of both banks
 * @property {string} before
 * @property {string} position
 * @property {TurnJudgement | CallJudgement} [judged]
 */

/** Kinds of steps that take time on a bot's clock. */
const TIMED = new Set(["turn", "rejected", "call", "draw", "flag", "extended"]);

/**
 * Return the frames of a game.
 *
 * @param {ReplayedGame} game
 * @param {Pick<TimeControl, "bank_ms">} clock
 * @returns {Frame[]}
 */
export function framesOf(game, clock) {
  const judgedTurns = turnJudgements(game.analysis);
  const judgedCalls = callJudgements(game.analysis);
  let last = startFrame(game, clock.bank_ms);
  const frames = [last];
  for (const step of game.steps) {
    last = frameAfter(last, step);
    if (last.kind === "turn") last.judged = judgedTurns.get(last.turn);
    if (last.kind === "call") last.judged = judgedCalls.get(last.turn);
    frames.push(last);
  }
  if (game.ended) frames.push({ ...last, kind: "end", label: "end", more: {}, judged: undefined });
  return frames;
}

/**
 * @param {ReplayedGame} game
 * @param {number} bank milliseconds
 * @returns {Frame}
 */
function startFrame(game, bank) {
  return {
    kind: "start",
    label: "0",
    turn: 0,
    seat: game.starter,
    dice: "",
    text: "",
    position: game.start,
    before: game.start,
    left: [bank, bank],
    more: {},
  };
}

/**
 * @param {Frame} last the frame before the step
 * @param {ShownStep} step
 * @returns {Frame}
 */
function frameAfter(last, [kind, label, seat, dice, text, spent, left, position, more]) {
  const banks = [...last.left];
  if (left >= 0) banks[seat - 1] = left;
  return {
    kind,
    label,
    turn: Number.parseInt(label, 10),
    seat,
    dice,
    text,
    spent,
    more: /** @type {StepDetails} */ (more ?? {}),
    left: banks,
    before: last.position,
    position: position || last.position,
  };
}

/**
 * @param {GameAnalysis | null} analysis
 * @returns {Map<number, TurnJudgement>} by the number of the turn
 */
function turnJudgements(analysis) {
  const judged = new Map();
  for (const [turn, value, loss, mark, best, bestValue, luck, choices] of analysis?.turns ?? [])
    judged.set(turn, { value, loss, mark, best, bestValue, luck, choices });
  return judged;
}

/**
 * @param {GameAnalysis | null} analysis
 * @returns {Map<number, CallJudgement>} by the number of the turn
 */
function callJudgements(analysis) {
  const judged = new Map();
  for (const [turn, loss, mark, best] of analysis?.calls ?? [])
    judged.set(turn, { loss, mark, best });
  return judged;
}

/**
 * Return the place of the frame that a label names: exactly, else the first of that turn.
 *
 * @param {readonly Frame[]} frames
 * @param {string} label
 * @returns {number} -1 if there is none
 */
export function frameAt(frames, label) {
  const exact = frames.findIndex((frame) => frame.label === label);
  if (exact >= 0) return exact;
  return frames.findIndex((frame) => String(frame.turn) === label);
}

/**
 * Return what happens in a frame, in a sentence.
 *
 * @param {Frame} frame
 * @param {ReplayedGame} game
 * @param {readonly string[]} names
 * @returns {string}
 */
export function sentenceOf(frame, game, names) {
  const name = names[frame.seat - 1];
  const text = plainText(frame.text);
  const reason = told(frame.text);
  switch (frame.kind) {
    case "start":
      return startSentence(game, names);
    case "end":
      return game.ended ? resultSentence(game.ended.result, names) : "";
    case "turn":
      return turnSentence(frame, name);
    case "rejected":
      return rejectionSentence(frame, name);
    case "call":
      return say("{name} calls for {dice}", { name, dice: diceWords(text) });
    case "draw":
      return say("{name} accepts the draw", { name });
    case "flag":
      return flagSentence(frame, name);
    case "extended":
      return say("{name} gets {time} back: the machine had no processor for it", {
        name,
        time: duration(Number(text)),
      });
    case "left":
      return say("{name} is gone: {reason}", { name, reason });
    case "missing":
      return say("{name} does not come: {reason}", { name, reason });
    case "returned":
      return told(["event.bot_returned", { name }]);
    case "resumed":
      return say("The arena was interrupted, and goes on with the match");
    default:
      return text;
  }
}

/**
 * @param {Said | string} text
 * @returns {string}
 */
function plainText(text) {
  return typeof text === "string" ? text : told(text);
}

/**
 * @param {string} dice
 * @returns {string}
 */
function rolledWords(dice) {
  return [...dice].join("-");
}

/**
 * @param {Frame} frame
 * @param {string} name
 * @returns {string}
 */
function turnSentence({ dice, text, more, judged }, name) {
  const turn = turnWords(text);
  const rolled = rolledWords(dice);
  const played = dice ? say("{name} rolls {dice}: {turn}", { name, dice: rolled, turn }) : "";
  const offer = more.draw ? `, ${say("and offers a draw")}` : "";
  const mark = judged?.mark ? ` (${say(judged.mark)})` : "";
  return `${played || `${isolated(name)}: ${turn}`}${offer}${mark}`;
}

/**
 * @param {Frame} frame
 * @param {string} name
 * @returns {string}
 */
function rejectionSentence({ dice, text }, name) {
  const turn = told(text);
  if (!dice) return say("{name} answers {turn}: rejected", { name, turn });
  return say("{name} rolls {dice} and answers {turn}: rejected", {
    name,
    dice: rolledWords(dice),
    turn,
  });
}

/**
 * @param {Frame} frame
 * @param {string} name
 * @returns {string}
 */
function flagSentence({ dice }, name) {
  if (!dice) return say("{name} does not answer in time", { name });
  return say("{name} rolls {dice} and does not answer in time", { name, dice: rolledWords(dice) });
}

/**
 * Return the moves of a turn as the record writes them; only a pass and an ending are words.
 *
 * @param {Said | string} text
 * @returns {string}
 */
export function turnWords(text) {
  const [moves, ending] = plainText(text).split(", ");
  const words = moves === "pass" ? say("pass") : moves;
  return ending ? `${words}, ${endingName(ending.replaceAll(" ", "_"))}` : words;
}

/**
 * Return a number of dice in words.
 *
 * @param {string | number} count
 * @returns {string}
 */
export function diceWords(count) {
  return told(["number.dice", { count: Number(count) }]);
}

/**
 * @param {ReplayedGame} game
 * @param {readonly string[]} names
 * @returns {string}
 */
function startSentence({ starter, opening }, names) {
  if (!starter) return say("The game was forfeited before it began");
  const name = names[starter - 1];
  if (!opening) return say("{name} begins", { name });
  return say("{name} begins (throws {throws})", { name, throws: opening });
}

/**
 * @param {Result} result
 * @param {readonly string[]} names
 * @returns {string}
 */
function resultSentence(result, names) {
  const how = endingWords(result);
  if (!result.winner) return say("Drawn: {how}", { how });
  const name = names[result.winner - 1];
  const points = counted(result.points, "point");
  if (!result.cause) return say("{name} wins by {how}: {points}", { name, how, points });
  const cause = causeName(result.cause);
  return say("{name} wins by forfeit ({cause}): {points}", { name, cause, points });
}

/**
 * Return how a game ended, in words: `forfeit (time)`, `bearing off with monk`.
 *
 * @param {{ ending: string, cause?: string | null, monk?: boolean }} result
 * @returns {string}
 */
export function endingWords({ ending, cause, monk }) {
  const name = endingName(ending);
  const how = cause ? `${name} (${causeName(cause)})` : name;
  return monk ? told(["with_monk", { ending: how }]) : how;
}

/**
 * Return what there is to say of a frame beyond its sentence, a line each.
 *
 * @param {Frame} frame
 * @param {ReplayedGame} game
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function detailsOf(frame, game, names) {
  const { kind, more, spent } = frame;
  const lines = [];
  if (kind === "end") lines.push(...endDetails(game, names));
  if (spent !== undefined && TIMED.has(kind)) lines.push(timeWords(spent, more.lag_ms));
  if (kind === "rejected") lines.push(...rejectionDetails(more));
  if (kind === "left") lines.push(graceWords(more.grace_ms));
  if (more.info !== undefined) lines.push(say("The bot noted: {words}", { words: more.info }));
  return lines;
}

/**
 * @param {ReplayedGame} game
 * @param {readonly string[]} names
 * @returns {string[]}
 */
function endDetails({ ended, why }, names) {
  if (!ended) return [];
  const { result, turns, score } = ended;
  const reason = why ? `${sentence(why)} ` : "";
  const standing = say("{turns}; the match stands {one} {first} : {second} {two}.", {
    turns: counted(turns, "turn"),
    one: names[0],
    first: score[0],
    second: score[1],
    two: names[1],
  });
  return [`${reason}(${result.clause})`, standing];
}

/**
 * @param {number} spent milliseconds
 * @param {number} [lag] milliseconds
 * @returns {string}
 */
function timeWords(spent, lag) {
  if (!lag) return say("Took {time}.", { time: duration(spent) });
  return say("Took {time}; the arena's own lag of {lag} is taken off.", {
    time: duration(spent),
    lag: duration(lag),
  });
}

/**
 * @param {StepDetails} more
 * @returns {string[]}
 */
function rejectionDetails({ code, clause, message = "", left = 0 }) {
  return [`${sentence(message)} (${code}, ${clause})`, forgivenWords(left)];
}

/**
 * @param {number} left rejections that are still forgiven; below 0 if this one is not
 * @returns {string}
 */
function forgivenWords(left) {
  if (left < 0) return say("That was one too many: the game is forfeited.");
  if (left === 0) return say("No more are forgiven in this game.");
  if (left === 1) return say("1 more is forgiven in this game.");
  return say("{count} more are forgiven in this game.", { count: left });
}

/**
 * @param {number} [grace] milliseconds
 * @returns {string}
 */
function graceWords(grace) {
  if (!grace) return say("It cannot come back to this game.");
  return say("It may come back within {time}.", { time: duration(grace) });
}
