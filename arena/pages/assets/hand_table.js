// The table at which a person plays: board, dice, moves and buttons, drawn anew with every state.

import {
  capital,
  counted,
  duration,
  fixed,
  make,
  pressed,
  sentence,
  toldSpan,
} from "./elements.js";
import { tablesPips } from "./geometry.js";
import { strengthWords } from "./hand_around.js";
import { Spots } from "./hand_spots.js";
import { pointsOf } from "./judgement.js";
import { announce } from "./page_head.js";
import { BOARDS, SLIDES } from "./replay.js";
import { animated, calm, hurry, isMotionWanted } from "./slides.js";
import { SOUNDS, choiceSwitch, soundSwitch } from "./sounds.js";
import { turnWords } from "./steps.js";
import { keptChoice, say } from "./words.js";

const ROLL_MS = 550,
  QUICK_MS = 350,
  FORCED_MS = 1400;

function isFlipped({ board, seat }) {
  return board.kind === "tables" && seat === 2;
}

export class HandTable {
  /** `act(deed, fields)` asks the server for something and gives what it found, or null if it refused. */
  constructor(act) {
    this.act = act;
    this.box = make("div", { class: "board-box hand" });
    this.mine = this.plate("near");
    this.theirs = this.plate("far");
    this.sentence = make("p", { class: "sentence hand-sentence" });
    this.refusal = make("p", { class: "notice bad refusal", role: "alert", hidden: true });
    this.buttons = make("div", { class: "hand-buttons" });
    this.hints = make("div", { class: "hints", hidden: true });
    this.asText = make("details", { class: "as-text" });
    this.asText.open = keptChoice("arena-moves-as-text") === "open";
    this.asText.addEventListener("toggle", () =>
      keptChoice("arena-moves-as-text", this.asText.open ? "open" : "closed"),
    );
    this.log = make("ol", {
      class: "hand-log",
      tabindex: "0",
      "aria-label": capital(say("turns")),
    });
    this.extra = make("div", { class: "hand-extra" });
    this.clock = make("p", { class: "quiet hand-clock" });
    this.pause = make("p", { class: "pause" });
    this.node = make(
      "div",
      { class: "table-and-turns hand-table" },
      this.box,
      make(
        "div",
        { class: "panel" },
        make("div", { class: "at-the-head" }, this.extra),
        this.theirs.node,
        make("div", { class: "middle" }, this.hints, this.asText, this.log),
        make(
          "div",
          { class: "controls" },
          this.sentence,
          this.refusal,
          this.buttons,
          this.clock,
          make(
            "p",
            { class: "switches quiet" },
            soundSwitch("arena-sound", true),
            choiceSwitch(say("Forced turns play themselves"), "arena-forced", true, (isOn) => {
              this.isQuick = isOn;
            }),
          ),
        ),
        this.mine.node,
      ),
    );
    this.box.addEventListener("pointerdown", () => {
      if (this.sliding) hurry(this.box);
    });
    setInterval(() => this.tick(), 1000);
    this.played = 0;
    this.shown = 0;
  }

  plate(side) {
    const name = make("strong", {}),
      note = make("span", { class: "quiet" }),
      pips = make("span", { class: "quiet pips" }),
      disc = make("span", { class: "disc" });
    return {
      node: make("p", { class: `plate ${side}` }, disc, name, note, pips),
      name,
      note,
      pips,
      disc,
    };
  }

  /**
   * Show a state in the order of a real table: the opponent's turn slides, then the dice roll, then the buttons are
   * there. `final` is a game that is over and is looked at once more. Gives false if a later state has come meanwhile.
   */
  async show(state, final = null) {
    const shown = (this.shown += 1);
    const hadFocus =
      this.node.contains(document.activeElement) || document.activeElement === document.body;
    const before = this.state?.table;
    if (before?.question !== state.table.question) this.isSwapped = false;
    this.final = final;
    this.slideTheirs(state);
    if (!this.sliding) this.slideMine(before, state);
    if (this.sliding) {
      await this.sliding;
      if (this.shown !== shown) return false;
    }
    if (this.isNewRoll(state)) {
      this.drawBoard(state, true);
      await this.roll();
      if (this.shown !== shown) return false;
    }
    this.tell(state);
    this.drawBoard(state);
    if (hadFocus && this.isKeyboard && !final) this.focusNext();
    this.playForced(state);
    return true;
  }

  isNewRoll({ table, lesson }) {
    const isNew =
      table.phase === "turn" &&
      table.dice.length > 0 &&
      !table.moves.length &&
      this.rolled !== table.question;
    if (table.phase === "turn") this.rolled = table.question;
    return isNew && !lesson && !this.final && !document.hidden && isMotionWanted();
  }

