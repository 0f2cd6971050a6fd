// Turns in motion: checkers slide move by move, a hit one leaves for the bar, arrows show the last turn.

const SLIDE_MS = 380, LEAVE_MS = 320;

function isMotionWanted() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function rest(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** Show an animation to its end; in a box that is hurried it is over at once. */
async function animated(node, frames, ms) {
  const motion = node.animate(frames, { duration: node.closest("[data-hurried]") ? 1 : ms, easing: "ease-in-out", fill: "forwards" });
  await Promise.race([motion.finished, rest(ms + 100)]); // a page that nobody looks at may never finish it
}

function slide(node, from, to, ms) {
  return animated(node, [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })), ms);
}

/** Who is impatient sees the end of what moves in `box`, and of all that follows until `calm`. */
function hurry(box) {
  box.dataset.hurried = "";
  for (const motion of box.getAnimations({ subtree: true })) if (!(motion instanceof CSSAnimation)) motion.finish();
}

function calm(box) {
  delete box.dataset.hurried;
}

/** The moves of a turn as it is written, by slots of the mover's own path: 0 is the bar, 25 is off. */
function tablesMoves(board, text) {
  const slot = (word) => word === "bar" ? 0 : word === "off" ? 25 : board.facing === "same_way" ? Number(word) : 25 - Number(word);
  return [...text.split(",")[0].matchAll(/(bar|\d+)\/(off|\d+)\**(?:\((\d)\))?/g)].flatMap(([, from, to, times]) =>
    Array.from({ length: Number(times ?? 1) }, () => ({ from: slot(from), to: slot(to) })));
}

function indexOf(board, seat, slot) {
  if (seat === 1) return slot - 1;
  return board.facing === "same_way" ? (slot + 11) % 24 : 24 - slot;
}

/** The same sides with one checker more, or less, on a slot. */
function changed(board, sides, seat, slot, by) {
  const copy = sides.map((side) => ({ ...side, points: [...side.points] })), side = copy[seat - 1];
  if (slot === 0) side.bar += by;
  else if (slot === 25) side.off += by;
  else side.points[indexOf(board, seat, slot)] += by;
  return copy;
}

/** Where the top checker of a slot stands, or would stand if there were `more` of them. */
function spotOf(board, geometry, sides, seat, slot, more = 0) {
  const side = sides[seat - 1];
  if (slot === 25) return { x: geometry.tray, y: levelOf(seat === geometry.lower, 15, Math.max(0, side.off - 1)) };
  if (slot === 0) {
    const count = Math.max(1, side.bar + more);
    return { x: geometry.bar, y: levelOf(seat === geometry.lower, count, count - 1, 60) };
  }
  const index = indexOf(board, seat, slot), { x, isLower } = geometry.points[index];
  const count = Math.max(1, side.points[index] + more);
  return { x, y: levelOf(isLower, count, count - 1) };
}

/** The checkers of the other side that a move to `to` sends to the bar, and the sides once they have left their point. */
function withoutVictims(board, sides, seat, to) {
  const index = to === 25 ? -1 : indexOf(board, seat, to), copy = changed(board, sides, 3 - seat, 0, 0), { points } = copy[2 - seat];
  const victims = points[index] ?? 0;
  if (victims) points[index] = 0;
  return [victims, copy];
}

/** Plays a turn in `box`, move by move: its `moves`, or those of its text; stops when `isCurrent` says that something else is shown. */
async function slideTables(box, board, names, frame, flipped, speed, isCurrent) {
  const geometry = tablesGeometry(board.facing, flipped), { seat, dice } = frame, other = 3 - seat;
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
    const lifted = changed(board, sides, seat, from, -1), landed = changed(board, lifted, seat, to, 1);
    const target = spotOf(board, geometry, landed, seat, to);
    await put(lifted)(seat, spotOf(board, geometry, sides, seat, from), target, SLIDE_MS);
    if (!isCurrent()) return;
    sides = landed;
    SOUNDS.checker();
    const [victims, without] = withoutVictims(board, landed, seat, to);
    if (victims) {
      const go = put(without);
      sides = changed(board, without, other, 0, victims);
      await Promise.all(Array.from({ length: victims }, () => go(other, target, spotOf(board, geometry, sides, other, 0), LEAVE_MS)));
      if (!isCurrent()) return;
    }
  }
}

