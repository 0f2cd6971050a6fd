// Positions that are copied from a page: as `arena hint` reads them. Python wrote every pair here.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { positionId } from "../../../arena/pages/assets/position_id.js";
import { BACKGAMMON, BACKGAMMON_START, BRADE } from "./boards.js";

/** @import {Frame} from "../../../arena/pages/assets/steps.js" */

/**
 * @param {string} position
 * @param {number} seat
 * @param {Frame["kind"]} kind
 * @returns {Frame}
 */
function frame(position, seat, kind = "start") {
  return {
    kind,
    label: "1",
    turn: 1,
    seat,
    dice: "",
    text: "",
    more: {},
    left: [],
    before: "",
    position,
  };
}

test("backgammon has an XGID, from the side to move", () => {
  const start = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";
  assert.equal(positionId(BACKGAMMON, frame(BACKGAMMON_START, 1)), start);
  assert.equal(positionId(BACKGAMMON, frame(BACKGAMMON_START, 2)), start);
  const hit = "XGID=-a----D-C---eE---c-e----BA:0:0:1:00:0:0:0:0:10";
  assert.equal(positionId(BACKGAMMON, frame("b....E.C...eE...c.d....Aa..A", 1)), hit);
  assert.equal(positionId(BACKGAMMON, frame("a....D.C...eE...c.e....B.Aa.", 2)), hit);
});

test("after a turn the other side is to move", () => {
  const hit = "XGID=-a----D-C---eE---c-e----BA:0:0:1:00:0:0:0:0:10";
  assert.equal(positionId(BACKGAMMON, frame("b....E.C...eE...c.d....Aa..A", 2, "turn")), hit);
});

test("other tables games have their literal, with what they remember", () => {
  const plain = { ...BRADE, remembers: [] };
  const struck = "1:12 5:2 bar:1 | opp 13:14 20:1";
  assert.equal(positionId(plain, frame("l...b.......N......A....a...", 1)), struck);
  assert.equal(positionId(plain, frame("n......a....L...B........A..", 2)), struck);
  const fiske = { ...BRADE, remembers: ["unlocked"] };
  const unlocked = "1:15 unlocked | opp 13:14 off:1";
  assert.equal(positionId(fiske, frame("o...........N..............A10", 1)), unlocked);
  const oneDie = { ...BRADE, remembers: ["one_die"] };
  const bound = "19:1 20:2 21:3 22:3 23:3 24:3 one-die:2 | opp 13:15";
  assert.equal(positionId(oneDie, frame("o.....ABCCCC................02", 2)), bound);
});
