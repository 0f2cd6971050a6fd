// What positions and turns say that come as text.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { brandubhWords } from "../../../arena/pages/assets/brandubh_board.js";
import {
  pieceAt,
  readTables,
  squareIndex,
  tablesGeometry,
  tablesMoves,
  tablesPips,
  tablesRemembered,
} from "../../../arena/pages/assets/geometry.js";
import { tablesWords } from "../../../arena/pages/assets/tables_board.js";
import { BACKGAMMON, BACKGAMMON_START, BRADE, BRADE_START, positionWith } from "./boards.js";

const BRANDUBH_START = "...b......b......w...bbwkwbb...w......b......b...";

test("small letters are checkers of seat 1, capitals those of seat 2", () => {
  const [first, second] = readTables(positionWith({ 0: "a", 3: "o", 7: "B" }), []);
  assert.deepEqual([first.points[0], first.points[3], first.points[7]], [1, 15, 0]);
  assert.deepEqual([second.points[0], second.points[3], second.points[7]], [0, 0, 2]);
});

test("behind the points stand the bars and what is off, seat 1 first", () => {
  const [first, second] = readTables(positionWith({ 24: "a", 25: "B", 26: "c", 27: "D" }), []);
  assert.deepEqual([first.bar, first.off], [1, 3]);
  assert.deepEqual([second.bar, second.off], [2, 4]);
});

test("what a position remembers has a figure for each seat", () => {
  const [first, second] = readTables(`${positionWith({})}0130`, BRADE.remembers);
  assert.deepEqual(first.remembered, [
    ["unlocked", 0],
    ["one_die", 3],
  ]);
  assert.deepEqual(second.remembered, [
    ["unlocked", 1],
    ["one_die", 0],
  ]);
});

test("at the start of Bräde each side has 15 checkers 24 points from the end", () => {
  assert.equal(tablesPips(BRADE, BRADE_START, 1), 15 * 24);
  assert.equal(tablesPips(BRADE, BRADE_START, 2), 15 * 24);
});

test("at the start of backgammon each side has 167 pips", () => {
  assert.equal(tablesPips(BACKGAMMON, BACKGAMMON_START, 1), 167);
  assert.equal(tablesPips(BACKGAMMON, BACKGAMMON_START, 2), 167);
});

test("a checker on the bar has 25 points to go, one that is off none", () => {
  const position = positionWith({ 24: "b", 26: "c" });
  assert.equal(tablesPips(BRADE, `${position}0000`, 1), 50);
  assert.equal(tablesPips(BACKGAMMON, position, 1), 50);
});

test("a side of Bräde is locked or unlocked, and may have to roll one die", () => {
  const position = `${positionWith({})}0112`;
  assert.equal(tablesRemembered(BRADE, position, 1), "locked, one die for 1 more turn");
  assert.equal(tablesRemembered(BRADE, position, 2), "unlocked, one die for 2 more turns");
});

test("a side that rolls both dice has nothing said of it", () => {
  assert.equal(tablesRemembered(BRADE, `${positionWith({})}1000`, 1), "unlocked");
});

test("a game that remembers nothing has nothing to say", () => {
  assert.equal(tablesRemembered(BACKGAMMON, BACKGAMMON_START, 1), "");
});

test("moves of Bräde are slots of the mover as they are written", () => {
  assert.deepEqual(tablesMoves(BRADE, "bar/3* 1/5"), [
    { from: 0, to: 3 },
    { from: 1, to: 5 },
  ]);
});

test("moves of backgammon count down, and their slots up", () => {
  assert.deepEqual(tablesMoves(BACKGAMMON, "bar/20 24/18 6/off"), [
    { from: 0, to: 5 },
    { from: 1, to: 7 },
    { from: 19, to: 25 },
  ]);
});

test("a move that is written once with a number is made that often", () => {
  const move = { from: 1, to: 4 };
  assert.deepEqual(tablesMoves(BRADE, "1/4*(3)"), [move, move, move]);
});

test("neither a pass nor an ending is a move", () => {
  assert.deepEqual(tablesMoves(BRADE, "pass"), []);
  assert.deepEqual(tablesMoves(BRADE, "23/off, bearing off"), [{ from: 23, to: 25 }]);
});

test("a board of Bräde is told in the numbering of each side", () => {
  const words = tablesWords(
    tablesGeometry(BRADE),
    ["Anna", "Bo"],
    readTables(positionWith({ 11: "b", 0: "a", 12: "C", 25: "A", 26: "l" }), []),
  );
  assert.equal(
    words,
    "Anna: 1 on 1, 2 on 12, 0 on the bar, 12 off; Bo: 3 on 1, 1 on the bar, 0 off",
  );
});

test("signs of Brandubh are read where they stand, and empty squares are nothing", () => {
  const named = { d4: "k", c4: "w", d7: "b", a7: "", d6: "b", a1: "" };
  for (const [name, piece] of Object.entries(named))
    assert.equal(pieceAt(BRANDUBH_START, squareIndex(name)), piece, name);
});

test("empty corners and an empty throne of Brandubh are no pieces", () => {
  const position = "x.....x.................+.................x.....x";
  const pieces = Array.from({ length: 49 }, (_, index) => pieceAt(position, index));
  assert.equal(pieces.join(""), "");
});

test("a board of Brandubh is told by the names of its squares", () => {
  assert.equal(
    brandubhWords(BRANDUBH_START),
    "King on d4; white warriors on d5, c4, e4, d3; " +
      "black warriors on d7, d6, a4, b4, f4, g4, d2, d1",
  );
});

test("a side of Brandubh without warriors stands on no square", () => {
  const position = "k".padEnd(49, ".");
  assert.equal(
    brandubhWords(position),
    "King on a7; white warriors on no square; black warriors on no square",
  );
});
