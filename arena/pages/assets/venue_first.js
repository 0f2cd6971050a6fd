// The first page of a venue: what is played now, the table, cups, and how to join.

/** @import { LadderTable, VenuePage } from "./contents.d.ts" */

import { fetched } from "./asking.js";
import { duration, make, moment, section, sentenceSpan, toldSpan } from "./elements.js";
import { nameNode } from "./names.js";
import { cupsSection } from "./venue_cups.js";
import { JoinPart } from "./venue_join.js";
import { NowPlaying } from "./venue_now.js";
import { ladderTable } from "./venue_table.js";
import { addressOf, showIn, titlePage, VenueView } from "./venue_view.js";
import { say } from "./words.js";

/**
 * @extends {VenueView<VenuePage>}
 */
export class VenueFirstPage extends VenueView {
  constructor() {
    super("first", () => fetched("api/venue"), headOf);
    this.now = new NowPlaying();
    this.join = new JoinPart();
    this.head = make("div");
    this.ladders = make("div");
    this.cups = make("div");
  }

  /**
   * Draw each part by itself: what is moved to another place loses the focus.
   *
   * @override
   * @param {VenuePage} page
   */
  show(page) {
    titlePage(page.name);
    this.now.show(page.now);
    this.join.show(page);
    showIn(this.head, headOf(page));
    showIn(
      this.ladders,
      page.ladders.map((ladder) => ladderSection(ladder, page.names)),
    );
    showIn(this.cups, [cupsSection(page.cups)]);
    if (this.now.node.isConnected) return;
    const aside = make("div", {}, this.cups, this.join.node);
    const below = make("div", { class: "table-and-more" }, this.ladders, aside);
    this.node.replaceChildren(this.head, this.now.node, below);
    this.isDrawn = true;
  }

  /** @override */
  close() {
    super.close();
    this.now.close();
  }
}

/**
 * The name of the venue, what its operator says, and what is wrong.
 *
 * @param {VenuePage} page
 */
function headOf({ name, announcement, paused, trouble, delay_ms: delay }) {
  const parts = [make("h1", {}, nameNode(name))];
  if (paused) {
    const words = say("No new match begins for now. Pairing goes on by itself.");
    parts.push(make("p", { class: "notice bad", role: "alert" }, words, " ", sentenceSpan(paused)));
  }
  if (trouble) {
    const words = say("The log of the venue can be read no further:");
    parts.push(make("p", { class: "notice bad", role: "alert" }, words, " ", toldSpan(trouble)));
  }
  if (delay) {
    const words = say("Everything is shown {time} later than it is played.", {
      time: duration(delay),
    });
    parts.push(make("p", { class: "notice" }, words));
  }
  if (announcement) {
    const when = make("span", { class: "quiet" }, moment(announcement.at_ms));
    parts.push(make("p", { class: "notice" }, nameNode(announcement.text), " ", when));
  }
  return parts;
}

/**
 * @param {LadderTable} ladder
 * @param {Record<string, string>} names
 */
function ladderSection(ladder, names) {
  const address = addressOf("ladder", ladder.ladder);
  const day = ladder.run
    ? make("a", { href: `runs/${ladder.run}/` }, say("Today's matches"))
    : null;
  return section(
    `ladder-${ladder.ladder}`,
    [`${say("Ladder")} `, make("a", { href: address }, nameNode(ladder.ladder))],
    ladderTable(ladder, names),
    make("p", {}, make("a", { href: address }, say("The whole table, and its days")), " · ", day),
  );
}
