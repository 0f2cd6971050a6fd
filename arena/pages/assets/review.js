// A match that is over, to be gone through again.

/**
 * @import {Board, DecisionRow, ReplayedGame, TimeControl} from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 */

import { capital, make, pressed, section } from "./elements.js";
import { lossOf } from "./judgement.js";
import { BOARDS, Replay } from "./replay.js";
import { frameAt, framesOf, turnWords } from "./steps.js";
import { say } from "./words.js";

/**
 * A match that is over, as a server sends it.
 *
 * @typedef {object} MatchInReview
 * @property {[string, string]} names By seat; `you` for the person.
 * @property {Board} board
 * @property {TimeControl} clock
 * @property {ReplayedGame[]} games
 */

/**
 * What the evaluator has said of the match so far.
 *
 * @typedef {object} Judged
 * @property {boolean} is_judged
 * @property {readonly DecisionRow[] | null} costliest
 */

/**
 * The games of a match to play through, and the person's costliest turns as boards with the better
 * one.
 *
 * @param {MatchInReview} match
 * @param {Judged & { seat: number }} judged `seat` is the person's
 */
export function reviewOf(match, { seat, ...judged }) {
  const review = new Review(match, seat);
  const [first] = match.games;
  if (first) review.open(first.number, 0);
  const turns = review.costliestPart(judged);
  return make(
    "div",
    {},
    turns && section("costliest", say("Your costliest turns"), turns),
    section("review", say("Play the match through"), review.choice, review.box),
  );
}

class Review {
  /**
   * @param {MatchInReview} match
   * @param {number} seat The person's.
   */
  constructor({ names, board, clock, games }, seat) {
    this.names = names.map((name) => (name === "you" ? say("your side") : name));
    this.board = board;
    this.clock = clock;
    this.games = games;
    this.isFlipped = board.kind === "tables" && seat === 2;
    this.box = make("div");
    this.buttons = games.map(({ number }) => this.gameButton(number));
    this.choice = make("div", { class: "hand-buttons" }, this.buttons);
  }

  /** @param {number} number */
  gameButton(number) {
    const words = capital(say("game {number}", { number }));
    return pressed(words, () => this.open(number, 0), {
      "data-game": number,
      "aria-pressed": "false",
    });
  }

  /** @param {number} number */
  gameOf(number) {
    const game = this.games.find((candidate) => candidate.number === number);
    if (!game) throw new Error(`the match has no game ${number}`);
    return game;
  }

  /**
   * Show a game from its start, or at a turn with the best one.
   *
   * @param {number} number
   * @param {number} turn 0 for the start.
   */
  open(number, turn) {
    const replay = this.replayOf(number);
    this.box.replaceChildren(replay.node); // its list scrolls to the turn
    if (this.isFlipped) replay.flip();
    replay.jump(turn ? Math.max(0, frameAt(replay.frames, String(turn))) : 0);
    if (turn && !replay.best.hidden) replay.toggleBest();
    if (turn) this.box.scrollIntoView();
    for (const button of this.buttons) {
      const isShown = button.dataset.game === String(number);
      button.setAttribute("aria-pressed", String(isShown));
    }
  }

  /** @param {number} number */
  replayOf(number) {
    const [first, second] = this.names;
    const run = {
      names: { first, second },
      board: this.board,
      terms: { clock: this.clock },
      ruleset: "",
    };
    /** @type {ConstructorParameters<typeof Replay>[1]} */
    const match = {
      entrants: ["first", "second"],
      versions: ["", ""],
      fixture: "",
      link: "",
      attempt: 1,
      void: "",
      broken: "",
      playable: [],
    };
    return new Replay(run, match, this.gameOf(number), () => {}, true);
  }

  /**
   * What the evaluator says; nothing if it has judged nothing.
   *
   * @param {Judged} judged
   * @returns {HTMLElement | null}
   */
  costliestPart({ is_judged: isJudged, costliest }) {
    if (!isJudged) {
      const words = say("The evaluator is looking at your turns …");
      return make("p", { class: "quiet", role: "status" }, words);
    }
    if (!costliest) return null;
    if (!costliest.length)
      return make("p", {}, say("The evaluator has nothing to say against your turns."));
    const turns = costliest.map((row) => make("li", {}, this.turnCard(row)));
    return make("ul", { class: "cards" }, turns);
  }

  /** @param {DecisionRow} row */
  turnCard(row) {
    const { game, turn, loss, played, best } = row;
    const title = capital(say("game {game}, turn {turn}", { game, turn }));
    const cost = say("costs {points}", { points: lossOf(loss) });
    /** @type {Child[]} */
    const parts = [
      make("span", { class: "cost" }, make("strong", {}, title), " ", cost),
      make(
        "span",
        { class: "both-turns" },
        this.turnShown(say("You played"), row, played),
        this.turnShown(say("Better"), row, best),
      ),
    ];
    return pressed(parts, () => this.open(game, turn), { class: "card" });
  }

  /**
   * @param {string} label
   * @param {DecisionRow} row
   * @param {string} turn
   * @returns {HTMLSpanElement} one of the two turns, in words and on a board
   */
  turnShown(label, row, turn) {
    return make(
      "span",
      { class: "turn-shown" },
      make("span", { class: "small-board", "aria-hidden": "true" }, this.boardWith(row, turn)),
      make("span", {}, make("span", { class: "quiet" }, label), ` ${turnWords(turn)}`),
    );
  }

  /**
   * The board before a turn of the match, with a turn as arrows.
   *
   * @param {DecisionRow} row
   * @param {string} text
   */
  boardWith({ game, turn }, text) {
    const frames = framesOf(this.gameOf(game), this.clock);
    const frame = frames.find((candidate) => candidate.kind === "turn" && candidate.turn === turn);
    if (!frame) throw new Error(`game ${game} has no turn ${turn}`);
    const { before, dice, seat } = frame;
    const shown = { kind: "best", position: before, before, dice, seat, mover: seat, text };
    return BOARDS[this.board.kind](this.board, this.names, shown, this.isFlipped);
  }
}
