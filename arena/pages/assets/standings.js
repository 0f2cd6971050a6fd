// The head of the page, the standings and the cross-table.

import { errorBar, shadedCell } from "./charts.js";
import {
  counted,
  duration,
  make,
  moment,
  percent,
  sentenceSpan,
  signed,
  table,
  toldSpan,
} from "./elements.js";
import { botLink } from "./source.js";
import { say, told } from "./words.js";

export function headOf(run) {
  const { terms } = run,
    format = run.format.replace(/-\d+$/, "").replaceAll(/[_-]/g, " ");
  const state = run.is_finished
    ? say("finished")
    : say("in progress: {count} of {all} matches count so far", {
        count: run.counted,
        all: run.scheduled,
      });
  const games =
    terms.form === "pairs"
      ? counted(terms.games / 2, "duplicate pair")
      : counted(terms.games, "game");
  return [
    make("h1", {}, run.name),
    run.outcome.length
      ? make(
          "p",
          { class: "lead news" },
          run.outcome.map((said, place) => [place ? "; " : "", toldSpan(said)]),
          ".",
        )
      : "",
    make(
      "p",
      { class: "lead" },
      `${run.ruleset} · ${say(format)} · ${counted(run.entrants.length, "entrant")} · ${state}`,
    ),
    make(
      "p",
      { class: "quiet" },
      say("{games} a match, {clock}, {turns} forgiven. Played from {begin} to {end}.", {
        games,
        clock: clockWords(terms.clock),
        turns: counted(terms.rejections, "illegal turn"),
        begin: moment(run.started_ms),
        end: moment(run.latest_ms),
      }),
    ),
  ];
}

function clockWords(clock) {
  const given = ["delay", "bank", "increment"].filter((name) => clock[`${name}_ms`]);
  return told([
    "clock.of",
    { parts: given.map((name) => [`clock.${name}`, { time: duration(clock[`${name}_ms`]) }]) },
  ]);
}

export function brokenNotice({ broken }) {
  return broken
    ? make(
        "p",
        { class: "notice bad", role: "alert" },
        say("The record can be followed no further: {reason}", { reason: told(broken) }),
      )
    : null;
}

export function standingsParts(run) {
  const { entrants } = run;
  const isNoted = entrants.some(noteOf);
  const cellOf = (key, text) => (key === "match_points" ? make("strong", {}, text) : text);
  const headings = [
    "#",
    say("entrant"),
    ...run.columns.map(([, text]) => say(text)),
    ...(isNoted ? [say("note")] : []),
  ];
  const rows = entrants.map((one) => [
    placeOf(one),
    [
      botLink(one.id, one.name),
      one.version
        ? make(
            "span",
            { class: "quiet version" },
            ` ${say("version {version}", { version: one.version })}`,
          )
        : null,
    ],
    ...run.columns.map(([key], place) => cellOf(key, told(one.cells[place]))),
    ...(isNoted ? [noteOf(one)] : []),
  ]);
  return [
    entrants.length
      ? table(say("Places, and what decides them"), headings, rows, "numbers second-is-name")
      : null,
    run.columns.some(([key]) => key === "best_games")
      ? make("p", { class: "quiet" }, sentenceSpan(["column.best_games", {}]))
      : null,
    listOf(say("Ties"), run.tie_breaks),
    listOf(say("Notes"), run.notes),
    listOf(say("How launched bots were contained"), run.contained),
    listOf(say("Head of the record"), run.head),
  ];
}

export function placeOf(one) {
  return one.place === null ? "–" : `${one.place}${one.is_shared ? "=" : ""}`;
}

export function noteOf(one) {
  return {
    none: "",
    stands: say("withdrawn, results stand"),
    annulled: say("withdrawn, results annulled"),
  }[one.withdrawal];
}

/** Sentences under a title; more than a few are folded away. */
function listOf(title, sentences) {
  if (!sentences.length) return null;
  const list = make(
    "ul",
    {},
    sentences.map((sentence) => make("li", {}, toldSpan(sentence))),
  );
  if (sentences.length > 6)
    return make(
      "details",
      { class: "quiet" },
      make("summary", {}, `${title} (${sentences.length})`),
      list,
    );
  return make("div", { class: "quiet" }, make("h3", {}, title), list);
}

