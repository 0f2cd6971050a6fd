// The figures of a run: endings, thinking times, what went wrong, whether the dice are in order, and what luck they gave.

import { columns } from "./charts.js";
import {
  causeName,
  counted,
  draw,
  duration,
  endingName,
  fixed,
  longTable,
  make,
  number,
  percent,
  section,
  sentence,
  sentenceSpan,
  signed,
  table,
  toldSpan,
} from "./elements.js";
import { source } from "./source.js";
import { say, told } from "./words.js";

export function endingsSection({ run: { entrants }, figures: { endings } }) {
  if (!endings.length) return null;
  const rows = entrants.map((one) => [
    one.name,
    ...endings.map((_, kind) => {
      const { won, drawn, lost } = one.conduct;
      if (drawn[kind]) return String(drawn[kind]);
      return won[kind] || lost[kind]
        ? `${won[kind]}:${lost[kind]}`
        : make("span", { class: "quiet" }, "·");
    }),
  ]);
  const total = (kind) =>
    entrants.reduce((sum, { conduct }) => sum + conduct.won[kind] + conduct.drawn[kind] / 2, 0);
  const all = endings.reduce((sum, _, kind) => sum + total(kind), 0);
  rows.push([
    say("all games"),
    ...endings.map((_, kind) =>
      make("strong", {}, `${number(total(kind))} (${percent(total(kind) / all)})`),
    ),
  ]);
  return section(
    "endings",
    say("Endings"),
    table(
      say("Endings: games won : lost in this way; drawn games once"),
      [say("entrant"), ...endings.map(told)],
      rows,
      "numbers",
    ),
  );
}

export function thinkingSection({ run: { entrants }, figures: { time_limits_ms: limits } }) {
  const played = entrants.filter((one) => one.conduct.turns);
  if (!played.length) return null;
  const used = limits
    .map((_, place) => place)
    .filter((place) => played.some((one) => one.conduct.times[place]));
  const [first, last] = [used[0], used[used.length - 1] + 1];
  const short = (ms) => (ms < 1000 ? String(ms) : `${ms / 1000}s`);
  const rows = played.map(({ name, conduct }) => [
    name,
    number(conduct.turns),
    duration(conduct.mean_ms),
    duration(conduct.median_ms),
    duration(conduct.p99_ms),
    duration(conduct.longest_ms),
    columns(
      conduct.times.slice(first, last),
      limits.slice(first, last).map(short),
      conduct.times.slice(first, last).map((count, place) => {
        const [from, to] = [limits[first + place], limits[first + place + 1]];
        return to === undefined
          ? say("{turns} of {from} and more", {
              turns: counted(count, "turn"),
              from: duration(from),
            })
          : say("{turns} of {from} to {to}", {
              turns: counted(count, "turn"),
              from: duration(from),
              to: duration(to),
            });
      }),
    ),
  ]);
  return section(
    "thinking",
    say("Thinking times"),
    table(
      say("Thinking time of a turn"),
      [
        say("entrant"),
        say("turns"),
        say("mean"),
        say("half within"),
        say("99 % within"),
        say("longest"),
        say("turns by time, ms"),
      ],
      rows,
      "numbers",
    ),
  );
}

export function conductSection(report) {
  const {
    run: { entrants, names },
    figures: { causes, incidents, incidents_left_out: left },
  } = report;
  const rows = entrants.map(({ name, conduct }) => [
    name,
    number(conduct.games),
    ...conduct.forfeits.map(number),
    number(conduct.rejections),
    number(conduct.lost_connections),
  ]);
  const headings = {
    forfeit: endingName("forfeit"),
    rejected: say("rejected turn"),
    left: causeName("left"),
    missing: causeName("missing"),
  };
  const lines = incidents.map((one) => () => [
    headings[one.kind],
    names[one.entrant],
    placeLink(one),
    told(one.label),
    make("td", { class: "prose" }, toldSpan(one.text)),
  ]);
  return section(
    "conduct",
    say("Forfeits and rejections"),
    table(
      say("In the matches that count"),
      [
        say("entrant"),
        say("games"),
        ...causes.map((cause) => told(["cause.all", { cause: [`cause.${cause}`, {}] }])),
        say("rejected turns"),
        say("lost connections"),
      ],
      rows,
      "numbers",
    ),
    lines.length
      ? longTable(
          say("What happened, void matches included"),
          [say("what"), say("entrant"), say("where"), say("reason"), say("in words")],
          lines,
          "incidents stacked",
          25,
        )
      : make(
          "p",
          { class: "quiet" },
          say("No game was forfeited, no turn rejected and no connection lost."),
        ),
    left
      ? make(
          "p",
          { class: "quiet" },
          say("{count} more are in the records; arena show tells them.", { count: number(left) }),
        )
      : null,
  );
}