  async roll() {
    calm(this.box);
    SOUNDS.dice();
    await Promise.all(
      [...this.box.querySelectorAll(".die")].map((die, place) =>
        animated(
          die,
          [
            {
              transform: `translate(${-260 - 90 * place}px, ${70 - 140 * place}px) rotate(${-500 - 80 * place}deg)`,
              opacity: 0,
            },
            {
              transform: `translate(${-40 + 30 * place}px, -24px) rotate(-120deg)`,
              opacity: 1,
              offset: 0.6,
            },
            { transform: "none" },
          ],
          ROLL_MS,
        ),
      ),
    );
  }

  /** Where the roll leaves no choice, the turn plays itself after a moment, unless the person has taken something back. */
  playForced({ table, lesson }) {
    clearTimeout(this.forced);
    const { question, moves, next, only, phase } = table;
    if (
      phase !== "turn" ||
      lesson ||
      this.final ||
      !this.isQuick ||
      this.undone === question ||
      table.is_draw_offered
    )
      return;
    const isAll = only !== null && moves.length === only.length;
    if (isAll ? !table.is_whole : only === null && next.length !== 1) return;
    if (!isAll && only === null && !moves.length) return;
    this.forced = setTimeout(
      () => {
        if (isAll) this.act("confirm", { question, offers_draw: false });
        else if (only !== null) this.act("turn", { question, moves: only });
        else this.act("move", { question, moves: [[next[0].start, next[0].target]] });
      },
      isAll ? FORCED_MS : QUICK_MS,
    );
  }

  names({ me, opponent, table }) {
    return table.seat === 1 ? [me, opponent] : [opponent, me];
  }

  /** Slide the opponent's turn, once. Until it has arrived all but the board is told as before it: nothing of the next roll. */
  slideTheirs(state) {
    const { table } = state,
      { board, theirs } = table;
    if (!theirs || theirs.number === this.played || this.final) return;
    const isNext = this.played && theirs.number === this.played + 1;
    this.played = theirs.number;
    if (
      !isNext ||
      !SLIDES[board.kind] ||
      !isMotionWanted() ||
      document.hidden ||
      theirs.before === theirs.position
    )
      return;
    const log = table.log.slice(
      0,
      table.log.findLastIndex((turn) => !turn.is_mine),
    );
    this.tell({
      ...state,
      table: { ...table, phase: "waiting", question: "", position: theirs.before, log },
    });
    this.drawn = "";
    this.slide(
      state,
      { ...theirs, seat: 3 - table.seat },
      () => this.played === theirs.number && !this.final,
    );
  }

  /** Slide what the person has added to the turn, unless it was dragged there. */
  slideMine(before, state) {
    const { table } = state;
    const known = before?.question === table.question ? before.moves.length : -1,
      isDragged = this.isDragged;
    this.isDragged = false;
    if (table.moves.length > known && known >= 0 && !isDragged) SOUNDS.checker();
    if (
      known < 0 ||
      table.moves.length <= known ||
      isDragged ||
      this.final ||
      table.board.kind !== "tables" ||
      !isMotionWanted() ||
      document.hidden
    )
      return;
    const moves = table.moves.slice(known).map(([from, to]) => ({ from, to })),
      { length } = table.moves;
    this.slide(
      state,
      {
        before: before.position,
        position: table.position,
        moves,
        dice: this.inOrder(table.dice),
        seat: table.seat,
      },
      () => this.state.table.question === table.question && this.state.table.moves.length <= length,
    );
  }

  slide(state, frame, isCurrent) {
    const {
      table: { board, seat },
    } = state;
    this.drawn = "";
    const sliding = SLIDES[board.kind](
      this.box,
      board,
      this.names(state),
      frame,
      isFlipped({ board, seat }),
      1.4,
      isCurrent,
    ).finally(() => {
      if (this.sliding === sliding) this.sliding = null;
    });
    this.sliding = sliding;
  }

  /** Dice as they lie: the larger one first, until the person swaps them. The first one moves a checker that is clicked. */
  inOrder(dice) {
    return [...dice].sort((one, other) => (this.isSwapped ? one - other : other - one));
  }

  swap(state) {
    this.isSwapped = !this.isSwapped;
    this.drawn = "";
    this.drawBoard(state);
  }

