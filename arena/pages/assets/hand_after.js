// What is said when a game or the match is over.

/** Who won a game, how, and what it was worth. */
function overWords(game) {
  const how = endingWords({ ending: game.ending, cause: null, monk: game.monk }), points = counted(game.points, "point", "points");
  if (game.result === "drawn") return say("Game {number} is drawn: {how}.", { number: game.number, how });
  if (game.ending === "forfeit") return game.result === "won" ? say("You win game {number} by forfeit: {points}.", { number: game.number, points })
    : say("You lose game {number} by forfeit: {points}.", { number: game.number, points });
  return game.result === "won" ? say("You win game {number} by {how}: {points}.", { number: game.number, how, points })
    : say("You lose game {number} by {how}: {points}.", { number: game.number, how, points });
}

function whyOver({ why, clause }) {
  return make("p", {}, why ? `${sentence(why)} (${clause})` : `(${clause})`);
}

/** A game that is over, above the board that it ended on. */
function gameOverPanel({ over, score }, state, goOn) {
  const button = make("button", { type: "button", class: "main go-on" }, state.over ? say("The match") : say("Next game"));
  button.addEventListener("click", goOn);
  return make("section", { class: "notice over", "aria-label": say("The game is over") },
    make("h2", { tabindex: "-1" }, overWords(over.game)), whyOver(over.game),
    make("p", { class: "quiet" }, say("Score: {mine} : {theirs}", { mine: score[0], theirs: score[1] })), button);
}

/** The whole match; `dice` is the part that checks them, which stays when the rest is drawn anew. */
function matchOverPanel(state, act, dice) {
  const { over, table, me, opponent } = state, score = table?.score ?? [0, 0];
  const title = { won: say("You have won the match"), lost: say("You have lost the match"), drawn: say("The match is drawn"), left: over.why_left?.[0] === "left.resigned" ? say("You have resigned the match") : say("The match has ended") }[over.result];
  const games = (table?.over ?? []).map((one) => make("li", {}, overWords(one.game), whyOver(one.game)));
  const button = (words, deed, kind = "") => {
    const node = make("button", { type: "button", class: kind }, words);
    node.addEventListener("click", () => act(deed, {}));
    return node;
  };
  const parts = [make("h1", { tabindex: "-1" }, title)];
  if (over.result !== "left") parts.push(make("p", { class: "lead" }, `${me} ${score[0]} : ${score[1]} ${opponent}`));
  else if (over.why_left && over.why_left[0] !== "left.resigned") parts.push(make("p", { class: "notice bad" }, toldSpan(over.why_left)));
  parts.push(make("div", { class: "hand-buttons" }, button(say("Play again"), "rematch", "main"), button(say("Another opponent"), "choose")));
  if (games.length) parts.push(make("ul", { class: "games-over" }, games));
  parts.push(section("dice-of-match", say("The dice"), over.dice_problems?.length ? make("p", { class: "verdict bad" }, toldSpan(over.dice_problems.join("; "))) : "",
    over.is_settled ? dice : make("p", { class: "quiet" }, say("The arena settles the match; then the dice can be checked."))));
  if (over.costliest?.length) {
    parts.push(section("costliest", say("Your costliest turns"), table_(over.costliest)));
  } else if (over.costliest) {
    parts.push(section("costliest", say("Your costliest turns"), make("p", {}, say("The evaluator has nothing to say against your turns."))));
  }
  parts.push(make("p", { class: "quiet" }, `${say("The record is in")} `, make("code", {}, over.folder), "; ", make("code", {}, `arena report ${over.folder}`)));
  return make("div", { class: "match-over" }, parts);
}

function table_(rows) {
  return table(say("By the word of the evaluator, in points"), [say("game"), say("turn"), say("dice"), say("played"), say("better"), say("points lost")],
    rows.map((one) => [one.game, one.turn, one.dice.join("-"), turnWords(one.played), turnWords(one.best), (one.loss / 1000).toFixed(2)]), "numbers");
}
