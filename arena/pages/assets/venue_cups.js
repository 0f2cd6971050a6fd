// The cups of a venue: the part of the first page, and a page for each.

/** @import { CupInVenue, CupPage as CupContents, RunInVenue } from "./contents.d.ts" */
/** @import { Child } from "./elements.js" */

import { fetched } from "./asking.js";
import { make, moment, table, toldSpan } from "./elements.js";
import { nameNode } from "./names.js";
import { addressOf, firstPageCrumb, titlePage, VenueView } from "./venue_view.js";
import { say } from "./words.js";

/**
 * @extends {VenueView<CupContents>}
 */
export class CupPage extends VenueView {
  /** @param {string} name */
  constructor(name) {
    super("cup", () => fetched(`api/cups/${name}`), cupParts);
  }
}

/** @param {CupContents} page */
function cupParts({ cup, times }) {
  titlePage(cup.cup);
  return [
    firstPageCrumb(),
    make("h1", {}, `${say("Cup")} `, nameNode(cup.cup)),
    ...cupWords(cup),
    times.length
      ? table(say("All times, the latest first"), timeHeadings(), times.map(timeRow), "stacked")
      : make("p", { class: "quiet" }, say("This cup was not played yet.")),
  ];
}

/**
 * When a cup comes next, and for whom.
 *
 * @param {CupInVenue} cup
 */
function cupWords({ ladder, best, next_ms: next }) {
  if (next === null) return [make("p", { class: "quiet" }, say("This cup comes no more."))];
  const link = make("a", { href: addressOf("ladder", ladder) }, nameNode(ladder));
  const terms = say("For the best {count} that are connected, from the ladder", { count: best });
  return [
    make("p", { class: "lead" }, `${say("Next:")} `, make("strong", {}, moment(next))),
    make("p", { class: "quiet" }, terms, " ", link, "."),
  ];
}

function timeHeadings() {
  return [say("time"), say("who won, or leads")];
}

/**
 * @param {RunInVenue} time
 * @returns {Child[]}
 */
function timeRow(time) {
  return [whenLink(time), make("td", { class: "prose" }, outcomeParts(time))];
}

/** @param {RunInVenue} time */
export function whenLink({ run, at_ms: at }) {
  const when = moment(at);
  return run ? make("a", { href: `runs/${run}/` }, when) : when;
}

/**
 * How a run ended or stands, or why a cup was not played.
 *
 * @param {RunInVenue} run
 * @returns {Child}
 */
export function outcomeParts({ why_left_out: why, row = null }) {
  if (why === "too_few") return say("Left out: fewer than two bots were connected.");
  if (why === "too_late") return say("Left out: it could not begin within an hour of its time.");
  if (row?.outcome) return make("bdi", {}, toldSpan(row.outcome), ".");
  if (row?.state === "unreadable") return say("The record cannot be read.");
  return say("No match is over yet.");
}

/**
 * The cups of the first page, the next one first, with how the last one ended.
 *
 * @param {CupInVenue[]} cups
 */
export function cupsList(cups) {
  const items = nextFirst(cups).map((cup) =>
    make("li", {}, make("h3", {}, cupLink(cup)), cupWords(cup), lastWords(cup)),
  );
  return make("ul", { class: "plain-list" }, items);
}

/**
 * The next cup in a line; null if none comes.
 *
 * @param {CupInVenue[]} cups
 */
export function nextCup(cups) {
  const [cup] = nextFirst(cups);
  if (!cup?.next_ms) return null;
  return make("p", {}, `${say("Next cup:")} `, cupLink(cup), ", ", moment(cup.next_ms));
}

/** @param {CupInVenue[]} cups */
function nextFirst(cups) {
  return [...cups].sort((one, other) => (one.next_ms ?? Infinity) - (other.next_ms ?? Infinity));
}

/** @param {CupInVenue} cup */
function cupLink({ cup }) {
  return make("a", { href: addressOf("cup", cup) }, nameNode(cup));
}

/** @param {CupInVenue} cup */
function lastWords({ last }) {
  if (!last) return null;
  return make("p", {}, whenLink(last), ": ", outcomeParts(last));
}
