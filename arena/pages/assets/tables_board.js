// The board of a tables game as a picture.

import { endingBanner, tablesArrows } from "./board_marks.js";
import { draw } from "./elements.js";
import { TABLES, levelOf, readTables, tablesGeometry } from "./geometry.js";
import { say } from "./words.js";

/** The board after a step; what differs from `before` is marked, and the moves of a turn are arrows. */
export function tablesBoard(board, names, frame, flipped) {
  const { position, before, dice, mover } = frame;
  const sides = readTables(position, board.remembers);
  const geometry = tablesGeometry(board.facing, flipped);
  const picture = tablesPicture(
    geometry,
    sides,
    readTables(before, board.remembers),
    dice,
    mover,
    tablesWords(geometry, names, sides),
  );
  if (["turn", "end", "best"].includes(frame.kind))
    picture.append(
      ...tablesArrows(board, geometry, sides, frame),
      ...picture.querySelectorAll(".count"),
    ); // no arrow covers a count
  if (frame.kind === "turn" || frame.kind === "end")
    picture.append(...endingBanner(board, geometry, sides, frame, picture));
  return picture;
}

/** A board with these checkers; what differs from `old` is marked. `dice` are shown in the colour of `mover`. */
export function tablesPicture(geometry, sides, old, dice, mover, words) {
  const { width, height } = geometry;
  const picture = draw("svg", {
    class: "board tables",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": words,
  });
  picture.append(
    shades(),
    ...tablesGround(geometry),
    ...tablesNumbers(geometry, mover),
    ...placeNames(geometry),
  );
  sides.forEach((side, place) => {
    const seat = place + 1,
      was = old[place];
    side.points.forEach((count, index) => {
      const { x, isLower } = geometry.points[index];
      const isHit = sides[1 - place].points[index] > 0; // the checker that hit it says enough
      picture.append(...stack(x, isLower, count, isHit ? 0 : count - was.points[index], seat));
    });
    picture.append(
      draw(
        "g",
        { class: `bar seat-${seat}` },
        stack(geometry.bar, seat === geometry.lower, side.bar, side.bar - was.bar, seat, 60),
      ),
    );
    picture.append(...borneOff(geometry, side.off, seat));
  });
  picture.append(...drawDice(geometry, dice, mover));
  return picture;
}

/** Light from the upper left, for all that has depth: `lit` is raised, `sunk` is hollow, `deep` lies below a frame. */
export function shades() {
  const shade = (name, corner, ...stops) =>
    draw(
      "linearGradient",
      { id: `shade-${name}`, x1: 0, y1: 0, x2: corner, y2: 1 },
      stops.map(([offset, colour, opacity]) =>
        draw("stop", { offset, "stop-color": colour, "stop-opacity": opacity }),
      ),
    );
  return draw(
    "defs",
    {},
    shade("lit", 1, [0, "#fff", 0.5], [0.45, "#fff", 0], [0.6, "#000", 0], [1, "#000", 0.4]),
    shade(
      "sunk",
      1,
      [0, "#000", 0.38],
      [0.5, "#000", 0.04],
      [0.55, "#fff", 0.02],
      [1, "#fff", 0.3],
    ),
    shade(
      "deep",
      0,
      [0, "#000", 0.35],
      [0.035, "#000", 0.06],
      [0.1, "#000", 0],
      [0.97, "#fff", 0],
      [1, "#fff", 0.25],
    ),
  );
}

/** Grain of wood: lines that run along a plank, never the same twice and always the same at every look. */
export function grain(x, y, wide, high, lines = 11) {
  return draw("path", {
    class: "grain",
    d: Array.from({ length: lines }, (_, line) => {
      const at = x + (wide * (line + 0.5 + 0.3 * Math.sin(7 * line + x))) / lines,
        bow = 9 * Math.sin(3 * line + x);
      return `M${at.toFixed(1)} ${y}q${bow.toFixed(1)} ${high / 4} 0 ${high / 2}t0 ${high / 2}`;
    }).join(""),
  });
}

