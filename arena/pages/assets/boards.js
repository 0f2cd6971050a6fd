// The boards: that of tables games, that of Brandubh, and a board that is saved as SVG or as PNG.

// In a tables game the home of the seat it is seen from is at the bottom: in Bräde at the lower left, from where its
// checkers run counter-clockwise as in the rule book; in backgammon at the lower right.
const TABLES = { column: 60, bar: 62, half: 285, edge: 50, side: 14, radius: 27, tray: 66 };

/** Where each thing stands, for one way of facing; `flipped` is the view of seat 2. */
function tablesGeometry(facing, flipped = false) {
  const { column, bar, half, edge, side, tray } = TABLES;
  const width = side + 12 * column + bar + side + tray + side, height = 2 * (edge + half);
  const across = (place) => side + column * (place + 0.5) + (place > 5 ? bar : 0);
  const points = Array.from({ length: 24 }, (_, index) => {
    const path = index + 1;
    const isSameWay = facing === "same_way";
    const shown = isSameWay ? path : 25 - path;
    const other = isSameWay ? (path + 11) % 24 + 1 : path;
    const isLower = shown <= 12;
    const place = isSameWay === isLower ? shown - 1 - (isLower ? 0 : 12) : (isLower ? 12 : 24) - shown;
    return flipped ? { x: across(11 - place), isLower: !isLower, place: 11 - place, numbers: [shown, other] }
      : { x: across(place), isLower, place, numbers: [shown, other] };
  });
  const trays = side + 12 * column + bar + side + tray / 2;
  return { width, height, facing, points, bar: side + 6 * column + bar / 2, tray: trays, lower: flipped ? 2 : 1 };
}

/** Read a position: for each seat the checkers on the 24 points, on the bar and off, and what else is remembered. */
function readTables(text, remembers) {
  const count = (place, seat) => {
    const code = text.charCodeAt(place) - (seat === 1 ? 96 : 64);
    return code >= 1 && code <= 15 ? code : 0;
  };
  return [1, 2].map((seat) => ({
    points: Array.from({ length: 24 }, (_, place) => count(place, seat)),
    bar: count(23 + seat, seat),
    off: count(25 + seat, seat),
    remembered: remembers.map((name, place) => [name, Number(text[28 + 2 * place + seat - 1])]),
  }));
}

/** The board after a step; what differs from `before` is marked, and the moves of a turn are arrows. */
function tablesBoard(board, names, frame, flipped) {
  const { position, before, dice, mover } = frame;
  const sides = readTables(position, board.remembers);
  const geometry = tablesGeometry(board.facing, flipped);
  const picture = tablesPicture(geometry, sides, readTables(before, board.remembers), dice, mover, tablesWords(geometry, names, sides));
  if (["turn", "end", "best"].includes(frame.kind)) picture.append(...tablesArrows(board, geometry, sides, frame), ...picture.querySelectorAll(".count")); // no arrow covers a count
  if (frame.kind === "turn" || frame.kind === "end") picture.append(...endingBanner(board, geometry, sides, frame, picture));
  return picture;
}

