// The board of Brandubh as a picture.

import { draw } from "./elements.js";
import { BRANDUBH, pieceAt, squareAt } from "./geometry.js";
import { checker, grain, leftFrom, shades } from "./tables_board.js";
import { say } from "./words.js";

export function brandubhBoard(board, names, { position, before }, flipped = false) {
  const { square, margin, corners, throne, files } = BRANDUBH;
  const size = 7 * square + 2 * margin;
  const picture = draw(
    "svg",
    {
      class: "board brandubh",
      viewBox: `0 0 ${size} ${size}`,
      role: "img",
      "aria-label": brandubhWords(position),
    },
    shades(),
    draw("rect", { class: "frame", x: 0, y: 0, width: size, height: size, rx: 14 }),
    grain(4, 4, size - 8, size - 8, 16),
    draw("rect", { class: "lit frame-light", x: 0, y: 0, width: size, height: size, rx: 14 }),
  );
  for (let index = 0; index < 49; index += 1) {
    const middle = squareAt(index, flipped),
      x = middle.x - square / 2,
      y = middle.y - square / 2;
    const kind = corners.includes(index) ? "corner" : index === throne ? "throne" : "";
    picture.append(
      draw("rect", { class: `square ${kind}`, x, y, width: square, height: square }),
      grain(x, y, square, square, 3),
    );
    if (kind)
      picture.append(
        draw("path", {
          class: "mark",
          d: `M${x + 18} ${y + 18}L${x + 72} ${y + 72}M${x + 72} ${y + 18}L${x + 18} ${y + 72}`,
        }),
      );
    const [now, was] = [pieceAt(position, index), pieceAt(before, index)];
    if (now) picture.append(...warrior(now, x + square / 2, y + square / 2, now !== was));
    else if (was) picture.append(leftFrom(x + square / 2, y + square / 2, 11));
  }
  for (let place = 0; place < 7; place += 1) {
    const middle = margin + square * (place + 0.5);
    picture.append(
      draw(
        "text",
        { class: "point-number", x: middle, y: size - 14, "text-anchor": "middle" },
        files[flipped ? 6 - place : place],
      ),
      draw(
        "text",
        { class: "point-number", x: margin / 2, y: middle + 8, "text-anchor": "middle" },
        flipped ? place + 1 : 7 - place,
      ),
    );
  }
  return picture;
}

export function warrior(piece, x, y, isNew) {
  const seat = piece === "b" ? 2 : 1;
  const found = [checker(x, y, 36, seat, isNew && piece !== "k")];
  if (piece === "k") {
    found.push(
      draw("path", {
        class: `crown${isNew ? " moved" : ""}`,
        d: `M${x - 17} ${y + 12}L${x - 20} ${y - 12}L${x - 8} ${y - 2}L${x} ${y - 17}L${x + 8} ${y - 2}L${x + 20} ${y - 12}L${x + 17} ${y + 12}Z`,
      }),
    );
  }
  return found;
}

export function brandubhWords(position) {
  const squares = (piece) =>
    [...position]
      .flatMap((sign, index) =>
        sign === piece ? [`${BRANDUBH.files[index % 7]}${7 - Math.floor(index / 7)}`] : [],
      )
      .join(", ") || say("no square");
  return say("King on {king}; white warriors on {white}; black warriors on {black}", {
    king: squares("k"),
    white: squares("w"),
    black: squares("b"),
  });
}
