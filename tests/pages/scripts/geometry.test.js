// Where points, checkers and squares stand on the boards.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  BAR,
  BRANDUBH,
  changed,
  indexOf,
  levelOf,
  OFF,
  readTables,
  spotOf,
  squareAt,
  squareIndex,
  TABLES,
  tablesGeometry,
  tablesRoom,
  withoutLifted,
  withoutVictims,
} from "../../../arena/pages/assets/geometry.js";
import { BACKGAMMON, BRADE, BRADE_START, positionWith } from "./boards.js";

const LEFT = 44; // the middle of the first column
const RIGHT = 766; // the middle of the last column

/**
 * @param {string} facing
 * @param {boolean} flipped
 * @param {number} seat
 * @param {number} number
 */
function pointOf(facing, flipped, seat, number) {
  const { points } = tablesGeometry({ facing }, flipped);
  const point = points.find(({ numbers }) => numbers[seat - 1] === number);
  assert.ok(point);
  return point;
}

test("Bräde runs counter-clockwise from the lower left of seat 1", () => {
  const corners = [1, 12, 13, 24].map((number) => {
    const { x, isLower } = pointOf("same_way", false, 1, number);
    return [x, isLower];
  });
  assert.deepEqual(corners, [
    [LEFT, true],
    [RIGHT, true],
    [RIGHT, false],
    [LEFT, false],
  ]);
});

test("backgammon has the home of seat 1 at the lower right", () => {
  const first = pointOf("opposite_ways", false, 1, 1);
  const last = pointOf("opposite_ways", false, 1, 24);
  assert.deepEqual([first.x, first.isLower], [RIGHT, true]);
  assert.deepEqual([last.x, last.isLower], [RIGHT, false]);
});

test("the home of seat 2 is at the lower left of the flipped board of Bräde", () => {
  const first = pointOf("same_way", true, 2, 1);
  assert.deepEqual([first.x, first.isLower, first.place], [LEFT, true, 0]);
});

test("the same point of Bräde is twelve further for the other seat", () => {
  for (const { numbers } of tablesGeometry({ facing: "same_way" }).points)
    assert.equal(Math.abs(numbers[0] - numbers[1]), 12);
});

test("the numbers of a point of backgammon are 25 together", () => {
  for (const { numbers } of tablesGeometry({ facing: "opposite_ways" }).points)
    assert.equal(numbers[0] + numbers[1], 25);
});

for (const facing of ["same_way", "opposite_ways"]) {
  test(`flipping turns every point through the middle of the field: ${facing}`, () => {
    const flipped = tablesGeometry({ facing }, true).points;
    for (const [index, point] of tablesGeometry({ facing }, false).points.entries()) {
      assert.equal(flipped[index].x, LEFT + RIGHT - point.x);
      assert.equal(flipped[index].isLower, !point.isLower);
      assert.deepEqual(flipped[index].numbers, point.numbers);
    }
  });

  test(`no two points stand at the same place: ${facing}`, () => {
    const places = tablesGeometry({ facing }).points.map(({ x, isLower }) => `${x} ${isLower}`);
    assert.equal(new Set(places).size, 24);
  });
}

test("the bar is between the sixth and the seventh column", () => {
  const { bar, points } = tablesGeometry({ facing: "same_way" });
  assert.equal(bar - points[5].x, points[6].x - bar);
});

test("the seat with its home at the bottom is 1, on a flipped board 2", () => {
  assert.equal(tablesGeometry({ facing: "same_way" }, false).lower, 1);
  assert.equal(tablesGeometry({ facing: "same_way" }, true).lower, 2);
});

test("the first checker of a point lies at its edge of the board", () => {
  const { height } = tablesGeometry({ facing: "same_way" });
  assert.equal(levelOf(TABLES, true, 1, 0), height - TABLES.edge - TABLES.radius - 1);
  assert.equal(levelOf(TABLES, false, 1, 0), TABLES.edge + TABLES.radius + 1);
});

test("five checkers lie side by side, six overlap", () => {
  assert.equal(levelOf(TABLES, false, 5, 4) - levelOf(TABLES, false, 5, 3), 2 * TABLES.radius);
  assert.ok(levelOf(TABLES, false, 6, 5) - levelOf(TABLES, false, 6, 4) < 2 * TABLES.radius);
});

test("fifteen checkers do not reach over the middle", () => {
  const { height } = tablesGeometry({ facing: "same_way" });
  assert.ok(levelOf(TABLES, false, 15, 14) + TABLES.radius < height / 2);
  assert.ok(levelOf(TABLES, true, 15, 14) - TABLES.radius > height / 2);
});

test("the slots of seat 2 begin at point 13 of seat 1 in Bräde, at 24 in backgammon", () => {
  assert.equal(indexOf(BRADE, 1, 1), 0);
  assert.equal(indexOf(BRADE, 2, 1), 12);
  assert.equal(indexOf(BRADE, 2, 24), 11);
  assert.equal(indexOf(BACKGAMMON, 2, 1), 23);
});

test("a checker on a slot stands where the point with its number is", () => {
  const geometry = tablesGeometry(BRADE);
  const sides = readTables(BRADE_START, []);
  for (const seat of [1, 2]) {
    for (const slot of [1, 6, 7, 12, 13, 24]) {
      const { x, isLower } = pointOf(BRADE.facing, false, seat, slot);
      const spot = spotOf(BRADE, geometry, sides, seat, slot);
      assert.equal(spot.x, x, `slot ${slot} of seat ${seat}`);
      assert.equal(spot.y > geometry.height / 2, isLower, `slot ${slot} of seat ${seat}`);
    }
  }
});

