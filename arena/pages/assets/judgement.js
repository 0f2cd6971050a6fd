// The words for what the analysis found of a single turn.

import { capital, fixed, make, signed } from "./elements.js";
import { diceWords } from "./steps.js";
import { say } from "./words.js";

const MARK_SIGNS = { doubtful: "?!", bad: "?", blunder: "??" };

/** Points that were lost, or gained by luck: three decimals, for large ones two. */
export function pointsOf(value) {
  return fixed(value, Math.abs(value) >= 1 ? 2 : 3);
}

function lossOf(loss) {
  return `${pointsOf(loss / 1000)} ${say(loss === 1000 ? "point" : "points")}`;
}

/** The sign of a mark with its meaning, for those who point at it and for those who hear the page; nothing without one. */
export function markOf({ mark, loss }) {
  if (!mark) return null;
  const words = say("{mark}: costs {points}", { mark: say(mark), points: lossOf(loss) });
  return make(
    "span",
    { class: `mark-sign ${mark}`, title: words },
    make("span", { "aria-hidden": "true" }, MARK_SIGNS[mark]),
    make("span", { class: "unseen" }, ` ${words}`),
  );
}

/** What the analysis says of a frame, as lines; nothing without one. */
export function judgementOf({ judged, kind, seat }, names) {
  if (!judged) return [];
  if (kind === "call") {
    return [
      judged.loss > 0
        ? say("{mark}: costs {points}. Better: {dice}.", {
            mark: capital(say(judged.mark || "less than the best")),
            points: lossOf(judged.loss),
            dice: diceWords(judged.best),
          })
        : say("The better number of dice."),
    ];
  }
  const own = (points) => signed(seat === 1 ? points : -points, 2);
  const said = [];
  if (judged.choices === 1) said.push(say("The only legal turn."));
  else if (!judged.best) said.push(say("The best of {count} turns.", { count: judged.choices }));
  else
    said.push(
      say("{mark}: costs {points}. The best turn is {best} ({value}).", {
        mark: capital(say(judged.mark || "nearly the best")),
        points: lossOf(judged.loss),
        best: judged.best,
        value: own(judged.bestValue),
      }),
    );
  said.push(
    say("After it {name} can expect {points} points. Luck of the roll: {luck}.", {
      name: names[seat - 1],
      points: own(judged.value),
      luck: signed(judged.luck, 2),
    }),
  );
  return said;
}
