// The results with the luck of the dice taken out: sentences, a table, and a picture of all matches.

/** What `arena stats` says of luck; nothing unless every match that counts is analysed. */
function withoutLuck({ run: { names, entrants }, figures: { analysis: { luck } } }) {
  if (!luck) return null;
  const name = (one) => names[one.entrant], rankOf = (id) => entrants.findIndex((one) => one.id === id);
  const pm = (mean, margin) => signed(mean, 2) + (margin === null ? "" : ` ± ${margin.toFixed(2)}`);
  const rows = luck.entrants.map((one) => [
    name(one), signed(one.given, 1), pm(one.raw, one.raw_margin), pm(one.adjusted, one.adjusted_margin),
    one.times === null ? "–" : say("{times} times the games", { times: one.times.toFixed(1) }),
  ]);
  const given = [...luck.entrants].sort((one, other) => other.given - one.given);
  const most = given.filter((one, place) => place === 0 || place === given.length - 1).filter((one) => Math.abs(one.given) >= 0.5)
    .map((one) => say(one.given > 0 ? "The dice gave {name} {points}." : "The dice took {points} from {name}.",
      { name: name(one), points: counted(Math.round(Math.abs(one.given)), "point") }));
  const seen = luck.matches.map(([fixture, first, second, raw, adjusted]) => {
    const isTurned = rankOf(second) < rankOf(first); // each from the side that stands higher
    return { fixture, of: names[isTurned ? second : first], raw: isTurned ? -raw : raw, adjusted: isTurned ? -adjusted : adjusted };
  });
  return make("div", { class: "without-luck" },
    make("h3", {}, say("With the luck of the dice taken out")),
    most.length ? make("p", { class: "lead" }, most.join(" ")) : null,
    table(say("Points a game; ± is half the 95 % interval"), [say("entrant"), say("the dice gave"), say("as played"), say("luck taken out"), say("as sure as")], rows, "numbers"),
    make("p", { class: "quiet" }, `${sentence(luck.source)} `, say("Before a roll its luck has the mean zero, whatever the bots do and however little the evaluator knows: both columns estimate the same. What is taken out is the luck times a coefficient that is fitted on other matches. The results as played decide the tournament."),
      ...luck.notes.map((note) => ` ${sentence(note)}`)),
    seen.length > 1 ? make("div", {}, scatter(seen),
      make("details", {}, make("summary", {}, say("The matches of the picture as a table")),
        longTable(say("Points of the entrant that stands higher, less those of the other"), [say("match"), say("seen by"), say("as played"), say("luck taken out")],
          seen.map((one) => () => [one.fixture, one.of, signed(one.raw, 0), signed(one.adjusted, 1)]), "numbers"))) : null);
}

/** A dot for each match: across the points as played, up those with the luck taken out. */
function scatter(seen) {
  const size = 340, left = 44, bottom = 40, top = 10, right = 10;
  const most = Math.max(1, ...seen.flatMap((one) => [Math.abs(one.raw), Math.abs(one.adjusted)]).map(Math.ceil));
  const x = (value) => left + (size - left - right) * (value + most) / (2 * most);
  const y = (value) => top + (size - top - bottom) * (most - value) / (2 * most);
  const words = say("{matches}, each seen by the entrant that stands higher: across the points as played, up those with the luck taken out.",
    { matches: counted(seen.length, "match", "matches") });
  const ticks = [-most, 0, most];
  const picture = draw("svg", { class: "scatter", viewBox: `0 0 ${size} ${size}`, width: size, height: size, role: "img", "aria-label": words },
    draw("line", { class: "zero", x1: x(0), x2: x(0), y1: top, y2: size - bottom }), draw("line", { class: "zero", x1: left, x2: size - right, y1: y(0), y2: y(0) }),
    draw("line", { class: "expected", x1: x(-most), y1: y(-most), x2: x(most), y2: y(most) }),
    seen.map((one) => draw("circle", { class: "match-dot", cx: x(one.raw).toFixed(1), cy: y(one.adjusted).toFixed(1), r: 4 },
      draw("title", {}, say("{match}, seen by {name}: {raw} as played, {adjusted} with the luck taken out",
        { match: one.fixture, name: one.of, raw: signed(one.raw, 0), adjusted: signed(one.adjusted, 1) })))),
    ticks.map((value) => [draw("text", { x: x(value), y: size - bottom + 15, "text-anchor": value > 0 ? "end" : value < 0 ? "start" : "middle" }, signed(value, 0)),
      draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, signed(value, 0))]),
    draw("text", { class: "axis", x: (left + size - right) / 2, y: size - 6, "text-anchor": "middle" }, say("points as played")),
    draw("text", { class: "axis", x: 12, y: (top + size - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(top + size - bottom) / 2})` }, say("luck taken out")));
  return make("figure", { class: "scatter-figure" }, picture,
    make("figcaption", { class: "quiet" }, `${words} ${say("On the broken line the dice changed nothing.")}`));
}