function tablesGround({ width, height, points, bar, tray }) {
  const { column, half, edge, side } = TABLES,
    right = bar + TABLES.bar / 2;
  const field = (x, wide) => {
    const place = { x, y: edge, width: wide, height: 2 * half, rx: 3 };
    return [
      draw("rect", { class: "field", ...place }),
      grain(x, edge, wide, 2 * half, Math.ceil(wide / 34)),
      draw("rect", { class: "deep", ...place }),
    ];
  };
  const point = ({ x, isLower, place }) => {
    const foot = isLower ? height - edge : edge,
      tip = isLower ? foot - half * 0.84 : foot + half * 0.84;
    const kind = (place + (isLower ? 0 : 1)) % 2 ? "light" : "dark";
    return [
      draw("path", {
        class: `point ${kind}`,
        d: `M${x - column / 2 + 2} ${foot}L${x} ${tip}L${x + column / 2 - 2} ${foot}Z`,
      }),
      draw("path", {
        class: "facet",
        d: `M${x} ${foot}L${x} ${tip}L${x + column / 2 - 2} ${foot}Z`,
      }),
    ];
  };
  return [
    draw("rect", { class: "frame", x: 0, y: 0, width, height, rx: 14 }),
    grain(4, 4, width - 8, height - 8, 16),
    draw("rect", { class: "lit frame-light", x: 0, y: 0, width, height, rx: 14 }),
    ...field(side, 6 * column),
    ...field(right, 6 * column),
    ...field(tray - TABLES.tray / 2, TABLES.tray),
    draw("path", { class: "hinge", d: `M${bar} ${edge}V${edge + 2 * half}` }),
    ...[0.22, 0.7].map((at) =>
      draw("rect", {
        class: "brass",
        x: bar - 5,
        y: edge + 2 * half * at,
        width: 10,
        height: half * 0.16,
        rx: 2,
      }),
    ),
    ...points.flatMap(point),
  ];
}

/** The places that have names: home and head in Bräde, the home boards in backgammon, with an arrow the way each side goes. */
function placeNames({ points, height, bar, tray, lower, facing }) {
  const word = (x, isLower, text, way, anchor = "middle") =>
    draw(
      "text",
      { class: "place", x, y: height / 2 + (isLower ? 42 : -32), "text-anchor": anchor },
      way > 0 ? `${text} →` : way < 0 ? `← ${text}` : text,
    );
  const named = [1, 2].flatMap((seat) => {
    const at = (number) => points.find(({ numbers }) => numbers[seat - 1] === number),
      way = Math.sign(at(2).x - at(1).x);
    if (facing !== "same_way")
      return [word((at(3).x + at(4).x) / 2, at(1).isLower, say("home board"), -way)];
    return [
      word(at(1).x + 34 * way, at(1).isLower, say("home"), way, way > 0 ? "start" : "end"),
      word(at(12).x, at(12).isLower, say("head"), 0),
    ];
  });
  const upright = (x, kind, text) =>
    draw(
      "text",
      {
        class: `place ${kind}`,
        x,
        y: height / 2 + 5,
        "text-anchor": "middle",
        transform: `rotate(${lower === 1 ? -90 : 90} ${x} ${height / 2})`,
      },
      text,
    );
  return [...named, upright(bar, "on-frame", say("bar")), upright(tray, "", say("off"))];
}

/** The numbers of both sides; those of the side that plays stand out. */
function tablesNumbers({ points, height }, mover) {
  return points.flatMap(({ x, isLower, numbers }) =>
    numbers.map((text, place) =>
      draw(
        "text",
        {
          class: `point-number seat-${place + 1} ${isLower ? "lower" : "upper"}${mover === place + 1 ? " moving" : ""}`,
          x,
          y: isLower ? height - (place ? 9 : 30) : place ? 20 : 41,
          "text-anchor": "middle",
        },
        text,
      ),
    ),
  );
}

/** Checkers on a point or the bar, from the edge (or `inset` from the middle, on the bar) inwards; new ones are marked. */
function stack(x, isLower, count, gained, seat, inset = 0) {
  const { radius } = TABLES,
    y = (level) => levelOf(isLower, count, level, inset);
  const found = [];
  for (let level = 0; level < count; level += 1)
    found.push(checker(x, y(level), radius, seat, level >= count - gained));
  if (count > 5)
    found.push(
      draw(
        "text",
        { class: `count seat-${seat}`, x, y: y(count - 1) + 9, "text-anchor": "middle" },
        count,
      ),
    );
  if (gained < 0)
    found.push(
      leftFrom(x, count ? y(count - 1) + (isLower ? -radius - 12 : radius + 12) : y(0), 8),
    );
  return found;
}

