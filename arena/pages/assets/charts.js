// Small drawings beside numbers that stand there as text as well, so that they are hidden from screen readers.

import { draw, make, signed } from "./elements.js";
import { say } from "./words.js";

/** A value with its interval on a scale that is the same for all rows; `low` and `high` are the ends of the scale. */
export function errorBar(value, interval, low, high) {
  const width = 150,
    height = 18,
    middle = height / 2;
  const at = (each) => 4 + (width - 8) * Math.min(1, Math.max(0, (each - low) / (high - low || 1)));
  const picture = draw("svg", {
    class: "error-bar",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "aria-hidden": "true",
  });
  if (low < 0 && high > 0)
    picture.append(draw("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: height }));
  if (interval) {
    const [from, to] = interval.map(at);
    picture.append(
      draw("line", { class: "whisker", x1: from, x2: to, y1: middle, y2: middle }),
      draw("line", { class: "whisker", x1: from, x2: from, y1: middle - 4, y2: middle + 4 }),
      draw("line", { class: "whisker", x1: to, x2: to, y1: middle - 4, y2: middle + 4 }),
    );
  }
  picture.append(draw("circle", { class: "dot", cx: at(value), cy: middle, r: 4 }));
  return picture;
}

/** Columns for counts, with their names below and what each means when pointed at; `expected` is a line across. */
export function columns(counts, names, titles, expected = null) {
  const step = 26,
    height = 60,
    width = step * counts.length;
  const most = Math.max(1, expected ?? 0, ...counts);
  const bars = counts.map((count, place) => {
    const tall = count ? Math.max(1.5, ((height - 4) * count) / most) : 0;
    return draw(
      "g",
      {},
      draw("title", {}, titles[place]),
      draw("rect", {
        class: "column",
        x: step * place + 3,
        y: height - tall,
        width: step - 6,
        height: tall,
        rx: 2,
      }),
      draw("rect", { class: "catch", x: step * place, y: 0, width: step, height: height + 16 }),
      draw(
        "text",
        { x: step * (place + 0.5), y: height + 13, "text-anchor": "middle" },
        names[place],
      ),
    );
  });
  const line =
    expected === null
      ? []
      : [
          draw("line", {
            class: "expected",
            x1: 0,
            x2: width,
            y1: height - ((height - 4) * expected) / most,
            y2: height - ((height - 4) * expected) / most,
          }),
        ];
  return draw(
    "svg",
    {
      class: "columns",
      viewBox: `0 0 ${width} ${height + 16}`,
      width,
      height: height + 16,
      "aria-hidden": "true",
    },
    draw("line", { class: "ground", x1: 0, x2: width, y1: height, y2: height }),
    bars,
    line,
  );
}

/** A cell whose colour says how sure it is that the row is stronger (1) or weaker (0) than the column. */
export function shadedCell(superior, ...children) {
  const cell = make("td", { class: "shaded" }, ...children);
  if (superior !== null) {
    cell.classList.add(superior >= 0.5 ? "stronger" : "weaker");
    // Nothing below 75 %: that much is seen by chance half the time. Full colour from 97.5 % on, the usual level.
    cell.style.setProperty(
      "--sure",
      String(Math.min(1, Math.max(0, (Math.abs(superior - 0.5) - 0.25) / 0.225)).toFixed(3)),
    );
  }
  return cell;
}

// A curve of who stands how well: the points that each side can expect after every frame of a game.
const CURVE = { height: 120, left: 30, right: 8, top: 8, bottom: 8 };

/** For each frame the points that seat 1 can expect; in the end what it got. Null where the game is not analysed. */
export function curveValues(frames, game) {
  if (!game.analysis) return null;
  let value = game.analysis.start;
  return frames.map((frame) => {
    if (frame.kind === "turn" && frame.judged) value = frame.judged.value;
    if (frame.kind === "end") {
      const { winner, points } = game.ended.result;
      value = winner ? (winner === 1 ? points : -points) : 0;
    }
    return value;
  });
}

export class Curve {
  /** `jump` is called with the place of the frame that a reader points at. */
  constructor(frames, values, names, discs, jump) {
    Object.assign(this, { frames, values, names });
    const { height, left, right, top, bottom } = CURVE;
    const width = (this.width = matchMedia("(max-width: 36rem)").matches ? 380 : 680); // on a phone steeper
    this.most = Math.max(1, ...values.map((value) => Math.ceil(Math.abs(value))));
    this.x = (place) =>
      left + (width - left - right) * (frames.length > 1 ? place / (frames.length - 1) : 0);
    this.y = (value) => top + ((height - top - bottom) * (this.most - value)) / (2 * this.most);
    const line = values
      .map(
        (value, place) =>
          `${place ? "L" : "M"}${this.x(place).toFixed(1)} ${this.y(value).toFixed(1)}`,
      )
      .join("");
    const ground = `L${this.x(values.length - 1).toFixed(1)} ${this.y(0)}L${this.x(0)} ${this.y(0)}Z`;
    const marks = frames.flatMap((frame, place) =>
      frame.judged?.mark && frame.kind === "turn"
        ? [
            draw("circle", {
              class: `slip ${frame.judged.mark} seat-${frame.seat}`,
              cx: this.x(place),
              cy: this.y(values[place]),
              r: frame.judged.mark === "blunder" ? 4 : 3,
            }),
          ]
        : [],
    );
    const label = (value) =>
      draw("text", { x: left - 5, y: this.y(value) + 4, "text-anchor": "end" }, Math.abs(value));
    const whose = (seat, value) =>
      draw(
        "g",
        { class: `checker seat-${discs[seat - 1]}` },
        draw("circle", { cx: left - 10, cy: this.y(value), r: 5 }),
      );
    this.now = draw("line", { class: "now", x1: 0, x2: 0, y1: top, y2: height - bottom });
    this.dot = draw("circle", { class: "now-dot", cx: 0, cy: 0, r: 5 });
    this.picture = draw(
      "svg",
      {
        class: "curve-picture",
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": this.words(),
      },
      draw("path", { class: "area", d: line + ground }),
      draw("line", { class: "level", x1: left, x2: width - right, y1: this.y(0), y2: this.y(0) }),
      label(this.most),
      label(0),
      label(-this.most),
      whose(1, this.most / 2),
      whose(2, -this.most / 2),
      draw("path", { class: "course", d: line }),
      marks,
      this.now,
      this.dot,
    );
    this.caption = make("figcaption", {});
    this.discs = discs;
    this.node = make("figure", { class: "curve" }, this.caption, this.picture);
    this.follow(jump);
  }

  words() {
    const { values, names, frames } = this;
    const at = (value) => {
      const frame = frames[values.indexOf(value)];
      return `${signed(value, 2)} ${frame.kind === "start" ? say("at the start") : frame.kind === "end" ? say("at the end") : say("after turn {turn}", { turn: frame.turn })}`;
    };
    return say(
      "The points that {name} can expect over the game: {first} at the start, at most {most}, at least {least}, {last} last",
      {
        name: names[0],
        first: signed(values[0], 2),
        most: at(Math.max(...values)),
        least: at(Math.min(...values)),
        last: signed(values[values.length - 1], 2),
      },
    );
  }

  /** A pointer on the picture chooses a frame; keys have the slider for that. */
  follow(jump) {
    const choose = (event) => {
      const box = this.picture.getBoundingClientRect();
      const { left, right } = CURVE,
        across = ((event.clientX - box.left) * this.width) / box.width;
      const place = Math.round(
        ((across - left) / (this.width - left - right)) * (this.frames.length - 1),
      );
      jump(Math.max(0, Math.min(this.frames.length - 1, place)));
    };
    this.picture.addEventListener("pointerdown", choose);
    this.picture.addEventListener("pointermove", (event) => {
      if (event.buttons && event.pointerType === "mouse") choose(event);
    });
  }

  mark(place) {
    const value = this.values[place],
      x = this.x(place).toFixed(1);
    for (const [name, text] of [
      ["x1", x],
      ["x2", x],
    ])
      this.now.setAttribute(name, text);
    this.dot.setAttribute("cx", x);
    this.dot.setAttribute("cy", this.y(value).toFixed(1));
    const side = (seat) =>
      make(
        "span",
        { class: "standing" },
        make("span", { class: `disc small seat-${this.discs[seat - 1]}` }),
        ` ${this.names[seat - 1]} `,
        make("b", {}, signed(seat === 1 ? value : -value, 2)),
      );
    this.caption.replaceChildren(
      `${this.frames[place].kind === "end" ? say("Points in the end:") : say("Expected points:")} `,
      side(1),
      side(2),
    );
  }
}
