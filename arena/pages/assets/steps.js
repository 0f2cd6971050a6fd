// A game as a list of frames: the start, every step of the record, and the end; what each shows and says.

import { causeName, counted, duration, endingName, sentence } from "./elements.js";
import { say, told } from "./words.js";

/**
 * The frames of a game. Each has the position with the one before it, both banks, who plays, and the label that
 * names it in the page's address, beside those of the steps: 0 the start, `end`.
 */
export function framesOf(game, clock) {
  const frames = [
    {
      kind: "start",
      label: "0",
      turn: 0,
      seat: game.starter,
      dice: "",
      text: "",
      position: game.start,
      before: game.start,
      left: [clock.bank_ms, clock.bank_ms],
      more: {},
    },
  ];
  const judgedTurns = new Map(
    (game.analysis?.turns ?? []).map(
      ([turn, value, loss, mark, best, bestValue, luck, choices]) => [
        turn,
        { value, loss, mark, best, bestValue, luck, choices },
      ],
    ),
  );
  const judgedCalls = new Map(
    (game.analysis?.calls ?? []).map(([turn, loss, mark, best]) => [turn, { loss, mark, best }]),
  );
  for (const [kind, label, seat, dice, text, spent, left, position, more] of game.steps) {
    const last = frames[frames.length - 1];
    const banks = [...last.left];
    if (left >= 0) banks[seat - 1] = left;
    const turn = Number.parseInt(label, 10);
    frames.push({
      kind,
      label,
      turn,
      seat,
      dice,
      text,
      spent,
      more: more ?? {},
      left: banks,
      before: last.position,
      position: position || last.position,
      judged:
        kind === "turn"
          ? judgedTurns.get(turn)
          : kind === "call"
            ? judgedCalls.get(turn)
            : undefined,
    });
  }
  if (game.ended) {
    const last = frames[frames.length - 1];
    frames.push({ ...last, kind: "end", label: "end", more: {}, judged: undefined });
  }
  return frames;
}

/** The frame that a label names: exactly, else the first of that turn, else none. */
export function frameAt(frames, label) {
  const exact = frames.findIndex((frame) => frame.label === label);
  return exact >= 0 ? exact : frames.findIndex((frame) => String(frame.turn) === label);
}

export function sentenceOf(frame, game, names) {
  const name = names[frame.seat - 1];
  const { dice, text } = frame,
    rolled = [...dice].join("-");
  switch (frame.kind) {
    case "start":
      return startSentence(game, names);
    case "turn":
      return (
        `${dice ? say("{name} rolls {dice}: {turn}", { name, dice: rolled, turn: turnWords(text) }) : `${name}: ${turnWords(text)}`}` +
        `${frame.more.draw ? `, ${say("and offers a draw")}` : ""}${frame.judged?.mark ? ` (${say(frame.judged.mark)})` : ""}`
      );
    case "rejected":
      return dice
        ? say("{name} rolls {dice} and answers {turn}: rejected", {
            name,
            dice: rolled,
            turn: told(text),
          })
        : say("{name} answers {turn}: rejected", { name, turn: told(text) });
    case "call":
      return say("{name} calls for {dice}", { name, dice: diceWords(text) });
    case "draw":
      return say("{name} accepts the draw", { name });
    case "flag":
      return dice
        ? say("{name} rolls {dice} and does not answer in time", { name, dice: rolled })
        : say("{name} does not answer in time", { name });
    case "extended":
      return say("{name} gets {time} back: the machine had no processor for it", {
        name,
        time: duration(Number(text)),
      });
    case "left":
      return say("{name} is gone: {reason}", { name, reason: told(text) });
    case "missing":
      return say("{name} does not come: {reason}", { name, reason: told(text) });
    case "returned":
      return told(["event.bot_returned", { name }]);
    case "resumed":
      return say("The arena was interrupted, and goes on with the match");
    case "end":
      return resultSentence(game.ended.result, names);
    default:
      return text;
  }
}

/** The moves of a turn as the record writes them; only a pass and an ending are words. */
export function turnWords(text) {
  const [moves, ending] = text.split(", ");
  return `${moves === "pass" ? say("pass") : moves}${ending ? `, ${endingName(ending.replaceAll(" ", "_"))}` : ""}`;
}

export function diceWords(count) {
  return told(["number.dice", { count: Number(count) }]);
}

function startSentence(game, names) {
  if (!game.starter) return say("The game was forfeited before it began");
  const name = names[game.starter - 1];
  return game.opening
    ? say("{name} begins (throws {throws})", { name, throws: game.opening })
    : say("{name} begins", { name });
}

function resultSentence(result, names) {
  const how = endingWords(result);
  if (!result.winner) return say("Drawn: {how}", { how });
  const name = names[result.winner - 1],
    points = counted(result.points, "point");
  if (result.cause)
    return say("{name} wins by forfeit ({cause}): {points}", {
      name,
      cause: causeName(result.cause),
      points,
    });
  return say("{name} wins by {how}: {points}", { name, how, points });
}

/** How a game ended, in words: `forfeit (time)`, `bearing off with monk`. */
export function endingWords({ ending, cause, monk }) {
  const how = `${endingName(ending)}${cause ? ` (${causeName(cause)})` : ""}`;
  return monk ? told(["with_monk", { ending: how }]) : how;
}

/** What there is to say of a frame beyond its sentence: texts, each a line. */
export function detailsOf(frame, game, names) {
  const { more } = frame;
  const lines = [];
  if (frame.kind === "end") {
    const { result, turns, score } = game.ended;
    lines.push(
      `${game.why ? `${sentence(game.why)} ` : ""}(${result.clause})`,
      say("{turns}; the match stands {one} {first} : {second} {two}.", {
        turns: counted(turns, "turn"),
        one: names[0],
        first: score[0],
        second: score[1],
        two: names[1],
      }),
    );
  }
  if (
    frame.spent !== undefined &&
    ["turn", "rejected", "call", "draw", "flag", "extended"].includes(frame.kind)
  ) {
    lines.push(
      more.lag_ms
        ? say("Took {time}; the arena's own lag of {lag} is taken off.", {
            time: duration(frame.spent),
            lag: duration(more.lag_ms),
          })
        : say("Took {time}.", { time: duration(frame.spent) }),
    );
  }
  if (frame.kind === "rejected") {
    const left =
      more.left < 0
        ? say("That was one too many: the game is forfeited.")
        : more.left === 0
          ? say("No more are forgiven in this game.")
          : more.left === 1
            ? say("1 more is forgiven in this game.")
            : say("{count} more are forgiven in this game.", { count: more.left });
    lines.push(`${sentence(more.message)} (${more.code}, ${more.clause})`, left);
  }
  if (frame.kind === "left")
    lines.push(
      more.grace_ms
        ? say("It may come back within {time}.", { time: duration(more.grace_ms) })
        : say("It cannot come back to this game."),
    );
  if (more.info !== undefined) lines.push(say("The bot noted: {words}", { words: more.info }));
  return lines;
}