/** Points per game and ratings with their 95 % intervals, drawn on one scale. */
export function strengthTable({ entrants }, unit) {
  const rated = entrants.filter((one) => one.elo !== null);
  if (!rated.length)
    return make(
      "p",
      { class: "notice" },
      say("No match counts yet, so there is nothing to say of anybody's strength."),
    );
  const interval = (one) =>
    one.margin === null ? null : [one.mean - one.margin, one.mean + one.margin];
  const ends = (values) => [Math.min(0, ...values), Math.max(0, ...values)];
  const [lowest, highest] = ends(rated.flatMap((one) => interval(one) ?? [one.mean]));
  const [weakest, strongest] = ends(rated.flatMap((one) => one.interval));
  const fields = new Set(rated.map((one) => one.field)).size;
  const sorted = [...rated].sort(
    (one, other) => one.field - other.field || one.strength - other.strength,
  );
  const rows = sorted.map((one) => [
    fields > 1 ? `${one.name} (${say("field {number}", { number: one.field + 1 })})` : one.name,
    signed(one.mean, 2),
    errorBar(one.mean, interval(one), lowest, highest),
    interval(one)
      ? say("{low} to {high}", {
          low: signed(interval(one)[0], 2),
          high: signed(interval(one)[1], 2),
        })
      : "–",
    signed(one.elo, 0),
    errorBar(one.elo, one.interval, weakest, strongest),
    say("{low} to {high}", { low: signed(one.interval[0], 0), high: signed(one.interval[1], 0) }),
  ]);
  return make(
    "div",
    {},
    make("h3", {}, say("Strength, with errors")),
    table(
      say("Points a game and Elo, each with its 95 % interval"),
      [say("entrant"), say("points a game"), "", "95 %", "Elo", "", "95 %"],
      rows,
      "numbers",
    ),
    make(
      "p",
      { class: "quiet" },
      unit === "pair"
        ? say(
            "Bars are 95 % intervals; the pair is what counts as one trial, since its games hang together. Elo comes from games won, against the mean of the field.",
          )
        : say(
            "Bars are 95 % intervals; the match is what counts as one trial, since its games hang together. Elo comes from games won, against the mean of the field.",
          ),
      fields > 1
        ? ` ${say("Entrants of different fields have not met, nor through others; their ratings do not compare.")}`
        : null,
    ),
  );
}

/** The cross-table; with `superior`, the probabilities that the entrant of the row is the stronger one, it is shaded. */
export function crosstableParts(entrants, cells, superior) {
  const rows = entrants.map((one, row) => [
    one.name,
    ...entrants.map((other, column) => {
      if (row === column) return make("td", { class: "diagonal" }, "·");
      const sure = superior?.[row][column] ?? null;
      const words = sure === null ? "" : sureWords(sure);
      const probability = sure === null ? null : make("span", { class: "sure" }, words);
      const cell = shadedCell(
        sure,
        make("span", { class: "meetings" }, meetingsOf(cells[row][column])),
        probability,
      );
      if (sure !== null)
        cell.title = say("{one} is stronger than {other} with a probability of {share}", {
          one: one.name,
          other: other.name,
          share: words,
        });
      return cell;
    }),
  ]);
  const key = () =>
    make(
      "p",
      { class: "quiet key" },
      make("span", { class: "swatch stronger" }),
      ` ${say("the entrant of the row is the stronger one,")} `,
      make("span", { class: "swatch weaker" }),
      ` ${say("the weaker one. The fuller the colour, the surer that is by all matches that count; it begins at 75 % and is full from 97.5 % on. The small figure is the probability itself.")}`,
    );
  return [
    table(
      say("Game points of the row against the column"),
      ["", ...entrants.map((one) => one.name)],
      rows,
      "cross",
    ),
    superior?.flat().some((sure) => sure !== null) ? key() : "",
  ];
}

/** The probability of a sample, which is never certain. */
export function sureWords(sure) {
  return percent(Math.min(Math.max(sure, 1e-6), 1 - 1e-6));
}

/** Every result of a pair; of many the sum, with matches won, drawn and lost. */
function meetingsOf(meetings) {
  if (!meetings.length) return "–";
  const score = ([own, others, outcome]) =>
    `${own}:${others}${outcome === "void" || outcome === "annulled" ? ` (${say(outcome)})` : ""}`;
  if (meetings.length <= 3) return meetings.map(score).join("  ");
  const total = (place) => meetings.reduce((sum, meeting) => sum + meeting[place], 0);
  const times = (outcome) => meetings.filter((meeting) => meeting[2] === outcome).length;
  return `${total(0)}:${total(1)} (+${times("won")} =${times("drawn")} −${times("lost")})`;
}
