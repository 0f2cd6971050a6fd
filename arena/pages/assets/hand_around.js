// What stands around the table: the choice of a match or a lesson before it, the results and the check of the dice after it.

import { capital, counted, make, pressed, section, sentence, toldSpan } from "./elements.js";
import { lessonsPart } from "./lessons.js";
import { BOARDS } from "./replay.js";
import { endingWords } from "./steps.js";
import { say, told } from "./words.js";

export function choicePage(choice, state, act) {
  let ruleset = choice.chosen,
    opponent = "",
    options = [...choice.options],
    games = choice.games,
    names = [say("Host"), say("Guest")];
  const node = make("div", { class: "choice" });
  const radio = (name, value, isChosen, take, ...words) => {
    const input = make("input", { type: "radio", name, value });
    input.checked = isChosen;
    input.addEventListener("change", () => {
      take(value);
      show();
    });
    return make("label", { class: "pick" }, input, make("span", {}, words));
  };
  const nameField = (label, place) => {
    const input = make("input", {
      type: "text",
      name: `name-${place}`,
      value: names[place],
      maxlength: 40,
    });
    input.addEventListener("input", () => {
      names[place] = input.value;
    });
    return make("label", {}, label, " ", input);
  };
  const show = () => {
    const focused = document.activeElement?.name
      ? [document.activeElement.name, document.activeElement.value]
      : null;
    const of = choice.rulesets.find((one) => one.name === ruleset) ?? choice.rulesets[0];
    if (!of.opponents.includes(opponent)) opponent = of.default;
    options = options.filter((one) => of.options.includes(one));
    const begin = pressed(
      say("Sit down"),
      async () => {
        begin.disabled = true;
        await act("begin", { opponent, ruleset, options, games, names });
        begin.disabled = false;
      },
      { class: "main begin", disabled: state.status === "starting" },
    );
    const board = (one) =>
      make(
        "span",
        { class: "small-board", "aria-hidden": "true" },
        BOARDS[one.board.kind](
          one.board,
          ["", ""],
          { kind: "start", position: one.start, before: one.start, dice: [], mover: 1 },
          false,
        ),
      );
    const offered = choice.rulesets.map((one) =>
      radio(
        "ruleset",
        one.name,
        one.name === ruleset,
        (value) => {
          ruleset = value;
        },
        make("strong", {}, one.name),
        make("span", { class: "quiet" }, told([`ruleset.${one.name}`, { text: "" }])),
        board(one),
      ),
    );
    node.replaceChildren(
      make(
        "div",
        { class: "welcome" },
        board(of),
        make(
          "div",
          {},
          make("h1", { tabindex: "-1" }, say("Play Bräde")),
          make(
            "p",
            { class: "lead" },
            say("You against {name}: {ruleset}, {games} games.", {
              name: opponent === "person" ? say("another person") : opponent,
              ruleset,
              games,
            }),
          ),
          state.failure
            ? make("p", { class: "notice bad", role: "alert" }, toldSpan(state.failure))
            : "",
          make("p", {}, begin),
          make(
            "p",
            { class: "quiet" },
            say("The arena rolls, judges and records as in any match of bots."),
            " ",
            make("a", { href: "#lessons" }, say("New to the game? Learn it in five minutes.")),
          ),
        ),
      ),
      make(
        "fieldset",
        {},
        make("legend", {}, capital(say("opponent"))),
        of.opponents.map((name) =>
          radio(
            "opponent",
            name,
            name === opponent,
            (value) => {
              opponent = value;
            },
            make("strong", {}, name === "person" ? say("another person") : name),
            name === "person"
              ? ""
              : make("span", { class: "tag" }, strengthWords(choice.strengths[name])),
            make("span", { class: "quiet" }, told([`opponent.${name}`, {}])),
          ),
        ),
        opponent === "person"
          ? make(
              "div",
              { class: "names" },
              nameField(say("Your name"), 0),
              nameField(say("Name of the other person"), 1),
            )
          : "",
      ),
      make(
        "fieldset",
        {},
        make("legend", {}, say("Games of the match")),
        [3, 5, 7].map((count) =>
          radio(
            "games",
            String(count),
            games === count,
            (value) => {
              games = Number(value);
            },
            String(count),
          ),
        ),
      ),
      make(
        "fieldset",
        { class: "games-offered" },
        make("legend", {}, capital(say("game"))),
        offered,
      ),
      of.options.length
        ? make(
            "fieldset",
            {},
            make("legend", {}, say("Options")),
            of.options.map((name) => {
              const box = make("input", { type: "checkbox", name: "option", value: name });
              box.checked = options.includes(name);
              box.addEventListener("change", () => {
                options = box.checked ? [...options, name] : options.filter((one) => one !== name);
              });
              return make("label", { class: "pick" }, box, make("span", {}, name));
            }),
          )
        : "",
      lessonsPart(choice, act),
    );
    node.querySelector("[href='#lessons']").addEventListener("click", (event) => {
      // what stands after the # stays the seat
      event.preventDefault();
      node.querySelector("#lessons").scrollIntoView();
      node.querySelector("#lessons button").focus({ preventScroll: true });
    });
    if (focused)
      [...node.querySelectorAll(`input[name="${focused[0]}"]`)]
        .find((one) => one.value === focused[1])
        ?.focus();
  };
  show();
  return node;
}

