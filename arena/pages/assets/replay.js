// The view of one game: board, controls, what happened, and the list of turns.

import { brandubhBoard } from "./brandubh_board.js";
import { Curve, curveValues } from "./charts.js";
import { capital, duration, endingName, make, pressed } from "./elements.js";
import { judgementOf, markOf } from "./judgement.js";
import { nameNodes } from "./names.js";
import { Plate } from "./plate.js";
import { toolsOf } from "./replay_tools.js";
import { setPressed, sign, signButton } from "./sign_buttons.js";
import { hurry, isMotionWanted, slideBrandubh, slideTables } from "./slides.js";
import { detailsOf, framesOf, sentenceOf, turnWords } from "./steps.js";
import { followStrokes } from "./strokes.js";
import { tablesBoard } from "./tables_board.js";
import { say, told } from "./words.js";

/** @import {Board, ReplayedGame, Said, TimeControl} from "./contents.d.ts" */
/** @import {Frame} from "./steps.js" */
/** @import {BoardFrame} from "./tables_board.js" */

/**
 * What a replay needs of a run.
 *
 * @typedef {object} ReplayedRun
 * @property {Readonly<Record<string, string>>} names by the ids of entrants
 * @property {string} ruleset
 * @property {Board} board
 * @property {{ clock: TimeControl }} terms
 */

/**
 * What a replay needs of a match. An embedded one needs no `playable`: the numbers of the games
 * that can be played through.
 *
 * @typedef {object} ReplayedMatch
 * @property {string} link
 * @property {string} fixture
 * @property {number} attempt
 * @property {readonly string[]} entrants
 * @property {readonly string[]} versions
 * @property {Said | string} [void]
 * @property {Said | string} [broken]
 * @property {readonly number[]} [playable]
 */

const PACE_MS = 700;

export const BOARDS = { tables: tablesBoard, brandubh: brandubhBoard, text: textBoard };

/**
 * Boards on which turns slide.
 *
 * @type {Partial<Record<Board["kind"], typeof slideTables>>}
 */
export const SLIDES = { tables: slideTables, brandubh: slideBrandubh };

/**
 * @param {Board} _board
 * @param {readonly string[]} _names
 * @param {{ position: string }} frame
 * @param {boolean} [_flipped]
 * @returns {HTMLPreElement}
 */
function textBoard(_board, _names, { position }, _flipped) {
  return make("pre", { class: "board drawn", tabindex: "0" }, position);
}

export class Replay {
  /**
   * @param {ReplayedRun} run
   * @param {ReplayedMatch} match
   * @param {ReplayedGame} game
   * @param {(label: string) => void} moved hears the label of each frame that is shown
   * @param {boolean} [isEmbedded] in another page: without a heading and links of its own
   */
  constructor(run, match, game, moved, isEmbedded = false) {
    this.run = run;
    this.match = match;
    this.game = game;
    this.moved = moved;
    this.isEmbedded = isEmbedded;
    this.names = match.entrants.map((id) => run.names[id]);
    this.frames = framesOf(game, run.terms.clock);
    this.place = 0;
    /** @type {number | null} */
    this.timer = null;
    this.speed = 1;
    this.flipped = false;
    /** How often a board was shown: what still slides for an earlier one stops. */
    this.shown = 0;
    this.curve = this.drawCurve();
    this.board = make("div", { class: "board-box" });
    this.plates = [this.plate(1), this.plate(2)];
    this.sentence = make("p", { class: "sentence", "aria-live": "polite", "aria-atomic": "true" });
    this.details = make("div", { class: "details" });
    this.best = this.bestButton();
    this.rows = this.frames.map((frame, place) => this.row(frame, place));
    this.moves = make(
      "ol",
      { class: "moves", tabindex: "0", "aria-label": capital(say("turns")) },
      this.rows,
    );
    this.play = signButton(say("Play (space)"), "play", () => this.toggle());
    this.slider = this.makeSlider();
    this.counter = make("output", { class: "counter" });
    this.node = this.build();
    this.board.addEventListener("pointerdown", () => hurry(this.board));
    followStrokes(this.board, (by) => this.step(by));
  }

