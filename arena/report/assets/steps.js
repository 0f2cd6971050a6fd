// A game as a list of frames: the start, every step of the record, and the end; what each shows and says.

/**
 * The frames of a game. Each has the position with the one before it, both banks, who plays, and a label that names it in
 * the page's address: 0 the start, 17 the turn that was played, 17a and 17b what came before it in that turn, `end`.
 */
function framesOf(game, bank) {
  const frames = [{ kind: "start", label: "0", turn: 0, seat: game.starter, dice: "", text: "", position: game.start, before: game.start, left: [bank, bank], more: {} }];
  const letters = new Map();
  const judgedTurns = new Map((game.analysis?.turns ?? []).map(([turn, value, loss, mark, best, bestValue, luck, choices]) =>
    [turn, { value, loss, mark, best, bestValue, luck, choices }]));
  const judgedCalls = new Map((game.analysis?.calls ?? []).map(([turn, loss, mark, best]) => [turn, { loss, mark, best }]));
  for (const [kind, turn, seat, dice, text, spent, left, position, more] of game.steps) {
    const last = frames[frames.length - 1];
    const banks = [...last.left];
    if (left >= 0) banks[seat - 1] = left;
    const isTurn = ["turn", "draw", "flag"].includes(kind);
    const letter = letters.get(turn) ?? 0;
    if (!isTurn) letters.set(turn, letter + 1);
    frames.push({
      kind, turn, seat, dice, text, spent, more: more ?? {}, left: banks, before: last.position, position: position || last.position,
      judged: kind === "turn" ? judgedTurns.get(turn) : kind === "call" ? judgedCalls.get(turn) : undefined,
      label: isTurn ? String(turn) : `${turn}${letterOf(letter)}`,
    });
  }
  if (game.ended) {
    const last = frames[frames.length - 1];
    frames.push({ ...last, kind: "end", label: "end", more: {}, judged: undefined });
  }
  return frames;
}

/** a, b, ..., z, za, zb, ... */
function letterOf(place) {
  return "z".repeat(Math.floor(place / 26)) + String.fromCharCode(97 + place % 26);
}

/** The frame that a label names: exactly, else the first of that turn, else none. */
function frameAt(frames, label) {
  const exact = frames.findIndex((frame) => frame.label === label);
  return exact >= 0 ? exact : frames.findIndex((frame) => String(frame.turn) === label);
}

/** What happened, in one sentence. */
function sentenceOf(frame, game, names) {
  const name = names[frame.seat - 1];
  const rolls = frame.dice ? ` rolls ${[...frame.dice].join("-")}` : "";
  switch (frame.kind) {
    case "start": return startSentence(game, names);
    case "turn": return `${name}${rolls}: ${frame.text}${frame.more.draw ? ", and offers a draw" : ""}${frame.judged?.mark ? ` (${frame.judged.mark})` : ""}`;
    case "rejected": return `${name}${rolls} and answers ${frame.text}: rejected`;
    case "call": return `${name} calls for ${frame.text === "1" ? "1 die" : `${frame.text} dice`}`;
    case "draw": return `${name} accepts the draw`;
    case "flag": return `${name}${rolls}${rolls ? " and" : ""} does not answer in time`;
    case "left": return `${name} is gone: ${frame.text}`;
    case "missing": return `${name} does not come: ${frame.text}`;
    case "returned": return `${name} is back`;
    case "resumed": return "The arena was interrupted, and goes on with the match";
    default: return resultSentence(game.ended.result, names);
  }
}

function startSentence(game, names) {
  if (!game.starter) return "The game was forfeited before it began";
  return `${names[game.starter - 1]} begins${game.opening ? ` (throws ${game.opening})` : ""}`;
}

function resultSentence(result, names) {
  const how = `${spaced(result.ending)}${result.cause ? ` (${spaced(result.cause)})` : ""}${result.monk ? " with monk" : ""}`;
  if (!result.winner) return `Drawn: ${how}`;
  return `${names[result.winner - 1]} wins by ${how}: ${counted(result.points, "point")}`;
}

/** What there is to say of a frame beyond its sentence: texts, each a line. */
function detailsOf(frame, game, names) {
  const { more } = frame;
  const lines = [];
  if (frame.kind === "end") {
    const { result, turns, score } = game.ended;
    lines.push(`${game.why ? `${game.why} ` : ""}(${result.clause})`, `${counted(turns, "turn")}; the match stands ${names[0]} ${score[0]} : ${score[1]} ${names[1]}.`);
  }
  if (frame.spent !== undefined && ["turn", "rejected", "call", "draw", "flag"].includes(frame.kind)) {
    lines.push(`Took ${duration(frame.spent)}${more.lag_ms ? `; the arena's own lag of ${duration(more.lag_ms)} is taken off` : ""}.`);
  }
  if (frame.kind === "rejected") {
    const left = more.left < 0 ? "That was one too many: the game is forfeited."
      : `${more.left || "No"} more ${more.left === 1 ? "is" : "are"} forgiven in this game.`;
    lines.push(`${more.message} (${more.code}, ${more.clause})`, left);
  }
  if (frame.kind === "left") lines.push(more.grace_ms ? `It may come back within ${duration(more.grace_ms)}.` : "It cannot come back to this game.");
  if (more.info !== undefined) lines.push(`The bot noted: ${more.info}`);
  return lines;
}
