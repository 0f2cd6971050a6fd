// Who leads: what is at stake and the first of the table, beside the boards.

/**
 * @import { RunPage, TableRow } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import { RunInReport } from "./source.js"
 */

import { make, section, table } from "./elements.js";
import { showParts } from "./followed.js";
import { botLink } from "./source.js";
import { headlineOf, placeOf } from "./standings.js";
import { say, told } from "./words.js";

/** How many entrants stand beside the boards; a narrow screen shows the first three. */
export const MOST_LEADERS = 8;

/** The columns of the standings that are shown here, if there are such. */
const COLUMNS = ["played", "match_points", "points"];
const OF_LADDERS = ["version", "rating"];

export class Leaders {
  constructor() {
    this.box = make("div");
    this.node = section("leaders", say("The standings now"), this.box);
  }

  /** @param {Child[]} parts Nothing hides it. */
  show(parts) {
    this.node.hidden = !parts.length;
    showParts(this.box, parts);
  }
}

/**
 * What is at stake in a run, and the first of its table; nothing once it is over.
 *
 * @param {RunPage | RunInReport} run
 * @returns {Child[]}
 */
export function leadersOf(run) {
  if (run.is_finished) return [];
  return [headlineOf(run), run.entrants.length ? leadersOfRun(run) : null];
}

/** @param {RunPage | RunInReport} run */
function leadersOfRun({ columns, entrants }) {
  const isLadder = columns.some(([name]) => name === "rating");
  const keys = isLadder ? OF_LADDERS : COLUMNS;
  const places = keys.map((key) => columns.findIndex(([name]) => name === key));
  const shown = places.filter((place) => place >= 0);
  const change = make("span", { class: "unseen" }, say("change of place"));
  const headings = shown.map((place) => say(columns[place][1]));
  const rows = entrants
    .slice(0, MOST_LEADERS)
    .map((entrant) => [
      [placeOf(entrant), " ", changeOf(entrant)],
      botLink(entrant.id, entrant.name),
      ...shown.map((place) => told(entrant.cells[place])),
    ]);
  return leadingTable([["#", change], say("entrant"), ...headings], rows);
}

/**
 * The first rows of a table, as they stand beside the boards.
 *
 * @param {Child[]} headings
 * @param {Child[][]} rows
 */
export function leadingTable(headings, rows) {
  const caption = say("The top {count} of the table", { count: rows.length });
  return table(caption, headings, rows, "leading");
}

/**
 * By how many places an entrant went up or down.
 *
 * @param {TableRow} entrant
 * @returns {Child}
 */
function changeOf({ moved = 0 }) {
  if (!moved) return null;
  const count = Math.abs(moved);
  const isUp = moved > 0;
  const words = isUp ? say("up by {count}", { count }) : say("down by {count}", { count });
  return make(
    "span",
    { class: isUp ? "change up" : "change down", title: words },
    make("span", { "aria-hidden": "true" }, `${isUp ? "▲" : "▼"}${count}`),
    make("span", { class: "unseen" }, words),
  );
}
