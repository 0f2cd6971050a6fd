// The page of playing by hand: the link's token, the stream of states, and what is sent. Everything shown follows from the
// last state; nothing is kept here but what the reader has looked at.

import { diceCheck } from "./dice_check.js";
import { make, pressed, section, sentence, toldSpan } from "./elements.js";
import {
  choicePage,
  gameOverPanel,
  invitationPart,
  matchOverPanel,
  overWords,
} from "./hand_around.js";
import { HandTable } from "./hand_table.js";
import { lessonPart } from "./lessons.js";
import { LiveStream } from "./live_stream.js";
import { announce, drawHead } from "./page_head.js";
import { reviewOf } from "./review.js";
import { brokenNotice, standingsParts } from "./standings.js";
import { turnWords } from "./steps.js";
import { say, told } from "./words.js";

const SEAT = location.hash.slice(1),
  WHOSE = { "x-seat": SEAT };

const TAB = [...crypto.getRandomValues(new Uint8Array(8))]
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("");

/** An error with what the server refused, and why; a proxy in between says something in text. */
async function refusalIn(answer) {
  const text = await answer.text(),
    isOurs = answer.headers.get("content-type")?.startsWith("application/json");
  const { refused, clause } = isOurs ? JSON.parse(text) : { refused: text.trim(), clause: "" };
  return Object.assign(new Error(refused), { said: refused, clause });
}

