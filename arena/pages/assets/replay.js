// The view of one game: board, controls, what happened, and the list of turns.

import { brandubhBoard } from "./brandubh_board.js";
import { Curve, curveValues } from "./charts.js";
import { capital, draw, duration, endingName, make, pressed } from "./elements.js";
import { tablesPips, tablesRemembered } from "./geometry.js";
import { judgementOf, markOf } from "./judgement.js";
import { download, savePng, svgAddress } from "./pictures.js";
import { hurry, isMotionWanted, slideBrandubh, slideTables } from "./slides.js";
import { soundSwitch } from "./sounds.js";
import { detailsOf, framesOf, sentenceOf, turnWords } from "./steps.js";
import { tablesBoard } from "./tables_board.js";
import { say, told } from "./words.js";

const PACE_MS = 700;

const SPEEDS = [0.5, 1, 2, 4];

export const BOARDS = { tables: tablesBoard, brandubh: brandubhBoard, text: textBoard };

export const SLIDES = { tables: slideTables, brandubh: slideBrandubh };

function textBoard(board, names, { position }) {
  return make("pre", { class: "board drawn", tabindex: "0" }, position);
}

/** Signs of the buttons, drawn, since not every system has them in its type. */
const SIGNS = {
  first: "M5 4v16M19 4L8 12l11 8z",
  back: "M16 4l-8 8 8 8 2-2-6-6 6-6z",
  play: "M7 4l12 8-12 8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  forward: "M8 4l8 8-8 8-2-2 6-6-6-6z",
  last: "M19 4v16M5 4l11 8-11 8z",
  flip: "M7 4v14m0 0l-4-4m4 4l4-4M17 20V6m0 0l-4 4m4-4l4 4",
  arrows: "M4 19L18 5M18 5h-9M18 5v9",
};