/** Where something happened, as a link if that game can be played through here. */
export function placeLink({ link, game, at }) {
  const words = !game
    ? link
    : at === "end"
      ? `${link}, ${say("game {number}", { number: game })}`
      : `${link}, ${say("game {game}, turn {turn}", { game, turn: at })}`;
  return source().isHere(link, game) ? make("a", { href: `#${link}/${game}/${at}` }, words) : words;
}

export function diceSection({ figures: { audit }, matches }) {
  const good = audit.state === "in order";
  const parts = [
    make(
      "p",
      { class: good ? "verdict good" : audit.state === "left out" ? "verdict" : "verdict bad" },
      make(
        "strong",
        {},
        {
          "in order": `✓ ${say("In order.")} `,
          "not in order": `✗ ${say("Not in order.")} `,
          "left out": "",
        }[audit.state],
      ),
      sentenceSpan(audit.sentence),
    ),
  ];
  const dice = audit.faces.reduce((sum, count) => sum + count, 0);
  if (dice) {
    parts.push(
      make("h3", {}, say("How the dice fell")),
      make(
        "div",
        { class: "beside" },
        columns(
          audit.faces,
          ["1", "2", "3", "4", "5", "6"],
          audit.faces.map((count, face) => `${face + 1}: ${number(count)}`),
          dice / 6,
        ),
        make(
          "p",
          {},
          `${say("{count} dice", { count: number(dice) })}: `,
          audit.faces
            .map((count, face) =>
              say("{face} fell {count} times", { face: face + 1, count: number(count) }),
            )
            .join(", "),
          `; ${say("{doubles} doubles in {rolls} rolls.", { doubles: number(audit.doubles), rolls: number(audit.rolls) })} `,
          sentenceSpan(audit.verdict),
        ),
      ),
    );
    const asked = {
      faces: say("is every face as frequent?"),
      rolls: say("is each of the 36 rolls?"),
      doubles: say("is every sixth roll a double?"),
      runs: say("do high and low dice come in streaks?"),
      neighbours: say("does a die depend on the one before?"),
    };
    if (audit.tests.length) {
      const statistic = (value, freedom) =>
        value === null
          ? "∞"
          : freedom === null
            ? say("{value} standard deviations", { value: signed(value, 2) })
            : say("chi-square {value} ({count} degrees of freedom)", {
                value: fixed(value, 2),
                count: freedom,
              });
      parts.push(
        table(
          say("Tests of the dice"),
          [say("test"), say("question"), say("statistic"), "p"],
          audit.tests.map(([name, value, freedom, p]) => [
            told([`dice_test.${name}`, {}]),
            asked[name],
            statistic(value, freedom),
            fixed(p, 4),
          ]),
          "incidents",
        ),
      );
    }
  }
  const lines = matches
    .filter(({ link }) => !link.includes("~"))
    .map((match) => () => [
      match.fixture,
      make("td", {}, make("code", {}, match.commitment)),
      make("td", {}, match.seed ? make("code", {}, match.seed) : say("not revealed yet")),
    ]);
  if (lines.length) {
    const list = make(
      "details",
      {},
      make("summary", {}, say("Commitments and seeds")),
      make(
        "p",
        { class: "quiet" },
        say(
          "A commitment is the SHA-256 of the seed: it was sent to both bots before they added their own part to the dice.",
        ),
      ),
    );
    list.addEventListener(
      "toggle",
      () =>
        list.append(
          longTable(
            say("Commitments and seeds"),
            [say("match"), say("commitment"), say("seed")],
            lines,
            "seeds",
            50,
          ),
        ),
      { once: true },
    );
    parts.push(list);
  }
  return section("dice", say("Dice audit"), ...parts);
}