/** A board with these checkers; what differs from `old` is marked. `dice` are shown in the colour of `mover`. */
function tablesPicture(geometry, sides, old, dice, mover, words) {
  const { width, height } = geometry;
  const picture = draw("svg", { class: "board tables", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
  picture.append(shades(), ...tablesGround(geometry), ...tablesNumbers(geometry, mover), ...placeNames(geometry));
  sides.forEach((side, place) => {
    const seat = place + 1, was = old[place];
    side.points.forEach((count, index) => {
      const { x, isLower } = geometry.points[index];
      const isHit = sides[1 - place].points[index] > 0; // the checker that hit it says enough
      picture.append(...stack(x, isLower, count, isHit ? 0 : count - was.points[index], seat));
    });
    picture.append(draw("g", { class: `bar seat-${seat}` }, stack(geometry.bar, seat === geometry.lower, side.bar, side.bar - was.bar, seat, 60)));
    picture.append(...borneOff(geometry, side.off, seat));
  });
  picture.append(...drawDice(geometry, dice, mover));
  return picture;
}

/** Light from the upper left, for all that has depth: `lit` is raised, `sunk` is hollow, `deep` lies below a frame. */
function shades() {
  const shade = (name, corner, ...stops) => draw("linearGradient", { id: `shade-${name}`, x1: 0, y1: 0, x2: corner, y2: 1 },
    stops.map(([offset, colour, opacity]) => draw("stop", { offset, "stop-color": colour, "stop-opacity": opacity })));
  return draw("defs", {},
    shade("lit", 1, [0, "#fff", 0.5], [0.45, "#fff", 0], [0.6, "#000", 0], [1, "#000", 0.4]),
    shade("sunk", 1, [0, "#000", 0.38], [0.5, "#000", 0.04], [0.55, "#fff", 0.02], [1, "#fff", 0.3]),
    shade("deep", 0, [0, "#000", 0.35], [0.035, "#000", 0.06], [0.1, "#000", 0], [0.97, "#fff", 0], [1, "#fff", 0.25]));
}

/** Grain of wood: lines that run along a plank, never the same twice and always the same at every look. */
function grain(x, y, wide, high, lines = 11) {
  return draw("path", { class: "grain", d: Array.from({ length: lines }, (_, line) => {
    const at = x + wide * (line + 0.5 + 0.3 * Math.sin(7 * line + x)) / lines, bow = 9 * Math.sin(3 * line + x);
    return `M${at.toFixed(1)} ${y}q${bow.toFixed(1)} ${high / 4} 0 ${high / 2}t0 ${high / 2}`;
  }).join("") });
}

function tablesGround({ width, height, points, bar, tray }) {
  const { column, half, edge, side } = TABLES, right = bar + TABLES.bar / 2;
  const field = (x, wide) => {
    const place = { x, y: edge, width: wide, height: 2 * half, rx: 3 };
    return [draw("rect", { class: "field", ...place }), grain(x, edge, wide, 2 * half, Math.ceil(wide / 34)), draw("rect", { class: "deep", ...place })];
  };
  const point = ({ x, isLower, place }) => {
    const foot = isLower ? height - edge : edge, tip = isLower ? foot - half * 0.84 : foot + half * 0.84;
    const kind = (place + (isLower ? 0 : 1)) % 2 ? "light" : "dark";
    return [draw("path", { class: `point ${kind}`, d: `M${x - column / 2 + 2} ${foot}L${x} ${tip}L${x + column / 2 - 2} ${foot}Z` }),
      draw("path", { class: "facet", d: `M${x} ${foot}L${x} ${tip}L${x + column / 2 - 2} ${foot}Z` })];
  };
  return [
    draw("rect", { class: "frame", x: 0, y: 0, width, height, rx: 14 }), grain(4, 4, width - 8, height - 8, 16),
    draw("rect", { class: "lit frame-light", x: 0, y: 0, width, height, rx: 14 }),
    ...field(side, 6 * column), ...field(right, 6 * column), ...field(tray - TABLES.tray / 2, TABLES.tray),
    draw("path", { class: "hinge", d: `M${bar} ${edge}V${edge + 2 * half}` }),
    ...[0.22, 0.7].map((at) => draw("rect", { class: "brass", x: bar - 5, y: edge + 2 * half * at, width: 10, height: half * 0.16, rx: 2 })), ...points.flatMap(point),
  ];
}

/** The places that have names: home and head in Bräde, the home boards in backgammon, with an arrow the way each side goes. */
function placeNames({ points, height, bar, tray, lower, facing }) {
  const word = (x, isLower, text, way, anchor = "middle") =>
    draw("text", { class: "place", x, y: height / 2 + (isLower ? 42 : -32), "text-anchor": anchor }, way > 0 ? `${text} →` : way < 0 ? `← ${text}` : text);
  const named = [1, 2].flatMap((seat) => {
    const at = (number) => points.find(({ numbers }) => numbers[seat - 1] === number), way = Math.sign(at(2).x - at(1).x);
    if (facing !== "same_way") return [word((at(3).x + at(4).x) / 2, at(1).isLower, say("home board"), -way)];
    return [word(at(1).x + 34 * way, at(1).isLower, say("home"), way, way > 0 ? "start" : "end"), word(at(12).x, at(12).isLower, say("head"), 0)];
  });
  const upright = (x, kind, text) => draw("text", { class: `place ${kind}`, x, y: height / 2 + 5, "text-anchor": "middle", transform: `rotate(${lower === 1 ? -90 : 90} ${x} ${height / 2})` }, text);
  return [...named, upright(bar, "on-frame", say("bar")), upright(tray, "", say("off"))];
}

/** The numbers of both sides; those of the side that plays stand out. */
function tablesNumbers({ points, height }, mover) {
  return points.flatMap(({ x, isLower, numbers }) => numbers.map((text, place) => draw("text", {
    class: `point-number seat-${place + 1} ${isLower ? "lower" : "upper"}${mover === place + 1 ? " moving" : ""}`,
    x, y: isLower ? height - (place ? 9 : 30) : (place ? 20 : 41), "text-anchor": "middle",
  }, text)));
}

/** Checkers on a point or the bar, from the edge (or `inset` from the middle, on the bar) inwards; new ones are marked. */
function stack(x, isLower, count, gained, seat, inset = 0) {
  const { radius } = TABLES, y = (level) => levelOf(isLower, count, level, inset);
  const found = [];
  for (let level = 0; level < count; level += 1) found.push(checker(x, y(level), radius, seat, level >= count - gained));
  if (count > 5) found.push(draw("text", { class: `count seat-${seat}`, x, y: y(count - 1) + 9, "text-anchor": "middle" }, count));
  if (gained < 0) found.push(leftFrom(x, count ? y(count - 1) + (isLower ? -radius - 12 : radius + 12) : y(0), 8));
  return found;
}

/** Where a checker stood before: a small hollow square on its corner. */
function leftFrom(x, y, size) {
  return draw("path", { class: "left-from", d: `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z` });
}

/** How high a level of a stack of so many checkers is. */
function levelOf(isLower, count, level, inset = 0) {
  const { half, edge, radius } = TABLES;
  const room = half - 12 - 2 * radius - inset;
  const step = count > 1 ? Math.min(2 * radius, room / (count - 1)) : 0;
  return isLower ? edge + 2 * half - radius - 1 - step * level : edge + radius + 1 + step * level;
}

function checker(x, y, radius, seat, isNew) {
  const around = (kind, r, down = 0) => draw("circle", { class: kind, cx: x, cy: y + down, r });
  return draw("g", { class: `checker seat-${seat}${isNew ? " moved" : ""}` }, around("cast", radius - 1, 3), around("body", radius - 1.5), around("lit", radius - 3),
    around("ridge", radius * 0.7), around("sunk", radius * 0.7), isNew ? movedMark(x, y) : []);
}

/** What has just been moved: a square on its corner, which no ring is. */
function movedMark(x, y) {
  return draw("path", { class: "moved-mark", d: `M${x} ${y - 12}L${x + 12} ${y}L${x} ${y + 12}L${x - 12} ${y}Z` });
}

function borneOff({ tray, height, lower }, count, seat) {
  const { edge } = TABLES, tall = 15;
  const found = [];
  for (let place = 0; place < count; place += 1) {
    const y = seat === lower ? height - edge - 4 - tall - place * (tall + 1.5) : edge + 4 + place * (tall + 1.5);
    const edges = { x: tray - TABLES.tray / 2 + 6, y, width: TABLES.tray - 12, height: tall, rx: 4 };
    found.push(draw("rect", { class: `borne-off seat-${seat}`, ...edges }), draw("rect", { class: "lit", ...edges }));
  }
  return found;
}

const PIPS = [[], [[0, 0]], [[-1, -1], [1, 1]], [[-1, -1], [0, 0], [1, 1]], [[-1, -1], [-1, 1], [1, -1], [1, 1]],
  [[-1, -1], [-1, 1], [0, 0], [1, -1], [1, 1]], [[-1, -1], [-1, 0], [-1, 1], [1, -1], [1, 0], [1, 1]]];

/** The roll, in the middle of the half to the right of its owner. */
function drawDice({ bar, height, lower }, dice, mover) {
  const centre = bar + (mover === lower ? 1 : -1) * (TABLES.bar / 2 + 3 * TABLES.column), size = 50;
  return [...dice].map((face, place) => {
    const x = centre + (place - (dice.length - 1) / 2) * (size + 12), y = height / 2;
    return draw("g", { class: `die seat-${mover}` },
      draw("rect", { class: "cast", x: x - size / 2, y: y - size / 2 + 4, width: size, height: size, rx: 12 }),
      draw("rect", { class: "body", x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 12 }),
      draw("rect", { class: "lit", x: x - size / 2 + 1, y: y - size / 2 + 1, width: size - 2, height: size - 2, rx: 11 }),
      PIPS[Number(face)].map(([across, down]) => draw("circle", { class: "pip", cx: x + across * 13, cy: y + down * 13, r: 5 })));
  });
}

/** The position in words, each side in its own numbering. */
function tablesWords({ points }, names, sides) {
  return sides.map((side, place) => {
    const stands = side.points.map((count, index) => [points[index].numbers[place], count]).filter(([, count]) => count)
      .sort(([one], [other]) => one - other).map(([point, count]) => say("{count} on {point}", { count, point }));
    return `${names[place]}: ${[...stands, say("{count} on the bar", { count: side.bar }), say("{count} off", { count: side.off })].join(", ")}`;
  }).join("; ");
}

function tablesPips(board, position, seat) {
  const side = readTables(position, board.remembers)[seat - 1], { points } = tablesGeometry(board.facing);
  const left = (index) => board.facing === "same_way" ? 25 - points[index].numbers[seat - 1] : points[index].numbers[seat - 1];
  return side.points.reduce((sum, count, index) => sum + count * left(index), 25 * side.bar);
}

/** What a side remembers beside its checkers, in words; empty if nothing. */
function tablesRemembered(board, position, seat) {
  return readTables(position, board.remembers)[seat - 1].remembered.map(([name, value]) => ({
    unlocked: say(value ? "unlocked" : "locked"), one_die: value ? say("one die for {turns}", { turns: counted(value, "more turn", "more turns") }) : "",
  }[name])).filter(Boolean).join(", ");
}

// Seven by seven, the throne in the middle, a refuge in each corner.
const BRANDUBH = { square: 90, margin: 44, corners: [0, 6, 42, 48], throne: 24, files: "abcdefg" };

function brandubhBoard(board, names, { position, before }, flipped = false) {
  const { square, margin, corners, throne, files } = BRANDUBH;
  const size = 7 * square + 2 * margin;
  const picture = draw("svg", { class: "board brandubh", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": brandubhWords(position) },
    shades(), draw("rect", { class: "frame", x: 0, y: 0, width: size, height: size, rx: 14 }), grain(4, 4, size - 8, size - 8, 16),
    draw("rect", { class: "lit frame-light", x: 0, y: 0, width: size, height: size, rx: 14 }));
  for (let index = 0; index < 49; index += 1) {
    const middle = squareAt(index, flipped), x = middle.x - square / 2, y = middle.y - square / 2;
    const kind = corners.includes(index) ? "corner" : index === throne ? "throne" : "";
    picture.append(draw("rect", { class: `square ${kind}`, x, y, width: square, height: square }), grain(x, y, square, square, 3));
    if (kind) picture.append(draw("path", { class: "mark", d: `M${x + 18} ${y + 18}L${x + 72} ${y + 72}M${x + 72} ${y + 18}L${x + 18} ${y + 72}` }));
    const [now, was] = [pieceAt(position, index), pieceAt(before, index)];
    if (now) picture.append(...warrior(now, x + square / 2, y + square / 2, now !== was));
    else if (was) picture.append(leftFrom(x + square / 2, y + square / 2, 11));
  }
  for (let place = 0; place < 7; place += 1) {
    const middle = margin + square * (place + 0.5);
    picture.append(
      draw("text", { class: "point-number", x: middle, y: size - 14, "text-anchor": "middle" }, files[flipped ? 6 - place : place]),
      draw("text", { class: "point-number", x: margin / 2, y: middle + 8, "text-anchor": "middle" }, flipped ? place + 1 : 7 - place));
  }
  return picture;
}

/** The number of a square such as d4, from a7 on. */
function squareIndex(name) {
  return 7 * (7 - Number(name[1])) + BRANDUBH.files.indexOf(name[0]);
}

function squareAt(index, flipped) {
  const { square, margin } = BRANDUBH, place = flipped ? 48 - index : index;
  return { x: margin + square * (place % 7 + 0.5), y: margin + square * (Math.floor(place / 7) + 0.5) };
}

/** `b`, `w`, `k` for the king, or nothing: corners and the throne have signs of their own when they are empty. */
function pieceAt(position, index) {
  return "bwk".includes(position[index]) ? position[index] : "";
}

function warrior(piece, x, y, isNew) {
  const seat = piece === "b" ? 2 : 1;
  const found = [checker(x, y, 36, seat, isNew && piece !== "k")];
  if (piece === "k") {
    found.push(draw("path", { class: `crown${isNew ? " moved" : ""}`, d: `M${x - 17} ${y + 12}L${x - 20} ${y - 12}L${x - 8} ${y - 2}L${x} ${y - 17}L${x + 8} ${y - 2}L${x + 20} ${y - 12}L${x + 17} ${y + 12}Z` }));
  }
  return found;
}

function brandubhWords(position) {
  const squares = (piece) => [...position].flatMap((sign, index) => sign === piece ? [`${BRANDUBH.files[index % 7]}${7 - Math.floor(index / 7)}`] : []).join(", ") || say("no square");
  return say("King on {king}; white warriors on {white}; black warriors on {black}", { king: squares("k"), white: squares("w"), black: squares("b") });
}

const SHAPE_STYLES = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray", "opacity"], TEXT_STYLES = [...SHAPE_STYLES, "paint-order", "stroke-linejoin", "font-size", "font-weight", "font-family"];
const DEFAULTS = { stroke: "none", "stroke-width": "1px", "stroke-linecap": "butt", "stroke-dasharray": "none", "paint-order": "normal", "stroke-linejoin": "miter", opacity: "1" };

/** The text of an SVG file that looks like the drawing, on its own. */
function standaloneSvg(picture) {
  const copy = picture.cloneNode(true);
  const [own, copied] = [[picture, ...picture.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  own.forEach((node, place) => {
    const style = getComputedStyle(node);
    if (style.display === "none") copied[place].setAttribute("display", "none");
    else if (!["svg", "g"].includes(node.localName)) {
      for (const name of node.localName === "text" ? TEXT_STYLES : SHAPE_STYLES) {
        const value = style.getPropertyValue(name);
        if (value !== DEFAULTS[name]) copied[place].setAttribute(name, value);
      }
    }
    copied[place].removeAttribute("class");
  });
  const [, , width, height] = picture.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

function download(name, address) {
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

function svgAddress(picture) {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(picture))}`;
}

/** Twice the size of the drawing, which is sharp on paper and on fine screens. */
async function savePng(picture, name) {
  const image = new Image();
  image.src = svgAddress(picture);
  await image.decode();
  const canvas = make("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  download(`${name}.png`, canvas.toDataURL("image/png"));
}
