// Turns in motion: checkers slide move by move, a hit one leaves for the bar, arrows show the last turn.

import { brandubhBoard, brandubhWords, warrior } from "./brandubh_board.js";
import { draw } from "./elements.js";
import {
  TABLES,
  changed,
  pieceAt,
  readTables,
  spotOf,
  squareAt,
  squareIndex,
  tablesGeometry,
  tablesMoves,
  withoutVictims,
} from "./geometry.js";
import { SOUNDS } from "./sounds.js";
import { checker, tablesPicture, tablesWords } from "./tables_board.js";
import { rest } from "./timing.js";

const SLIDE_MS = 380,
  LEAVE_MS = 320;

export function isMotionWanted() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Show an animation to its end; in a box that is hurried it is over at once. */
export async function animated(node, frames, ms) {
  const motion = node.animate(frames, {
    duration: node.closest("[data-hurried]") ? 1 : ms,
    easing: "ease-in-out",
    fill: "forwards",
  });
  await Promise.race([motion.finished, rest(ms + 100)]); // a page that nobody looks at may never finish it
}

function slide(node, from, to, ms) {
  return animated(
    node,
    [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })),
    ms,
  );
}

/** Who is impatient sees the end of what moves in `box`, and of all that follows until `calm`. */
export function hurry(box) {
  box.dataset.hurried = "";
  for (const motion of box.getAnimations({ subtree: true }))
    if (!(motion instanceof CSSAnimation)) motion.finish();
}

export function calm(box) {
  delete box.dataset.hurried;
}

/** Plays a turn in `box`, move by move: its `moves`, or those of its text; stops when `isCurrent` says that something else is shown. */
export async function slideTables(box, board, names, frame, flipped, speed, isCurrent) {
  const geometry = tablesGeometry(board.facing, flipped),
    { seat, dice } = frame,
    other = 3 - seat;
  const words = tablesWords(geometry, names, readTables(frame.position, board.remembers));
  let sides = readTables(frame.before, board.remembers);
  const put = (shown) => {
    const picture = tablesPicture(geometry, shown, shown, dice, seat, words);
    box.replaceChildren(picture);
    return (owner, from, to, ms) => {
      const node = checker(0, 0, TABLES.radius, owner, false);
      picture.append(node);
      return slide(node, from, to, ms / speed);
    };
  };
  calm(box);
  for (const { from, to } of frame.moves ?? tablesMoves(board, frame.text)) {
    const lifted = changed(board, sides, seat, from, -1),
      landed = changed(board, lifted, seat, to, 1);
    const target = spotOf(board, geometry, landed, seat, to);
    await put(lifted)(seat, spotOf(board, geometry, sides, seat, from), target, SLIDE_MS);
    if (!isCurrent()) return;
    sides = landed;
    SOUNDS.checker();
    const [victims, without] = withoutVictims(board, landed, seat, to);
    if (victims) {
      const go = put(without);
      sides = changed(board, without, other, 0, victims);
      await Promise.all(
        Array.from({ length: victims }, () =>
          go(other, target, spotOf(board, geometry, sides, other, 0), LEAVE_MS),
        ),
      );
      if (!isCurrent()) return;
    }
  }
}

/** The same for Brandubh: one piece slides, and what it captures fades away. */
export async function slideBrandubh(box, board, names, frame, flipped, speed, isCurrent) {
  const found = /([a-g][1-7])-([a-g][1-7])/.exec(frame.text);
  if (!found) return;
  const [from, to] = found.slice(1).map((name) => squareIndex(name));
  const lifted = frame.before.slice(0, from) + "." + frame.before.slice(from + 1);
  const picture = brandubhBoard(board, names, { position: lifted, before: lifted }, flipped);
  picture.setAttribute("aria-label", brandubhWords(frame.position));
  const piece = draw("g", {}, warrior(pieceAt(frame.before, from), 0, 0, false));
  picture.append(piece);
  box.replaceChildren(picture);
  calm(box);
  await slide(piece, squareAt(from, flipped), squareAt(to, flipped), SLIDE_MS / speed);
  SOUNDS.checker();
  if (!isCurrent() || !frame.text.includes("x")) return;
  const after = brandubhBoard(board, names, frame, flipped),
    fading = [];
  for (let index = 0; index < 49; index += 1) {
    const gone = pieceAt(lifted, index);
    if (!gone || pieceAt(frame.position, index)) continue;
    const { x, y } = squareAt(index, flipped),
      node = draw("g", {}, warrior(gone, x, y, false));
    after.append(node);
    fading.push(node);
  }
  box.replaceChildren(after);
  await Promise.all(
    fading.map((node) => animated(node, [{ opacity: 1 }, { opacity: 0 }], LEAVE_MS / speed)),
  );
}
