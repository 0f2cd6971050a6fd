// Small drawings beside numbers that stand there as text as well, so that they are hidden from
// screen readers.

import { draw, make, signed } from "./elements.js";
import { nameNode } from "./names.js";
import { say } from "./words.js";

/** @import {ReplayedGame} from "./contents.d.ts" */
/** @import {Child} from "./elements.js" */
/** @import {Frame} from "./steps.js" */

const ERROR_BAR = { width: 150, height: 18, edge: 4 };

/**
 * Draw a value with its interval on a scale that is the same for all rows.
 *
 * @param {number} value
 * @param {readonly [from: number, to: number] | null} interval
 * @param {number} low the left end of the scale
 * @param {number} high the right end of the scale
 * @returns {SVGSVGElement}
 */
export function errorBar(value, interval, low, high) {
  const { width, height, edge } = ERROR_BAR;
  const middle = height / 2;
  /** @param {number} point */
  const at = (point) => edge + (width - 2 * edge) * within(0, (point - low) / (high - low || 1), 1);
  /**
   * @param {string} kind
   * @param {[x: number, y: number]} start
   * @param {[x: number, y: number]} end
   */
  const line = (kind, [x1, y1], [x2, y2]) => draw("line", { class: kind, x1, x2, y1, y2 });
  const picture = draw("svg", {
    class: "error-bar",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "aria-hidden": "true",
  });
  if (low < 0 && high > 0) picture.append(line("zero", [at(0), 0], [at(0), height]));
  if (interval) {
    const [from, to] = interval.map(at);
    picture.append(
      line("whisker", [from, middle], [to, middle]),
      line("whisker", [from, middle - 4], [from, middle + 4]),
      line("whisker", [to, middle - 4], [to, middle + 4]),
    );
  }
  picture.append(draw("circle", { class: "dot", cx: at(value), cy: middle, r: 4 }));
  return picture;
}

/**
 * @param {number} least
 * @param {number} value
 * @param {number} most
 * @returns {number}
 */
function within(least, value, most) {
  return Math.min(most, Math.max(least, value));
}

const COLUMN = { step: 26, height: 60, names: 16 };

/**
 * Draw columns for counts.
 *
 * @param {readonly number[]} counts
 * @param {readonly string[]} names below the columns
 * @param {readonly string[]} titles what each means when it is pointed at
 * @param {number | null} [expected] a count for a line across
 * @returns {SVGSVGElement}
 */
export function columns(counts, names, titles, expected = null) {
  const { step, height } = COLUMN;
  const width = step * counts.length;
  const whole = height + COLUMN.names;
  const most = Math.max(1, expected ?? 0, ...counts);
  /** @param {number} count */
  const tall = (count) => ((height - 4) * count) / most;
  const bars = counts.map((count, place) =>
    column(place, count ? Math.max(1.5, tall(count)) : 0, names[place], titles[place]),
  );
  const picture = draw(
    "svg",
    {
      class: "columns",
      viewBox: `0 0 ${width} ${whole}`,
      width,
      height: whole,
      "aria-hidden": "true",
    },
    draw("line", { class: "ground", x1: 0, x2: width, y1: height, y2: height }),
    bars,
  );
  if (expected !== null) {
    const y = height - tall(expected);
    picture.append(draw("line", { class: "expected", x1: 0, x2: width, y1: y, y2: y }));
  }
  return picture;
}

/**
 * @param {number} place
 * @param {number} tall
 * @param {string} name
 * @param {string} title
 * @returns {SVGGElement}
 */
function column(place, tall, name, title) {
  const { step, height } = COLUMN;
  const bar = { x: step * place + 3, y: height - tall, width: step - 6, height: tall, rx: 2 };
  const area = { x: step * place, y: 0, width: step, height: height + COLUMN.names };
  const label = { x: step * (place + 0.5), y: height + 13, "text-anchor": "middle" };
  return draw(
    "g",
    {},
    draw("title", {}, title),
    draw("rect", { class: "column", ...bar }),
    draw("rect", { class: "catch", ...area }),
    draw("text", label, name),
  );
}