/** Where a checker stood before: a small hollow square on its corner. */
export function leftFrom(x, y, size) {
  return draw("path", {
    class: "left-from",
    d: `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`,
  });
}

export function checker(x, y, radius, seat, isNew) {
  const around = (kind, r, down = 0) => draw("circle", { class: kind, cx: x, cy: y + down, r });
  return draw(
    "g",
    { class: `checker seat-${seat}${isNew ? " moved" : ""}` },
    around("cast", radius - 1, 3),
    around("body", radius - 1.5),
    around("lit", radius - 3),
    around("ridge", radius * 0.7),
    around("sunk", radius * 0.7),
    isNew ? movedMark(x, y) : [],
  );
}

/** What has just been moved: a square on its corner, which no ring is. */
function movedMark(x, y) {
  return draw("path", {
    class: "moved-mark",
    d: `M${x} ${y - 12}L${x + 12} ${y}L${x} ${y + 12}L${x - 12} ${y}Z`,
  });
}

function borneOff({ tray, height, lower }, count, seat) {
  const { edge } = TABLES,
    tall = 15;
  const found = [];
  for (let place = 0; place < count; place += 1) {
    const y =
      seat === lower
        ? height - edge - 4 - tall - place * (tall + 1.5)
        : edge + 4 + place * (tall + 1.5);
    const edges = {
      x: tray - TABLES.tray / 2 + 6,
      y,
      width: TABLES.tray - 12,
      height: tall,
      rx: 4,
    };
    found.push(
      draw("rect", { class: `borne-off seat-${seat}`, ...edges }),
      draw("rect", { class: "lit", ...edges }),
    );
  }
  return found;
}

const PIPS = [
  [],
  [[0, 0]],
  [
    [-1, -1],
    [1, 1],
  ],
  [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  [
    [-1, -1],
    [-1, 1],
    [1, -1],
    [1, 1],
  ],
  [
    [-1, -1],
    [-1, 1],
    [0, 0],
    [1, -1],
    [1, 1],
  ],
  [
    [-1, -1],
    [-1, 0],
    [-1, 1],
    [1, -1],
    [1, 0],
    [1, 1],
  ],
];

/** The roll, in the middle of the half to the right of its owner. */
function drawDice({ bar, height, lower }, dice, mover) {
  const centre = bar + (mover === lower ? 1 : -1) * (TABLES.bar / 2 + 3 * TABLES.column),
    size = 50;
  return [...dice].map((face, place) => {
    const x = centre + (place - (dice.length - 1) / 2) * (size + 12),
      y = height / 2;
    return draw(
      "g",
      { class: `die seat-${mover}` },
      draw("rect", {
        class: "cast",
        x: x - size / 2,
        y: y - size / 2 + 4,
        width: size,
        height: size,
        rx: 12,
      }),
      draw("rect", {
        class: "body",
        x: x - size / 2,
        y: y - size / 2,
        width: size,
        height: size,
        rx: 12,
      }),
      draw("rect", {
        class: "lit",
        x: x - size / 2 + 1,
        y: y - size / 2 + 1,
        width: size - 2,
        height: size - 2,
        rx: 11,
      }),
      PIPS[Number(face)].map(([across, down]) =>
        draw("circle", { class: "pip", cx: x + across * 13, cy: y + down * 13, r: 5 }),
      ),
    );
  });
}

/** The position in words, each side in its own numbering. */
export function tablesWords({ points }, names, sides) {
  return sides
    .map((side, place) => {
      const stands = side.points
        .map((count, index) => [points[index].numbers[place], count])
        .filter(([, count]) => count)
        .sort(([one], [other]) => one - other)
        .map(([point, count]) => say("{count} on {point}", { count, point }));
      return `${names[place]}: ${[...stands, say("{count} on the bar", { count: side.bar }), say("{count} off", { count: side.off })].join(", ")}`;
    })
    .join("; ");
}
