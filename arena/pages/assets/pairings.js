// The pairings of a run: the bracket of a knock-out, the rounds of a Swiss tournament, the boards
// of a gauntlet.

/**
 * @import {
 *   ChallengerBoard, OpponentRow, Pairing, PairingsPage, RoundOfPairings, RunPage,
 * } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import { RunInReport } from "./source.js"
 * @import { Superiority } from "./standings.js"
 */

/** @typedef {RunPage | RunInReport} Run */

import { liveDot, make, pressed, signed, table } from "./elements.js";
import { nameNode } from "./names.js";
import { botLink } from "./source.js";
import { sureWords } from "./standings.js";
import { say } from "./words.js";

const WITH_PAGE = new Set(["played", "under way", "void", "annulled"]);
const WITH_SCORE = new Set(["played", "annulled"]);

/**
 * What the section shows; the latest round is open, unless the reader has opened or closed others.
 *
 * @param {Run} run
 * @param {PairingsPage} page
 * @param {Map<string, boolean>} opened By round.
 * @param {Superiority} [superior]
 * @returns {Child[]}
 */
export function pairingsParts(run, { rounds, boards }, opened, superior) {
  if (run.shape === "boards") return boards.map((board) => challengerTable(run, board, superior));
  const key = say(
    "Beside each name: games won, then points. A match that has begun is a link to its page.",
  );
  const keyPart = make("p", { class: "quiet" }, key);
  if (run.shape === "bracket") return [keyPart, ...bracket(run, rounds)];
  if (!rounds.length) return [make("p", { class: "quiet" }, say("No round is drawn yet."))];
  const latestFirst = [...rounds].reverse();
  const folded = latestFirst.map((round, place) => {
    const isOpen = opened.get(String(round.number)) ?? place === 0;
    return foldedRound(run, round, isOpen);
  });
  return [keyPart, ...folded];
}

/**
 * @param {Run} run
 * @param {RoundOfPairings} round
 * @param {boolean} isOpen
 */
function foldedRound(run, { number, pairings }, isOpen) {
  return make(
    "details",
    { "data-round": number, open: isOpen },
    make("summary", {}, say("Round {number}", { number })),
    make(
      "ul",
      { class: "pairings" },
      pairings.map((pairing) => make("li", {}, pairingBox(run, pairing))),
    ),
  );
}

/** @param {Pairing["state"]} state */
function stateWords(state) {
  switch (state) {
    case "under way":
      return say("under way");
    case "void":
      return say("void");
    case "annulled":
      return say("annulled");
    case "open":
      return say("not played yet");
    case "dropped":
      return say("not played: withdrawn");
    default:
      return "";
  }
}

/**
 * The two who meet, the winner in bold.
 *
 * @param {Run} run
 * @param {Pairing} pairing
 */
function pairingBox({ names }, pairing) {
  const { state, fixture, entrants } = pairing;
  const sides = entrants.map((id, place) => {
    const whose = state === "bye" ? say("bye") : "–";
    const name = id ? names[id] : "";
    const nameWords = id ? nameNode(name) : whose;
    const node = make("span", { class: "name", title: id ? name : null }, nameWords);
    return sideOf(pairing, place, node);
  });
  const words = stateWords(state);
  const dot = state === "under way" ? [liveDot(), " "] : null;
  const note = words ? make("span", { class: "quiet" }, dot, words) : null;
  const kind = `pairing ${state.replace(" ", "-")}`;
  if (!WITH_PAGE.has(state)) return make("div", { class: kind }, sides, note);
  return make("a", { class: kind, href: `#${fixture}` }, sides, note);
}

/**
 * One of the two, with what it reached.
 *
 * @param {Pairing} pairing
 * @param {number} place
 * @param {HTMLElement} name
 */
function sideOf({ state, games = [0, 0], points = [0, 0], winner = 0 }, place, name) {
  const isWinner = winner === place + 1;
  const kind = isWinner ? "side ahead" : "side";
  if (!WITH_SCORE.has(state)) return make("span", { class: kind }, name);
  return make(
    "span",
    { class: kind },
    name,
    isWinner ? make("span", { class: "unseen" }, ` (${say("won")})`) : null,
    " ",
    make("span", { class: "games-won" }, games[place]),
    " ",
    make("span", { class: "points" }, points[place]),
  );
}

