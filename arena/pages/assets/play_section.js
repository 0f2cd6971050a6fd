// What the analysis found: a section of the page.

import { counted, fixed, make, number, section, signed, table } from "./elements.js";
import { placeLink, withoutLuck } from "./figures.js";
import { pointsOf } from "./judgement.js";
import { diceWords } from "./steps.js";
import { say } from "./words.js";

export function playSection(report) {
  const {
    run: { names },
    figures: { analysis },
  } = report;
  if (!analysis) return null;
  const mean = (value) => (value === null ? "–" : fixed(value, 1));
  const rows = analysis.losses.map((one) => [
    names[one.entrant],
    number(one.games),
    number(one.decisions),
    make("strong", {}, mean(one.means[0])),
    mean(one.means[1]),
    mean(one.means[2]),
    ...one.marks.map(number),
    signed(one.luck, 2),
    one.luck_per_game === null ? "–" : signed(one.luck_per_game, 3),
  ]);
  const columns = [
    say("entrant"),
    say("games"),
    say("decisions"),
    say("mean loss"),
    say("in contact"),
    say("in a race"),
    `${say("doubtful")} ?!`,
    `${say("bad")} ?`,
    `${say("blunders")} ??`,
    say("own luck"),
    say("own luck a game"),
  ];
  const ahead = analysis.plies
    .map((plies) =>
      plies === 1 ? say("one turn ahead") : say("{count} turns ahead", { count: plies }),
    )
    .join(` ${say("or")} `);
  const some =
    analysis.analysed < analysis.matches
      ? ` ${say("{count} of {matches} are analysed.", { count: number(analysis.analysed), matches: counted(analysis.matches, "match", "matches") })}`
      : "";
  return section(
    "play",
    say("Play and luck"),
    table(
      say("Losses in thousandths of a point a decision, luck in points"),
      columns,
      rows,
      "numbers",
    ),
    make(
      "p",
      { class: "quiet" },
      `${say("By the word of {evaluator}, {ahead}.", { evaluator: analysis.evaluator, ahead })}${some} `,
      say(
        "The loss of a turn is what the best turn is worth beyond it; a turn without a choice is no decision. Own luck is what a bot's own rolls were worth beyond the mean of all that could have come.",
      ),
    ),
    withoutLuck(report),
    analysis.costliest.length
      ? [
          make(
            "h3",
            {},
            analysis.costliest.length === 1
              ? say("The costliest turn")
              : say("The {count} costliest turns", {
                  count: ["", "", say("two"), say("three"), say("four"), say("five")][
                    analysis.costliest.length
                  ],
                }),
          ),
          make(
            "ol",
            { class: "costliest" },
            analysis.costliest.map((one) => make("li", {}, costlyWords(report, one))),
          ),
        ]
      : null,
    analysis.luckiest
      ? [
          make("h3", {}, say("The luckiest roll")),
          make("p", {}, luckyWords(report, analysis.luckiest)),
        ]
      : null,
  );
}

function costlyWords(report, one) {
  const name = report.run.names[one.entrant];
  const what = one.dice
    ? say("{name} rolled {dice} and played {played}. The best was {best}", {
        name,
        dice: [...one.dice].join("-"),
        played: one.played,
        best: one.best,
      })
    : say("{name} called for {dice}. Better was {best}", {
        name,
        dice: diceWords(one.played),
        best: one.best,
      });
  return [make("strong", {}, `−${pointsOf(one.points)}`), ` ${what}: `, placeLink(one), "."];
}

function luckyWords(report, one) {
  const name = report.run.names[one.entrant];
  return [
    make("strong", {}, signed(one.points, 2)),
    ` ${say("{name} rolled {dice}", { name, dice: [...one.dice].join("-") })}: `,
    placeLink(one),
    ".",
  ];
}
