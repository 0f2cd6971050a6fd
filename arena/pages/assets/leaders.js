// Who leads: the sentence of what is at stake and the first of the table, beside the boards.

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
const MOST = 8;

/** The columns of the standings that are shown here, if there are such. */
const COLUMNS = ["played", "match_points", "points"];

export class Leaders {
  constructor() {
    this.box = make("div");
    this.node = section("leaders", say("The standings now"), this.box);
  }

  /** @param {RunPage | RunInReport} run */
  show(run) {
    this.node.hidden = run.is_finished;
    if (run.is_finished) return;
    showParts(this.box, [headlineOf(run), run.entrants.length ? leadingTable(run) : null]);
  }
}

/** @param {RunPage | RunInReport} run */
function leadingTable({ columns, entrants }) {
  const places = COLUMNS.map((key) => columns.findIndex(([name]) => name === key));
  const shown = places.filter((place) => place >= 0);
  const change = make("span", { class: "unseen" }, say("change of place"));
  const headings = ["#", say("entrant"), ...shown.map((place) => say(columns[place][1]))];
  const rows = entrants
    .slice(0, MOST)
    .map((entrant) => [
      [placeOf(entrant), " ", changeOf(entrant)],
      botLink(entrant.id, entrant.name),
      ...shown.map((place) => told(entrant.cells[place])),
    ]);
  const numberHeading = [headings[0], change];
  const first = say("The top {count} of the table", { count: rows.length });
  return table(first, [numberHeading, ...headings.slice(1)], rows, "leading");
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