  drawCurve() {
    const values = curveValues(this.frames, this.game);
    if (!values) return null;
    const discs = [this.discOf(1), this.discOf(2)];
    return new Curve(this.frames, values, this.names, discs, (place) => this.jump(place));
  }

  build() {
    const embedded = this.isEmbedded ? " embedded" : "";
    const analysed = this.curve ? " analysed" : "";
    const middle = [this.sentence, this.details, this.best, this.moves, this.curve?.node ?? null];
    const panel = [
      make("div", { class: "at-the-head" }, this.isEmbedded ? null : this.head()),
      this.plates[1].node,
      make("div", { class: "middle" }, middle),
      this.controls(),
      this.plates[0].node,
    ];
    return make(
      "article",
      { class: `replay${embedded}${analysed}` },
      this.brokenNotice(),
      make("div", { class: "table-and-turns" }, this.board, make("div", { class: "panel" }, panel)),
    );
  }

  brokenNotice() {
    const { broken } = this.match;
    if (!broken) return null;
    const words = say("The record can be followed no further: {reason}", { reason: told(broken) });
    return make("p", { class: "notice bad" }, words);
  }

  head() {
    const { match, game, run } = this;
    const ofGame = say("game {number}", { number: game.number });
    const title = [nameNodes(this.names, " – "), ` · ${ofGame}`]; // a cut name leaves a gap before it
    const attempt = say("attempt {number}", { number: match.attempt });
    const place = match.link.includes("~") ? `${match.fixture}, ${attempt}` : match.fixture;
    return [
      make("p", { class: "crumbs" }, this.gameLinks()),
      make("h1", { tabindex: "-1" }, title),
      make("p", { class: "quiet" }, `${place} · ${run.ruleset}${this.stateWords()}`),
    ];
  }

  /** What is unusual about the match or the game. */
  stateWords() {
    const { match, game } = this;
    if (match.void) return ` · ${say("void: {reason}", { reason: told(match.void) })}`;
    return game.ended ? "" : ` · ${endingName("not_over")}`;
  }

  gameLinks() {
    const { playable = [], link } = this.match;
    const at = playable.indexOf(this.game.number);
    /**
     * @param {number | undefined} game
     * @param {string} words
     */
    const to = (game, words) => {
      if (!game) return make("span", { class: "quiet" }, words);
      return make("a", { href: `#${link}/${game}/0` }, words);
    };
    return make(
      "span",
      { class: "game-links" },
      to(playable[at - 1], `‹ ${say("game before")}`),
      " \u00a0 ",
      to(playable[at + 1], `${say("next game")} ›`),
    );
  }

  /** @param {number} seat */
  plate(seat) {
    const name = this.names[seat - 1];
    const version = this.match.versions[seat - 1];
    return new Plate(seat, this.discOf(seat), name, version, this.colourOf(seat));
  }

  /**
   * @param {number} seat
   * @returns {string} empty if both sides play alike
   */
  colourOf(seat) {
    const { colours } = this.run.board;
    if (!colours.length) return "";
    return say(colours[this.game.starter === seat ? 0 : 1]);
  }

  /**
   * @param {number} seat
   * @returns {number} the seat whose checkers have the colour of this one
   */
  discOf(seat) {
    if (!this.run.board.colours.length) return seat;
    return this.game.starter === seat ? 2 : 1;
  }

  bestButton() {
    return pressed(say("Show the best turn"), () => this.toggleBest(), {
      class: "show-best",
      "aria-pressed": "false",
      hidden: true,
    });
  }

  makeSlider() {
    const slider = make("input", {
      type: "range",
      min: 0,
      max: this.frames.length - 1,
      value: 0,
      "aria-label": capital(say("turn")),
    });
    slider.addEventListener("input", () => {
      this.stop();
      this.show(Number(slider.value));
    });
    return slider;
  }