/** An arrow for each move of the turn that led here, or, of kind `best`, of one that could be played here. */
function tablesArrows(board, geometry, sides, { kind, text, seat }) {
  const gone = kind === "best" ? 0 : 1;
  return tablesMoves(board, text).map(({ from, to }) =>
    arrow(spotOf(board, geometry, sides, seat, from, gone), spotOf(board, geometry, sides, seat, to, 1 - gone), kind === "best"));
}

function arrow(from, to, isBest = false) {
  const [across, down] = [to.x - from.x, to.y - from.y], length = Math.hypot(across, down) || 1;
  const [x, y] = [across / length, down / length], bend = Math.min(60, length / 5);
  const middle = { x: (from.x + to.x) / 2 + y * bend, y: (from.y + to.y) / 2 - x * bend };
  const [dx, dy] = [to.x - middle.x, to.y - middle.y], last = Math.hypot(dx, dy) || 1, [u, v] = [dx / last, dy / last];
  const tip = { x: to.x - u * 10, y: to.y - v * 10 }, neck = { x: tip.x - u * 20, y: tip.y - v * 20 };
  return draw("g", { class: isBest ? "arrow best" : "arrow" },
    draw("path", { class: "shaft", d: `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${neck.x} ${neck.y}` }),
    draw("path", { class: "head", d: `M${tip.x} ${tip.y}L${neck.x - v * 12} ${neck.y + u * 12}L${neck.x + v * 12} ${neck.y - u * 12}Z` }));
}

/**
 * What ended the game, across the half without dice. After a jan the bar that is too full stands out, with the free
 * points that are too few for it (B9.1); after a handsome game the points of its pattern (B8).
 */
function endingBanner(board, geometry, sides, { text, seat }, picture) {
  const name = text.split(", ")[1];
  if (!name) return [];
  const ending = endingName(name.replaceAll(" ", "_")), isJan = name.endsWith("jan"), isHandsome = /crown|stair|tower/.test(name);
  const deciding = isJan ? [1, 2, 3, 4, 5, 6].map((slot) => [3 - seat, slot]).filter(([owner, slot]) => !sides[owner - 1].points[indexOf(board, owner, slot)])
    : isHandsome ? [19, 20, 21, 22, 23, 24].map((slot) => [seat, slot]).filter(([owner, slot]) => sides[owner - 1].points[indexOf(board, owner, slot)]) : [];
  const marks = deciding.map(([owner, slot]) => {
    const { x, isLower } = geometry.points[indexOf(board, owner, slot)], { column, half, edge } = TABLES;
    return draw("rect", { class: "deciding", x: x - column / 2 + 2, y: isLower ? edge + half + 50 : edge + 2, width: column - 4, height: half - 52, rx: 8 });
  });
  if (isJan) picture.querySelector(`.bar.seat-${3 - seat}`).classList.add("jan");
  const centre = geometry.bar + (seat === geometry.lower ? -1 : 1) * (TABLES.bar / 2 + 3 * TABLES.column), wide = 60 + 25 * ending.length;
  return [...marks, draw("g", { class: "banner" },
    draw("rect", { x: centre - wide / 2, y: geometry.height / 2 - 36, width: wide, height: 72, rx: 14 }),
    draw("text", { x: centre, y: geometry.height / 2 + 15, "text-anchor": "middle" }, `${ending[0].toUpperCase()}${ending.slice(1)}!`))];
}

/** The same for Brandubh: one piece slides, and what it captures fades away. */
async function slideBrandubh(box, board, names, frame, flipped, speed, isCurrent) {
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
  const after = brandubhBoard(board, names, frame, flipped), fading = [];
  for (let index = 0; index < 49; index += 1) {
    const gone = pieceAt(lifted, index);
    if (!gone || pieceAt(frame.position, index)) continue;
    const { x, y } = squareAt(index, flipped), node = draw("g", {}, warrior(gone, x, y, false));
    after.append(node);
    fading.push(node);
  }
  box.replaceChildren(after);
  await Promise.all(fading.map((node) => animated(node, [{ opacity: 1 }, { opacity: 0 }], LEAVE_MS / speed)));
}
