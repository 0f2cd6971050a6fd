// What the analysis found: a section of the page, and the words for a single turn.

const MARK_SIGNS = { doubtful: "?!", bad: "?", blunder: "??" };

/** Points that were lost, or gained by luck: three decimals, for large ones two. */
function pointsOf(value) {
  return value.toFixed(Math.abs(value) >= 1 ? 2 : 3);
}

function lossOf(loss) {
  const points = pointsOf(loss / 1000);
  return `${points} ${Number(points) === 1 ? "point" : "points"}`;
}

/** The sign of a mark with its meaning, for those who point at it and for those who hear the page; nothing without one. */
function markOf({ mark, loss }) {
  if (!mark) return null;
  const words = `${mark}: costs ${lossOf(loss)}`;
  return make("span", { class: `mark-sign ${mark}`, title: words },
    make("span", { "aria-hidden": "true" }, MARK_SIGNS[mark]), make("span", { class: "unseen" }, ` ${words}`));
}

/** What the analysis says of a frame, as lines; nothing without one. */
function judgementOf({ judged, kind, seat }, names) {
  if (!judged) return [];
  if (kind === "call") {
    return [judged.loss > 0 ? `${capital(judged.mark || "less than the best")}: costs ${lossOf(judged.loss)}. Better: ${judged.best === "1" ? "1 die" : `${judged.best} dice`}.` : "The better number of dice."];
  }
  const own = (points) => signed(seat === 1 ? points : -points, 2);
  const said = [];
  if (judged.choices === 1) said.push("The only legal turn.");
  else if (!judged.best) said.push(`The best of ${judged.choices} turns.`);
  else said.push(`${capital(judged.mark || "nearly the best")}: costs ${lossOf(judged.loss)}. The best turn is ${judged.best} (${own(judged.bestValue)}).`);
  said.push(`After it ${names[seat - 1]} can expect ${own(judged.value)} points. Luck of the roll: ${signed(judged.luck, 2)}.`);
  return said;
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}

/** Losses and luck of every entrant, the costliest turns, the luckiest roll. */
function playSection(report) {
  const { analysis, entrants } = report;
  if (!analysis) return null;
  const mean = (value) => value === null ? "–" : value.toFixed(1);
  const rows = analysis.losses.map((one) => [
    entrants[one.entrant].name, number(one.games), number(one.decisions), make("strong", {}, mean(one.means[0])), mean(one.means[1]), mean(one.means[2]),
    ...one.marks.map(number), signed(one.luck, 2), one.luck_per_game === null ? "–" : signed(one.luck_per_game, 3),
  ]);
  const columns = ["entrant", "games", "decisions", "mean loss", "in contact", "in a race", "doubtful ?!", "bad ?", "blunders ??", "luck", "luck a game"];
  const ahead = analysis.plies.map((plies) => plies === 1 ? "one turn ahead" : `${plies} turns ahead`).join(" or ");
  const some = analysis.analysed < analysis.matches ? ` ${number(analysis.analysed)} of ${counted(analysis.matches, "match", "matches")} are analysed.` : "";
  return section("play", "Play and luck",
    table("Losses in thousandths of a point a decision, luck in points", columns, rows, "numbers"),
    make("p", { class: "quiet" }, `By the word of ${analysis.evaluator}, ${ahead}.${some} The loss of a turn is what the best turn is worth beyond it; a turn without ` +
      "a choice is no decision. Luck is what a bot's own rolls were worth beyond the mean of all that could have come."),
    withoutLuck(report),
    analysis.costliest.length ? [make("h3", {}, analysis.costliest.length === 1 ? "The costliest turn" : `The ${["", "", "two", "three", "four", "five"][analysis.costliest.length]} costliest turns`),
      make("ol", { class: "costliest" }, analysis.costliest.map((one) => make("li", {}, costlyWords(report, one))))] : null,
    analysis.luckiest ? [make("h3", {}, "The luckiest roll"), make("p", {}, luckyWords(report, analysis.luckiest))] : null);
}

function costlyWords(report, one) {
  const { name } = report.entrants[one.entrant];
  const what = one.dice ? [` rolled ${[...one.dice].join("-")} and played `, make("b", {}, one.played), ". The best was ", make("b", {}, one.best)]
    : [` called for ${one.played === "1" ? "1 die" : `${one.played} dice`}. Better was ${one.best}`];
  return [make("strong", {}, `−${pointsOf(one.points)}`), ` ${name}`, ...what, ": ", placeLink(report, one), "."];
}

function luckyWords(report, one) {
  const { name } = report.entrants[one.entrant];
  return [make("strong", {}, signed(one.points, 2)), ` ${name} rolled ${[...one.dice].join("-")}: `, placeLink(report, one), "."];
}
