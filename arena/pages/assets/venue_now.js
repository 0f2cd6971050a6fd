// What is played now in a venue: the boards of each run that goes on, from the stream of that run.

/** @import { Overview, News, RunInVenue, Said } from "./contents.d.ts" */

/**
 * @typedef {["snapshot", Overview] | ["news", News] | ["trouble", Said]} RunMessage
 */

import { make } from "./elements.js";
import { LiveBoards } from "./live_boards.js";
import { LiveStream } from "./live_stream.js";
import { nameNode } from "./names.js";
import { addressOf } from "./venue_view.js";
import { say } from "./words.js";

/** Browsers allow six connections to a server: one is for the page, some are for questions. */
const MOST_STREAMS = 3;

export class NowPlaying {
  constructor() {
    this.none = make("p", { class: "quiet" }, say("No match is being played at the moment."));
    this.runs = make("div", {});
    this.node = make(
      "section",
      { id: "now", "aria-labelledby": "now-title" },
      make("h2", { id: "now-title" }, say("Now playing")),
      this.none,
      this.runs,
    );
    /** @type {Map<string, RunNow>} */
    this.shown = new Map();
  }

  /** @param {RunInVenue[]} runs Those that are being played. */
  show(runs) {
    const wanted = runs.slice(0, MOST_STREAMS);
    const folders = new Set(wanted.map(({ run }) => run));
    for (const [folder, run] of this.shown) {
      if (folders.has(folder ?? "")) continue;
      run.close();
      this.shown.delete(folder);
    }
    for (const run of wanted) {
      const folder = run.run ?? "";
      if (this.shown.has(folder)) continue;
      const part = new RunNow(run, wanted.length > 1 || run.kind === "cup");
      this.shown.set(folder, part);
      this.runs.append(part.node);
    }
    this.none.hidden = this.shown.size > 0;
  }

  /** Wait until all boards are there. */
  async begun() {
    await Promise.all([...this.shown.values()].map((run) => run.begun));
  }

  close() {
    for (const run of this.shown.values()) run.close();
    this.shown.clear();
  }
}

/** The boards of one run. */
class RunNow {
  /**
   * @param {RunInVenue} run
   * @param {boolean} isNamed False if the venue plays no other run.
   */
  constructor({ kind, name, run = "" }, isNamed) {
    this.folder = run;
    const title = make("a", { href: addressOf(kind, name) }, nameNode(name));
    const heading = make("h3", {}, kind === "cup" ? `${say("Cup")} ` : "", title);
    heading.hidden = !isNamed;
    this.box = make("div", {});
    this.node = make("div", { class: "run-now" }, heading, this.box);
    /** @type {LiveBoards | null} */
    this.boards = null;
    this.more = 0;
    /** @type {Overview["run"] | null} */
    this.run = null;
    this.tellBegun = () => {};
    /** @type {Promise<void>} Kept once the boards are there, or it is known that there are none. */
    this.begun = new Promise((resolve) => {
      this.tellBegun = resolve;
    });
    this.stream = new LiveStream(
      `runs/${run}/events/run`,
      /** @param {RunMessage} message */ (...message) => this.heard(message),
    );
  }

  /** @param {RunMessage} message */
  heard([kind, content]) {
    if (kind === "snapshot") this.begin(content);
    else if (kind === "news") this.take(content);
    if (!this.more || this.boards?.cards.size) this.tellBegun();
  }

  /** @param {Overview} overview */
  begin({ run, running, more_running: more, has_chances: hasChances }) {
    if (!this.boards) {
      this.boards = new LiveBoards(run.board, run.names, `runs/${this.folder}/`);
      this.box.replaceChildren(this.boards.none, this.boards.list, this.boards.more);
    }
    this.boards.names = run.names;
    this.boards.showChances(hasChances);
    this.boards.reset(running);
    this.run = run;
    this.more = more;
    this.tell();
  }

  /** @param {News} news */
  take({ run, boards = [], chances = {}, gone = [], more_running: more }) {
    if (!this.boards) return;
    if (run) {
      this.run = run;
      this.boards.names = run.names;
    }
    this.boards.remove(gone);
    for (const match of boards) this.boards.update(match);
    for (const [fixture, chance] of Object.entries(chances))
      this.boards.tellChance(fixture, chance);
    this.more = more;
    this.tell();
  }

  tell() {
    if (this.run) this.boards?.tell(this.more, this.run);
  }

  close() {
    this.stream.close();
    this.boards?.close();
    this.node.remove();
  }
}
