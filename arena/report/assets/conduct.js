// How games ended, how long bots thought, what went wrong, and whether the dice are in order.

function endingsSection({ entrants, endings }) {
  if (!endings.length) return null;
  const rows = entrants.map((one) => [one.name, ...endings.map((_, kind) => {
    const { won, drawn, lost } = one.conduct;
    if (drawn[kind]) return String(drawn[kind]);
    return won[kind] || lost[kind] ? `${won[kind]}:${lost[kind]}` : make("span", { class: "quiet" }, "·");
  })]);
  const total = (kind) => entrants.reduce((sum, { conduct }) => sum + conduct.won[kind] + conduct.drawn[kind] / 2, 0);
  const all = endings.reduce((sum, _, kind) => sum + total(kind), 0);
  rows.push(["all games", ...endings.map((_, kind) => make("strong", {}, `${number(total(kind))} (${percent(total(kind) / all)})`))]);
  return section("endings", "Endings",
    table("Endings: games won : lost in this way; drawn games once", ["entrant", ...endings], rows, "numbers"));
}

function thinkingSection({ entrants, time_limits_ms: limits }) {
  const played = entrants.filter((one) => one.conduct.turns);
  if (!played.length) return null;
  const used = limits.map((_, place) => place).filter((place) => played.some((one) => one.conduct.times[place]));
  const [first, last] = [used[0], used[used.length - 1] + 1];
  const short = (ms) => ms < 1000 ? String(ms) : `${ms / 1000}s`;
  const rows = played.map(({ name, conduct }) => [
    name, number(conduct.turns), duration(conduct.mean_ms), duration(conduct.median_ms), duration(conduct.p99_ms),
    duration(conduct.longest_ms),
    columns(conduct.times.slice(first, last), limits.slice(first, last).map(short), conduct.times.slice(first, last).map((count, place) => {
      const [from, to] = [limits[first + place], limits[first + place + 1]];
      return `${counted(count, "turn")} of ${to === undefined ? `${duration(from)} and more` : `${duration(from)} to ${duration(to)}`}`;
    })),
  ]);
  return section("thinking", "Thinking times",
    table("Thinking time of a turn", ["entrant", "turns", "mean", "half within", "99 % within", "longest", "turns by time, ms"], rows, "numbers"));
}

function conductSection(report) {
  const { entrants, causes, incidents } = report;
  const rows = entrants.map(({ name, conduct }) => [
    name, number(conduct.games), ...conduct.forfeits.map(number), number(conduct.rejections), number(conduct.lost_connections),
  ]);
  const headings = { forfeit: "forfeit", rejected: "rejected turn", left: "lost connection", missing: "never came" };
  const lines = incidents.map((one) => () => [
    headings[one.kind], entrants[one.entrant].name, placeLink(report, one), one.label, make("td", { class: "prose" }, one.text),
  ]);
  const left = report.incidents_left_out;
  return section("conduct", "Forfeits and rejections",
    table("In the matches that count", ["entrant", "games", ...causes.map((cause) => `forfeits: ${cause}`), "rejected turns", "lost connections"], rows, "numbers"),
    lines.length ? longTable("What happened, void matches included", ["what", "entrant", "where", "reason", "in words"], lines, "incidents stacked", 25)
      : make("p", { class: "quiet" }, "No game was forfeited, no turn rejected and no connection lost."),
    left ? make("p", { class: "quiet" }, `${number(left)} more are in the records; arena show tells them.`) : null);
}

/** Where something happened, as a link if that game can be played through here. */
function placeLink(report, { link, game, at }) {
  const words = game ? `${link}, game ${game}${at === "end" ? "" : `, turn ${at}`}` : link;
  return report.replayable.has(`${link}/${game}`) ? make("a", { href: `#${link}/${game}/${at}` }, words) : words;
}

function diceSection({ audit, matches }) {
  const good = audit.state === "in order";
  const parts = [make("p", { class: good ? "verdict good" : audit.state === "left out" ? "verdict" : "verdict bad" },
    make("strong", {}, { "in order": "✓ In order. ", "not in order": "✗ Not in order. ", "left out": "" }[audit.state]), audit.sentence)];
  const dice = audit.faces.reduce((sum, count) => sum + count, 0);
  if (dice) {
    parts.push(make("h3", {}, "How the dice fell"), make("div", { class: "beside" },
      columns(audit.faces, ["1", "2", "3", "4", "5", "6"], audit.faces.map((count, face) => `${face + 1}: ${number(count)}`), dice / 6),
      make("p", {}, `${number(dice)} dice: `, audit.faces.map((count, face) => `${face + 1} fell ${number(count)} times`).join(", "),
        `; ${number(audit.doubles)} doubles in ${number(audit.rolls)} rolls. `, `${audit.verdict[0].toUpperCase()}${audit.verdict.slice(1)}.`.replace("..", "."))));
    const asked = {
      faces: "is every face as frequent?", rolls: "is each of the 36 rolls?", doubles: "is every sixth roll a double?",
      runs: "do high and low dice come in streaks?", neighbours: "does a die depend on the one before?",
    };
    if (audit.tests.length) {
      const statistic = (value, freedom) => value === null ? "∞" : freedom === null ? `${signed(value, 2)} standard deviations` : `chi-square ${value.toFixed(2)} (${freedom} degrees of freedom)`;
      parts.push(table("Tests of the dice", ["test", "question", "statistic", "p"],
        audit.tests.map(([name, value, freedom, p]) => [name, asked[name], statistic(value, freedom), p.toFixed(4)]), "incidents"));
    }
  }
  const lines = matches.map((match) => () => [match.fixture,
    make("td", {}, make("code", {}, match.commitment)), make("td", {}, match.seed ? make("code", {}, match.seed) : "not revealed yet")]);
  if (lines.length) {
    const list = make("details", {}, make("summary", {}, "Commitments and seeds"),
      make("p", { class: "quiet" }, "A commitment is the SHA-256 of the seed: it was sent to both bots before they added their own part to the dice."));
    list.addEventListener("toggle", () => list.append(longTable("Commitments and seeds", ["match", "commitment", "seed"], lines, "seeds", 50)), { once: true });
    parts.push(list);
  }
  return section("dice", "Dice audit", ...parts);
}