/**
 * Make a cell whose colour says how sure it is that the row is stronger (1) or weaker (0) than the
 * column.
 *
 * @param {number | null} superior
 * @param {...Child} children
 * @returns {HTMLTableCellElement}
 */
export function shadedCell(superior, ...children) {
  const cell = make("td", { class: "shaded" }, ...children);
  if (superior === null) return cell;
  cell.classList.add(superior >= 0.5 ? "stronger" : "weaker");
  // Nothing below 75 %: that much is seen by chance half the time. Full colour from 97.5 % on, the
  // usual level.
  const sure = (Math.abs(superior - 0.5) - 0.25) / 0.225;
  cell.style.setProperty("--sure", within(0, sure, 1).toFixed(3));
  return cell;
}

// A curve of who stands how well: the points that each side can expect after every frame of a game.
const CURVE = { height: 120, left: 30, right: 8, top: 8, bottom: 8 };
const WIDE = 680;
const WIDE_ON_A_PHONE = 380; // steeper

/**
 * Return for each frame the points that seat 1 can expect; in the end what it got.
 *
 * @param {readonly Frame[]} frames
 * @param {ReplayedGame} game
 * @returns {number[] | null} null if the game is not analysed
 */
export function curveValues(frames, game) {
  if (!game.analysis) return null;
  let value = game.analysis.start;
  return frames.map(({ kind, judged }) => {
    if (judged && "value" in judged) value = judged.value;
    if (kind === "end") value = pointsOfFirst(game);
    return value;
  });
}

/**
 * @param {ReplayedGame} game
 * @returns {number} the points that seat 1 got; below 0 if the other seat won them
 */
function pointsOfFirst({ ended }) {
  if (!ended?.result.winner) return 0;
  const { winner, points } = ended.result;
  return winner === 1 ? points : -points;
}

export class Curve {
  /**
   * @param {readonly Frame[]} frames
   * @param {readonly number[]} values one for each frame
   * @param {readonly string[]} names
   * @param {readonly number[]} discs the colours of the two seats
   * @param {(place: number) => void} jump takes the place of the frame that a reader points at
   */
  constructor(frames, values, names, discs, jump) {
    this.frames = frames;
    this.values = values;
    this.names = names;
    this.discs = discs;
    this.width = matchMedia("(max-width: 36rem)").matches ? WIDE_ON_A_PHONE : WIDE;
    this.most = Math.max(1, ...values.map((value) => Math.ceil(Math.abs(value))));
    const { height, top, bottom } = CURVE;
    this.now = draw("line", { class: "now", x1: 0, x2: 0, y1: top, y2: height - bottom });
    this.dot = draw("circle", { class: "now-dot", cx: 0, cy: 0, r: 5 });
    this.picture = this.drawPicture();
    this.caption = make("figcaption", {});
    this.node = make("figure", { class: "curve" }, this.caption, this.picture);
    this.follow(jump);
  }

  /** @param {number} place */
  x(place) {
    const { left, right } = CURVE;
    const last = this.frames.length - 1;
    return left + (this.width - left - right) * (last > 0 ? place / last : 0);
  }

  /** @param {number} value */
  y(value) {
    const { height, top, bottom } = CURVE;
    return top + ((height - top - bottom) * (this.most - value)) / (2 * this.most);
  }

  drawPicture() {
    const { left, right, height } = CURVE;
    const { width, most } = this;
    const zero = this.y(0);
    const course = this.course();
    const ground = `L${this.x(this.values.length - 1).toFixed(1)} ${zero}L${this.x(0)} ${zero}Z`;
    return draw(
      "svg",
      {
        class: "curve-picture",
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": this.words(),
      },
      draw("path", { class: "area", d: course + ground }),
      draw("line", { class: "level", x1: left, x2: width - right, y1: zero, y2: zero }),
      [most, 0, -most].map((value) => this.level(value)),
      this.disc(1, most / 2),
      this.disc(2, -most / 2),
      draw("path", { class: "course", d: course }),
      this.slips(),
      this.now,
      this.dot,
    );
  }

