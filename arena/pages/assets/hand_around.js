// What stands around the table: the link for the other person, and the results after a game and
// after the match.

import { capital, counted, make, pressed, section, sentence, toldSpan } from "./elements.js";
import { readTables, tablesRoom } from "./geometry.js";
import { keyedButton } from "./redraw.js";
import { endingWords } from "./steps.js";
import { say } from "./words.js";

/** @import {AtTheBoard, ClosedGame, GameOver, MatchOver, Said} from "./contents.d.ts" */
/** @import {Ask, HandState} from "./hand_types.d.ts" */

/** Endings that are counted on the bar. */
const JANS = new Set(["jan", "forced_jan"]);

/** The names of this computer itself: a link with one of them leads nowhere from elsewhere. */
const THIS_COMPUTER = /^(localhost|127\..+|\[::1\])$/;

/** @returns {HTMLElement[]} from where the link works */
function reachWords() {
  if (!THIS_COMPUTER.test(location.hostname))
    return [make("p", {}, say("Send this link to the other person, who plays by it."))];
  const here = say(
    "This link works on this computer only: open it in a second tab or window, and take turns.",
  );
  const elsewhere = say("To invite somebody over a network, see “Who can reach the page” in");
  const pages = [make("code", {}, "docs/playing.md"), " (", make("code", {}, PAGE_OF_DOCS), ")."];
  return [make("p", {}, here), make("p", { class: "quiet" }, elsewhere, " ", ...pages)];
}

/** The command that prints that page of the documentation. */
const PAGE_OF_DOCS = "arena docs playing";

/**
 * Return the link for the other person, to be sent or to be opened beside this page.
 *
 * @param {HandState} state
 * @param {Ask} act
 * @returns {HTMLElement}
 */
export function invitationPart({ invitation: token, opponent: name, is_away: isAway }, act) {
  const { href } = new URL(`#${token}`, location.href);
  const attributes = { class: "invitation", href, target: "_blank", rel: "noopener" };
  const link = make("a", attributes, href);
  const done = make("span", { role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(href);
      done.textContent = sentence("copied");
    } catch {
      // without a permission, or over plain HTTP from elsewhere
      getSelection()?.selectAllChildren(link);
    }
  };
  const presence = isAway
    ? say("{name} has not opened the link yet.", { name })
    : say("{name} is at the page; the match begins.", { name });
  const buttons = [
    pressed(say("Copy the link"), copy, { class: "main" }),
    pressed(say("Call it off"), () => act("choose", {})),
    done,
  ];
  return make(
    "div",
    {},
    reachWords(),
    make("p", {}, link),
    make("p", { class: `presence${isAway ? " away" : ""}`, role: "status" }, presence),
    make("div", { class: "hand-buttons" }, buttons),
  );
}

/**
 * Say how a game has ended.
 *
 * @param {GameOver} game
 * @returns {string}
 */
export function overWords(game) {
  const { number, ending, monk, result } = game;
  const how = endingWords({ ending, cause: null, monk });
  const points = counted(game.points, "point", "points");
  if (result === "drawn") return say("Game {number} is drawn: {how}.", { number, how });
  if (ending === "forfeit" && result === "won")
    return say("You win game {number} by forfeit: {points}.", { number, points });
  if (ending === "forfeit")
    return say("You lose game {number} by forfeit: {points}.", { number, points });
  if (result === "won")
    return say("You win game {number} by {how}: {points}.", { number, how, points });
  return say("You lose game {number} by {how}: {points}.", { number, how, points });
}

/**
 * @param {AtTheBoard} table
 * @param {ClosedGame} final
 * @returns {HTMLParagraphElement} why a game is over, and the numbers of a jan
 */
function whyOver(table, final) {
  const { why, clause } = final.game;
  const words = why ? `${sentence(why)} (${clause})` : `(${clause})`;
  return make("p", {}, janNumbers(table, final), words);
}

/**
 * @param {AtTheBoard} table
 * @param {ClosedGame} final
 * @returns {HTMLElement | null} what the loser has on the bar, and the places for it (B9.1)
 */
function janNumbers({ board, seat }, { game, position }) {
  if (!JANS.has(game.ending)) return null;
  const loser = game.result === "lost" ? seat : 3 - seat;
  const { bar } = readTables(position, board.remembers)[loser - 1];
  const free = counted(tablesRoom(board, position, loser), "free point", "free points");
  return make(
    "strong",
    { class: "jan-numbers" },
    say("{bar} on the bar, {free}.", { bar, free }),
    " ",
  );
}

/**
 * Return a game that is over, to stand above the board that it ended on.
 *
 * @param {AtTheBoard} table
 * @param {ClosedGame} final
 * @param {boolean} isLast true if the match is over with it
 * @param {HTMLElement} pause tells when the next game begins
 * @param {() => void} goOn
 * @returns {HTMLElement}
 */
