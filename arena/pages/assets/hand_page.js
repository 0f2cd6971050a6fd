// The page of playing by hand. Everything shown follows from the last state of the server; nothing
// is kept here but what the reader has looked at.

import { untilAnswered } from "./asking.js";
import { ChoicePage } from "./choice_page.js";
import { capital, make, pressed, sentenceSpan } from "./elements.js";
import { announcement, theirTurnWords } from "./hand_announcement.js";
import { gameOverPanel } from "./hand_around.js";
import { MatchEnd } from "./hand_end.js";
import { isAtTheBoard, momentOfPage } from "./hand_moment.js";
import { arrivingParts, invitedParts, lostParts, startingParts, titleOf } from "./hand_places.js";
import { askServer, fetchChoice, listen, Refusal, SEAT, whyFailed } from "./hand_server.js";
import { HandTable } from "./hand_table.js";
import { LessonPanel } from "./lessons.js";
import { announce } from "./page_head.js";
import { redraw } from "./redraw.js";
import { showCourse } from "./tournament_course.js";
import { say, told } from "./words.js";

/** @import {AtTheBoard, ClosedGame, MatchOver, PageState, Said} from "./contents.d.ts" */
/** @import {Choice, Deed, DeedFields, HandState, StateAtTheBoard} from "./hand_types.d.ts" */

/** Elements that take keys themselves. */
const TAKES_KEYS = "input, select, textarea";

/** Refusals of a click that came twice, or between two turns: these are no news to anybody. */
const OF_FAST_HANDS = new Set([
  "not_due.arriving",
  "not_due.break",
  "not_due.ready",
  "not_due.waiting",
  "refusal.another_turn",
  "refusal.nothing_to_undo",
]);

/** On a screen that is higher than wide a board is square. */
const UPRIGHT = matchMedia("(max-aspect-ratio: 1)");

/** Elements on which Enter and the space bar do something else than to confirm the turn. */
const IS_PRESSED = "button, summary, a, .spot, .hand-log";

/**
 * Return how many games that are over somebody has looked at who opens the page now: all, once
 * their next one is under way.
 *
 * @param {AtTheBoard} table
 * @returns {number}
 */
function seenBefore({ over, game, log }) {
  const isOver = over.some((closed) => closed.game.number === game);
  const isUnderWay = !isOver && log.some((turn) => turn.is_mine);
  return isUnderWay ? over.length : Math.max(0, over.length - 1);
}