class HandPage {
  constructor() {
    this.main = document.getElementById("main");
    this.table = new HandTable((deed, fields) => this.act(deed, fields));
    this.choice = null;
    this.seen = null;
    this.told = 0;
    this.place = "";
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", () => {
      this.table.isKeyboard = false;
    });
  }

  async begin() {
    if (!SEAT) {
      this.say(
        say(
          "This page needs its whole link, with what stands after the #. The arena has printed it.",
        ),
      );
      return;
    }
    try {
      this.choice = await (await this.fetched("api/choice")).json();
    } catch (error) {
      this.say(error instanceof TypeError ? say("The server does not answer.") : told(error.said));
      return;
    }
    this.listen();
  }

  listen() {
    this.stream?.close();
    this.stream = new LiveStream(
      `events?tab=${TAB}`,
      (kind, content) => {
        if (kind === "state") this.take(content);
        else if (kind === "taken") this.taken();
      },
      { headers: WHOSE, isKept: true },
    );
  }

  async fetched(address) {
    const answer = await fetch(address, { headers: WHOSE });
    if (!answer.ok) throw await refusalIn(answer);
    return answer;
  }

  /** Ask the server for something; null if it was refused, which is shown. */
  async act(deed, fields) {
    let refusal;
    try {
      const answer = await fetch("api/act", {
        method: "POST",
        headers: { "content-type": "application/json", ...WHOSE },
        body: JSON.stringify({ do: deed, tab: TAB, ...fields }),
      });
      if (answer.ok) return (await answer.json()).found;
      refusal = await refusalIn(answer);
    } catch {
      refusal = { said: say("The server does not answer."), clause: "" };
    }
    this.table.refuse(refusal.said, refusal.clause);
    if (!this.table.node.isConnected) this.complain(refusal.said);
    return null;
  }

  /** Say above the page why something is not done; the next thing that is done takes it away. */
  complain(said) {
    this.main.querySelector(".refused")?.remove();
    this.main.prepend(make("p", { class: "notice bad refused", role: "alert" }, toldSpan(said)));
    this.main.firstChild.scrollIntoView({ block: "nearest" });
  }

  taken() {
    this.stream.close();
    this.say(
      say("Another tab or window has taken over this seat."),
      pressed(
        say("Play here"),
        () => {
          this.place = "";
          this.listen();
        },
        { class: "main" },
      ),
    );
  }

  say(words, ...more) {
    this.place = "";
    this.main.replaceChildren(make("p", { class: "notice", role: "alert" }, words), ...more);
  }

  /** Show a state, if it says anything new: what is told twice must not take a button away below a finger. */
  take(state) {
    const told = JSON.stringify({ ...state, version: 0, table: { ...state.table, left_ms: 0 } });
    if (told !== this.last || !this.place) this.draw(state);
    this.last = told;
  }

  async draw(told) {
    const state = { at: performance.now(), ...told, me: told.me === "you" ? say("you") : told.me }; // it may be drawn again later
    this.state = state;
    this.main.dataset.drawn = String((this.drawn = (this.drawn ?? 0) + 1));
    const { table, over } = state,
      isDue = table?.phase === "turn" || table?.phase === "call";
    document.title = `${isDue && !state.lesson ? "● " : ""}${state.opponent ? `${state.opponent} · ` : ""}Bräde`; // for who has another tab before it
    if (state.match && state.match !== this.match) {
      // the same match goes on where it was, also after a kill
      this.seen = this.match ? 0 : null;
      this.match = state.match;
    }
    if (table && this.seen === null) this.seen = this.seenBefore(table);
    if (table?.phase === "break")
      this.seen = Math.min(this.seen, table.over.length - 1); // its button ends the break
    else if (this.isReady) [this.isReady, this.seen] = [false, table?.over.length ?? this.seen];
    if (state.status !== "lesson") this.lesson = "";
    if (state.status === "starting") {
      this.show("starting", () => [
        make("h1", { tabindex: "-1" }, say("The arena starts …")),
        state.opponent
          ? make("p", {}, say("It tries out {name} first.", { name: state.opponent }))
          : "",
      ]);
    } else if (state.status === "choosing" && state.role !== "host") {
      this.show("invited", () => [
        make("h1", { tabindex: "-1" }, say("You are invited to a match")),
        make(
          "p",
          { role: "status" },
          say("Leave this page open: the board appears here once the match is begun."),
        ),
      ]);
    } else if (state.status === "choosing") {
      this.show(`choosing ${state.failure}`, () => [
        choicePage(this.choice, state, (deed, fields) => this.act(deed, fields)),
      ]);
    } else if (state.status === "lesson") {
      this.show("table", () => [this.table.node]);
      this.table.extra.replaceChildren(
        lessonPart(this.choice, state, (deed, fields) => this.act(deed, fields)),
      );
      if (this.lesson !== state.lesson) this.table.extra.querySelector("h1").focus();
      this.lesson = state.lesson;
      this.table.show(state);
    } else if (table && this.seen < table.over.length) {
      const final = table.over[this.seen];
      this.show("table", () => [this.table.node]);
      this.showGameOver(state, final);
    } else if (over?.why_left && !table) {
      this.show("refused", () => [
        make("h1", { tabindex: "-1" }, say("You are not at the board")),
        make(
          "p",
          { class: "notice bad", role: "alert" },
          make("span", {}, sentence(over.why_left)),
        ),
        state.role === "host"
          ? pressed(say("Another opponent"), () => this.act("choose", {}), { class: "main" })
          : make("p", {}, say("Load this page again to take your seat.")),
      ]);
    } else if (state.in_tournament && !table) {
      this.show("arriving", () => [
        make("h1", { tabindex: "-1" }, state.in_tournament.name),
        make("div", { class: "next-match" }),
        make("div", { class: "in-tournament" }),
      ]);
    } else if (over) {
      this.show(`over ${over.is_settled} ${state.match}`, () => {
        this.dice =
          this.checked === state.match
            ? this.dice
            : diceCheck(async () => (await this.fetched("api/record")).text());
        this.checked = state.match;
        [this.review, this.reviewed] = [make("div", {}), ""];
        return [
          matchOverPanel(state, (deed, fields) => this.act(deed, fields), this.dice, this.review),
        ];
      });
      const known = `${state.match} ${over.is_judged}`;
      if (over.is_settled && this.reviewed !== known) this.showReview(this.review, state);
      if (over.is_settled) this.reviewed = known;
    } else if (table) {
      this.show("table", () => [this.table.node]);
      this.table.extra.replaceChildren(
        make(
          "p",
          { class: "quiet game-line" },
          say("{ruleset}, game {number} of {games}, score {mine} : {theirs}", {
            ruleset: table.ruleset,
            number: table.game,
            games: table.games,
            mine: table.score[0],
            theirs: table.score[1],
          }),
        ),
      );
      if (!(await this.table.show(state)) || this.state !== state) return;
    } else {
      this.show("arriving", () => [
        make("h1", { tabindex: "-1" }, say("Waiting for {name} …", { name: state.opponent })),
        state.invitation
          ? invitationPart(state.invitation, (deed, fields) => this.act(deed, fields))
          : "",
      ]);
    }
    if (state.in_tournament) this.showCourse(state.in_tournament, Boolean(over?.why_left));
    if (state.in_tournament?.is_finished && (over?.is_judged ?? true)) this.stream.close(); // the pages end with the arena
    this.announce(state);
  }

  /** How many games that are over somebody has looked at who opens the page now: all, once their next one is under way. */
  seenBefore({ over, game, log }) {
    const isOver = over.some((one) => one.game.number === game),
      isUnderWay = !isOver && log.some((turn) => turn.is_mine);
    return isUnderWay ? over.length : Math.max(0, over.length - 1);
  }

  /** Between two matches of a tournament: the next one, and the standings. */
  async showCourse(
    {
      next_opponent: name,
      may_follow: mayFollow,
      is_expected: isExpected,
      is_finished: isFinished,
      decided,
    },
    isLost,
  ) {
    const next = this.main.querySelector(".next-match"),
      course = this.main.querySelector(".in-tournament");
    if (!next) return;
    next.replaceChildren(
      isFinished
        ? make("p", { class: "lead" }, say("The tournament is over."))
        : isLost
          ? make("p", { class: "lead" }, say("Load this page again to take your seat."))
          : make(
              "p",
              { class: "lead", role: "status" },
              isExpected
                ? say(
                    "{name} is at the board: your next match has begun, and your clock runs when it is your turn.",
                    { name },
                  )
                : name
                  ? say(
                      "Your next match is against {name}. The board appears here when it begins.",
                      { name },
                    )
                  : mayFollow
                    ? say(
                        "Your next match, if there is one, is not drawn yet. Leave this page open.",
                      )
                    : say(
                        "You have played all your matches. The standings change as the others play.",
                      ),
            ),
      isExpected
        ? make(
            "p",
            {},
            pressed(say("To the board"), () => this.act("next", {}), { class: "main" }),
          )
        : "",
    );
    if (course.dataset.decided === `${decided} ${isFinished}`) return;
    course.dataset.decided = `${decided} ${isFinished}`;
    try {
      const run = await (await this.fetched("api/standings")).json();
      course.replaceChildren(
        section(
          "standings",
          say("Standings"),
          brokenNotice(run),
          standingsParts(run).filter(Boolean),
        ),
      );
    } catch {
      // it is fetched again with the next result
      course.dataset.decided = "";
    }
  }

  /** The match once more, turn by turn, with what the evaluator says of it so far. */
  async showReview(box, state) {
    try {
      box.replaceChildren(reviewOf(await (await this.fetched("api/match")).json(), state));
    } catch (error) {
      box.replaceChildren(make("p", { class: "notice bad" }, told(error.said ?? error.message)));
    }
  }

  /** A game that is over. What is told meanwhile, as that the record is complete, leaves its button and the focus alone. */
  showGameOver(state, final) {
    const { extra } = this.table,
      shown = extra.querySelector(".over"),
      number = String(final.game.number),
      isLast = String(Boolean(state.over));
    if (shown?.dataset.number === number && shown.dataset.isLast === isLast) {
      this.table.keepTime(state);
      return;
    }
    const isNew = shown?.dataset.number !== number,
      hadFocus = extra.contains(document.activeElement);
    const panel = gameOverPanel(
      { over: final, score: final.game.score },
      state,
      this.table.pause,
      () => this.goOn(),
    );
    Object.assign(panel.dataset, { number, isLast });
    extra.replaceChildren(panel);
    this.table.show(state, final);
    if (isNew || hadFocus) panel.querySelector(this.table.isKeyboard ? ".go-on" : "h2").focus();
  }

  /** Go on to the next game, which in a break begins by this. */
  goOn() {
    const { phase, question, over } = this.state.table;
    if (phase === "break" && this.seen === over.length - 1) {
      this.isReady = true;
      this.act("ready", { question });
      return;
    }
    this.seen += 1;
    this.draw(this.state);
    if (this.table.isKeyboard && !this.table.final) this.table.focusNext();
  }

  show(place, parts) {
    if (this.place === place) return;
    const isOther = this.place.split(" ")[0] !== place.split(" ")[0],
      hadFocus = this.main.contains(document.activeElement);
    this.place = place;
    this.main.replaceChildren(...parts());
    if (isOther) scrollTo(0, 0);
    if ((isOther || hadFocus) && place !== "table") this.main.querySelector("h1")?.focus();
  }

  /** Say what has happened to those who hear the page: the opponent's turn, the roll, the end. */
  announce(state) {
    const { table } = state;
    if (!table) return;
    const words = [];
    if (table.theirs && table.theirs.number !== this.told && table.log.length) {
      this.told = table.theirs.number;
      const turn = table.log.findLast((one) => !one.is_mine),
        name = state.opponent;
      const hits = [
        turn.hits
          ? told([
              table.board.kind === "brandubh" ? "count.captures" : "count.hits",
              { count: turn.hits },
            ])
          : "",
        turn.strikes ? told(["count.strikes", { count: turn.strikes }]) : "",
      ]
        .filter(Boolean)
        .join(", ");
      words.push(
        turn.dice.length
          ? say("{name} rolls {dice} and plays {moves}.", {
              name,
              dice: turn.dice.join("-"),
              moves: turnWords(turn.text),
            })
          : say("{name} plays {moves}.", { name, moves: turnWords(turn.text) }),
        hits,
      );
    }
    if (table.over.length && this.seen < table.over.length)
      words.push(overWords(table.over[this.seen].game));
    else words.push(this.table.words(state));
    const spoken = words.filter(Boolean).join(" ");
    if (spoken && spoken !== this.spoken) announce(spoken);
    this.spoken = spoken;
  }

  key(event) {
    this.table.isKeyboard = true;
    if (
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)
    )
      return;
    if (
      (event.key === "u" || event.key === "Backspace") &&
      this.place === "table" &&
      this.table.undo?.isConnected &&
      !this.table.undo.disabled
    ) {
      event.preventDefault();
      this.table.undo.click();
    }
    const { confirm } = this.table,
      isFree = !event.target.closest("button, summary, a, .spot, .hand-log");
    if (
      (event.key === "Enter" || event.key === " ") &&
      isFree &&
      this.place === "table" &&
      confirm?.isConnected &&
      !confirm.disabled
    ) {
      event.preventDefault();
      confirm.click();
    }
  }
}

drawHead(
  make("span", { class: "home" }, "Bräde arena"),
  say(
    "Every turn is judged by the referee of the arena and kept in a record. The link of this page is your seat: keep it to yourself.",
  ),
);

document.querySelector(".skip").addEventListener("click", (event) => {
  // what stands after the # stays the seat
  event.preventDefault();
  document.getElementById("main").focus();
});

addEventListener("hashchange", () => location.reload());

new HandPage().begin();