  /** While dice are rolling nothing can be played yet. */
  drawBoard(state, isRolling = false) {
    const { table } = state,
      { board } = table,
      flipped = isFlipped(table);
    const isMine = table.phase === "turn" || table.phase === "call";
    const frame = this.final
      ? this.lastFrame(table)
      : {
          kind: "hand",
          position: table.position,
          before: table.before,
          dice: isMine ? this.inOrder(table.dice) : [],
          seat: table.seat,
          mover: isMine ? table.seat : 3 - table.seat,
          text: "",
        };
    const drawn = JSON.stringify([
      frame,
      table.question,
      table.moves,
      table.phase,
      Boolean(this.final),
      isRolling,
    ]);
    if (drawn === this.drawn && this.box.firstChild) return; // told again: what is chosen stays chosen
    this.drawn = drawn;
    const picture = BOARDS[board.kind](board, this.names(state), frame, flipped);
    this.box.replaceChildren(picture);
    this.spots = null;
    if (this.final || isRolling) return;
    this.fadeUsedDice(picture, table);
    if (
      table.phase === "turn" &&
      (board.kind === "tables" || board.kind === "brandubh") &&
      (table.next.length || !table.is_whole)
    ) {
      this.spots = new Spots(picture, table, this.inOrder(table.dice_left), (from, to, isDragged) =>
        this.tried(table, from, to, isDragged),
      );
      for (const die of picture.querySelectorAll(".die")) {
        die.addEventListener("click", () => this.swap(state));
        picture.append(die); // above the places, so that it can be clicked
      }
    }
  }

  /** The board on which a game ended, with the roll and the turn that ended it. */
  lastFrame({ seat }) {
    const { before, position, log } = this.final,
      last = log.at(-1),
      mover = last && !last.is_mine ? 3 - seat : seat;
    return {
      kind: "end",
      position,
      before,
      dice: last ? this.inOrder(last.dice) : [],
      seat: mover,
      mover,
      text: last?.text ?? "",
    };
  }

  fadeUsedDice(picture, { dice: rolled, dice_left: left }) {
    const dice = this.inOrder(rolled);
    const dies = [...picture.querySelectorAll(".die")];
    if (dice.length === 2 && dice[0] === dice[1]) {
      dies.forEach((die, place) => die.classList.toggle("used", left.length <= 2 * place));
      dies.reverse();
      return;
    }
    const rest = [...left];
    dice.forEach((face, place) => {
      const at = rest.indexOf(face);
      if (at >= 0) rest.splice(at, 1);
      else dies[place]?.classList.add("used");
    });
  }

  tried({ question }, start, target, isDragged = false) {
    this.isDragged = isDragged;
    this.act("move", { question, moves: [[start, target]] });
  }

  refuse(said, clause) {
    this.refusal.hidden = false;
    this.refusal.replaceChildren(toldSpan(said), clause ? ` (${clause})` : "");
  }

  tell(state) {
    const { table } = state,
      isTurn = table.phase === "turn";
    if (this.state?.table?.question !== table.question) {
      this.hints.hidden = true;
      this.offers = false;
    }
    this.state = state;
    this.refusal.hidden = true;
    for (const isMine of [true, false]) {
      const plate = isMine ? this.mine : this.theirs,
        seat = isMine ? table.seat : 3 - table.seat;
      plate.disc.className = `disc seat-${this.discOf(isMine)}`;
      plate.name.textContent = isMine ? state.me : state.opponent || say("nobody");
      plate.note.textContent = isMine
        ? table.colour
          ? say((this.final ?? table).colour)
          : ""
        : state.strength
          ? strengthWords(state.strength)
          : "";
      plate.pips.textContent =
        table.board.kind === "tables" && !this.final
          ? say("{count} pips", { count: tablesPips(table.board, table.position, seat) })
          : "";
      plate.node.classList.toggle(
        "moving",
        !this.final && (isTurn || table.phase === "call") === isMine && table.phase !== "arriving",
      );
      plate.node.hidden = Boolean(state.lesson) && !isMine;
    }
    this.sentence.replaceChildren(make("span", {}, this.final ? "" : this.words(state)));
    this.node.classList.toggle("is-final", Boolean(this.final));
    this.drawButtons(state);
    this.drawTexts(table);
    const log = this.final?.log ?? table.log;
    this.log.replaceChildren(
      ...log.map((turn) =>
        make(
          "li",
          { class: turn.is_mine ? "mine" : "" },
          make("span", { class: `disc small seat-${this.discOf(turn.is_mine)}` }),
          make("span", { class: "dice" }, turn.dice.join("-")),
          make("span", {}, turnWords(turn.text)),
        ),
      ),
    );
    this.log.hidden = !log.length;
    this.log.scrollTop = this.log.scrollHeight;
    this.keepTime(state);
  }

