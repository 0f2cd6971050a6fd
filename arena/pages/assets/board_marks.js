// What is drawn above a tables board: the ways of the last turn, and what ended the game.

import { draw, endingName } from "./elements.js";
import { TABLES, indexOf, spotOf, tablesMoves } from "./geometry.js";

/** An arrow for each move of the turn that led here, or, of kind `best`, of one that could be played here. */
export function tablesArrows(board, geometry, sides, { kind, text, seat }) {
  const gone = kind === "best" ? 0 : 1;
  return tablesMoves(board, text).map(({ from, to }) =>
    arrow(
      spotOf(board, geometry, sides, seat, from, gone),
      spotOf(board, geometry, sides, seat, to, 1 - gone),
      kind === "best",
    ),
  );
}

function arrow(from, to, isBest = false) {
  const [across, down] = [to.x - from.x, to.y - from.y],
    length = Math.hypot(across, down) || 1;
  const [x, y] = [across / length, down / length],
    bend = Math.min(60, length / 5);
  const middle = { x: (from.x + to.x) / 2 + y * bend, y: (from.y + to.y) / 2 - x * bend };
  const [dx, dy] = [to.x - middle.x, to.y - middle.y],
    last = Math.hypot(dx, dy) || 1,
    [u, v] = [dx / last, dy / last];
  const tip = { x: to.x - u * 10, y: to.y - v * 10 },
    neck = { x: tip.x - u * 20, y: tip.y - v * 20 };
  return draw(
    "g",
    { class: isBest ? "arrow best" : "arrow" },
    draw("path", {
      class: "shaft",
      d: `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${neck.x} ${neck.y}`,
    }),
    draw("path", {
      class: "head",
      d: `M${tip.x} ${tip.y}L${neck.x - v * 12} ${neck.y + u * 12}L${neck.x + v * 12} ${neck.y - u * 12}Z`,
    }),
  );
}

/**
 * What ended the game, across the half without dice. After a jan the bar that is too full stands out, with the free
 * points that are too few for it (B9.1); after a handsome game the points of its pattern (B8).
 */
export function endingBanner(board, geometry, sides, { text, seat }, picture) {
  const name = text.split(", ")[1];
  if (!name) return [];
  const ending = endingName(name.replaceAll(" ", "_")),
    isJan = name.endsWith("jan"),
    isHandsome = /crown|stair|tower/.test(name);
  const deciding = isJan
    ? [1, 2, 3, 4, 5, 6]
        .map((slot) => [3 - seat, slot])
        .filter(([owner, slot]) => !sides[owner - 1].points[indexOf(board, owner, slot)])
    : isHandsome
      ? [19, 20, 21, 22, 23, 24]
          .map((slot) => [seat, slot])
          .filter(([owner, slot]) => sides[owner - 1].points[indexOf(board, owner, slot)])
      : [];
  const marks = deciding.map(([owner, slot]) => {
    const { x, isLower } = geometry.points[indexOf(board, owner, slot)],
      { column, half, edge } = TABLES;
    return draw("rect", {
      class: "deciding",
      x: x - column / 2 + 2,
      y: isLower ? edge + half + 50 : edge + 2,
      width: column - 4,
      height: half - 52,
      rx: 8,
    });
  });
  if (isJan) picture.querySelector(`.bar.seat-${3 - seat}`).classList.add("jan");
  const centre =
      geometry.bar + (seat === geometry.lower ? -1 : 1) * (TABLES.bar / 2 + 3 * TABLES.column),
    wide = 60 + 25 * ending.length;
  return [
    ...marks,
    draw(
      "g",
      { class: "banner" },
      draw("rect", {
        x: centre - wide / 2,
        y: geometry.height / 2 - 36,
        width: wide,
        height: 72,
        rx: 14,
      }),
      draw(
        "text",
        { x: centre, y: geometry.height / 2 + 15, "text-anchor": "middle" },
        `${ending[0].toUpperCase()}${ending.slice(1)}!`,
      ),
    ),
  ];
}
