// How games ended, how long bots thought, what went wrong, and whether the dice are in order.

function endingsSection({ run: { entrants }, figures: { endings } }) {
  if (!endings.length) return null;
  const rows = entrants.map((one) => [one.name, ...endings.map((_, kind) => {
    const { won, drawn, lost } = one.conduct;
    if (drawn[kind]) return String(drawn[kind]);
    return won[kind] || lost[kind] ? `${won[kind]}:${lost[kind]}` : make("span", { class: "quiet" }, "·");
  })]);
  const total = (kind) => entrants.reduce((sum, { conduct }) => sum + conduct.won[kind] + conduct.drawn[kind] / 2, 0);
  const all = endings.reduce((sum, _, kind) => sum + total(kind), 0);
  rows.push([say("all games"), ...endings.map((_, kind) => make("strong", {}, `${number(total(kind))} (${percent(total(kind) / all)})`))]);
  return section("endings", say("Endings"),
    table(say("Endings: games won : lost in this way; drawn games once"), [say("entrant"), ...endings.map(told)], rows, "numbers"));
}

function thinkingSection({ run: { entrants }, figures: { time_limits_ms: limits } }) {
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
      return to === undefined ? say("{turns} of {from} and more", { turns: counted(count, "turn"), from: duration(from) })
        : say("{turns} of {from} to {to}", { turns: counted(count, "turn"), from: duration(from), to: duration(to) });
    })),
  ]);
  return section("thinking", say("Thinking times"),
    table(say("Thinking time of a turn"), [say("entrant"), say("turns"), say("mean"), say("half within"), say("99 % within"), say("longest"), say("turns by time, ms")], rows, "numbers"));
}

function conductSection(report) {
  const { run: { entrants, names }, figures: { causes, incidents, incidents_left_out: left } } = report;
  const rows = entrants.map(({ name, conduct }) => [
    name, number(conduct.games), ...conduct.forfeits.map(number), number(conduct.rejections), number(conduct.lost_connections),
  ]);
  const headings = { forfeit: say("forfeit"), rejected: say("rejected turn"), left: say("lost connection"), missing: say("never came") };
  const lines = incidents.map((one) => () => [
    headings[one.kind], names[one.entrant], placeLink(one), told(one.label), make("td", { class: "prose" }, toldSpan(one.text)),
  ]);
  return section("conduct", say("Forfeits and rejections"),
    table(say("In the matches that count"), [say("entrant"), say("games"), ...causes.map((cause) => told(["cause.all", { cause: [`cause.${cause}`, {}] }])), say("rejected turns"), say("lost connections")], rows, "numbers"),
    lines.length ? longTable(say("What happened, void matches included"), [say("what"), say("entrant"), say("where"), say("reason"), say("in words")], lines, "incidents stacked", 25)
      : make("p", { class: "quiet" }, say("No game was forfeited, no turn rejected and no connection lost.")),
    left ? make("p", { class: "quiet" }, say("{count} more are in the records; arena show tells them.", { count: number(left) })) : null);
}

/** Where something happened, as a link if that game can be played through here. */
function placeLink({ link, game, at }) {
  const words = !game ? link : at === "end" ? `${link}, ${say("game {number}", { number: game })}` : `${link}, ${say("game {game}, turn {turn}", { game, turn: at })}`;
  return SOURCE.isHere(link, game) ? make("a", { href: `#${link}/${game}/${at}` }, words) : words;
}

function diceSection({ figures: { audit }, matches }) {
  const good = audit.state === "in order";
  const parts = [make("p", { class: good ? "verdict good" : audit.state === "left out" ? "verdict" : "verdict bad" },
    make("strong", {}, { "in order": `✓ ${say("In order.")} `, "not in order": `✗ ${say("Not in order.")} `, "left out": "" }[audit.state]), sentenceSpan(audit.sentence))];
  const dice = audit.faces.reduce((sum, count) => sum + count, 0);
  if (dice) {
    parts.push(make("h3", {}, say("How the dice fell")), make("div", { class: "beside" },
      columns(audit.faces, ["1", "2", "3", "4", "5", "6"], audit.faces.map((count, face) => `${face + 1}: ${number(count)}`), dice / 6),
      make("p", {}, `${say("{count} dice", { count: number(dice) })}: `, audit.faces.map((count, face) => say("{face} fell {count} times", { face: face + 1, count: number(count) })).join(", "),
        `; ${say("{doubles} doubles in {rolls} rolls.", { doubles: number(audit.doubles), rolls: number(audit.rolls) })} `, sentenceSpan(audit.verdict))));
    const asked = {
      faces: say("is every face as frequent?"), rolls: say("is each of the 36 rolls?"), doubles: say("is every sixth roll a double?"),
      runs: say("do high and low dice come in streaks?"), neighbours: say("does a die depend on the one before?"),
    };
    if (audit.tests.length) {
      const statistic = (value, freedom) => value === null ? "∞" : freedom === null ? say("{value} standard deviations", { value: signed(value, 2) }) : say("chi-square {value} ({count} degrees of freedom)", { value: value.toFixed(2), count: freedom });
      parts.push(table(say("Tests of the dice"), [say("test"), say("question"), say("statistic"), "p"],
        audit.tests.map(([name, value, freedom, p]) => [told([`dice_test.${name}`, {}]), asked[name], statistic(value, freedom), p.toFixed(4)]), "incidents"));
    }
  }
  const lines = matches.filter(({ link }) => !link.includes("~")).map((match) => () => [match.fixture,
    make("td", {}, make("code", {}, match.commitment)), make("td", {}, match.seed ? make("code", {}, match.seed) : say("not revealed yet"))]);
  if (lines.length) {
    const list = make("details", {}, make("summary", {}, say("Commitments and seeds")),
      make("p", { class: "quiet" }, say("A commitment is the SHA-256 of the seed: it was sent to both bots before they added their own part to the dice.")));
    list.addEventListener("toggle", () => list.append(longTable(say("Commitments and seeds"), [say("match"), say("commitment"), say("seed")], lines, "seeds", 50)), { once: true });
    parts.push(list);
  }
  return section("dice", say("Dice audit"), ...parts);
}
