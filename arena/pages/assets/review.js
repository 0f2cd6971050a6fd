// A match that is over, to be gone through again.

import { capital, make, pressed, section } from "./elements.js";
import { pointsOf } from "./judgement.js";
import { BOARDS, Replay } from "./replay.js";
import { frameAt, framesOf, turnWords } from "./steps.js";
import { say } from "./words.js";

/** The games of a match to play through, and the person's costliest turns as boards with the better one. */
export function reviewOf({ names: entrants, board, clock, games }, { over, table }) {
  const names = entrants.map((name) => (name === "you" ? say("your side") : name)),
    me = table?.seat ?? 1,
    flipped = board.kind === "tables" && me === 2,
    box = make("div", {});
  const run = { names, board, terms: { clock } },
    match = {
      entrants: [0, 1],
      versions: ["", ""],
      fixture: "",
      link: "",
      attempt: 1,
      void: "",
      broken: "",
      playable: [],
    };
  const open = (number, turn) => {
    const replay = new Replay(
      run,
      match,
      games.find((game) => game.number === number),
      () => {},
      true,
    );
    if (flipped) replay.flip();
    replay.jump(turn ? Math.max(0, frameAt(replay.frames, String(turn))) : 0);
    if (turn && !replay.best.hidden) replay.toggleBest();
    box.replaceChildren(replay.node);
    if (turn) box.scrollIntoView();
    for (const button of choose.children)
      button.setAttribute("aria-pressed", String(button.dataset.game === String(number)));
  };
  const choose = make(
    "div",
    { class: "hand-buttons" },
    games.map(({ number }) =>
      pressed(capital(say("game {number}", { number })), () => open(number, 0), {
        "data-game": number,
        "aria-pressed": "false",
      }),
    ),
  );
  const frameOf = ({ game, turn }) =>
    framesOf(
      games.find((one) => one.number === game),
      clock,
    ).find((frame) => frame.kind === "turn" && frame.turn === turn);
  const costly = (one) => {
    const { before, dice, seat } = frameOf(one),
      frame = { kind: "best", position: before, before, dice, seat, mover: seat, text: one.best };
    return make(
      "li",
      {},
      pressed(
        [
          make(
            "span",
            { class: "small-board", "aria-hidden": "true" },
            BOARDS[board.kind](board, names, frame, flipped),
          ),
          make("strong", {}, `−${pointsOf(one.loss / 1000)}`),
          ` ${say("game {game}, turn {turn}: {played}; better {best}", { ...one, played: turnWords(one.played), best: turnWords(one.best) })}`,
        ],
        () => open(one.game, one.turn),
        { class: "card" },
      ),
    );
  };
  const found = !over.is_judged
    ? make("p", { class: "quiet", role: "status" }, say("The evaluator is looking at your turns …"))
    : !over.costliest
      ? ""
      : over.costliest.length
        ? make("ul", { class: "cards" }, over.costliest.map(costly))
        : make("p", {}, say("The evaluator has nothing to say against your turns."));
  if (games.length) open(games[0].number, 0);
  return make(
    "div",
    {},
    found ? section("costliest", say("Your costliest turns"), found) : "",
    section("review", say("Play the match through"), choose, box),
  );
}
