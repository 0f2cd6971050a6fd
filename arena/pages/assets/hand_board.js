// The board at which a person plays: drawn, rolled at, and with checkers that slide.

import { addedMoves, inOrder, momentOf, usedDice } from "./clicks.js";
import { make } from "./elements.js";
import { withoutLifted } from "./geometry.js";
import { Spots } from "./hand_spots.js";
import { keyed, redraw } from "./redraw.js";
import { BOARDS, SLIDES } from "./replay.js";
import { animated, calm, hurry, isMotionWanted } from "./slides.js";
import { SOUNDS } from "./sounds.js";

/** @import {AtTheBoard, ClosedGame} from "./contents.d.ts" */
/** @import {Slot, StateAtTheBoard} from "./hand_types.d.ts" */
/** @import {SlidFrame} from "./slides.js" */

const ROLL_MS = 550;
const SLIDE_SPEED = 1.4;

/**
 * @param {AtTheBoard} table
 * @returns {boolean} true if the board is seen from the side of seat 2
 */
function isFlipped({ board, seat }) {
  return board.kind === "tables" && seat === 2;
}

/**
 * Return the names of both seats.
 *
 * @param {StateAtTheBoard} state
 * @returns {[string, string]}
 */
function namesOf({ me, opponent, table }) {
  return table.seat === 1 ? [me, opponent] : [opponent, me];
}

/** @returns {boolean} true if somebody looks, and wants to see things move */
function isWatched() {
  return !document.hidden && isMotionWanted();
}

export class HandBoard {
  /**
   * @param {(question: string, start: Slot, target: Slot) => void} tried what the person does
   * @param {() => void} confirm plays a whole turn
   */
  constructor(tried, confirm) {
    this.confirm = confirm;
    this.node = make("div", { class: "board-box hand" });
    this.isSwapped = false;
    /** @type {StateAtTheBoard | null} */
    this.state = null;
    /** @type {ClosedGame | null} a game that is over, whose end is shown in place of the state */
    this.final = null;
    /** @type {Promise<void> | null} */
    this.sliding = null;
    /** @type {Promise<void> | null} */
    this.rolling = null;
    /** True if nodes in the box have moved, which are not to be used for other things. */
    this.hasMoved = false;
    /** True if the next move of the person was dragged, so that it need not slide. */
    this.isDragged = false;
    /** The number of the opponent's turn that has been played here. */
    this.played = 0;
    /** The question for which dice were rolled here. */
    this.rolled = "";
    /** @param {Slot} start @param {Slot} target @param {boolean} isDragged */
    const play = (start, target, isDragged) => {
      this.isDragged = isDragged;
      tried(this.state?.table.question ?? "", start, target);
    };
    this.spots = new Spots(this.node, play, () => this.drawAgain());
    this.node.addEventListener("pointerdown", () => {
      if (this.sliding) hurry(this.node);
    });
  }

  /**
   * @param {readonly number[]} dice
   * @returns {number[]} the dice as they lie; the first one moves a checker that is clicked
   */
  inOrder(dice) {
    return inOrder(dice, this.isSwapped);
  }

  swap() {
    this.isSwapped = !this.isSwapped;
    this.drawAgain();
  }

  drawAgain() {
    if (this.state) this.draw(this.state);
  }

  /**
   * Draw a state. While dice are rolling nothing can be played yet.
   *
   * @param {StateAtTheBoard} state
   * @param {boolean} [isRolling]
   */
  draw(state, isRolling = false) {
    this.state = state;
    const { final } = this;
    const { table } = state;
    const frame = final ? lastFrame(final, table, this) : frameNow(table, this);
    const drawBoard = BOARDS[table.board.kind];
    const picture = drawBoard(table.board, namesOf(state), frame, isFlipped(table));
    if (!final && !isRolling) this.fadeUsedDice(picture, table);
    const isOpen = !final && !isRolling && table.phase === "turn";
    if (isOpen && isPlayable(table))
      this.spots.putOn(picture, table, this.inOrder(table.dice_left));
    else this.spots.putAway();
    if (isOpen) this.makePressable(picture, table);
    if (this.hasMoved) this.node.replaceChildren();
    this.hasMoved = false;
    redraw(this.node, keyed(table.board.kind, picture));
  }

  /**
   * @param {Element} picture
   * @param {AtTheBoard} table
   */
  fadeUsedDice(picture, { dice, dice_left: left }) {
    const dies = picture.querySelectorAll(".die");
    usedDice(this.inOrder(dice), left).forEach((isUsed, place) => {
      dies[place]?.classList.toggle("used", isUsed);
    });
  }

