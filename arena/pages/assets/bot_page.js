// The page of one bot: its standing, its opponents, how its games ended, its matches.

/**
 * @import { RunPage, TableRow } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 * @import { BotWithHistory, EndingCount, MatchOfBot, OpponentResults } from "./source.js"
 */

import { PAGES, runOfPages } from "./address.js";
import { troubleOf, untilAnswered } from "./asking.js";
import { capital, liveDot, make, moment, number, section, table } from "./elements.js";
import { nameNode } from "./names.js";
import { homeCrumb, readingPart } from "./page_head.js";
import { botLink, source } from "./source.js";
import { noteOf, placeOf } from "./standings.js";
import { endingWords } from "./steps.js";
import { isolated, LANGUAGE, LOCALES, say, told } from "./words.js";

/** Names by the alphabet, and numbers in them by size: bot-2 before bot-10. */
const NAMES = new Intl.Collator(LOCALES[LANGUAGE], { numeric: true });

export class BotPage {
  /** @param {string} bot Its id. */
  constructor(bot) {
    this.bot = bot;
    this.isClosed = false;
    this.node = make("div", { class: "bot" }, readingPart());
    this.show();
  }

  async show() {
    /** @param {unknown} error */
    const tellTrouble = (error) => this.node.replaceChildren(homeCrumb(), troubleOf(error));
    try {
      const isWanted = () => !this.isClosed;
      const page = await untilAnswered(() => this.ask(), isWanted, tellTrouble);
      if (isWanted()) this.draw(page);
    } catch (error) {
      tellTrouble(error);
    }
  }

  /** @returns {Promise<BotWithHistory>} */
  async ask() {
    PAGES.run ??= await source().run();
    return source().bot(this.bot);
  }

  /** @param {BotWithHistory} page */
  draw(page) {
    const run = runOfPages();
    const { row, against, endings, matches, found } = page;
    document.title = `${isolated(row.name)} · ${isolated(run.name)}`;
    const heading = make("h1", { tabindex: "-1" }, nameNode(row.name));
    const back = make("a", { href: "#standings" }, `← ${say("Standings")}`);
    const parts = [
      make("p", { class: "crumbs" }, back),
      heading,
      make("p", { class: "lead" }, standingWords(run, row)),
      ...presenceOf(page),
      opponentsSection(run, against),
    ];
    if (endings.length) parts.push(endingsSection(endings));
    if (matches.length) parts.push(matchesSection(run, matches, found));
    this.node.replaceChildren(...parts);
    heading.focus({ preventScroll: true });
  }

  close() {
    this.isClosed = true;
  }
}

/**
 * @param {RunPage} run
 * @param {TableRow} row
 */
function standingWords(run, row) {
  /** @param {string} key */
  const cell = (key) => told(row.cells[run.columns.findIndex(([column]) => column === key)]);
  const place = say("place {place} of {count}", {
    place: placeOf(row),
    count: run.entrants.length,
  });
  const words = [
    row.place === null ? say("without a place") : place,
    `${say("match points")} ${cell("match_points")}`,
    `${say("points")} ${cell("points")}`,
    noteOf(row),
  ];
  return words.filter(Boolean).join(" · ");
}

/**
 * The versions that played, and the matches that are played now.
 *
 * @param {BotWithHistory} page
 */
function presenceOf({ versions, running }) {
  const parts = [];
  if (versions.length) {
    const words = `${say("Versions that played, the latest first:")} `;
    parts.push(make("p", { class: "quiet" }, words, versions.map(isolated).join(", ")));
  }
  if (running.length) {
    const links = running.map((fixture, place) => [place ? ", " : "", matchLink(fixture)]);
    parts.push(make("p", {}, liveDot(), ` ${say("Plays now:")} `, links));
  }
  return parts;
}

/** @param {string} fixture */
function matchLink(fixture) {
  return make("a", { href: `#${fixture}` }, fixture);
}

/**
 * @param {RunPage} run
 * @param {string} id
 */
function linkTo(run, id) {
  return botLink(id, run.names[id] ?? id);
}

/**
 * The opponents, with most matches first.
 *
 * @param {RunPage} run
 * @param {OpponentResults[]} against
 */
function opponentsSection(run, against) {
  const title = say("Against each opponent");
  if (!against.length) {
    const words = say("No match of it is over yet.");
    return section("against", title, make("p", { class: "quiet" }, words));
  }
  /** @param {OpponentResults} results */
  const nameOf = ({ opponent }) => run.names[opponent] ?? opponent;
  const sorted = [...against].sort(
    (results, other) =>
      other.matches - results.matches || NAMES.compare(nameOf(results), nameOf(other)),
  );
  const rows = sorted.map((results) => [
    linkTo(run, results.opponent),
    results.matches,
    results.won,
    results.drawn,
    results.lost,
    `${results.points_for}:${results.points_against}`,
  ]);
  const headings = [
    say("opponent"),
    say("matches"),
    say("won"),
    say("drawn"),
    say("lost"),
    say("points"),
  ];
  return section(
    "against",
    title,
    table(say("Matches and game points"), headings, rows, "numbers"),
  );
}

/** @param {EndingCount[]} endings */
function endingsSection(endings) {
  const headings = [say("ending"), say("won"), say("drawn"), say("lost")];
  /** @type {Child[][]} */
  const rows = [];
  for (const count of endings) {
    const { ending, cause, won, drawn, lost } = count;
    rows.push([endingWords({ ending, cause, monk: false }), won, drawn, lost]);
  }
  const games = table(say("How its games ended"), headings, rows, "numbers");
  return section("endings", say("Endings"), games);
}

/**
 * The latest matches.
 *
 * @param {RunPage} run
 * @param {MatchOfBot[]} matches
 * @param {number} found How many there are in all.
 */
function matchesSection(run, matches, found) {
  const rows = matches.map((match) => [
    matchLink(match.fixture),
    linkTo(run, match.opponent),
    make("span", { class: `outcome ${match.outcome}` }, say(match.outcome)),
    `${match.points_for}:${match.points_against}`,
    match.version || "–",
    moment(match.settled_ms),
  ]);
  const headings = [
    say("match"),
    say("opponent"),
    say("result"),
    say("points"),
    say("version"),
    say("when"),
  ];
  const words = say("The latest {count} of {all}.", {
    count: matches.length,
    all: number(found),
  });
  return section(
    "matches",
    capital(say("matches")),
    found > matches.length ? make("p", { class: "quiet" }, words) : null,
    table(say("Its matches, the latest first"), headings, rows),
  );
}