function sign(name) {
  return draw(
    "svg",
    { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true" },
    draw("path", { d: SIGNS[name] }),
  );
}

export class Replay {
  /**
   * `match` is the page of the match; `moved` is called with the label of the frame that is shown. An embedded one has no
   * heading and no links of its own.
   */
  constructor(run, match, game, moved, isEmbedded = false) {
    Object.assign(this, { run, match, game, moved, isEmbedded });
    this.names = match.entrants.map((id) => run.names[id]);
    this.frames = framesOf(game, run.terms.clock);
    const values = curveValues(this.frames, game);
    this.curve =
      values &&
      new Curve(this.frames, values, this.names, [this.discOf(1), this.discOf(2)], (place) =>
        this.jump(place),
      );
    this.place = 0;
    this.timer = null;
    this.speed = 1;
    this.flipped = false;
    this.shown = 0;
    this.node = this.build();
  }

  build() {
    const { match, game } = this;
    const title = make(
      "h1",
      { tabindex: "-1" },
      `${this.names[0]} – ${this.names[1]}, ${say("game {number}", { number: game.number })}`,
    );
    const place = `${match.fixture}${match.link.includes("~") ? `, ${say("attempt {number}", { number: match.attempt })}` : ""}`;
    const state = match.void
      ? ` · ${say("void: {reason}", { reason: told(match.void) })}`
      : !game.ended
        ? ` · ${endingName("not_over")}`
        : "";
    this.board = make("div", { class: "board-box" });
    this.plates = [this.plate(1), this.plate(2)];
    this.sentence = make("p", { class: "sentence", "aria-live": "polite", "aria-atomic": "true" });
    this.details = make("div", { class: "details" });
    this.best = pressed(say("Show the best turn"), () => this.toggleBest(), {
      class: "show-best",
      "aria-pressed": "false",
      hidden: true,
    });
    this.moves = this.moveList();
    this.board.addEventListener("pointerdown", () => hurry(this.board));
    this.swipes();
    const head = this.isEmbedded
      ? []
      : [
          make("p", { class: "crumbs" }, this.gameLinks()),
          title,
          make("p", { class: "quiet" }, `${place} · ${this.run.ruleset}${state}`),
        ];
    return make(
      "article",
      { class: `replay${this.isEmbedded ? " embedded" : ""}${this.curve ? " analysed" : ""}` },
      match.broken
        ? make(
            "p",
            { class: "notice bad" },
            say("The record can be followed no further: {reason}", { reason: told(match.broken) }),
          )
        : null,
      make(
        "div",
        { class: "table-and-turns" },
        this.board,
        make(
          "div",
          { class: "panel" },
          make("div", { class: "at-the-head" }, head),
          this.plates[1].node,
          make(
            "div",
            { class: "middle" },
            this.sentence,
            this.details,
            this.best,
            this.moves,
            this.curve ? this.curve.node : null,
          ),
          this.controls(),
          this.plates[0].node,
        ),
      ),
    );
  }

  gameLinks() {
    const { playable, link } = this.match;
    const at = playable.indexOf(this.game.number);
    const to = (game, words) =>
      game
        ? make("a", { href: `#${link}/${game}/0` }, words)
        : make("span", { class: "quiet" }, words);
    return make(
      "span",
      { class: "game-links" },
      to(playable[at - 1], `‹ ${say("game before")}`),
      " ",
      to(playable[at + 1], `${say("next game")} ›`),
    );
  }

  plate(seat) {
    const clock = make("span", { class: "clock", title: say("left of the bank") }),
      extra = make("span", { class: "quiet" });
    const pips = make("span", { class: "quiet pips", title: say("points to go in all") });
    const version = this.match.versions[seat - 1];
    const { colours } = this.run.board;
    const colour = colours.length ? say(colours[this.game.starter === seat ? 0 : 1]) : "";
    const node = make(
      "div",
      { class: `plate ${seat === 1 ? "near" : "far"}` },
      make("span", { class: `disc seat-${this.discOf(seat)}` }),
      make("strong", {}, this.names[seat - 1]),
      version
        ? make("span", { class: "quiet version" }, say("version {version}", { version }))
        : null,
      colour ? make("span", { class: "quiet" }, colour) : null,
      extra,
      pips,
      clock,
    );
    return { node, clock, extra, pips };
  }

  controls() {
    const button = (words, name, act) =>
      pressed(sign(name), act, { "aria-label": words, title: words });
    this.play = button(say("Play (space)"), "play", () => this.toggle());
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: this.frames.length - 1,
      value: 0,
      "aria-label": capital(say("turn")),
    });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.show(Number(this.slider.value));
    });
    this.counter = make("output", { class: "counter" });
    return make(
      "div",
      { class: "controls", role: "group", "aria-label": say("Replay") },
      make(
        "div",
        { class: "buttons" },
        button(say("First (Home)"), "first", () => this.jump(0)),
        button(say("Back (left arrow)"), "back", () => this.step(-1)),
        this.play,
        button(say("Forward (right arrow)"), "forward", () => this.step(1)),
        button(say("Last (End)"), "last", () => this.jump(this.frames.length - 1)),
        this.tools(),
      ),
      make("div", { class: "progress" }, this.slider, this.counter),
    );
  }

  /** What is seldom needed: how the board is shown, and what to take away from it. */
  tools() {
    const isDrawn = this.run.board.kind !== "text";
    const toggle = (words, name, act) => {
      const press = () => node.setAttribute("aria-pressed", String(act()));
      const node = pressed(sign(name), press, {
        "aria-label": words,
        title: words,
        "aria-pressed": "false",
      });
      return node;
    };
    const button = (words, title, act) => pressed(words, act, { title });
    const speed = make(
      "select",
      { "aria-label": say("Speed") },
      SPEEDS.map((each) => make("option", { value: each, selected: each === 1 }, `${each} ×`)),
    );
    speed.addEventListener("change", () => {
      this.speed = Number(speed.value);
    });
    const said = make("span", { class: "quiet", role: "status" });
    const address = () =>
      `${location.href.split("#")[0]}#${this.match.link}/${this.game.number}/${this.frames[this.place].label}`;
    const link = button(say("Link"), say("Copy a link to this position"), async () => {
      try {
        await navigator.clipboard.writeText(address());
        said.textContent = say("copied");
      } catch {
        // a browser may refuse; then the reader copies it
        said.replaceChildren(make("a", { href: address() }, `#${address().split("#")[1]}`));
      }
    });
    const file = () =>
      `${this.match.link}-game-${this.game.number}-${this.frames[this.place].label}`;
    const arrows = toggle(
      say("Arrows for the last turn"),
      "arrows",
      () => !this.board.classList.toggle("no-arrows"),
    );
    arrows.setAttribute("aria-pressed", "true");
    return make(
      "div",
      { class: "tools" },
      speed,
      soundSwitch("arena-sound-watching", false),
      isDrawn
        ? [
            toggle(say("Turn the board round"), "flip", () => this.flip()),
            this.run.board.kind === "tables" ? arrows : null,
          ]
        : null,
      this.isEmbedded ? null : link,
      isDrawn
        ? [
            button("SVG", say("Save this position as SVG"), () =>
              download(`${file()}.svg`, svgAddress(this.picture())),
            ),
            button("PNG", say("Save this position as PNG"), () => savePng(this.picture(), file())),
          ]
        : null,
      said,
    );
  }

  flip() {
    this.flipped = !this.flipped;
    this.node.classList.toggle("flipped", this.flipped);
    this.jump(this.place);
    return this.flipped;
  }

  /** The board as it stands, without what is still sliding. */
  picture() {
    this.jump(this.place);
    return this.board.firstChild;
  }

  moveList() {
    this.rows = this.frames.map((frame, place) => this.row(frame, place));
    return make(
      "ol",
      { class: "moves", tabindex: "0", "aria-label": capital(say("turns")) },
      this.rows,
    );
  }

  row(frame, place) {
    const isTurn = frame.kind === "turn";
    const link = make(
      "a",
      {
        href: `#${this.match.link}/${this.game.number}/${frame.label}`,
        tabindex: "-1",
        class: `move ${frame.kind}`,
      },
      make("span", { class: "label" }, frame.kind === "end" ? say("end") : frame.label),
      frame.seat && frame.kind !== "start" && frame.kind !== "end"
        ? make("span", { class: `disc small seat-${this.discOf(frame.seat)}` })
        : make("span", {}),
      make("span", { class: "dice" }, isTurn ? [...frame.dice].join("-") : ""),
      make(
        "span",
        { class: "text" },
        isTurn ? turnWords(frame.text) : sentenceOf(frame, this.game, this.names),
        frame.judged ? [" ", markOf(frame.judged) ?? ""] : null,
      ),
      make("span", { class: "time" }, isTurn ? duration(frame.spent) : ""),
    );
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.jump(place);
    });
    return make("li", {}, link);
  }

  discOf(seat) {
    return this.run.board.colours.length ? (this.game.starter === seat ? 2 : 1) : seat;
  }

  /** On a touch screen: a stroke to the left goes on, to the right back. */
  swipes() {
    let start = null;
    this.board.addEventListener("pointerdown", (event) => {
      start = event.pointerType === "mouse" ? null : event;
    });
    this.board.addEventListener("pointerup", (event) => {
      if (!start) return;
      const [across, down] = [event.clientX - start.clientX, event.clientY - start.clientY];
      start = null;
      if (Math.abs(across) > 30 && Math.abs(across) > 2 * Math.abs(down))
        this.step(across < 0 ? 1 : -1);
    });
  }

  /** Show a frame; nothing happens beyond the first and the last. With `slides` the checkers of a turn slide there first. */
  async show(place, slides = false) {
    this.place = Math.max(0, Math.min(this.frames.length - 1, place));
    this.shown += 1;
    const frame = this.frames[this.place],
      { board } = this.run,
      shown = this.shown;
    this.tell(frame);
    if (slides && frame.kind === "turn" && SLIDES[board.kind] && isMotionWanted()) {
      await SLIDES[board.kind](
        this.board,
        board,
        this.names,
        frame,
        this.flipped,
        this.speed,
        () => this.shown === shown,
      );
      if (this.shown !== shown) return;
    }
    this.board.replaceChildren(
      BOARDS[board.kind](
        board,
        this.names,
        { ...frame, mover: frame.seat || this.game.starter || 1 },
        this.flipped,
      ),
    );
  }

  tell(frame) {
    const { board } = this.run;
    this.plates.forEach(({ node, clock, extra, pips }, index) => {
      node.classList.toggle("moving", frame.seat === index + 1);
      clock.textContent = duration(frame.left[index]);
      extra.textContent =
        board.kind === "tables" ? tablesRemembered(board, frame.position, index + 1) : "";
      pips.textContent =
        board.kind === "tables"
          ? say("{count} pips", { count: tablesPips(board, frame.position, index + 1) })
          : "";
    });
    this.sentence.textContent = `${frame.kind === "start" || frame.kind === "end" ? "" : `${frame.label}. `}${sentenceOf(frame, this.game, this.names)}`;
    const judgement = judgementOf(frame, this.names).map((line) =>
      make("p", { class: "judgement" }, line),
    );
    this.details.replaceChildren(
      ...judgement,
      ...detailsOf(frame, this.game, this.names).map((line) => make("p", {}, line)),
    );
    this.best.hidden = !(frame.kind === "turn" && frame.judged?.best);
    this.best.setAttribute("aria-pressed", "false");
    this.curve?.mark(this.place);
    this.details.classList.toggle("bad", frame.kind === "rejected");
    this.slider.value = String(this.place);
    this.slider.setAttribute("aria-valuetext", this.sentence.textContent);
    this.counter.textContent = `${this.place} / ${this.frames.length - 1}`;
    this.mark();
    this.moved(frame.label);
  }

  /** Mark the row of the frame, and keep it in sight within its list alone. */
  mark() {
    this.rows.forEach((row, place) => {
      if (place === this.place) row.firstChild.setAttribute("aria-current", "step");
      else row.firstChild.removeAttribute("aria-current");
    });
    const row = this.rows[this.place],
      list = this.moves,
      top = row.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + row.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top + row.offsetHeight - list.clientHeight;
  }

  /** The position before the turn, with the best turn as arrows; and back. */
  toggleBest() {
    if (this.best.getAttribute("aria-pressed") === "true") {
      this.jump(this.place);
      return;
    }
    this.stop();
    this.shown += 1; // what still slides is not drawn any more
    const { before, dice, seat, judged } = this.frames[this.place],
      { board } = this.run;
    const frame = {
      kind: "best",
      position: before,
      before,
      dice,
      seat,
      mover: seat,
      text: judged.best,
    };
    this.board.replaceChildren(BOARDS[board.kind](board, this.names, frame, this.flipped));
    this.best.setAttribute("aria-pressed", "true");
  }

  jump(place) {
    this.stop();
    this.show(place);
  }

  step(by) {
    this.stop();
    if (this.place + by >= 0 && this.place + by < this.frames.length)
      this.show(this.place + by, by > 0);
  }

  toggle() {
    if (this.timer !== null) {
      this.stop();
      return;
    }
    if (this.place === this.frames.length - 1) this.show(0);
    this.sentence.setAttribute("aria-live", "off");
    const go = async () => {
      const timer = this.timer;
      await this.show(this.place + 1, true);
      if (this.timer !== timer) return;
      if (this.place === this.frames.length - 1) this.stop();
      else this.timer = setTimeout(go, PACE_MS / this.speed);
    };
    this.timer = setTimeout(go, PACE_MS / this.speed);
    this.showPlaying();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.sentence.setAttribute("aria-live", "polite");
    this.showPlaying();
  }

  showPlaying() {
    const words = say(this.timer === null ? "Play (space)" : "Pause (space)");
    this.play.replaceChildren(sign(this.timer === null ? "play" : "pause"));
    this.play.setAttribute("aria-label", words);
    this.play.title = words;
  }

  /** A key that was pressed anywhere on the page; what a form element does with it itself is left to it. */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { localName, type } = event.target;
    const isSlider = localName === "input" && type === "range";
    if (localName === "select" || (localName === "input" && !isSlider)) return;
    const acts = {
      " ": localName === "button" ? null : () => this.toggle(),
      ArrowLeft: isSlider ? null : () => this.step(-1),
      ArrowRight: isSlider ? null : () => this.step(1),
      Home: isSlider ? null : () => this.jump(0),
      End: isSlider ? null : () => this.jump(this.frames.length - 1),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
}