export function gameOverPanel(table, final, isLast, pause, goOn) {
  const { game } = final;
  const [mine, theirs] = game.score;
  const words = isLast ? say("The match") : capital(say("next game"));
  return make(
    "section",
    { class: "notice over", "aria-label": say("The game is over") },
    make("h2", { tabindex: "-1" }, overWords(game)),
    whyOver(table, final),
    make("p", { class: "title" }, say("Score: {mine} : {theirs}", { mine, theirs })),
    keyedButton("go on", words, goOn, { class: "main go-on" }),
    pause,
  );
}

/**
 * Return the whole match.
 *
 * @param {HandState} state
 * @param {MatchOver} over
 * @param {Ask} act
 * @param {HTMLElement} dice the part that checks them, which stays when the rest is drawn again
 * @param {HTMLElement} review the part that has the match to play through
 * @returns {HTMLElement}
 */
export function matchOverPanel(state, over, act, dice, review) {
  const { table } = state;
  const games = table
    ? table.over.map((final) => make("li", {}, overWords(final.game), whyOver(table, final)))
    : [];
  return make(
    "div",
    { class: "match-over" },
    make("h1", { tabindex: "-1" }, titleOf(over)),
    scoreLine(state, over),
    goOnPart(state, act, review),
    games.length ? make("ul", { class: "games-over" }, games) : null,
    review,
    section("dice-of-match", say("The dice"), diceProblems(over), diceOf(over, dice)),
    state.role === "host" ? folderLine(over) : null,
  );
}

/**
 * @param {MatchOver} over
 * @returns {string}
 */
function titleOf({ result, why_left: whyLeft }) {
  if (result === "won") return say("You have won the match");
  if (result === "lost") return say("You have lost the match");
  if (result === "drawn") return say("The match is drawn");
  if (whyLeft?.[0] === "left.resigned") return say("You have resigned the match");
  return say("The match has ended");
}

/**
 * @param {HandState} state
 * @param {MatchOver} over
 * @returns {HTMLElement | null} the score, or why the match has ended before its end
 */
function scoreLine({ table, me, opponent }, { result, why_left: whyLeft }) {
  if (result !== "left") {
    const [mine, theirs] = table?.score ?? [0, 0];
    return make("p", { class: "lead title" }, `${me} ${mine} : ${theirs} ${opponent}`);
  }
  if (!whyLeft || whyLeft[0] === "left.resigned") return null;
  return make("p", { class: "notice bad" }, toldSpan(whyLeft));
}

/**
 * @param {HandState} state
 * @param {Ask} act
 * @param {HTMLElement} review
 * @returns {HTMLElement[]} what comes next
 */
function goOnPart({ role, opponent: name }, act, review) {
  const look = pressed(say("Go through the match"), () => {
    review.scrollIntoView();
    review.querySelector("button")?.focus({ preventScroll: true });
  });
  if (role === "host") {
    const again = pressed(say("Play again"), () => act("rematch", {}), { class: "main" });
    const another = pressed(say("Another opponent"), () => act("choose", {}));
    const kept = say("The review stays among your last games.");
    const buttons = make("div", { class: "hand-buttons" }, again, look, another);
    return [buttons, make("p", { class: "quiet" }, kept)];
  }
  const buttons = make("div", { class: "hand-buttons" }, look);
  if (role === "entrant") return [...courseParts(), buttons];
  const words = say("If {name} begins another match, the board appears here.", { name });
  return [make("p", { role: "status" }, words), buttons];
}

/** @returns {HTMLElement[]} room for the next match of a tournament, and for its standings */
export function courseParts() {
  return [make("div", { class: "next-match" }), make("div", { class: "in-tournament" })];
}

/**
 * @param {MatchOver} over
 * @returns {HTMLElement | null}
 */
function diceProblems({ dice_problems: problems }) {
  if (!problems?.length) return null;
  /** @type {(first: Said, then: Said) => Said} */
  const joined = (first, then) => ["joined", { first, then }];
  return make("p", { class: "verdict bad" }, toldSpan(problems.reduce(joined)));
}

/**
 * @param {MatchOver} over
 * @param {HTMLElement} dice
 * @returns {HTMLElement}
 */
function diceOf({ is_settled: isSettled }, dice) {
  if (isSettled) return dice;
  const words = say("The arena settles the match; then the dice can be checked.");
  return make("p", { class: "quiet" }, words);
}

/**
 * @param {MatchOver} over
 * @returns {HTMLElement}
 */
function folderLine({ folder }) {
  return make(
    "p",
    { class: "quiet" },
    `${say("The record is in")} `,
    make("code", {}, folder),
    "; ",
    make("code", {}, `arena report ${folder}`),
  );
}
