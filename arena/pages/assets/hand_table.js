// The table at which a person plays: board, dice, moves and buttons, drawn again with every state.

import { forcedDeed, momentOf, wholeDeed } from "./clicks.js";
import { capital, make, sentenceSpan } from "./elements.js";
import { HandBoard } from "./hand_board.js";
import {
  buttons,
  callHint,
  logRows,
  menuItems,
  specialButtons,
  textMoves,
  turnHints,
} from "./hand_controls.js";
import { HandMenu } from "./hand_menu.js";
import { plate, SideClock, timesLeft } from "./hand_plate.js";
import { dueWords, pauseWords, timeWords } from "./hand_words.js";
import { announce } from "./page_head.js";
import { buttonOf, keyed, redraw } from "./redraw.js";
import { SOUNDS } from "./sounds.js";
import { keptChoice, say } from "./words.js";

/** @import {ForcedDeed} from "./clicks.js" */
/** @import {ClosedGame, Said} from "./contents.d.ts" */
/** @import {Ask, Hint, StateAtTheBoard} from "./hand_types.d.ts" */

/** Where the reader's choice to see moves as text is kept. */
const TEXT_CHOICE = "arena-moves-as-text";

/** @returns {HTMLDetailsElement} the box of the moves as text, open if it was left open */
function asTextBox() {
  const box = make("details", { class: "as-text" });
  box.open = keptChoice(TEXT_CHOICE) === "open";
  box.addEventListener("toggle", () => {
    keptChoice(TEXT_CHOICE, box.open ? "open" : "closed");
  });
  return box;
}

export class HandTable {
  /**
   * @param {Ask} act
   * @param {() => void} goToLobby
   */
  constructor(act, goToLobby) {
    this.act = act;
    this.goToLobby = goToLobby;
    this.board = new HandBoard(
      (question, start, target) => act("move", { question, moves: [[start, target]] }),
      () => this.press("confirm"),
    );
    /** @type {StateAtTheBoard | null} */
    this.state = null;
    /** The moment of `performance.now()` at which the time is over. */
    this.due = Infinity;
    this.isKeyboard = false;
    this.offers = false;
    this.isResigning = false;
    /** The question to which the person has taken something back. */
    this.undone = "";
    /** How many times something was shown: what waits for a slide knows that it is out of date. */
    this.shown = 0;
    /** What is done by itself in a moment. */
    /** @type {ForcedDeed | null} */
    this.pending = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.forced = undefined;
    this.clocks = { mine: new SideClock(), theirs: new SideClock() };
    this.menu = new HandMenu();
    this.sentence = make("p", { class: "sentence hand-sentence" });
    this.refusal = make("p", { class: "notice bad refusal", role: "alert", hidden: true });
    this.outcome = make("div", { class: "hand-outcome" });
    this.buttons = make("div", { class: "hand-buttons" });
    this.hints = make("div", { class: "hints", hidden: true });
    this.asText = asTextBox();
    const turns = { class: "hand-log", tabindex: "0", "aria-label": capital(say("turns")) };
    this.log = make("ol", turns);
    this.extra = make("div", { class: "hand-extra" });
    this.specials = make("div", { class: "hand-specials" });
    this.pause = keyed("pause", make("p", { class: "pause" }));
    this.head = make("div", { class: "at-the-head" }, this.extra);
    this.middle = make("div", { class: "middle" }, this.hints, this.asText, this.log);
    const told = [this.outcome, this.sentence, this.refusal, this.specials, this.buttons];
    this.controls = make("div", { class: "controls" }, told);
    this.panel = make("div", { class: "panel" }, this.head, this.middle, this.controls);
    this.node = make("div", { class: "table-and-turns hand-table" }, this.board.node, this.panel);
    setInterval(() => this.tick(), 1000);
  }

  /** A game that is over and is looked at once more. */
  get final() {
    return this.board.final;
  }