/** The link for the other person, to be sent or to be opened beside this page. */
export function invitationPart(token, act) {
  const link = new URL(`#${token}`, location.href).href,
    done = make("span", { role: "status" });
  const copy = pressed(
    say("Copy the link"),
    async () => {
      try {
        await navigator.clipboard.writeText(link);
        done.textContent = sentence("copied");
      } catch {
        // without a permission, or over plain HTTP from elsewhere
        getSelection().selectAllChildren(shown);
      }
    },
    { class: "main" },
  );
  const shown = make(
    "a",
    { class: "invitation", href: link, target: "_blank", rel: "noopener" },
    link,
  );
  return make(
    "div",
    {},
    make(
      "p",
      {},
      say(
        "Send this link to the other person, who plays by it. On one computer or phone, open it in a second tab or window, and take turns.",
      ),
    ),
    make("p", {}, shown),
    make(
      "div",
      { class: "hand-buttons" },
      copy,
      pressed(say("Call it off"), () => act("choose", {})),
      done,
    ),
  );
}

/** How strong an opponent is, as people say it. */
export function strengthWords(strength) {
  return {
    beginner: say("for your first game"),
    easy: say("easy"),
    medium: say("plays well"),
    strong: say("hard to beat"),
    strongest: say("beats everybody here"),
  }[strength];
}

export function overWords(game) {
  const how = endingWords({ ending: game.ending, cause: null, monk: game.monk }),
    points = counted(game.points, "point", "points");
  if (game.result === "drawn")
    return say("Game {number} is drawn: {how}.", { number: game.number, how });
  if (game.ending === "forfeit")
    return game.result === "won"
      ? say("You win game {number} by forfeit: {points}.", { number: game.number, points })
      : say("You lose game {number} by forfeit: {points}.", { number: game.number, points });
  return game.result === "won"
    ? say("You win game {number} by {how}: {points}.", { number: game.number, how, points })
    : say("You lose game {number} by {how}: {points}.", { number: game.number, how, points });
}

function whyOver({ why, clause }) {
  return make("p", {}, why ? `${sentence(why)} (${clause})` : `(${clause})`);
}

/** A game that is over, above the board that it ended on; `pause` tells when the next one begins. */
export function gameOverPanel({ over, score }, state, pause, goOn) {
  const button = pressed(state.over ? say("The match") : capital(say("next game")), goOn, {
    class: "main go-on",
  });
  return make(
    "section",
    { class: "notice over", "aria-label": say("The game is over") },
    make("h2", { tabindex: "-1" }, overWords(over.game)),
    whyOver(over.game),
    make(
      "p",
      { class: "quiet" },
      say("Score: {mine} : {theirs}", { mine: score[0], theirs: score[1] }),
    ),
    button,
    pause,
  );
}

/** The whole match; `dice` is the part that checks them, which stays when the rest is drawn anew. */
export function matchOverPanel(state, act, dice, review) {
  const { over, table, me, opponent } = state,
    score = table?.score ?? [0, 0];
  const title = {
    won: say("You have won the match"),
    lost: say("You have lost the match"),
    drawn: say("The match is drawn"),
    left:
      over.why_left?.[0] === "left.resigned"
        ? say("You have resigned the match")
        : say("The match has ended"),
  }[over.result];
  const games = (table?.over ?? []).map((one) =>
    make("li", {}, overWords(one.game), whyOver(one.game)),
  );
  const parts = [make("h1", { tabindex: "-1" }, title)];
  if (over.result !== "left")
    parts.push(make("p", { class: "lead" }, `${me} ${score[0]} : ${score[1]} ${opponent}`));
  else if (over.why_left && over.why_left[0] !== "left.resigned")
    parts.push(make("p", { class: "notice bad" }, toldSpan(over.why_left)));
  parts.push(
    state.role === "host"
      ? make(
          "div",
          { class: "hand-buttons" },
          pressed(say("Play again"), () => act("rematch", {}), { class: "main" }),
          pressed(say("Another opponent"), () => act("choose", {})),
        )
      : state.role === "entrant"
        ? ["next-match", "in-tournament"].map((name) => make("div", { class: name }))
        : make(
            "p",
            { role: "status" },
            say("If {name} begins another match, the board appears here.", { name: opponent }),
          ),
  );
  parts.push(review);
  if (games.length) parts.push(make("ul", { class: "games-over" }, games));
  parts.push(
    section(
      "dice-of-match",
      say("The dice"),
      over.dice_problems?.length
        ? make(
            "p",
            { class: "verdict bad" },
            toldSpan(over.dice_problems.reduce((first, then) => ["joined", { first, then }])),
          )
        : "",
      over.is_settled
        ? dice
        : make(
            "p",
            { class: "quiet" },
            say("The arena settles the match; then the dice can be checked."),
          ),
    ),
  );
  if (state.role === "host")
    parts.push(
      make(
        "p",
        { class: "quiet" },
        `${say("The record is in")} `,
        make("code", {}, over.folder),
        "; ",
        make("code", {}, `arena report ${over.folder}`),
      ),
    );
  return make("div", { class: "match-over" }, parts);
}