test("one more checker on a point stands a level higher", () => {
  const geometry = tablesGeometry(BRADE);
  const sides = readTables(positionWith({ 4: "b" }), []);
  const top = spotOf(BRADE, geometry, sides, 1, 5);
  const next = spotOf(BRADE, geometry, sides, 1, 5, 1);
  assert.equal(top.y - next.y, 2 * TABLES.radius);
});

test("slot 0 is on the bar and slot 25 in the tray, in the half of the seat's home", () => {
  const geometry = tablesGeometry(BRADE);
  const sides = readTables(positionWith({ 24: "a", 25: "A", 26: "a", 27: "A" }), []);
  for (const seat of [1, 2]) {
    const bar = spotOf(BRADE, geometry, sides, seat, BAR);
    const off = spotOf(BRADE, geometry, sides, seat, OFF);
    assert.deepEqual([bar.x, off.x], [geometry.bar, geometry.tray]);
    assert.equal(bar.y > geometry.height / 2, seat === 1);
    assert.equal(off.y > geometry.height / 2, seat === 1);
  }
});

test("a checker that is borne off lands on those that are off already", () => {
  const geometry = tablesGeometry(BRADE);
  const heights = ["a", "b"].map((off) => {
    const sides = readTables(positionWith({ 26: off }), []);
    return spotOf(BRADE, geometry, sides, 1, OFF).y;
  });
  assert.equal(heights[0], levelOf(TABLES, true, 15, 0));
  assert.equal(heights[1], levelOf(TABLES, true, 15, 1));
});

test("a moved checker leaves the sides before it as they were", () => {
  const sides = readTables(BRADE_START, []);
  const lifted = changed(BRADE, sides, 2, 1, -1);
  const landed = changed(BRADE, lifted, 2, 4, 1);
  assert.equal(sides[1].points[12], 15);
  assert.equal(landed[1].points[12], 14);
  assert.equal(landed[1].points[15], 1);
  assert.deepEqual(landed[0], sides[0]);
});

test("a checker comes from the bar and goes off", () => {
  const sides = readTables(positionWith({ 24: "b", 26: "c" }), []);
  assert.equal(changed(BRADE, sides, 1, BAR, -1)[0].bar, 1);
  assert.equal(changed(BRADE, sides, 1, OFF, 1)[0].off, 4);
});

test("a hit sends all checkers of the point away, and no others", () => {
  const sides = readTables(positionWith({ 2: "a", 4: "C", 5: "A" }), []);
  const [victims, without] = withoutVictims(BRADE, sides, 1, 5);
  assert.equal(victims, 3);
  assert.equal(without[1].points[4], 0);
  assert.equal(without[1].points[5], 1);
  assert.equal(sides[1].points[4], 3);
});

test("bearing off hits nobody", () => {
  const sides = readTables(BRADE_START, []);
  assert.deepEqual(withoutVictims(BRADE, sides, 1, OFF), [0, sides]);
});

test("the squares of Brandubh count from a7 to g1", () => {
  const named = { a7: 0, g7: 6, a6: 7, d4: 24, a1: 42, g1: 48 };
  for (const [name, index] of Object.entries(named)) assert.equal(squareIndex(name), index, name);
});

test("the throne is d4, and the corners are those of the board", () => {
  assert.equal(squareIndex("d4"), BRANDUBH.throne);
  assert.deepEqual(["a7", "g7", "a1", "g1"].map(squareIndex), BRANDUBH.corners);
});

test("a7 is at the upper left of Brandubh, and at the lower right of the flipped board", () => {
  const first = BRANDUBH.margin + BRANDUBH.square / 2;
  const last = first + 6 * BRANDUBH.square;
  assert.deepEqual(squareAt(squareIndex("a7"), false), { x: first, y: first });
  assert.deepEqual(squareAt(squareIndex("a7"), true), { x: last, y: last });
  assert.deepEqual(squareAt(squareIndex("g7"), false), { x: last, y: first });
});

test("the throne stays in the middle when Brandubh is flipped", () => {
  const { throne } = BRANDUBH;
  assert.deepEqual(squareAt(throne, true), squareAt(throne, false));
});

test("a lifted checker is not on its point any more", () => {
  const lifted = withoutLifted(BRADE, BRADE_START, 1, 1);
  const [mine, theirs] = readTables(lifted, []);
  assert.equal(mine.points[0], 14);
  assert.deepEqual(theirs, readTables(BRADE_START, [])[1]);
  const [, second] = readTables(withoutLifted(BRADE, BRADE_START, 2, 1), []);
  assert.equal(second.points[12], 14);
});

test("the last checker leaves an empty place, on the bar and on a square too", () => {
  const single = positionWith({ 4: "a", 24: "a" });
  assert.equal(readTables(withoutLifted(BRADE, single, 1, 5), [])[0].points[4], 0);
  assert.equal(readTables(withoutLifted(BRADE, single, 1, BAR), [])[0].bar, 0);
  const squares = `...b${".".repeat(45)}`;
  assert.equal(withoutLifted(BRADE, squares, 1, "d7"), ".".repeat(49));
});

test("upright a board is square, and all stacks keep to their halves", () => {
  const upright = tablesGeometry({ facing: "same_way", isUpright: true });
  const { width, height } = tablesGeometry({ facing: "same_way" });
  assert.equal(upright.width, width);
  assert.ok(Math.abs(upright.height / upright.width - 1) < 0.02);
  assert.ok(height / width < 0.8);
  assert.ok(levelOf(upright, true, 15, 14) - TABLES.radius > upright.height / 2);
  assert.ok(levelOf(upright, false, 15, 14) + TABLES.radius < upright.height / 2);
});

test("the free points of a side are those of its first quarter without its checkers", () => {
  assert.equal(tablesRoom(BRADE, BRADE_START, 1), 5);
  assert.equal(tablesRoom(BRADE, BRADE_START, 2), 5);
});
