// The pairings of a run: the bracket of a knock-out, the rounds of a Swiss tournament, the boards of a gauntlet.

import { liveDot, make, signed, table } from "./elements.js";
import { botLink } from "./source.js";
import { sureWords } from "./standings.js";
import { say } from "./words.js";

const HAS_PAGE = ["played", "under way", "void", "annulled"];

/** What the section shows; the latest round is open, unless the reader has `opened` or closed others. */
export function pairingsParts(run, { rounds, boards }, opened, superior) {
  if (run.shape === "boards") return boards.map((board) => challengerTable(run, board, superior));
  const key = make(
    "p",
    { class: "quiet" },
    say("Beside each name: games won, then points. A match that has begun is a link to its page."),
  );
  if (run.shape === "bracket") return [key, bracket(run, rounds)];
  if (!rounds.length) return [make("p", { class: "quiet" }, say("No round is drawn yet."))];
  const folded = [...rounds].reverse().map(({ number: round, pairings }, place) =>
    make(
      "details",
      { "data-round": round, open: opened.get(String(round)) ?? !place },
      make("summary", {}, say("Round {number}", { number: round })),
      make(
        "ul",
        { class: "pairings" },
        pairings.map((one) => make("li", {}, pairingBox(run, one))),
      ),
    ),
  );
  return [key, ...folded];
}

function stateWords(state) {
  return (
    {
      "under way": say("under way"),
      void: say("void"),
      annulled: say("annulled"),
      open: say("not played yet"),
      dropped: say("not played: withdrawn"),
    }[state] ?? ""
  );
}

/** The two who meet, the winner in bold. */
function pairingBox(
  { names },
  { state, fixture, entrants, games = [0, 0], points = [0, 0], winner = 0 },
) {
  const isBye = state === "bye",
    hasScore = state === "played" || state === "annulled";
  const nameOf = (id) =>
    make(
      "span",
      { class: "name", title: names[id] ?? null },
      id ? names[id] : isBye ? say("bye") : "–",
    );
  const side = (id, place) =>
    make(
      "span",
      { class: winner === place + 1 ? "side ahead" : "side" },
      nameOf(id),
      winner === place + 1 && hasScore
        ? make("span", { class: "unseen" }, ` (${say("won")})`)
        : null,
      hasScore
        ? [
            " ",
            make("span", { class: "games-won" }, games[place]),
            " ",
            make("span", { class: "points" }, points[place]),
          ]
        : null,
    );
  const words = stateWords(state),
    note = words
      ? make("span", { class: "quiet" }, state === "under way" ? [liveDot(), " "] : null, words)
      : null;
  const isLink = HAS_PAGE.includes(state);
  return make(
    isLink ? "a" : "div",
    { class: `pairing ${state.replace(" ", "-")}`, href: isLink ? `#${fixture}` : null },
    entrants.map(side),
    note,
  );
}

/** A column for every round; the lines between them are drawn by the style. */
function bracket(run, rounds) {
  const title = ({ number: round, pairings: { length } }) =>
    ({ 1: say("Final"), 2: say("Semi-finals"), 4: say("Quarter-finals") })[length] ??
    say("Round {number}", { number: round });
  return make(
    "div",
    { class: "scroll bracket", tabindex: "0", role: "region", "aria-label": say("Bracket") },
    rounds.map((round) =>
      make(
        "div",
        { class: "bracket-round" },
        make("h3", {}, title(round)),
        make(
          "ol",
          {},
          round.pairings.map((one) => make("li", {}, pairingBox(run, one))),
        ),
      ),
    ),
  );
}

function challengerTable({ names, entrants }, { challenger, rows }, superior) {
  const place = (id) => entrants.findIndex((one) => one.id === id);
  const sure = (id) => {
    const share = id ? superior[place(challenger)][place(id)] : null;
    return share === null ? "–" : sureWords(share);
  };
  const headings = [
    say("opponent"),
    say("points"),
    say("points a game"),
    say("matches left"),
    ...(superior ? [say("stronger")] : []),
    say("matches"),
  ];
  const cells = rows.map(({ opponent, matches, points, mean, left }) => [
    opponent ? botLink(opponent, names[opponent]) : say("all together"),
    points.join(":"),
    mean === null ? "–" : signed(mean, 2),
    left,
    ...(superior ? [sure(opponent)] : []),
    make(
      "td",
      { class: "prose" },
      matches.map((one, number) => [number ? " " : "", meetingLink(one)]),
    ),
  ]);
  return [
    table(
      say("{name} against each opponent", { name: names[challenger] }),
      headings,
      cells,
      "numbers",
    ),
    superior
      ? make(
          "p",
          { class: "quiet" },
          say(
            "Stronger: the probability that {name} is the stronger one, by all matches that count.",
            { name: names[challenger] },
          ),
        )
      : null,
  ];
}

function meetingLink({ state, fixture, points = [0, 0], winner = 0 }) {
  if (!HAS_PAGE.includes(state)) return "–";
  const outcome = ["drawn", "won", "lost"][winner],
    score = state === "played" || state === "annulled" ? points.join(":") : "";
  const words = state === "played" && points[0] === points[1] ? say(outcome) : stateWords(state);
  return make(
    "a",
    { href: `#${fixture}`, class: `outcome ${outcome}`, title: fixture },
    [score, words].filter(Boolean).join(" "),
  );
}