  /**
   * Put the dice above the places of a picture, since these can be clicked, too: that plays a turn
   * that is whole, and else swaps them.
   *
   * @param {Element} picture
   * @param {AtTheBoard} table
   */
  makePressable(picture, { is_whole: isWhole }) {
    /** @type {NodeListOf<SVGElement>} */
    const dies = picture.querySelectorAll(".die");
    dies.forEach((die, place) => {
      die.onclick = isWhole ? this.confirm : () => this.swap();
      die.classList.toggle("ready", isWhole);
      picture.append(keyed(`die ${place}`, die));
    });
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {boolean} true if the state has a roll that has not been seen rolling
   */
  isNewRoll({ table, lesson }) {
    if (table.phase !== "turn") return false;
    const isNew = this.rolled !== table.question;
    this.rolled = table.question;
    if (!isNew || lesson || this.final) return false;
    return table.dice.length > 0 && !table.moves.length && isWatched();
  }

  /**
   * Roll the dice of a state.
   *
   * @param {StateAtTheBoard} state
   */
  roll(state) {
    this.draw(state, true);
    this.hasMoved = true;
    calm(this.node);
    SOUNDS.dice();
    const dies = [...this.node.querySelectorAll(".die")];
    const motions = dies.map((die, place) => animated(die, rollFrames(place), ROLL_MS));
    const rolling = Promise.all(motions).then(() => {
      this.rolling = null;
    });
    this.rolling = rolling;
  }

  /**
   * Slide the opponent's turn, once.
   *
   * @param {StateAtTheBoard} state
   * @returns {boolean} true if it slides now
   */
  slideTheirs(state) {
    const { board, theirs, seat } = state.table;
    if (!theirs || theirs.number === this.played || this.final) return false;
    const isNext = this.played > 0 && theirs.number === this.played + 1;
    this.played = theirs.number;
    const isMoved = theirs.before !== theirs.position;
    if (!isNext || !isMoved || !SLIDES[board.kind] || !isWatched()) return false;
    const isCurrent = () => this.played === theirs.number && !this.final;
    this.slide(state, { ...theirs, seat: 3 - seat }, isCurrent);
    return true;
  }

  /**
   * Slide what the person has added to the turn, unless it was dragged there.
   *
   * @param {AtTheBoard | undefined} before
   * @param {StateAtTheBoard} state
   */
  slideMine(before, state) {
    const { table } = state;
    const { question, seat, position } = table;
    if (!before || momentOf(before) === momentOf(table)) return;
    const added = addedMoves(before, table);
    const { isDragged } = this;
    this.isDragged = false;
    if (!added.length || isDragged) return;
    SOUNDS.checker();
    if (this.final || table.board.kind !== "tables" || !isWatched()) return;
    const moves = added.map(([from, to]) => ({ from: Number(from), to: Number(to) }));
    const dice = this.inOrder(table.dice);
    const isCurrent = () => {
      const now = this.state?.table;
      return now?.question === question && now.moves.length <= table.moves.length;
    };
    this.slide(state, { before: before.position, position, moves, dice, seat }, isCurrent);
  }

  /**
   * @param {StateAtTheBoard} state
   * @param {SlidFrame} frame
   * @param {() => boolean} isCurrent false once something else is shown
   */
  slide(state, frame, isCurrent) {
    const { board } = state.table;
    const slides = SLIDES[board.kind];
    if (!slides) return;
    this.hasMoved = true;
    this.spots.putAway();
    const names = namesOf(state);
    const flipped = isFlipped(state.table);
    const sliding = slides(this.node, board, names, frame, flipped, SLIDE_SPEED, isCurrent);
    const ended = sliding.finally(() => {
      if (this.sliding === ended) this.sliding = null;
    });
    this.sliding = ended;
  }

  /** True while something slides or rolls. */
  get isMoving() {
    return this.sliding !== null || this.rolling !== null;
  }

  /** Wait until nothing moves any more. */
  async stand() {
    while (this.isMoving) await (this.sliding ?? this.rolling);
  }
}

/**
 * @param {AtTheBoard} table
 * @returns {boolean} true if something can be done on the board
 */
function isPlayable({ board, next, is_whole: isWhole }) {
  return board.kind !== "text" && (next.length > 0 || !isWhole);
}

/**
 * Return the position of a turn; dice are shown to the person whose they are.
 *
 * @param {AtTheBoard} table
 * @param {HandBoard} board
 */
function frameNow(table, board) {
  const { phase, dice, dice_left: left, seat } = table;
  let { position, before } = table;
  const slot = board.spots.liftedFrom(table, board.inOrder(left));
  if (slot !== null) {
    position = withoutLifted(table.board, position, seat, slot);
    before = position; // nothing is marked
  }
  const isMine = phase === "turn" || phase === "call" || phase === "counting";
  return {
    kind: "hand",
    position,
    before,
    dice: isMine ? board.inOrder(dice) : [],
    seat,
    mover: isMine ? seat : 3 - seat,
    text: "",
  };
}

/**
 * Return the position on which a game ended, with the roll and the turn that ended it.
 *
 * @param {ClosedGame} final
 * @param {AtTheBoard} table
 * @param {HandBoard} board
 */
function lastFrame({ before, position, log }, { seat }, board) {
  const last = log.at(-1);
  const mover = last && !last.is_mine ? 3 - seat : seat;
  return {
    kind: "end",
    position,
    before,
    dice: last ? board.inOrder(last.dice) : [],
    seat: mover,
    mover,
    text: last?.text ?? "",
  };
}

/**
 * Return how a die rolls onto the board: the second one comes from farther away.
 *
 * @param {number} place
 * @returns {Keyframe[]}
 */
function rollFrames(place) {
  const from = `translate(${-260 - 90 * place}px, ${70 - 140 * place}px)`;
  const over = `translate(${-40 + 30 * place}px, -24px)`;
  return [
    { transform: `${from} rotate(${-500 - 80 * place}deg)`, opacity: 0 },
    { transform: `${over} rotate(-120deg)`, opacity: 1, offset: 0.6 },
    { transform: "none" },
  ];
}
