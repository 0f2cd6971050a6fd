// The page of a ladder: its whole table, and its days.

/** @import { LadderPage as LadderContents, RunInVenue } from "./contents.d.ts" */
/** @import { Child } from "./elements.js" */

import { fetched } from "./asking.js";
import { make, number, section, table } from "./elements.js";
import { nameNode } from "./names.js";
import { outcomeParts, whenLink } from "./venue_cups.js";
import { ladderTable } from "./venue_table.js";
import { firstPageCrumb, titlePage, VenueView } from "./venue_view.js";
import { say } from "./words.js";

/**
 * @extends {VenueView<LadderContents>}
 */
export class LadderPage extends VenueView {
  /** @param {string} name */
  constructor(name) {
    super("ladder", () => fetched(`api/ladders/${name}`), ladderParts);
  }
}

/** @param {LadderContents} page */
function ladderParts({ names, table: ladder, days }) {
  titlePage(ladder.ladder);
  return [
    firstPageCrumb(),
    make("h1", {}, `${say("Ladder")} `, nameNode(ladder.ladder)),
    make(
      "p",
      { class: "quiet" },
      say(
        "Whenever a seat is free, two bots are drawn that tell the most about the ratings. " +
          "A rating comes with its standard error: in two of three cases the truth is within it.",
      ),
    ),
    ladderTable(ladder, names),
    awayWords(ladder.away),
    days.length ? section("days", say("Days"), daysTable(days)) : null,
  ];
}

/** @param {number} away */
function awayWords(away) {
  if (!away) return null;
  const words = say("{count} more were not here for a month and have left the table.", {
    count: number(away),
  });
  return make("p", { class: "quiet" }, words);
}

/** @param {RunInVenue[]} days */
function daysTable(days) {
  const headings = [say("day"), say("matches"), say("who won, or leads")];
  return table(say("The latest day first"), headings, days.map(dayRow), "stacked days-table");
}

/**
 * @param {RunInVenue} day
 * @returns {Child[]}
 */
function dayRow(day) {
  return [
    whenLink(day),
    make("td", { class: "played" }, number(day.row?.settled ?? 0)),
    make("td", { class: "prose" }, outcomeParts(day)),
  ];
}
