// The page of a bot of a venue: its ratings, versions, opponents, forfeits and last matches.

/**
 * @import {
 *   AgainstBot, BotInLadder, BotOfVenue, CostlyTurn, MatchOfBot, RatedBot,
 * } from "./contents.d.ts"
 * @import { Child } from "./elements.js"
 */

import { fetched } from "./asking.js";
import { causeName, counted, make, moment, number, section, signed, table } from "./elements.js";
import { markOf, pointsOf } from "./judgement.js";
import { nameNode } from "./names.js";
import { ratingChart } from "./rating_chart.js";
import { turnWords } from "./steps.js";
import { ratingParts, reliabilityWords } from "./venue_table.js";
import { addressOf, firstPageCrumb, titlePage, VenueView } from "./venue_view.js";
import { fixed, say } from "./words.js";

/**
 * @extends {VenueView<BotOfVenue>}
 */
export class VenueBotPage extends VenueView {
  /** @param {string} name */
  constructor(name) {
    super("bot", () => fetched(`api/bots/${name}`), botParts);
  }
}

/** @param {BotOfVenue} bot */
function botParts(bot) {
  const name = nameOf(bot, bot.bot);
  titlePage(name);
  return [
    firstPageCrumb(),
    make("h1", { tabindex: "-1" }, nameNode(name)),
    make("p", { class: "quiet" }, whoWords(bot)),
    noticesOf(bot),
    bot.ladders.map((ladder) => ladderParts(ladder, bot)),
    bot.ladders.length ? null : make("p", {}, say("It has not played in a ladder yet.")),
    matchesPart(bot),
  ];
}

/**
 * The display name of a bot.
 *
 * @param {BotOfVenue} page
 * @param {string} id
 */
function nameOf({ names }, id) {
  return names[id] ?? id;
}

/** @param {BotOfVenue} page */
function whoWords(page) {
  const { bot, is_house: isHouse, joined_ms: joined } = page;
  const runs = isHouse
    ? say("A program of the house")
    : say("Runs on its author's machine, and joined on {when}", { when: moment(joined) });
  return bot === nameOf(page, bot) ? runs : [make("code", {}, nameNode(bot)), " · ", runs];
}

/** @param {BotOfVenue} bot */
function noticesOf({ ban, rests_until_ms: until, rest_why: why, ladders }) {
  const notices = [];
  if (ban !== null) {
    const words = say("The operator has banned this bot:");
    notices.push(make("p", { class: "notice bad" }, `${words} `, nameNode(ban)));
  }
  const now = Date.now();
  if (until > now) {
    const words = say("The operator lets it rest until {time}:", { time: moment(until) });
    notices.push(make("p", { class: "notice" }, `${words} `, nameNode(why)));
  }
  for (const { versions } of ladders) {
    const end = Math.max(...versions.map((version) => version.rests_until_ms));
    if (end <= now) continue;
    const words = say("It forfeited three matches in a row, and rests until {time}.", {
      time: moment(end),
    });
    notices.push(make("p", { class: "notice" }, words));
  }
  return notices;
}

/**
 * @param {BotInLadder} inLadder
 * @param {BotOfVenue} bot
 * @returns {Child[]}
 */
function ladderParts({ ladder, row, versions, course, against, forfeits }, bot) {
  const link = make("a", { href: addressOf("ladder", ladder) }, nameNode(ladder));
  return [
    section(
      `rating-${ladder}`,
      [`${say("Rating in the ladder")} `, link],
      standingParts(row),
      forfeitWords(forfeits),
      ratingChart(course, row),
    ),
    section(`versions-${ladder}`, say("Versions"), versionsTable(versions, bot.versions_ms)),
    against.length
      ? section(`against-${ladder}`, say("Against each opponent"), againstTable(against, bot))
      : null,
  ];
}

/** @param {RatedBot} row */
function standingParts(row) {
  const { place = 0, is_anchor: isAnchor, part, units } = row;
  let standing = say("provisional: the error is still above 25 Elo");
  if (part === "away") standing = say("left the table: not here for a month");
  if (isAnchor) standing = say("an anchor, whose mean with the others is fixed");
  else if (place) standing = say("place {place}", { place });
  const share = reliabilityWords(row).replace(" ", "\u00a0");
  const facts = [counted(units, "unit"), say("reliability {share}", { share })];
  return make(
    "p",
    { class: "lead" },
    ratingParts(row),
    ` Elo · ${standing} · ${facts.join(" · ")}`,
  );
}

