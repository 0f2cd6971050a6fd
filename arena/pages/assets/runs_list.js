// The list of the runs in a folder: a page of it at a time, searched, and fetched again whenever
// the server says that it has changed.

import { fetched, troubleOf } from "./asking.js";
import {
  duration,
  keepingScroll,
  liveDot,
  make,
  moment,
  number,
  pressed,
  table,
  toldSpan,
} from "./elements.js";
import { LiveStream } from "./live_stream.js";
import { drawHead } from "./page_head.js";
import { say } from "./words.js";

/** @import {RunInList, RunsPage} from "./contents.d.ts" */
/** @import {Child} from "./elements.js" */

const ROWS = 50;
const TYPING_MS = 150;
const PAUSE_MS = 1000;
const TITLE = "Bräde arena";

/** Show the list, and follow it. */
export function startRuns() {
  drawHead(
    make("a", { href: "./", class: "home" }, TITLE),
    say(
      "These pages show what the records say. arena verify checks the records; closing these pages harms no match.",
    ),
  );
  document.title = `${say("Runs")} · ${TITLE}`;
  const list = new RunsList();
  document.getElementById("main")?.replaceChildren(list.node);
  new LiveStream("events/runs", () => list.follow());
}

export class RunsList {
  constructor() {
    this.start = 0;
    this.isAsking = false;
    this.isDue = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.typing = undefined;
    this.find = make("input", { type: "search", id: "find", autocomplete: "off" });
    this.find.placeholder = say("a name, a ruleset, a format …");
    this.find.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.goTo(0), TYPING_MS);
    });
    this.count = make("p", { class: "quiet", role: "status" }, say("Reading the records …"));
    this.notes = make("div", {});
    this.box = make("div", {});
    this.node = make(
      "div",
      { class: "runs" },
      make("h1", {}, say("Runs")),
      this.notes,
      make("p", {}, make("label", { for: "find" }, `${say("Find")} `), this.find),
      this.count,
      this.box,
    );
  }

  /**
   * Show the part of the list that begins with this run.
   *
   * @param {number} start
   */
  goTo(start) {
    this.start = start;
    this.follow();
  }

  /** Fetch the list: one question at a time, and at most one a second unless the reader asks. */
  async follow() {
    this.isDue = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isDue) {
      this.isDue = false;
      await this.ask();
      await new Promise((done) => {
        setTimeout(done, this.isDue ? 0 : PAUSE_MS);
      });
    }
    this.isAsking = false;
  }

  async ask() {
    const question = new URLSearchParams({
      find: this.find.value.trim(),
      start: String(this.start),
      most: String(ROWS),
    });
    try {
      this.show(await fetched(`api/runs?${question}`));
    } catch (error) {
      this.box.replaceChildren(troubleOf(error));
    }
  }

  /** @param {RunsPage} page */
  show(page) {
    if (page.rows.length === 0 && page.found > 0) {
      this.goTo(0); // runs were taken away
      return;
    }
    this.count.textContent = this.countWords(page);
    this.notes.replaceChildren(...notesOf(page));
    keepingScroll(this.box, () => {
      this.box.replaceChildren();
      if (page.found === 0) return;
      const headings = [
        say("run"),
        say("ruleset"),
        say("format"),
        say("who won, or leads"),
        say("started"),
        say("matches"),
      ];
      this.box.append(
        table(say("Runs, latest first"), headings, page.rows.map(cellsOf), "stacked runs-table"),
      );
      this.box.append(this.turning(page));
    });
  }

  /**
   * @param {RunsPage} page
   * @returns {string}
   */
  countWords({ found, rows, is_looking }) {
    if (found === 0) {
      if (is_looking) return say("Looking for runs …");
      if (this.find.value.trim()) return say("No run is found.");
      return say("There is no run in this folder yet. A run appears here once it begins.");
    }
    if (found <= ROWS)
      return found === 1 ? say("1 run") : say("{count} runs", { count: number(found) });
    return say("{first} to {last} of {count} runs", {
      first: number(this.start + 1),
      last: number(this.start + rows.length),
      count: number(found),
    });
  }

  /**
   * Return the buttons that lead through a long list.
   *
   * @param {RunsPage} page
   * @returns {HTMLElement}
   */
  turning({ found }) {
    const parts = make("p", { class: "turning" });
    if (this.start > 0) {
      const before = Math.max(0, this.start - ROWS);
      parts.append(pressed(`← ${say("Later runs")}`, () => this.goTo(before)));
    }
    if (this.start + ROWS < found) {
      parts.append(pressed(`${say("Earlier runs")} →`, () => this.goTo(this.start + ROWS)));
    }
    return parts;
  }
}

/**
 * @param {RunsPage} page
 * @returns {HTMLElement[]}
 */
function notesOf({ unread, left_out, delay_ms }) {
  const notes = [];
  if (delay_ms > 0) {
    notes.push(
      make(
        "p",
        { class: "notice" },
        say("Everything is shown {time} later than it is played.", { time: duration(delay_ms) }),
      ),
    );
  }
  if (unread > 0) {
    const words = say("{count} runs are still to be read.", { count: number(unread) });
    notes.push(make("p", { class: "quiet" }, words));
  }
  if (left_out > 0) {
    const words = say("{count} folders are not looked into: too many, too deep or not readable.", {
      count: number(left_out),
    });
    notes.push(make("p", { class: "quiet" }, words));
  }
  return notes;
}

/**
 * Return a row of the table; names are isolated, so that none changes the order of the others.
 *
 * @param {RunInList} run
 * @returns {Child[]}
 */
function cellsOf(run) {
  const format = run.format.replace(/-\d+$/, "").replaceAll(/[_-]/g, " ");
  const address = run.folder.split("/").map(encodeURIComponent).join("/");
  const link = make("a", { href: `runs/${address}/` }, make("bdi", {}, run.name));
  const where =
    run.folder === run.name ? null : make("span", { class: "folder" }, make("bdi", {}, run.folder));
  return [
    [link, where],
    run.ruleset,
    say(format),
    make("td", { class: "prose" }, standingOf(run)),
    moment(run.started_ms),
    make(
      "td",
      { class: "played" },
      run.scheduled ? `${number(run.settled)} / ${number(run.scheduled)}` : "",
    ),
  ];
}

/**
 * Say who won or leads, and what is wrong with the record.
 *
 * @param {RunInList} run
 * @returns {Child}
 */
function standingOf({ state, outcome, trouble }) {
  const standing = outcome ? make("bdi", {}, toldSpan(outcome)) : null;
  const problem = trouble ? make("span", { class: "problem" }, toldSpan(trouble)) : null;
  if (state === "finished") return [standing, problem];
  if (state === "not started") return say("The run has not begun.");
  if (state === "unreadable") return [make("strong", {}, `${say("not readable")}: `), problem];
  return [make("span", { class: "going" }, liveDot(), ` ${say("under way")} `), standing, problem];
}
