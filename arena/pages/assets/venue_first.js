// The first page of a venue: what is played now, the table, cups, and how to join.

/** @import { LadderTable, VenuePage } from "./contents.d.ts" */
/** @import { Child } from "./elements.js" */

import { writeAddress } from "./address.js";
import { fetched } from "./asking.js";
import { duration, make, moment, section, sentenceSpan, toldSpan } from "./elements.js";
import { Leaders } from "./leaders.js";
import { nameNode } from "./names.js";
import { besideEachOther, introOf, pagePanel, Tabs } from "./tabs.js";
import { rest } from "./timing.js";
import { cupsList, nextCup } from "./venue_cups.js";
import { JoinPart } from "./venue_join.js";
import { NowPlaying } from "./venue_now.js";
import { ladderLeaders, ladderTable } from "./venue_table.js";
import { addressOf, showIn, titlePage, VenueView } from "./venue_view.js";
import { say } from "./words.js";

/** For so long the page waits for its boards, so that they push nothing away. */
const BOARDS_MS = 1500;

/**
 * @extends {VenueView<VenuePage>}
 */
export class VenueFirstPage extends VenueView {
  constructor() {
    super("overview live", () => fetched("api/venue"), headOf);
    this.now = new NowPlaying();
    this.leaders = new Leaders();
    this.join = new JoinPart();
    this.head = make("div");
    this.ladders = make("div", { id: "ladders" });
    this.cupsBox = make("div");
    this.cups = section("cups", say("Cups"), this.cupsBox);
    /** @type {Tabs | null} */
    this.tabs = null;
    /** The section that the address names. */
    this.wanted = "";
    this.isDrawn = false;
  }

  /**
   * Draw each part by itself: what is moved to another place loses the focus.
   *
   * @override
   * @param {VenuePage} page
   */
  async show(page) {
    titlePage(page.name);
    this.now.show(page.now);
    if (!this.isDrawn) await Promise.race([this.now.begun(), rest(BOARDS_MS)]);
    if (this.isClosed) return;
    this.join.show(page);
    this.leaders.show(leadersOf(page));
    showIn(this.head, headOf(page));
    showIn(
      this.ladders,
      page.ladders.map((ladder) => ladderSection(ladder, page.names)),
    );
    showIn(this.cupsBox, [cupsList(page.cups)]);
    this.cups.hidden = !page.cups.length;
    if (this.isDrawn) return;
    this.isDrawn = true;
    this.build();
    this.goTo(this.wanted);
  }

  /** Boards, and beside them who leads; on a narrow screen tabs. */
  build() {
    const panels = [
      pagePanel("now", say("Boards"), this.now.node),
      pagePanel("ladders", say("Table"), this.ladders),
      pagePanel("join", say("Join"), this.cups, this.join.node),
    ];
    this.tabs = new Tabs(say("Sections"), panels, (id) => writeAddress(`#${id}`));
    const intro = introOf(this.head, panels);
    const [first, ...others] = besideEachOther(intro, this.leaders.node, this.tabs);
    this.node.replaceChildren(first, make("div", { class: "table-and-more" }, others));
  }

  /** @param {string} id Of a section. */
  goTo(id) {
    this.wanted = id;
    const target = id && document.getElementById(id);
    if (!target) return;
    this.tabs?.reveal(target);
    target.scrollIntoView();
  }

  /** @override */
  close() {
    super.close();
    this.now.close();
    this.tabs?.close();
  }
}

/**
 * The first of each ladder, with its name where there are several, and the next cup.
 *
 * @param {VenuePage} page
 */
function leadersOf({ ladders, names, cups }) {
  /** @type {Child[]} */
  const parts = [];
  for (const ladder of ladders) {
    if (ladders.length > 1) parts.push(make("h3", {}, ladderLink(ladder)));
    parts.push(ladderLeaders(ladder, names));
  }
  return [...parts, nextCup(cups)].filter(Boolean);
}

/** @param {LadderTable} ladder */
function ladderLink({ ladder }) {
  return [`${say("Ladder")} `, make("a", { href: addressOf("ladder", ladder) }, nameNode(ladder))];
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
    ladderLink(ladder),
    ladderTable(ladder, names),
    make("p", {}, make("a", { href: address }, say("The whole table, and its days")), " · ", day),
  );
}
