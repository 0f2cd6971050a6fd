// Words and numbers of the pages in Swedish.

import "./swedish_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  counted,
  duration,
  endingName,
  number,
  percent,
  signed,
} from "../../../arena/pages/assets/elements.js";
import { fixed, LANGUAGE, say, told } from "../../../arena/pages/assets/words.js";

test("a language without a catalogue is passed over for the next one of the browser", () => {
  assert.equal(LANGUAGE, "sv");
  assert.equal(document.documentElement.lang, "sv");
});

test("words of a page are translated, with their values", () => {
  assert.equal(say("unlocked"), "upplåst");
  assert.equal(say("{mark}: costs {points}", { mark: "!", points: "1" }), "!: kostar 1");
});

test("decimals stand behind a comma", () => {
  assert.equal(fixed(2.345, 1), "2,3");
  assert.equal(signed(0.25, 2), "+0,25");
  assert.equal(signed(-0.25, 2), "−0,25");
});

test("shares and durations have a comma as well", () => {
  assert.equal(percent(0.995), "99,5 %");
  assert.equal(percent(0.99999), "> 99,9 %");
  assert.equal(duration(2500), "2,5 s");
  assert.equal(duration(65000), "1:05 min");
});

test("thousands have a space between them that does not break", () => {
  assert.equal(number(1234567), "1\u00a0234\u00a0567");
});

test("counted things are in Swedish, in the singular and in the plural", () => {
  assert.equal(counted(1, "turn"), "1 tur");
  assert.equal(counted(2, "turn"), "2 turer");
  assert.equal(counted(1, "more turn", "more turns"), "1 tur till");
});

test("a number chooses the form of a Swedish sentence", () => {
  const forms = [1, 2].map((count) => told(["number.dice", { count }]));
  assert.deepEqual(forms, ["1 tärning", "2 tärningar"]);
});

test("a number in a form of Python has the comma of Swedish", () => {
  assert.equal(told(["pair_points.mean_and_error", { mean: 1.5, error: 0.05 }]), "+1,500 ± 0,050");
});

test("endings have their Swedish names", () => {
  assert.equal(endingName("forced_jan"), "sprängjan");
  assert.equal(told(["with_monk", { ending: endingName("jan") }]), "jan med munk");
});