/** @param {BotInLadder["forfeits"]} forfeits */
function forfeitWords(forfeits) {
  if (!forfeits.length) return make("p", {}, say("It has never forfeited a game."));
  const causes = forfeits.map(({ cause, games }) => `${causeName(cause)} (${number(games)})`);
  const count = forfeits.reduce((sum, { games }) => sum + games, 0);
  const words =
    count === 1
      ? say("It has forfeited one game: {causes}.", { causes: causes.join(", ") })
      : say("It has forfeited {count} games: {causes}.", {
          count: number(count),
          causes: causes.join(", "),
        });
  return make("p", {}, words);
}

/**
 * @param {RatedBot[]} versions
 * @param {number[]} seen when each version logged in first
 */
function versionsTable(versions, seen) {
  const headings = [
    say("version"),
    say("rating"),
    say("difference"),
    say("units"),
    say("reliability"),
    say("first seen"),
  ];
  const caption = say("Each version starts from the rating of the one before it");
  const rows = versions.map((version) => [
    String(version.version),
    ratingParts(version),
    differenceWords(version),
    number(version.units),
    reliabilityWords(version),
    moment(seen[version.version - 1]),
  ]);
  return table(caption, headings, rows, "numbers versions-table");
}

/**
 * What a version has gained over the one that it came from.
 *
 * @param {RatedBot} version
 */
function differenceWords({ version, gain = null, gain_error: error = null, parent = 0 }) {
  if (gain === null || error === null) return "–";
  const difference = `${signed(gain, 0)} ± ${fixed(error, 0)}`;
  if (parent === version - 1) return difference;
  return say("{difference} to version {parent}", { difference, parent });
}

/**
 * @param {AgainstBot[]} rows
 * @param {BotOfVenue} bot
 */
function againstTable(rows, bot) {
  const headings = [
    say("opponent"),
    say("matches"),
    say("won"),
    say("drawn"),
    say("lost"),
    say("points"),
  ];
  const caption = say("Matches on all days, all versions together");
  return table(
    caption,
    headings,
    rows.map((row) => againstRow(row, bot)),
    "numbers",
  );
}

/**
 * @param {AgainstBot} row
 * @param {BotOfVenue} bot
 * @returns {Child[]}
 */
function againstRow({ opponent, matches, won, drawn, lost, ...points }, bot) {
  return [
    make("a", { href: addressOf("bot", opponent) }, nameNode(nameOf(bot, opponent))),
    number(matches),
    number(won),
    number(drawn),
    number(lost),
    `${number(points.points_for)} : ${number(points.points_against)}`,
  ];
}

/** @param {BotOfVenue} bot */
function matchesPart(bot) {
  const { matches } = bot;
  if (!matches.length) return null;
  const isAnalysed = matches.some(({ costly }) => costly !== null);
  const headings = [say("opponent"), say("result"), say("version"), say("when")];
  if (isAnalysed) headings.push(say("costliest turns"));
  const rows = matches.map((match) => matchRow(match, bot, isAnalysed));
  const caption = say("The latest first");
  return section(
    "matches",
    say("Last matches"),
    table(caption, headings, rows, "stacked last-matches"),
  );
}

/**
 * @param {MatchOfBot} match
 * @param {BotOfVenue} bot
 * @param {boolean} isAnalysed
 * @returns {Child[]}
 */
function matchRow(match, bot, isAnalysed) {
  const { run, fixture, entrant, opponent, outcome, settled_ms: settled, costly = null } = match;
  const version = entrant.slice(entrant.lastIndexOf("-") + 1);
  const result = `${say(outcome)} ${match.points_for} : ${match.points_against}`;
  const address = `runs/${run}/#${fixture}`;
  /** @type {Child[]} */
  const cells = [
    make("a", { href: address }, nameNode(nameOf(bot, opponent))),
    make("span", { class: `outcome ${outcome}` }, result),
    say("version {version}", { version }),
    moment(settled),
  ];
  if (isAnalysed) cells.push(make("td", { class: "prose" }, costlyParts(costly, address)));
  return cells;
}

/**
 * The costliest turns of a match, each a link to it.
 *
 * @param {CostlyTurn[] | null} costly
 * @param {string} address of the match
 * @returns {Child}
 */
function costlyParts(costly, address) {
  if (!costly) return "";
  if (!costly.length) return say("none that cost much");
  return make(
    "ul",
    { class: "costly" },
    costly.map((turn) =>
      make(
        "li",
        {},
        make("a", { href: `${address}/${turn.game}/${turn.turn}` }, turnWords(turn.played)),
        " ",
        markOf(turn),
        ` ${say("costs {points}", { points: pointsOf(turn.loss / 1000) })}`,
      ),
    ),
  );
}