  controls() {
    return make(
      "div",
      { class: "controls", role: "group", "aria-label": say("Replay") },
      make(
        "div",
        { class: "buttons" },
        signButton(say("First (Home)"), "first", () => this.jump(0)),
        signButton(say("Back (left arrow)"), "back", () => this.step(-1)),
        this.play,
        signButton(say("Forward (right arrow)"), "forward", () => this.step(1)),
        signButton(say("Last (End)"), "last", () => this.jump(this.frames.length - 1)),
        toolsOf(this),
      ),
      make("div", { class: "progress" }, this.slider, this.counter),
    );
  }

  /**
   * @param {Frame} frame
   * @returns {string} its part of the page's address
   */
  hashOf({ label }) {
    return `#${this.match.link}/${this.game.number}/${label}`;
  }

  /** Turn the board round, and return whether seat 2 is at the bottom now. */
  flip() {
    this.flipped = !this.flipped;
    this.node.classList.toggle("flipped", this.flipped);
    this.jump(this.place);
    return this.flipped;
  }

  /** The board as it stands, without what is still sliding. Only a drawn board is a picture. */
  picture() {
    this.jump(this.place);
    return /** @type {SVGSVGElement} */ (this.board.firstChild);
  }

  /**
   * Make the row of a frame in the list of turns.
   *
   * @param {Frame} frame
   * @param {number} place
   */
  row(frame, place) {
    const { kind, seat } = frame;
    const isTurn = kind === "turn";
    const hasDisc = seat > 0 && kind !== "start" && kind !== "end";
    const words = isTurn ? turnWords(frame.text) : sentenceOf(frame, this.game, this.names);
    const mark = frame.judged ? [" ", markOf(frame.judged) ?? ""] : null;
    const link = make(
      "a",
      { href: this.hashOf(frame), tabindex: "-1", class: `move ${kind}` },
      make("span", { class: "label" }, kind === "end" ? say("end") : frame.label),
      make("span", { class: hasDisc ? `disc small seat-${this.discOf(seat)}` : null }),
      make("span", { class: "dice" }, isTurn ? [...frame.dice].join("-") : ""),
      make("span", { class: "text" }, words, mark),
      make("span", { class: "time" }, isTurn ? duration(frame.spent ?? 0) : ""),
    );
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.jump(place);
    });
    return make("li", {}, link);
  }

  /**
   * Show a frame; one before the first or after the last shows these.
   *
   * @param {number} place
   * @param {boolean} [slides] the checkers of a turn slide there first
   * @returns {Promise<void>}
   */
  async show(place, slides = false) {
    this.place = Math.max(0, Math.min(this.frames.length - 1, place));
    this.shown += 1;
    const { shown, flipped, speed, names } = this;
    const { board } = this.run;
    const frame = this.frames[this.place];
    this.tell(frame);
    const slide = SLIDES[board.kind];
    if (slides && slide && frame.kind === "turn" && isMotionWanted()) {
      const isCurrent = () => this.shown === shown;
      await slide(this.board, board, names, frame, flipped, speed, isCurrent);
      if (!isCurrent()) return;
    }
    this.showBoard({ ...frame, mover: frame.seat || this.game.starter || 1 });
  }

  /** @param {BoardFrame} frame */
  showBoard(frame) {
    const { board } = this.run;
    this.board.replaceChildren(BOARDS[board.kind](board, this.names, frame, this.flipped));
  }

  /**
   * Say what happens in a frame, everywhere but on the board.
   *
   * @param {Frame} frame
   */
  tell(frame) {
    for (const plate of this.plates) plate.tell(this.run.board, frame);
    const isLabelled = frame.kind !== "start" && frame.kind !== "end";
    const sentence = sentenceOf(frame, this.game, this.names);
    this.sentence.textContent = isLabelled ? `${frame.label}. ${sentence}` : sentence;
    this.tellDetails(frame);
    this.best.hidden = !(frame.kind === "turn" && frame.judged?.best);
    setPressed(this.best, false);
    this.curve?.mark(this.place);
    this.slider.value = String(this.place);
    this.slider.setAttribute("aria-valuetext", this.sentence.textContent);
    this.counter.textContent = `${this.place} / ${this.frames.length - 1}`;
    this.mark();
    this.moved(frame.label);
  }

  /** @param {Frame} frame */
  tellDetails(frame) {
    const judgement = judgementOf(frame, this.names).map((line) =>
      make("p", { class: "judgement" }, line),
    );
    const details = detailsOf(frame, this.game, this.names).map((line) => make("p", {}, line));
    this.details.replaceChildren(...judgement, ...details);
    this.details.classList.toggle("bad", frame.kind === "rejected");
  }

  /** Mark the row of the frame, and keep it in sight within its list alone. */
  mark() {
    for (const [place, { firstElementChild: link }] of this.rows.entries()) {
      if (place === this.place) link?.setAttribute("aria-current", "step");
      else link?.removeAttribute("aria-current");
    }
    const row = this.rows[this.place];
    const list = this.moves;
    const top = row.offsetTop;
    const bottom = top + row.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight)
      list.scrollTop = bottom - list.clientHeight;
  }

  /** Show the position before the turn, with the best turn as arrows; and back. */
  toggleBest() {
    if (this.best.getAttribute("aria-pressed") === "true") {
      this.jump(this.place);
      return;
    }
    this.stop();
    this.shown += 1; // what still slides is not drawn any more
    const { before, dice, seat, judged } = this.frames[this.place];
    const turn = { dice, seat, mover: seat, text: judged?.best };
    this.showBoard({ kind: "best", position: before, before, ...turn });
    setPressed(this.best, true);
  }

  /**
   * Show a frame, and stop what plays.
   *
   * @param {number} place
   */
  jump(place) {
    this.stop();
    this.show(place);
  }

  /**
   * Go on, or back; nothing happens beyond the first and the last.
   *
   * @param {number} by frames
   */
  step(by) {
    this.stop();
    const place = this.place + by;
    if (place >= 0 && place < this.frames.length) this.show(place, by > 0);
  }

  /** Play the game from here, or stop. */
  toggle() {
    if (this.timer !== null) {
      this.stop();
      return;
    }
    if (this.place === this.frames.length - 1) this.show(0);
    this.sentence.setAttribute("aria-live", "off");
    this.playOn();
    this.showPlaying();
  }

  /** Show the next frame after a pause, and then those that follow. */
  playOn() {
    const timer = window.setTimeout(async () => {
      await this.show(this.place + 1, true);
      if (this.timer !== timer) return;
      if (this.place === this.frames.length - 1) this.stop();
      else this.playOn();
    }, PACE_MS / this.speed);
    this.timer = timer;
  }

  stop() {
    window.clearTimeout(this.timer ?? undefined);
    this.timer = null;
    this.sentence.setAttribute("aria-live", "polite");
    this.showPlaying();
  }

  showPlaying() {
    const isPlaying = this.timer !== null;
    const words = isPlaying ? say("Pause (space)") : say("Play (space)");
    this.play.replaceChildren(sign(isPlaying ? "pause" : "play"));
    this.play.setAttribute("aria-label", words);
    this.play.title = words;
  }

  /**
   * Take a key that was pressed anywhere on the page, unless a form element does something with it.
   *
   * @param {KeyboardEvent} event
   */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { key, target } = event;
    const isSlider = target instanceof HTMLInputElement && target.type === "range";
    const isInput = target instanceof HTMLInputElement && !isSlider;
    if (isInput || target instanceof HTMLSelectElement) return;
    const isButton = target instanceof HTMLButtonElement;
    if (key === " " ? isButton : isSlider) return;
    const act = this.actOf(key);
    if (!act) return;
    event.preventDefault();
    act();
  }

  /**
   * @param {string} key
   * @returns {(() => void) | null}
   */
  actOf(key) {
    switch (key) {
      case " ":
        return () => this.toggle();
      case "ArrowLeft":
        return () => this.step(-1);
      case "ArrowRight":
        return () => this.step(1);
      case "Home":
        return () => this.jump(0);
      case "End":
        return () => this.jump(this.frames.length - 1);
      default:
        return null;
    }
  }
}
