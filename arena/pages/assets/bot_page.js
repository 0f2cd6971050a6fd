// The page of one bot: its standing, its opponents, how its games ended, its matches.

import { PAGES } from "./address.js";
import { capital, liveDot, make, moment, number, section, table } from "./elements.js";
import { homeCrumb, troubleOf } from "./page_head.js";
import { botLink, source } from "./source.js";
import { noteOf, placeOf } from "./standings.js";
import { endingWords } from "./steps.js";
import { say } from "./words.js";

export class BotPage {
  constructor(bot) {
    this.bot = bot;
    this.node = make(
      "div",
      { class: "bot" },
      make("p", { class: "quiet" }, say("Reading the records …")),
    );
    this.show();
  }

  async show() {
    try {
      PAGES.run ??= await source().run();
      this.draw(await source().bot(this.bot));
    } catch (error) {
      this.node.replaceChildren(homeCrumb(), troubleOf(error));
    }
  }

  draw({ row, against, endings, matches, found, versions, running }) {
    const { run } = PAGES,
      name = (id) => run.names[id] ?? id;
    const linkTo = (id) => botLink(id, name(id));
    document.title = `${row.name} · ${run.name}`;
    const place =
      row.place === null
        ? say("without a place")
        : say("place {place} of {count}", { place: placeOf(row), count: run.entrants.length });
    const cell = (key) => row.cells[run.columns.findIndex(([column]) => column === key)];
    const rest = [
      place,
      say("{count} match points", { count: cell("match_points") }),
      `${say("points")} ${cell("points")}`,
    ];
    const list = (items) => items.map((item, index) => [index ? ", " : "", item]);
    const heading = make("h1", { tabindex: "-1" }, row.name);
    this.node.replaceChildren(
      make("p", { class: "crumbs" }, make("a", { href: "#standings" }, `← ${say("Standings")}`)),
      heading,
      make("p", { class: "lead" }, rest.join(" · "), noteOf(row) ? ` · ${noteOf(row)}` : ""),
      versions.length
        ? make(
            "p",
            { class: "quiet" },
            `${say("Versions that played, the latest first:")} `,
            versions.join(", "),
          )
        : "",
      running.length
        ? make(
            "p",
            {},
            liveDot(),
            ` ${say("Plays now:")} `,
            list(running.map((fixture) => make("a", { href: `#${fixture}` }, fixture))),
          )
        : "",
      section(
        "against",
        say("Against each opponent"),
        against.length
          ? table(
              say("Matches and game points"),
              [
                say("opponent"),
                say("matches"),
                say("won"),
                say("drawn"),
                say("lost"),
                say("points"),
              ],
              against.map((one) => [
                linkTo(one.opponent),
                one.matches,
                one.won,
                one.drawn,
                one.lost,
                `${one.points_for}:${one.points_against}`,
              ]),
              "numbers",
            )
          : make("p", { class: "quiet" }, say("No match of it is over yet.")),
      ),
      endings.length
        ? section(
            "endings",
            say("Endings"),
            table(
              say("How its games ended"),
              [say("ending"), say("won"), say("drawn"), say("lost")],
              endings.map((one) => [endingWords(one), one.won, one.drawn, one.lost]),
              "numbers",
            ),
          )
        : "",
      matches.length
        ? section(
            "matches",
            capital(say("matches")),
            found > matches.length
              ? make(
                  "p",
                  { class: "quiet" },
                  say("The latest {count} of {all}.", {
                    count: matches.length,
                    all: number(found),
                  }),
                )
              : "",
            table(
              say("Its matches, the latest first"),
              [
                say("match"),
                say("opponent"),
                say("result"),
                say("points"),
                say("version"),
                say("when"),
              ],
              matches.map((one) => [
                make("a", { href: `#${one.fixture}` }, one.fixture),
                linkTo(one.opponent),
                make("span", { class: `outcome ${one.outcome}` }, say(one.outcome)),
                `${one.points_for}:${one.points_against}`,
                one.version || "–",
                moment(one.settled_ms),
              ]),
              "",
            ),
          )
        : "",
    );
    heading.focus({ preventScroll: true });
  }
}