/** What `arena stats` says of luck; nothing unless every match that counts is analysed. */
export function withoutLuck({
  run: { names, entrants },
  figures: {
    analysis: { luck },
  },
}) {
  if (!luck) return null;
  const rankOf = (id) => entrants.findIndex((one) => one.id === id);
  const pm = ({ mean, margin }) =>
    signed(mean, 2) + (margin === null ? "" : ` ± ${fixed(margin, 2)}`);
  const rows = luck.entrants.map(([name, { given, raw, adjusted }, times]) => [
    names[name],
    signed(given, 1),
    pm(raw),
    pm(adjusted),
    times === null ? "–" : say("{times} times the games", { times: fixed(times, 1) }),
  ]);
  const given = luck.entrants
    .map(([name, one]) => ({ name: names[name], points: one.given }))
    .sort((one, other) => other.points - one.points);
  const most = given
    .filter((one, place) => place === 0 || place === given.length - 1)
    .filter((one) => Math.abs(one.points) >= 0.5)
    .map(({ name, points }) =>
      say(points > 0 ? "The dice gave {name} {points}." : "The dice took {points} from {name}.", {
        name,
        points: counted(Math.round(Math.abs(points)), "point"),
      }),
    );
  const seen = luck.matches.map(({ fixture, first, second, raw, adjusted }) => {
    const isTurned = rankOf(second) < rankOf(first); // each from the side that stands higher
    return {
      fixture,
      of: names[isTurned ? second : first],
      raw: isTurned ? -raw : raw,
      adjusted: isTurned ? -adjusted : adjusted,
    };
  });
  return make(
    "div",
    { class: "without-luck" },
    make("h3", {}, say("With the luck of the dice taken out")),
    most.length ? make("p", { class: "lead" }, most.join(" ")) : null,
    table(
      say("Points a game; ± is half the 95 % interval"),
      [say("entrant"), say("net luck"), say("as played"), say("luck taken out"), say("as sure as")],
      rows,
      "numbers",
    ),
    make(
      "p",
      { class: "quiet" },
      `${sentence(luck.source)} `,
      say(
        "Net luck is an entrant's own luck less that of its opponents. Before a roll its luck has the mean zero, whatever the bots do and however little the evaluator knows: both columns estimate the same. What is taken out is the luck times a coefficient that is fitted on other matches. The results as played decide the tournament.",
      ),
      ...luck.notes.map((note) => ` ${sentence(note)}`),
    ),
    seen.length > 1
      ? make(
          "div",
          {},
          scatter(seen),
          make(
            "details",
            {},
            make("summary", {}, say("The matches of the picture as a table")),
            longTable(
              say("Points of the entrant that stands higher, less those of the other"),
              [say("match"), say("seen by"), say("as played"), say("luck taken out")],
              seen.map((one) => () => [
                one.fixture,
                one.of,
                signed(one.raw, 0),
                signed(one.adjusted, 1),
              ]),
              "numbers",
            ),
          ),
        )
      : null,
  );
}

/** A dot for each match: across the points as played, up those with the luck taken out. */
function scatter(seen) {
  const size = 340,
    left = 44,
    bottom = 40,
    top = 10,
    right = 10;
  const most = Math.max(
    1,
    ...seen.flatMap((one) => [Math.abs(one.raw), Math.abs(one.adjusted)]).map(Math.ceil),
  );
  const x = (value) => left + ((size - left - right) * (value + most)) / (2 * most);
  const y = (value) => top + ((size - top - bottom) * (most - value)) / (2 * most);
  const words = say(
    "{matches}, each seen by the entrant that stands higher: across the points as played, up those with the luck taken out.",
    { matches: counted(seen.length, "match", "matches") },
  );
  const ticks = [-most, 0, most];
  const picture = draw(
    "svg",
    {
      class: "scatter",
      viewBox: `0 0 ${size} ${size}`,
      width: size,
      height: size,
      role: "img",
      "aria-label": words,
    },
    draw("line", { class: "zero", x1: x(0), x2: x(0), y1: top, y2: size - bottom }),
    draw("line", { class: "zero", x1: left, x2: size - right, y1: y(0), y2: y(0) }),
    draw("line", { class: "expected", x1: x(-most), y1: y(-most), x2: x(most), y2: y(most) }),
    seen.map((one) =>
      draw(
        "circle",
        { class: "match-dot", cx: x(one.raw).toFixed(1), cy: y(one.adjusted).toFixed(1), r: 4 },
        draw(
          "title",
          {},
          say("{match}, seen by {name}: {raw} as played, {adjusted} with the luck taken out", {
            match: one.fixture,
            name: one.of,
            raw: signed(one.raw, 0),
            adjusted: signed(one.adjusted, 1),
          }),
        ),
      ),
    ),
    ticks.map((value) => [
      draw(
        "text",
        {
          x: x(value),
          y: size - bottom + 15,
          "text-anchor": value > 0 ? "end" : value < 0 ? "start" : "middle",
        },
        signed(value, 0),
      ),
      draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, signed(value, 0)),
    ]),
    draw(
      "text",
      { class: "axis", x: (left + size - right) / 2, y: size - 6, "text-anchor": "middle" },
      say("points as played"),
    ),
    draw(
      "text",
      {
        class: "axis",
        x: 12,
        y: (top + size - bottom) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 12 ${(top + size - bottom) / 2})`,
      },
      say("luck taken out"),
    ),
  );
  return make(
    "figure",
    { class: "scatter-figure" },
    picture,
    make(
      "figcaption",
      { class: "quiet" },
      `${words} ${say("On the broken line the dice changed nothing.")}`,
    ),
  );
}