  /** The clock of a state, whose board need not be shown yet. */
  keepTime(state) {
    const { table, lesson, at } = (this.state = state);
    this.due = table.left_ms === null || lesson ? Infinity : at + table.left_ms;
    this.tick();
  }

  /** The clock is shown once it matters: a day for each game is no news. */
  tick() {
    if (!this.state) return;
    const isTurn = this.state.table.phase === "turn" && !this.final;
    this.clock.textContent =
      isTurn && this.due - performance.now() < 3600000
        ? say("{time} left for this game", { time: this.left() })
        : "";
    this.pause.textContent = this.pauseWords();
    if (this.state.table.phase === "ready" && !this.final)
      this.sentence.textContent = this.words(this.state);
  }

  /** The time that is left of the clock or of the break. */
  left() {
    const seconds = Math.max(0, Math.round((this.due - performance.now()) / 1000));
    return seconds < 60 ? `${seconds} s` : duration(1000 * seconds);
  }

  /** When the next game begins, or that it has begun while somebody still looks at the end of the last one. */
  pauseWords() {
    const { table } = this.state,
      number = table.over.length + 1,
      time = this.left();
    if (table.phase === "break")
      return say("Game {number} begins when you are ready, and by itself in {time}.", {
        number,
        time,
      });
    if (
      !this.final ||
      table.game === this.final.game.number ||
      table.phase === "over" ||
      table.phase === "left"
    )
      return "";
    return this.due === Infinity
      ? say("Game {number} has begun.", { number: table.game })
      : say("Game {number} has begun, and your clock runs: {time} left.", {
          number: table.game,
          time,
        });
  }

  discOf(isMine) {
    const { seat } = this.state.table,
      { colour } = this.final ?? this.state.table;
    return colour ? ((colour === "Black") === isMine ? 2 : 1) : isMine ? seat : 3 - seat;
  }

  words({ table, opponent, lesson, judged }) {
    const dice = this.inOrder(table.dice).join("-");
    switch (table.phase) {
      case "arriving":
        return say("Waiting for {name} …", { name: opponent });
      case "call":
        return say(
          "A single die could complete a handsome game. How many dice do you roll (B11.3)?",
        );
      case "waiting":
        return say("{name} plays …", { name: opponent });
      case "ready":
        return say("Game {number} begins when {name} is ready, and by itself in {time}.", {
          name: opponent,
          number: table.over.length + 1,
          time: this.left(),
        });
      case "turn":
        break;
      default:
        return "";
    }
    if (lesson && judged === "reached")
      return say("Found: {moves}", { moves: turnWords(table.text) });
    if (table.pass_clause)
      return say("You roll {dice}. No die can be used, so the turn is a pass ({clause}).", {
        dice,
        clause: table.pass_clause,
      });
    if (table.is_whole)
      return table.worth !== null
        ? say("{moves}: this ends the game, and is worth {points}.", {
            moves: turnWords(table.text),
            points: counted(table.worth, "point", "points"),
          })
        : say("{moves}: the turn is whole.", { moves: turnWords(table.text) });
    const left = this.inOrder(table.dice_left).join("-");
    if (table.moves.length)
      return say("{moves}; {dice} left.", { moves: turnWords(table.text), dice: left });
    return dice
      ? say("You roll {dice}. Choose a checker.", { dice })
      : say("Your move. Choose a piece.");
  }