  /**
   * Show a state in the order of a real table: the opponent's turn slides, then the dice roll, then
   * the buttons are there.
   *
   * @param {StateAtTheBoard} state
   * @param {ClosedGame | null} [final] a game that is over and is looked at once more
   * @returns {Promise<boolean>} false if a later state has come meanwhile
   */
  async show(state, final = null) {
    this.shown += 1;
    const { shown } = this;
    const hadFocus = this.hasFocus();
    const before = this.state?.table;
    const isNew = !before || momentOf(before) !== momentOf(state.table);
    if (before?.question !== state.table.question) this.board.isSwapped = false;
    this.board.final = final;
    if (!final) this.outcome.replaceChildren();
    if (this.board.slideTheirs(state) || !before) this.tellBeforeTheirs(state);
    else if (!this.board.sliding) this.board.slideMine(before, state);
    if (this.board.isMoving) await this.board.stand();
    if (this.shown !== shown) return false;
    if (this.board.isNewRoll(state)) {
      this.board.roll(state);
      await this.board.stand();
      if (this.shown !== shown) return false;
    }
    this.tell(state);
    this.board.draw(state);
    if (isNew && hadFocus && this.isKeyboard && !final) this.focusNext();
    this.playForced();
    return true;
  }

  /** @returns {boolean} true if somebody is at the table, or nowhere on the page */
  hasFocus() {
    const { activeElement } = document;
    return activeElement === document.body || this.node.contains(activeElement);
  }

  /**
   * Tell all but the board as before the opponent's turn, until it has arrived, and before the first
   * roll: nothing of what follows.
   *
   * @param {StateAtTheBoard} state
   */
  tellBeforeTheirs(state) {
    const { table } = state;
    const position = table.theirs?.before ?? table.position;
    const log = table.log.slice(
      0,
      table.log.findLastIndex((turn) => !turn.is_mine),
    );
    this.tell({ ...state, table: { ...table, phase: "waiting", question: "", position, log } });
  }

