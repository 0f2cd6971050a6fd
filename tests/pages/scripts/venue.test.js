// The pages of a venue: the frame of the chart of ratings, and the lines by which a bot joins.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { byVersion, frameOf, levels } = await import("../../../arena/pages/assets/rating_chart.js");
const { LANGUAGES, linesOf } = await import("../../../arena/pages/assets/venue_join.js");

test("an uncertain beginning does not flatten what comes after it", () => {
  const frame = frameOf([
    { at_ms: 0, version: 1, elo: -300, error: 370 },
    { at_ms: 10, version: 1, elo: 20, error: 30 },
    { at_ms: 20, version: 1, elo: 120, error: 20 },
  ]);
  assert.deepEqual(frame, { from: 0, to: 20, low: -10, high: 140 });
});

test("a few points that are all uncertain are in the frame with their bands", () => {
  const frame = frameOf([
    { at_ms: 0, version: 1, elo: -300, error: 370 },
    { at_ms: 10, version: 1, elo: -100, error: 200 },
    { at_ms: 20, version: 1, elo: 50, error: 120 },
  ]);
  assert.deepEqual([frame.low, frame.high], [-670, 170]);
});

test("the rating that is told is in the frame, however uncertain it is", () => {
  const frame = frameOf([
    { at_ms: 0, version: 1, elo: -15, error: 67 },
    { at_ms: 10, version: 2, elo: 3, error: 99 },
  ]);
  assert.deepEqual([frame.low, frame.high], [-96, 102]);
});

test("a single point has a frame around it", () => {
  assert.deepEqual(frameOf([{ at_ms: 5, version: 1, elo: 100, error: 300 }]), {
    from: 5,
    to: 5,
    low: -200,
    high: 400,
  });
  assert.deepEqual(frameOf([{ at_ms: 5, version: 1, elo: 100, error: 10 }]), {
    from: 5,
    to: 5,
    low: 50,
    high: 150,
  });
});

test("levels are round numbers, at most six", () => {
  assert.deepEqual(levels(-10, 140), [0, 50, 100]);
  assert.deepEqual(levels(-3, 42), [0, 10, 20, 30, 40]);
  for (const span of [30, 100, 333, 1000, 5000]) assert.ok(levels(7, 7 + span).length <= 6);
});

test("each version has a course of its own, the first one first", () => {
  const courses = byVersion([
    { at_ms: 1, version: 2, elo: 0, error: 50 },
    { at_ms: 2, version: 1, elo: 10, error: 20 },
    { at_ms: 3, version: 2, elo: 5, error: 40 },
  ]);
  assert.deepEqual([...courses.keys()], [1, 2]);
  assert.deepEqual(
    courses.get(2)?.map((point) => point.at_ms),
    [1, 3],
  );
});

test("the lines to copy have the address, and an invite only where one is needed", () => {
  const [python] = LANGUAGES;
  const invited = linesOf(python, "tls:club.example:4711", "invite");
  assert.equal(invited.join, "arena join tls:club.example:4711 --invite CODE --name my-bot");
  assert.equal(
    invited.start,
    "ARENA_ADDRESS=tls:club.example:4711 ARENA_NAME=my-bot ARENA_TOKEN=TOKEN python my-bot/bot.py",
  );
  const open = linesOf(python, "tcp:127.0.0.1:4711", "open");
  assert.equal(open.join, "arena join tcp:127.0.0.1:4711 --name my-bot");
});
