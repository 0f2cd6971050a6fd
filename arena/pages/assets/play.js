// What the analysis found: a section of the page, and the words for a single turn.

const MARK_SIGNS = { doubtful: "?!", bad: "?", blunder: "??" };

/** Points that were lost, or gained by luck: three decimals, for large ones two. */
function pointsOf(value) {
  return fixed(value, Math.abs(value) >= 1 ? 2 : 3);
}

function lossOf(loss) {
  return `${pointsOf(loss / 1000)} ${say(loss === 1000 ? "point" : "points")}`;
}

/** The sign of a mark with its meaning, for those who point at it and for those who hear the page; nothing without one. */
function markOf({ mark, loss }) {
  if (!mark) return null;
  const words = say("{mark}: costs {points}", { mark: say(mark), points: lossOf(loss) });
  return make("span", { class: `mark-sign ${mark}`, title: words },
    make("span", { "aria-hidden": "true" }, MARK_SIGNS[mark]), make("span", { class: "unseen" }, ` ${words}`));
}

/** What the analysis says of a frame, as lines; nothing without one. */
function judgementOf({ judged, kind, seat }, names) {
  if (!judged) return [];
  if (kind === "call") {
    return [judged.loss > 0 ? say("{mark}: costs {points}. Better: {dice}.", { mark: capital(say(judged.mark || "less than the best")), points: lossOf(judged.loss), dice: diceWords(judged.best) })
      : say("The better number of dice.")];
  }
  const own = (points) => signed(seat === 1 ? points : -points, 2);
  const said = [];
  if (judged.choices === 1) said.push(say("The only legal turn."));
  else if (!judged.best) said.push(say("The best of {count} turns.", { count: judged.choices }));
  else said.push(say("{mark}: costs {points}. The best turn is {best} ({value}).", { mark: capital(say(judged.mark || "nearly the best")), points: lossOf(judged.loss), best: judged.best, value: own(judged.bestValue) }));
  said.push(say("After it {name} can expect {points} points. Luck of the roll: {luck}.", { name: names[seat - 1], points: own(judged.value), luck: signed(judged.luck, 2) }));
  return said;
}

function playSection(report) {
  const { run: { names }, figures: { analysis } } = report;
  if (!analysis) return null;
  const mean = (value) => value === null ? "–" : fixed(value, 1);
  const rows = analysis.losses.map((one) => [
    names[one.entrant], number(one.games), number(one.decisions), make("strong", {}, mean(one.means[0])), mean(one.means[1]), mean(one.means[2]),
    ...one.marks.map(number), signed(one.luck, 2), one.luck_per_game === null ? "–" : signed(one.luck_per_game, 3),
  ]);
  const columns = [say("entrant"), say("games"), say("decisions"), say("mean loss"), say("in contact"), say("in a race"), `${say("doubtful")} ?!`, `${say("bad")} ?`, `${say("blunders")} ??`, say("own luck"), say("own luck a game")];
  const ahead = analysis.plies.map((plies) => plies === 1 ? say("one turn ahead") : say("{count} turns ahead", { count: plies })).join(` ${say("or")} `);
  const some = analysis.analysed < analysis.matches ? ` ${say("{count} of {matches} are analysed.", { count: number(analysis.analysed), matches: counted(analysis.matches, "match", "matches") })}` : "";
  return section("play", say("Play and luck"),
    table(say("Losses in thousandths of a point a decision, luck in points"), columns, rows, "numbers"),
    make("p", { class: "quiet" }, `${say("By the word of {evaluator}, {ahead}.", { evaluator: analysis.evaluator, ahead })}${some} `,
      say("The loss of a turn is what the best turn is worth beyond it; a turn without a choice is no decision. Own luck is what a bot's own rolls were worth beyond the mean of all that could have come.")),
    withoutLuck(report),
    analysis.costliest.length ? [make("h3", {}, analysis.costliest.length === 1 ? say("The costliest turn")
      : say("The {count} costliest turns", { count: ["", "", say("two"), say("three"), say("four"), say("five")][analysis.costliest.length] })),
      make("ol", { class: "costliest" }, analysis.costliest.map((one) => make("li", {}, costlyWords(report, one))))] : null,
    analysis.luckiest ? [make("h3", {}, say("The luckiest roll")), make("p", {}, luckyWords(report, analysis.luckiest))] : null);
}

function costlyWords(report, one) {
  const name = report.run.names[one.entrant];
  const what = one.dice ? say("{name} rolled {dice} and played {played}. The best was {best}", { name, dice: [...one.dice].join("-"), played: one.played, best: one.best })
    : say("{name} called for {dice}. Better was {best}", { name, dice: diceWords(one.played), best: one.best });
  return [make("strong", {}, `−${pointsOf(one.points)}`), ` ${what}: `, placeLink(one), "."];
}

function luckyWords(report, one) {
  const name = report.run.names[one.entrant];
  return [make("strong", {}, signed(one.points, 2)), ` ${say("{name} rolled {dice}", { name, dice: [...one.dice].join("-") })}: `, placeLink(one), "."];
}