/**
 * A column for every round; the lines between them are drawn by the style. A phone shows one round
 * at a time, with buttons that lead to each.
 *
 * @param {Run} run
 * @param {RoundOfPairings[]} rounds
 */
function bracket(run, rounds) {
  const columns = rounds.map((round) => {
    const boxes = round.pairings.map((pairing) => make("li", {}, pairingBox(run, pairing)));
    const title = make("h3", {}, titleOf(round));
    return make("div", { class: "bracket-round" }, title, make("ol", {}, boxes));
  });
  const box = { class: "scroll bracket", tabindex: "0", role: "region" };
  return [
    roundButtons(rounds, columns),
    make("div", { ...box, "aria-label": say("Bracket") }, columns),
  ];
}

/**
 * @param {RoundOfPairings[]} rounds
 * @param {HTMLElement[]} columns Of the rounds.
 */
function roundButtons(rounds, columns) {
  const buttons = rounds.map((round, place) => {
    const show = () => {
      const column = columns[place];
      const [title] = column.children;
      title.scrollIntoView({ block: "nearest", behavior: "instant" });
      // at once: new contents may be drawn in the middle of a slow way
      const left = column.offsetLeft - columns[0].offsetLeft;
      column.parentElement?.scrollTo({ left, behavior: "instant" });
    };
    return pressed(titleOf(round), show);
  });
  const attributes = { class: "rounds-of-bracket", role: "group", "aria-label": say("Rounds") };
  return make("div", attributes, buttons);
}

/** @param {RoundOfPairings} round */
function titleOf({ number, pairings }) {
  switch (pairings.length) {
    case 1:
      return say("Final");
    case 2:
      return say("Semi-finals");
    case 4:
      return say("Quarter-finals");
    default:
      return say("Round {number}", { number });
  }
}

/**
 * A challenger against everybody else.
 *
 * @param {Run} run
 * @param {ChallengerBoard} board
 * @param {Superiority} [superior]
 * @returns {Child[]}
 */
function challengerTable({ names, entrants }, { challenger, rows }, superior) {
  /** @param {string} id */
  const placeOf = (id) => entrants.findIndex((entrant) => entrant.id === id);
  const probabilities = superior?.[placeOf(challenger)];
  const headings = [say("opponent"), say("points"), say("points a game"), say("matches left")];
  if (probabilities) headings.push(say("stronger"));
  headings.push(say("matches"));
  const lines = rows.map((row) => {
    const { opponent } = row;
    const name = opponent ? botLink(opponent, names[opponent]) : say("all together");
    const line = [name, ...resultCells(row)];
    if (probabilities) {
      const sure = opponent ? probabilities[placeOf(opponent)] : null;
      line.push(sure === null ? "–" : sureWords(sure));
    }
    return [...line, meetingsCell(row)];
  });
  const name = names[challenger];
  const stronger = say(
    "Stronger: the probability that {name} is the stronger one, by all matches that count.",
    { name },
  );
  return [
    table(say("{name} against each opponent", { name }), headings, lines, "numbers"),
    probabilities ? make("p", { class: "quiet" }, stronger) : null,
  ];
}

/**
 * @param {OpponentRow} row
 * @returns {Child[]}
 */
function resultCells({ points, mean, left }) {
  return [points.join(":"), mean === null ? "–" : signed(mean, 2), left];
}

/** @param {OpponentRow} row */
function meetingsCell({ matches }) {
  const links = matches.map((pairing, place) => [place ? " " : "", meetingLink(pairing)]);
  return make("td", { class: "prose" }, links);
}

/** @param {Pairing} pairing */
function meetingLink({ state, fixture = "", points = [0, 0], winner = 0 }) {
  if (!WITH_PAGE.has(state)) return "–";
  const outcome = ["drawn", "won", "lost"][winner];
  const score = WITH_SCORE.has(state) ? points.join(":") : "";
  const isLevel = state === "played" && points[0] === points[1];
  const words = isLevel ? say(outcome) : stateWords(state);
  return make(
    "a",
    { href: `#${fixture}`, class: `outcome ${outcome}`, title: fixture },
    [score, words].filter(Boolean).join(" "),
  );
}