  /** The line of the values. */
  course() {
    const spots = this.values.map(
      (value, place) => `${this.x(place).toFixed(1)} ${this.y(value).toFixed(1)}`,
    );
    return `M${spots.join("L")}`;
  }

  /** @param {number} value a number beside the curve */
  level(value) {
    const place = { x: CURVE.left - 5, y: this.y(value) + 4, "text-anchor": "end" };
    return draw("text", place, Math.abs(value));
  }

  /**
   * The colour of the seat for which the curve goes this way.
   *
   * @param {number} seat
   * @param {number} value
   */
  disc(seat, value) {
    const circle = draw("circle", { cx: CURVE.left - 10, cy: this.y(value), r: 5 });
    return draw("g", { class: `checker seat-${this.discs[seat - 1]}` }, circle);
  }

  /** The marks of turns that cost something. */
  slips() {
    return this.frames.map(({ kind, seat, judged }, place) => {
      if (kind !== "turn" || !judged?.mark) return null;
      return draw("circle", {
        class: `slip ${judged.mark} seat-${seat}`,
        cx: this.x(place),
        cy: this.y(this.values[place]),
        r: judged.mark === "blunder" ? 4 : 3,
      });
    });
  }

  /** The curve in words. */
  words() {
    const { values, names } = this;
    const last = values.length - 1;
    return say(
      "The points that {name} can expect over the game: {first} at the start, at most {most}, " +
        "at least {least}, {last} last",
      {
        name: names[0],
        first: signed(values[0], 2),
        most: this.valueWords(Math.max(...values)),
        least: this.valueWords(Math.min(...values)),
        last: signed(values[last], 2),
      },
    );
  }

  /** @param {number} value of a frame */
  valueWords(value) {
    const frame = this.frames[this.values.indexOf(value)];
    return `${signed(value, 2)} ${whenWords(frame)}`;
  }

  /**
   * Choose a frame with a pointer on the picture; keys have the slider for that.
   *
   * @param {(place: number) => void} jump
   */
  follow(jump) {
    const { left, right } = CURVE;
    const last = this.frames.length - 1;
    /** @param {PointerEvent} event */
    const choose = (event) => {
      const box = this.picture.getBoundingClientRect();
      const across = ((event.clientX - box.left) * this.width) / box.width;
      const place = Math.round(((across - left) / (this.width - left - right)) * last);
      jump(within(0, place, last));
    };
    this.picture.addEventListener("pointerdown", choose);
    this.picture.addEventListener("pointermove", (event) => {
      if (event.buttons && event.pointerType === "mouse") choose(event);
    });
  }

  /**
   * Mark a frame, and say how it stands there.
   *
   * @param {number} place
   */
  mark(place) {
    const value = this.values[place];
    const x = this.x(place).toFixed(1);
    this.now.setAttribute("x1", x);
    this.now.setAttribute("x2", x);
    this.dot.setAttribute("cx", x);
    this.dot.setAttribute("cy", this.y(value).toFixed(1));
    const isOver = this.frames[place].kind === "end";
    const words = isOver ? say("Points in the end:") : say("Expected points:");
    this.caption.replaceChildren(`${words} `, this.standing(1, value), this.standing(2, -value));
  }

  /**
   * @param {number} seat
   * @param {number} points
   */
  standing(seat, points) {
    return make(
      "span",
      { class: "standing" },
      make("span", { class: `disc small seat-${this.discs[seat - 1]}` }),
      " ",
      nameNode(this.names[seat - 1]),
      " ",
      make("b", {}, signed(points, 2)),
    );
  }
}

/**
 * @param {Frame} frame
 * @returns {string}
 */
function whenWords({ kind, turn }) {
  if (kind === "start") return say("at the start");
  if (kind === "end") return say("at the end");
  return say("after turn {turn}", { turn });
}
