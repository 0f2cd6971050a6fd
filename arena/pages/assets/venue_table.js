// The table of a ladder: bots with a place, and set apart those without one.

/** @import { LadderTable, RatedBot } from "./contents.d.ts" */
/** @import { Child } from "./elements.js" */

import { make, number, percent, signed } from "./elements.js";
import { leadingTable, MOST_LEADERS } from "./leaders.js";
import { nameNode } from "./names.js";
import { addressOf } from "./venue_view.js";
import { fixed, say } from "./words.js";

/**
 * @param {LadderTable} ladder
 * @param {Record<string, string>} names of bots
 */
export function ladderTable(ladder, names) {
  const { placed, provisional, anchors, more } = ladder;
  if (!placed.length && !provisional.length && !anchors.length)
    return [make("p", { class: "quiet" }, say("No day of this ladder has begun yet."))];
  const headings = ["#", say("bot"), say("rating"), say("units"), say("reliability")];
  const head = make(
    "tr",
    {},
    headings.map((heading) => make("th", { scope: "col" }, heading)),
  );
  const caption = say("Ratings of {name} in Elo, with their standard errors", {
    name: ladder.ladder,
  });
  const parts = [
    group("", placed, names),
    group(say("Provisional: the error is still above 25 Elo"), provisional, names),
    group(say("Anchors: programs of the house whose mean rating is fixed"), anchors, names),
  ];
  const table = make(
    "table",
    { class: "numbers second-is-name ladder-table" },
    make("caption", {}, caption),
    make("thead", {}, head),
    parts,
  );
  return [
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table),
    more
      ? make("p", { class: "quiet" }, say("{count} more are in the whole table.", { count: more }))
      : null,
  ];
}

/**
 * The first of a ladder: bots with a place, then those without one.
 *
 * @param {LadderTable} ladder
 * @param {Record<string, string>} names of bots
 */
export function ladderLeaders({ placed, provisional, anchors }, names) {
  const rows = [...placed, ...provisional, ...anchors].slice(0, MOST_LEADERS);
  if (!rows.length) return null;
  return leadingTable(
    ["#", say("bot"), say("rating"), say("units")],
    rows.map((bot) => [bot.place || "–", linkTo(bot, names), ratingParts(bot), number(bot.units)]),
  );
}

/**
 * @param {RatedBot} bot
 * @param {Record<string, string>} names
 */
function linkTo({ bot }, names) {
  return make("a", { href: addressOf("bot", bot) }, nameNode(names[bot] ?? bot));
}

/**
 * A part of the table with its heading.
 *
 * @param {string} heading
 * @param {RatedBot[]} bots
 * @param {Record<string, string>} names
 */
function group(heading, bots, names) {
  if (!bots.length) return null;
  const first = heading
    ? make("tr", { class: "group" }, make("th", { colspan: 5, scope: "rowgroup" }, heading))
    : null;
  return make(
    "tbody",
    {},
    first,
    bots.map((bot) => rowOf(bot, names)),
  );
}

/**
 * @param {RatedBot} bot
 * @param {Record<string, string>} names
 */
function rowOf(bot, names) {
  return make(
    "tr",
    {},
    make("td", {}, bot.place || "–"),
    make(
      "th",
      { scope: "row" },
      linkTo(bot, names),
      make("span", { class: "about" }, aboutWords(bot)),
    ),
    make("td", { class: "rating" }, ratingParts(bot)),
    make("td", {}, number(bot.units)),
    make("td", {}, reliabilityWords(bot)),
  );
}

/**
 * The version of a bot, who runs it, and whether it is there.
 *
 * @param {RatedBot} bot
 */
function aboutWords({ version, is_house: isHouse, is_there: isThere }) {
  const words = [
    say("version {version}", { version }),
    isHouse ? say("house") : say("remote"),
    isThere ? "" : say("away"),
  ];
  return words.filter(Boolean).join(" · ");
}

/**
 * @param {{ elo: number, error: number }} rated
 * @returns {Child[]}
 */
export function ratingParts({ elo, error }) {
  return [
    make("strong", {}, signed(elo, 0)),
    make("span", { class: "error" }, ` ± ${fixed(error, 0)}`),
  ];
}

/**
 * The share of its matches that a bot has played without a forfeit.
 *
 * @param {{ matches: number, forfeits: number }} bot
 */
export function reliabilityWords({ matches, forfeits }) {
  return matches ? percent(1 - forfeits / matches) : "–";
}