  drawButtons(state) {
    const { table, lesson } = state,
      { question } = table;
    const button = (words, deed, isOn, kind = "", fields = {}) =>
      pressed(words, () => this.act(deed, { question, ...fields }), {
        class: kind,
        disabled: !isOn,
      });
    const parts = [];
    const isTurn = table.phase === "turn" && !this.final;
    if (table.phase === "call" && !this.final) {
      parts.push(
        ...table.calls.map((count) =>
          button(count === 1 ? say("Roll one die") : say("Roll two dice"), "call", true, "main", {
            dice: count,
          }),
        ),
      );
    }
    if (isTurn && !lesson) {
      parts.push(
        (this.confirm = button(
          table.pass_clause ? say("Pass") : say("Play the turn"),
          "confirm",
          table.is_whole,
          "main",
          { offers_draw: this.offers ?? false },
        )),
      );
    }
    if (isTurn) {
      parts.push(
        (this.undo = pressed(
          say("Undo"),
          () => {
            this.undone = question;
            this.act("undo", { question });
          },
          { disabled: !table.moves.length },
        )),
      );
      parts.push(
        ...table.whole.map(([moves, text]) =>
          button(say("All at once: {moves}", { moves: text }), "turn", true, "", { moves }),
        ),
      );
    }
    if (isTurn && table.is_draw_offered)
      parts.push(button(say("Accept the draw"), "accept_draw", true));
    if (isTurn && table.can_offer_draw && !lesson) {
      const box = make("input", { type: "checkbox", id: "offers-draw" });
      box.checked = this.offers ?? false;
      box.addEventListener("change", () => {
        this.offers = box.checked;
        this.drawButtons(this.state);
      });
      parts.push(make("label", { class: "offers" }, box, ` ${say("Offer a draw with it")}`));
    }
    if ((isTurn || table.phase === "call") && !this.final && !state.no_hints) {
      parts.push(
        pressed(say("Show me"), () => this.showHints(), { disabled: Boolean(table.pass_clause) }),
      );
    }
    if (!lesson && !this.final && state.role !== "entrant") parts.push(this.resignButton());
    if (isTurn && state.no_hints)
      parts.push(make("p", { class: "quiet" }, toldSpan(state.no_hints)));
    this.buttons.replaceChildren(...parts);
  }

  resignButton() {
    return pressed(
      say("Resign"),
      () => {
        const yes = pressed(say("Yes, give up the match"), () => this.act("resign", {}), {
          class: "resign main",
        });
        const no = pressed(say("No, play on"), () => {
          this.drawButtons(this.state);
          this.buttons.querySelector(".resign")?.focus();
        });
        this.buttons.replaceChildren(
          make(
            "p",
            {},
            say(
              "The games that are left go to the opponent, at the most they can be worth (B10.2).",
            ),
          ),
          yes,
          no,
        );
        no.focus();
      },
      { class: "resign" },
    );
  }

  /** The moves that can follow, as buttons: for keyboards, screen readers and small screens. */
  drawTexts(table) {
    const isOn = table.phase === "turn" && table.next.length > 0 && !this.final;
    this.asText.hidden = !isOn;
    if (!isOn) return;
    this.asText.replaceChildren(
      make("summary", {}, say("Moves as text ({count})", { count: table.next.length })),
      make(
        "ul",
        {},
        table.next.map((move) =>
          make(
            "li",
            {},
            pressed(move.text, () => this.tried(table, move.start, move.target), {
              class: "text-move",
            }),
          ),
        ),
      ),
    );
  }

  async showHints() {
    const { table } = this.state;
    const found = await this.act("hint", { question: table.question });
    if (found === null || this.state.table.question !== table.question) return;
    this.hints.hidden = false;
    if (typeof found === "number") {
      this.hints.replaceChildren(
        make(
          "p",
          {},
          sentence(
            found === 1
              ? say("the evaluator would roll one die")
              : say("the evaluator would roll two dice"),
          ),
        ),
      );
      return;
    }
    const isSearched = found.some((hint) => hint.unit === "warriors");
    this.hints.replaceChildren(
      make(
        "h2",
        {},
        isSearched ? say("What the bot brandubh would play") : say("What the evaluator would play"),
      ),
      make(
        "ol",
        {},
        found.map((hint) => {
          const sure = { wins: say("wins"), loses: say("loses") }[hint.sure];
          const worth = sure ?? (isSearched ? fixed(hint.worth, 1) : pointsOf(hint.worth));
          const turn = () => this.act("turn", { question: table.question, moves: hint.moves });
          return make(
            "li",
            {},
            pressed([make("span", { class: "points" }, worth), ` ${turnWords(hint.text)}`], turn, {
              class: "hint",
            }),
          );
        }),
      ),
      make(
        "p",
        { class: "quiet" },
        isSearched
          ? say(
              "By how many warriors you stand better, four moves ahead. Choose one to put it on the board.",
            )
          : say("Points that you may expect. Choose one to put it on the board."),
      ),
    );
    announce(
      say("Best: {moves}", {
        moves: found
          .map((hint) => hint.text)
          .slice(0, 3)
          .join("; "),
      }),
    );
  }

  /** A player by keyboard goes on where the next thing is to be done. */
  focusNext() {
    const { table } = this.state;
    if (table.phase === "call") this.buttons.querySelector("button")?.focus();
    else if (
      table.phase === "turn" &&
      table.is_whole &&
      this.confirm?.isConnected &&
      !this.confirm.disabled
    )
      this.confirm.focus();
    else if (!this.spots?.focus()) this.log.focus({ preventScroll: true });
  }
}