  /**
   * Where nothing is left to choose, the turn plays itself after a moment; where the roll leaves no
   * choice, unless the person has taken something back.
   */
  playForced() {
    clearTimeout(this.forced);
    if (!this.pending) return;
    const { deed, fields, afterMs } = this.pending;
    this.forced = setTimeout(() => this.act(deed, fields), afterMs);
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {ForcedDeed | null} what is done by itself
   */
  pendingDeed({ table, lesson }) {
    if (lesson || this.final) return null;
    const { isForcedQuick, isWholeQuick } = this.menu;
    const forced = isForcedQuick && this.undone !== table.question ? forcedDeed(table) : null;
    return forced ?? (isWholeQuick ? wholeDeed(table, this.offers) : null);
  }

  /** Whatever was to be done by itself waits for the person. */
  wait() {
    clearTimeout(this.forced);
    this.pending = null;
  }

  /**
   * Say why something was not done.
   *
   * @param {Said | string} said
   * @param {string} clause
   */
  refuse(said, clause) {
    this.refusal.hidden = false;
    this.refusal.replaceChildren(
      sentenceSpan(said),
      make("span", {}, clause ? ` (${clause})` : ""),
    );
  }

  /**
   * Tell all but the board.
   *
   * @param {StateAtTheBoard} state
   */
  tell(state) {
    this.forget(state);
    this.state = state;
    const { table } = state;
    const { final } = this;
    const theirs = keyed("theirs", plate(state, final, false, this.clocks.theirs));
    const mine = keyed("mine", plate(state, final, true, this.clocks.mine));
    this.menu.suit(state);
    this.pending = this.pendingDeed(state);
    redraw(this.panel, this.head, theirs, this.middle, this.controls, mine);
    redraw(this.sentence, make("span", {}, final ? "" : this.words(state)));
    this.node.classList.toggle("is-final", final !== null);
    this.drawButtons();
    this.drawTexts(state);
    const turns = this.log.childElementCount;
    const rows = logRows(table, final);
    redraw(this.log, ...rows);
    this.log.hidden = !rows.length;
    if (rows.length !== turns) this.log.scrollTop = this.log.scrollHeight;
    this.keepTime(state);
  }

  /**
   * Forget what belonged to the turn, or to the moment, that was shown before.
   *
   * @param {StateAtTheBoard} state
   */
  forget({ table }) {
    const before = this.state?.table;
    if (before?.question !== table.question) {
      this.hints.hidden = true;
      this.offers = false;
    }
    if (!before || momentOf(before) !== momentOf(table)) {
      this.refusal.hidden = true;
      this.isResigning = false;
    }
  }

  /**
   * The clock of a state, whose board need not be shown yet.
   *
   * @param {StateAtTheBoard} state
   */
  keepTime(state) {
    this.state = state;
    const { table, lesson, at } = state;
    this.due = table.left_ms === null || lesson ? Infinity : at + table.left_ms;
    this.tick();
  }

  /** Tell the time that is left. */
  tick() {
    if (!this.state) return;
    const { table } = this.state;
    const { bank_ms: bankMs } = table.clocks;
    const times = timesLeft(this.state);
    const time = timeWords(this.left());
    this.clocks.theirs.tell(times.theirs, bankMs);
    if (this.clocks.mine.tell(times.mine, bankMs)) this.warn();
    const pauseTime = this.due === Infinity ? "" : time;
    this.pause.textContent = pauseWords(table, this.final, pauseTime);
    if (table.phase === "ready" && !this.final)
      redraw(this.sentence, make("span", {}, this.words(this.state)));
  }

  /** Warn that the time of the person runs out. */
  warn() {
    SOUNDS.warning();
    announce(this.clocks.mine.node.title);
  }

  /** @returns {number} the milliseconds that are left of the clock or of the break */
  left() {
    return this.due - performance.now();
  }

  /**
   * Say what is to be done now.
   *
   * @param {StateAtTheBoard} state
   * @returns {string}
   */
  words(state) {
    const isCounting = this.pending?.deed === "confirm" && state.table.moves.length > 0;
    const inOrder = (/** @type {readonly number[]} */ dice) => this.board.inOrder(dice);
    return dueWords(state, inOrder, timeWords(this.left()), isCounting);
  }

  drawButtons() {
    const { state } = this;
    if (!state) return;
    const { act } = this;
    const { question } = state.table;
    const controls = {
      state,
      final: this.final,
      offers: this.offers,
      isResigning: this.isResigning,
      isCounting: this.pending?.deed === "confirm",
      more: this.menu.node,
      act,
      confirm: () => {
        this.wait();
        act("confirm", { question, offers_draw: this.offers });
      },
      undo: () => this.undo(state),
      goToLobby: this.goToLobby,
      showHints: () => this.showHints(state),
      offer: (/** @type {boolean} */ offers) => {
        this.offers = offers;
        this.drawButtons();
      },
      resign: (/** @type {boolean} */ isResigning) => this.askToResign(isResigning),
    };
    this.menu.draw(menuItems(controls));
    redraw(this.specials, ...specialButtons(controls));
    redraw(this.buttons, ...buttons(controls));
  }

  /** @param {StateAtTheBoard} state */
  undo({ table: { question } }) {
    this.wait();
    this.undone = question;
    this.act("undo", { question });
  }

  /** @param {boolean} isResigning */
  askToResign(isResigning) {
    this.wait();
    this.isResigning = isResigning;
    this.drawButtons();
    if (isResigning) buttonOf(this.buttons, "no")?.focus();
    else this.menu.focus();
  }

  /** @param {StateAtTheBoard} state */
  drawTexts({ table }) {
    const isShown = table.phase === "turn" && table.next.length > 0 && !this.final;
    this.asText.hidden = !isShown;
    if (isShown) redraw(this.asText, ...textMoves(table, this.act));
  }

  /** @param {StateAtTheBoard} state */
  async showHints({ table: { question } }) {
    const found = /** @type {Hint[] | number | null} */ (await this.act("hint", { question }));
    if (found === null || this.state?.table.question !== question) return;
    this.hints.hidden = false;
    if (typeof found === "number") {
      this.hints.replaceChildren(callHint(found));
      return;
    }
    const choose = (/** @type {Hint} */ { moves }) => this.act("turn", { question, moves });
    this.hints.replaceChildren(...turnHints(found, choose));
    this.hints.scrollIntoView({ block: "nearest" });
    const best = found.slice(0, 3).map((hint) => hint.text);
    announce(say("Best: {moves}", { moves: best.join("; ") }));
  }

  /**
   * Press a button, if it is there and can be pressed.
   *
   * @param {"confirm" | "undo"} key
   * @returns {boolean} true if it was pressed
   */
  press(key) {
    const button = buttonOf(this.buttons, key);
    if (!button?.isConnected || button.disabled) return false;
    button.click();
    return true;
  }

  /** A player by keyboard goes on where the next thing is to be done. */
  focusNext() {
    if (!this.state) return;
    const { table } = this.state;
    const confirm = buttonOf(this.buttons, "confirm");
    if (table.phase === "call") this.buttons.querySelector("button")?.focus();
    else if (confirm && !confirm.disabled) confirm.focus();
    else if (!this.board.spots.focus()) this.log.focus({ preventScroll: true });
  }
}
