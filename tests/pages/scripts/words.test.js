// Words and numbers of the pages in English.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  capital,
  counted,
  duration,
  number,
  percent,
  sentence,
  signed,
} from "../../../arena/pages/assets/elements.js";
import { isSaid, keptChoice, LANGUAGE, say, told } from "../../../arena/pages/assets/words.js";

test("the page is in the first language of the browser", () => {
  assert.equal(LANGUAGE, "en");
  assert.equal(document.documentElement.lang, "en");
});

test("values stand in the places of their names", () => {
  const words = say("{name} rolls {dice}: {turn}", { name: "Anna", dice: "3-4", turn: "pass" });
  assert.equal(words, "Anna rolls 3-4: pass");
});

test("a place without a value stays as it is, as does a brace in a value", () => {
  assert.equal(say("{name} begins", {}), "{name} begins");
  assert.equal(say("{name} begins", { name: "{dice}" }), "{dice} begins");
});

test("words that no catalogue has are said as they are, even those of an object's methods", () => {
  assert.equal(say("constructor"), "constructor");
  assert.equal(told("toString"), "toString");
});

test("a number chooses the form of its sentence", () => {
  const forms = [1, 2, 0].map((count) => told(["count.strikes", { count }]));
  assert.deepEqual(forms, ["1 strike", "2 strikes", "0 strikes"]);
});

test("a number of its own has a form of its own", () => {
  const values = { mine: "6", theirs: "2", ordinal: "second" };
  assert.equal(
    told(["best_game.difference", { count: 1, ...values }]),
    "best won game, 6 against 2",
  );
  assert.equal(
    told(["best_game.difference", { count: 2, ...values }]),
    "second best won game, 6 against 2",
  );
});

test("a list is joined with commas and a last word", () => {
  /** @param {string[]} expected */
  const refused = (expected) => told(["event.login_unknown", { claimed: "x", expected }]);
  assert.match(refused(["anna"]), /as anna$/);
  assert.match(refused(["anna", "bo"]), /as anna and bo$/);
  assert.match(refused(["anna", "bo", "cilla"]), /as anna, bo and cilla$/);
});

test("names with commas are joined with semicolons", () => {
  const expected = ["a, the first", "b", "c"];
  const words = told(["event.login_unknown", { claimed: "x", expected }]);
  assert.match(words, /as a, the first; b and c$/);
});

test("a value may itself be said", () => {
  assert.equal(
    told(["with_monk", { ending: ["ending.jan", {}] }]),
    `${told(["ending.jan", {}])} with monk`,
  );
});

test("a code without a sentence is told by its text, else by its last part", () => {
  assert.equal(told(["of.nobody.known_here", { text: "as written" }]), "as written");
  assert.equal(told(["of.nobody.known_here", {}]), "known here");
});

test("a code with values is told apart from lists and texts", () => {
  assert.ok(isSaid(["ending.jan", {}]));
  for (const other of ["ending.jan", ["ending.jan"], ["a", "b"], ["a", ["b"]], [1, {}], null])
    assert.ok(!isSaid(other), JSON.stringify(other));
});

test("a number with a form of Python has its decimals, its sign and its thousands", () => {
  const values = { format: "swiss", number: 12345, matches: 1000000, most: 5 };
  assert.match(told(["format.too_large", values]), /12,345 entrants has 1,000,000 matches/);
});

test("a number with a sign in its form has a plus or a minus", () => {
  /** @param {number} mean */
  const words = (mean) => told(["pair_points.mean_and_error", { mean, error: 0.0504 }]);
  assert.equal(words(0.25), "+0.250 ± 0.050");
  assert.equal(words(-0.25), "−0.250 ± 0.050");
});

test("a name that is written from right to left is isolated, others are not", () => {
  assert.equal(say("{name} begins", { name: "אבג" }), "\u2068אבג\u2069 begins");
  assert.equal(say("{name} begins", { name: "Åsa" }), "Åsa begins");
});

test("a browser that refuses storage has kept no choice", () => {
  assert.equal(keptChoice("arena-language"), null);
  assert.equal(keptChoice("arena-language", "sv"), null);
});

test("a sentence has a capital and a full stop", () => {
  assert.equal(capital("won by jan"), "Won by jan");
  assert.equal(sentence(["event.bot_returned", { name: "anna" }]), "Anna is back.");
});

test("all and nothing alone are 100 % and 0 %", () => {
  assert.equal(percent(1), "100 %");
  assert.equal(percent(0), "0 %");
  assert.equal(percent(0.99999), "> 99.9 %");
  assert.equal(percent(0.00001), "< 0.1 %");
});

test("a share near an end has a decimal, others have none", () => {
  assert.equal(percent(0.995), "99.5 %");
  assert.equal(percent(0.005), "0.5 %");
  assert.equal(percent(0.5), "50 %");
  assert.equal(percent(0.456), "46 %");
});

test("a number has its sign, with a minus as wide as a plus; nothing has none", () => {
  assert.equal(signed(0.256, 2), "+0.26");
  assert.equal(signed(-1.5, 2), "−1.50");
  assert.equal(signed(0.004, 2), "0.00");
  assert.equal(signed(-0.004, 2), "0.00");
  assert.equal(signed(-12.4, 0), "−12");
});

test("milliseconds become seconds, minutes and hours at their borders", () => {
  assert.equal(duration(0), "0 ms");
  assert.equal(duration(999), "999 ms");
  assert.equal(duration(1000), "1.0 s");
  assert.equal(duration(9949), "9.9 s");
  assert.equal(duration(10000), "10 s");
  assert.equal(duration(60000), "1:00 min");
  assert.equal(duration(65000), "1:05 min");
  assert.equal(duration(3599999), "59:59 min");
  assert.equal(duration(3600000), "1:00 h");
  assert.equal(duration(86400000), "24:00 h");
});

test("one thing is counted in the singular, others in the plural", () => {
  assert.equal(counted(1, "game"), "1 game");
  assert.equal(counted(0, "game"), "0 games");
  assert.equal(counted(12345, "game"), "12,345 games");
  assert.equal(counted(2, "more turn", "more turns"), "2 more turns");
});

test("thousands have a comma between them", () => {
  assert.equal(number(1234567), "1,234,567");
});