export class HandPage {
  /**
   * @param {HTMLElement} main the part of the document that is the page's
   * @param {Choice} choice
   */
  constructor(main, choice) {
    this.main = main;
    this.choice = choice;
    /** @type {(deed: Deed, fields: DeedFields) => Promise<unknown>} */
    this.act = (deed, fields) => this.ask(deed, fields);
    this.table = new HandTable(this.act, () => this.goToLobby(true));
    /** @type {ChoicePage | null} */
    this.lobby = null;
    this.lessons = new LessonPanel(choice, this.act, this.table, () => {
      if (this.state) this.draw(this.state);
    });
    /** True while the person looks at the lobby and their match goes on. */
    this.isInLobby = false;
    /** @type {HandState | null} */
    this.state = null;
    /** Games that are over and have been looked at; null before the first board. */
    /** @type {number | null} */
    this.seen = null;
    /** True once the person has said that they are ready for the next game. */
    this.isReady = false;
    /** What the page shows; its first word is the kind of the page. */
    this.place = "";
    this.match = "";
    this.end = new MatchEnd(this.act);
    /** How many moves are on their way to the server. */
    this.movesAsked = 0;
    /** The number of the opponent's turn that was announced last, and all that was. */
    this.announced = 0;
    this.spoken = "";
    this.stream = this.listen();
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", () => {
      this.table.isKeyboard = false;
    });
    UPRIGHT.addEventListener("change", () => {
      if (this.state) this.draw(shaped(this.state));
    });
  }

  listen() {
    return listen(
      (state) => this.take(state),
      () => this.taken(),
    );
  }

  /**
   * Ask the server for something.
   *
   * @param {Deed} deed
   * @param {DeedFields} fields
   * @returns {Promise<unknown>} what it found; null if it refused, which is shown
   */
  async ask(deed, fields) {
    const { movesAsked } = this;
    const position = this.state?.table?.position;
    if (deed === "move") this.movesAsked += 1;
    try {
      return await askServer(deed, fields);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // a click that came twice was meant for the board before the first one
      const isSecond =
        deed === "move" && (movesAsked > 0 || this.state?.table?.position !== position);
      if (isSecond || OF_FAST_HANDS.has(error.said[0])) return null;
      this.table.refuse(error.said, error.clause);
      if (!this.table.node.isConnected) this.complain(error.said);
      return null;
    } finally {
      if (deed === "move") this.movesAsked -= 1;
    }
  }

  /**
   * Say above the page why something is not done; another page takes it away.
   *
   * @param {Said | string} said
   */
  complain(said) {
    this.main.querySelector(".refused")?.remove();
    const notice = make("p", { class: "notice bad refused", role: "alert" }, sentenceSpan(said));
    this.main.prepend(notice);
    notice.scrollIntoView({ block: "nearest" });
  }

  /** Another tab or window has the seat now. */
  taken() {
    this.stream.close();
    this.place = "";
    const playHere = () => {
      this.place = "";
      this.stream = this.listen();
    };
    const words = say("Another tab or window has taken over this seat.");
    this.main.replaceChildren(
      make("p", { class: "notice", role: "alert" }, words),
      pressed(say("Play here"), playHere, { class: "main" }),
    );
  }

  /**
   * Take a state of the server.
   *
   * @param {PageState} state
   */
  take(state) {
    const me = state.me === "you" ? say("you") : state.me;
    this.draw(shaped({ ...state, me, at: performance.now() }));
  }

  /** @param {HandState} state may have been drawn before */
  async draw(state) {
    this.state = state;
    this.keepSeen(state);
    if (state.status !== "playing" || state.over) this.isInLobby = false;
    const moment = momentOfPage(state, this.seen ?? 0);
    this.main.dataset.drawn = this.isInLobby ? `lobby ${moment}` : moment;
    document.title = titleOf(state);
    const isShown = await this.drawPlace(state);
    if (!isShown || this.state !== state) return;
    const { in_tournament: tournament, over } = state;
    if (tournament) {
      const isLost = Boolean(over?.why_left);
      showCourse(this.main, tournament, isLost, this.act);
      const isJudged = over?.is_judged ?? true;
      if (tournament.is_finished && isJudged) this.stream.close(); // the pages end with the arena
    }
    if (isAtTheBoard(state) && !this.isInLobby) this.announce(state);
  }

  /** @param {boolean} isInLobby false on the way back to the board */
  goToLobby(isInLobby) {
    this.isInLobby = isInLobby;
    this.table.wait();
    if (this.state) this.draw(this.state);
  }

  /**
   * Keep count of the games that the reader has looked at. The same match goes on where it was,
   * also after a kill.
   *
   * @param {HandState} state
   */
  keepSeen({ match, table }) {
    if (match && match !== this.match) {
      this.seen = this.match ? 0 : null;
      this.match = match;
    }
    if (table && this.seen === null) this.seen = seenBefore(table);
    if (table?.phase === "break") {
      this.seen = Math.min(this.seen ?? 0, table.over.length - 1); // its button ends the break
    } else if (this.isReady) {
      this.isReady = false;
      this.seen = table?.over.length ?? this.seen;
    }
  }

  /**
   * @param {AtTheBoard | null} table
   * @returns {ClosedGame | undefined} the game that is over and has not been looked at
   */
  unseenGame(table) {
    return table?.over[this.seen ?? 0];
  }

  /**
   * Draw the page that a state is for.
   *
   * @param {HandState} state
   * @returns {Promise<boolean>} false if a later state has come meanwhile
   */
  async drawPlace(state) {
    const { status, table, over } = state;
    const final = this.unseenGame(table);
    if (this.isInLobby) this.drawLobby(state);
    else if (status === "starting") this.drawStarting(state);
    else if (status === "choosing") this.drawChoice(state);
    else if (status === "lesson" && isAtTheBoard(state)) this.drawLesson(state);
    else if (isAtTheBoard(state) && final) this.drawGameOver(state, final);
    else if (over?.why_left && !table) this.drawLost(state, over.why_left);
    else if (state.in_tournament && !table) this.drawArriving(state);
    else if (over) this.drawMatchOver(state, over);
    else if (isAtTheBoard(state)) return this.drawTable(state);
    else this.drawArriving(state);
    return true;
  }

  /** @param {HandState} state */
  drawStarting({ opponent: name }) {
    this.show("starting", () => startingParts(name));
  }

  /** @param {HandState} state */
  drawChoice(state) {
    if (state.role === "host") {
      this.showLobby("choosing", state);
      return;
    }
    this.show("invited", invitedParts);
  }

  /**
   * Draw the choice while a match goes on, with the way back to it.
   *
   * @param {HandState} state
   */
  drawLobby(state) {
    this.showLobby("lobby", state);
  }

  /**
   * Show the lobby, which keeps what was chosen before.
   *
   * @param {"choosing" | "lobby"} place
   * @param {HandState} state
   */
  showLobby(place, state) {
    this.lobby ??= new ChoicePage(this.choice, state, this.act, () => this.goToLobby(false));
    const { lobby } = this;
    lobby.take(state);
    const isNew = this.place !== place;
    this.show(place, () => [lobby.node]);
    if (isNew) lobby.open();
  }

  /** @param {StateAtTheBoard} state */
  drawLesson(state) {
    if (this.lessons.isOver && state.judged === "reached") {
      this.show("lessons over", () => [this.lessons.lastPage()]);
      return;
    }
    this.show("table", () => [this.table.node]);
    this.lessons.show(state);
    this.table.show(state);
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {Promise<boolean>} false if a later state has come meanwhile
   */
  drawTable(state) {
    this.show("table", () => [this.table.node]);
    this.drawGameLine(state.table, state.table.game);
    return this.table.show(state);
  }

  /**
   * @param {AtTheBoard} table
   * @param {number} number of the game that is shown
   */
  drawGameLine({ ruleset, games }, number) {
    const words = say("{ruleset}, game {number} of {games}", { ruleset, number, games });
    redraw(this.table.extra, make("p", { class: "quiet game-line" }, capital(words)));
  }

  /**
   * Draw the end of a game.
   *
   * @param {StateAtTheBoard} state
   * @param {ClosedGame} final
   */
  drawGameOver(state, final) {
    const { table } = this;
    const isNew = table.final?.game.number !== final.game.number;
    const isLast = state.over !== null;
    this.show("table", () => [table.node]);
    this.drawGameLine(state.table, final.game.number);
    redraw(
      table.outcome,
      gameOverPanel(state.table, final, isLast, table.pause, () => this.goOn(state)),
    );
    table.show(state, final);
    const next = table.isKeyboard ? ".go-on" : "h2";
    /** @type {HTMLElement | null} */
    const node = table.outcome.querySelector(next);
    if (isNew) node?.focus();
  }

  /**
   * @param {HandState} state
   * @param {Said} why
   */
  drawLost({ role }, why) {
    const choose = () => this.act("choose", {});
    this.show("refused", () => lostParts(why, role === "host" ? choose : null));
  }

  /** @param {HandState} state */
  drawArriving(state) {
    this.show(`arriving ${state.is_away}`, () => arrivingParts(state, this.act));
  }

  /**
   * @param {HandState} state
   * @param {MatchOver} over
   */
  drawMatchOver(state, over) {
    this.show(`over ${over.is_settled} ${state.match}`, () => [this.end.panel(state, over)]);
    this.end.showReview(state, over);
  }

  /**
   * Go on to the next game, which in a break begins by this.
   *
   * @param {StateAtTheBoard} state
   */
  goOn({ table: { phase, question, over } }) {
    const seen = this.seen ?? 0;
    if (phase === "break" && seen === over.length - 1) {
      this.isReady = true;
      this.act("ready", { question });
      return;
    }
    this.seen = seen + 1;
    if (this.state) this.draw(this.state);
    if (this.table.isKeyboard && !this.table.final) this.table.focusNext();
  }

  /**
   * Show another page, unless it is shown already.
   *
   * @param {string} place
   * @param {() => (Node | string)[]} parts
   */
  show(place, parts) {
    if (this.place === place) return;
    const isOther = this.place.split(" ")[0] !== place.split(" ")[0];
    const hadFocus = this.main.contains(document.activeElement);
    this.place = place;
    this.main.replaceChildren(...parts());
    if (isOther) scrollTo(0, 0);
    if ((isOther || hadFocus) && place !== "table") this.main.querySelector("h1")?.focus();
  }

  /**
   * Say what has happened to those who hear the page.
   *
   * @param {StateAtTheBoard} state
   */
  announce(state) {
    const { theirs, log } = state.table;
    const isNew = theirs !== null && theirs.number !== this.announced && log.length > 0;
    if (isNew) this.announced = theirs.number;
    const turn = isNew ? theirTurnWords(state.table, state.opponent) : "";
    const final = this.unseenGame(state.table);
    const spoken = announcement(turn, final, this.table.words(state));
    if (spoken && spoken !== this.spoken) announce(spoken);
    this.spoken = spoken;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    this.table.isKeyboard = true;
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || this.place !== "table") return;
    if (!(target instanceof Element) || target.matches(TAKES_KEYS)) return;
    const isUndo = key === "u" || key === "Backspace";
    const isConfirm = key === "Enter" || key === " ";
    if (isUndo && this.table.press("undo")) event.preventDefault();
    if (isConfirm && !target.closest(IS_PRESSED) && this.table.press("confirm"))
      event.preventDefault();
  }
}

/**
 * @param {HandState} state
 * @returns {HandState} with a board of the shape that the screen asks for
 */
function shaped(state) {
  const { table } = state;
  if (!table) return state;
  const board = { ...table.board, isUpright: UPRIGHT.matches };
  return { ...state, table: { ...table, board } };
}

/**
 * Begin the page: find out what can be chosen, and listen to the states.
 *
 * @param {HTMLElement} main
 */
export async function beginHandPage(main) {
  /** @param {string} words */
  const complain = (words) => {
    main.replaceChildren(make("p", { class: "notice", role: "alert" }, words));
  };
  if (!SEAT) {
    complain(
      say(
        "This page needs its whole link, with what stands after the #. The arena has printed it.",
      ),
    );
    return;
  }
  try {
    const tellSilence = (/** @type {Error} */ error) => complain(error.message);
    new HandPage(main, await untilAnswered(fetchChoice, () => true, tellSilence));
  } catch (error) {
    complain(told(whyFailed(error)));
  }
}
