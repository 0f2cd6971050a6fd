// The head of the page, the standings and the cross-table.

function headOf(report) {
  const { run } = report;
  const { terms } = run;
  const state = run.is_finished ? "finished" : `in progress: ${run.counted} of ${run.scheduled} matches count so far`;
  const games = terms.form === "pairs" ? counted(terms.games / 2, "duplicate pair") : counted(terms.games, "game");
  return [
    make("h1", {}, run.name),
    make("p", { class: "lead" }, `${run.ruleset} · ${run.format} · ${counted(report.entrants.length, "entrant")} · ${state}`),
    make("p", { class: "quiet" },
      `${games} a match, ${duration(terms.delay_ms)} a turn and ${duration(terms.bank_ms)} a game, ` +
      `${counted(terms.rejections, "illegal turn")} forgiven. Played from ${moment(run.begun_ms)} to ${moment(run.latest_ms)}.`),
  ];
}

function standingsSection({ entrants, run }) {
  const any = (test) => entrants.some(test);
  const hasBest = any((one) => one.best_games.length);
  const columns = [
    ["entrant", (one) => [one.name, one.version ? make("span", { class: "quiet version" }, ` version ${one.version}`) : null]],
    ...run.columns.map((heading, place) => [heading, (one) => one.before[place]]),
    ["match points", (one) => make("strong", {}, one.match_points)],
    ["points", (one) => `${one.points_for}:${one.points_against}`],
    ["best games", (one) => one.best_games.join(" ") || "–", hasBest],
    ["played", (one) => one.played],
    ["won", (one) => one.won],
    ["drawn", (one) => one.drawn],
    ["lost", (one) => one.lost],
    ["free rounds", (one) => one.free_rounds, any((one) => one.free_rounds)],
    ["pairs won, level, lost", (one) => one.pairs ? one.pairs.join(" · ") : "–", any((one) => one.pairs)],
    ["note", (one) => noteOf(one), any((one) => noteOf(one))],
  ].filter(([, , wanted = true]) => wanted);
  const rows = entrants.map((one) => [placeOf(one), ...columns.map(([, cell]) => cell(one))]);
  return section("standings", "Standings",
    entrants.length ? table("Places, and what they are reckoned from", ["#", ...columns.map(([heading]) => heading)], rows, "numbers second-is-name") : null,
    hasBest ? make("p", { class: "quiet" }, "Best games: what the games that were won are worth, the most valuable first. They decide " +
      "between entrants with equal match points and equal points (M2, M4).") : null,
    listOf("Ties", run.tie_breaks), listOf("Notes", run.notes), listOf("How launched bots were contained", run.contained),
    listOf("Head of the record", run.head),
    strengthTable(entrants, run));
}

function placeOf(one) {
  return one.place === null ? "–" : `${one.place}${one.is_shared ? "=" : ""}`;
}

function noteOf(one) {
  return { none: "", stands: "withdrawn, results stand", annulled: "withdrawn, results annulled" }[one.withdrawal];
}

/** Sentences under a title; more than a few are folded away. */
function listOf(title, sentences) {
  if (!sentences.length) return null;
  const list = make("ul", {}, sentences.map((sentence) => make("li", {}, sentence)));
  if (sentences.length > 6) return make("details", { class: "quiet" }, make("summary", {}, `${title} (${sentences.length})`), list);
  return make("div", { class: "quiet" }, make("h3", {}, title), list);
}

/** Points per game and ratings with their 95 % intervals, drawn on one scale. */
function strengthTable(entrants, run) {
  const rated = entrants.filter((one) => one.elo !== null);
  if (!rated.length) return make("p", { class: "notice" }, "No match counts yet, so there is nothing to say of anybody's strength.");
  const interval = (one) => one.margin === null ? null : [one.mean - one.margin, one.mean + one.margin];
  const ends = (values) => [Math.min(0, ...values), Math.max(0, ...values)];
  const [lowest, highest] = ends(rated.flatMap((one) => interval(one) ?? [one.mean]));
  const [weakest, strongest] = ends(rated.flatMap((one) => one.interval));
  const fields = new Set(rated.map((one) => one.field)).size;
  const sorted = [...rated].sort((one, other) => one.field - other.field || one.strength - other.strength);
  const rows = sorted.map((one) => [
    fields > 1 ? `${one.name} (field ${one.field + 1})` : one.name,
    signed(one.mean, 2), errorBar(one.mean, interval(one), lowest, highest),
    interval(one) ? `${signed(interval(one)[0], 2)} to ${signed(interval(one)[1], 2)}` : "–",
    signed(one.elo, 0), errorBar(one.elo, one.interval, weakest, strongest),
    `${signed(one.interval[0], 0)} to ${signed(one.interval[1], 0)}`,
  ]);
  return make("div", {},
    make("h3", {}, "Strength, with errors"),
    table("Points a game and Elo, each with its 95 % interval", ["entrant", "points a game", "", "95 %", "Elo", "", "95 %"], rows, "numbers"),
    make("p", { class: "quiet" },
      `Bars are 95 % intervals; the ${run.unit} is what counts as one trial, since its games hang together. ` +
      "Elo is reckoned from games won, against the mean of the field." +
      (fields > 1 ? " Entrants of different fields have not met, nor through others; their ratings do not compare." : "")));
}

function crosstableSection({ entrants, crosstable, superior }) {
  if (!crosstable.some((row) => row.some((cell) => cell.length))) return null;
  const rows = entrants.map((one, row) => [one.name, ...entrants.map((other, column) => {
    if (row === column) return make("td", { class: "diagonal" }, "·");
    const sure = superior[row][column];
    const words = sure === null ? "" : percent(Math.min(Math.max(sure, 1e-6), 1 - 1e-6)); // a sample is never certain
    const probability = sure === null ? null : make("span", { class: "sure" }, words);
    const cell = shadedCell(sure, make("span", { class: "meetings" }, meetingsOf(crosstable[row][column])), probability);
    if (sure !== null) cell.title = `${one.name} is stronger than ${other.name} with a probability of ${words}`;
    return cell;
  })]);
  return section("crosstable", "Cross-table",
    table("Game points of the row against the column", ["", ...entrants.map((one) => one.name)], rows, "cross"),
    make("p", { class: "quiet key" },
      make("span", { class: "swatch stronger" }), " the entrant of the row is the stronger one, ",
      make("span", { class: "swatch weaker" }), " the weaker one. The fuller the colour, the surer that is by all matches that " +
      "count; it begins at 75 % and is full from 97.5 % on. The small figure is the probability itself."));
}

/** Every result of a pair; of many the sum, with matches won, drawn and lost. */
function meetingsOf(meetings) {
  if (!meetings.length) return "–";
  const score = ([own, others, outcome]) => `${own}:${others}${outcome === "void" || outcome === "annulled" ? ` (${outcome})` : ""}`;
  if (meetings.length <= 3) return meetings.map(score).join("  ");
  const total = (place) => meetings.reduce((sum, meeting) => sum + meeting[place], 0);
  const times = (outcome) => meetings.filter((meeting) => meeting[2] === outcome).length;
  return `${total(0)}:${total(1)} (+${times("won")} =${times("drawn")} −${times("lost")})`;
}
