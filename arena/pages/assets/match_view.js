// The page of one match: the board of a game, live while it is played, and the other games of the match to play through.

import { PAGES, tellNotice, writeAddress } from "./address.js";
import {
  duration,
  liveDot,
  make,
  number,
  pressed,
  section,
  sentence,
  table,
  toldSpan,
} from "./elements.js";
import { gameCell } from "./matches.js";
import { announce, homeCrumb, troubleOf } from "./page_head.js";
import { Replay } from "./replay.js";
import { botLink, source } from "./source.js";
import { endingWords, frameAt, framesOf } from "./steps.js";
import { say, told } from "./words.js";

const REST_MS = 250,
  SLIDE_AFTER_MS = 900,
  SPEAK_EVERY_MS = 2500,
  NEXT_GAME_MS = 3500,
  TICK_MS = 500;

/** A game that may still be going on: turns are added, and a reader at the last one sees the next one come. */
class LiveReplay extends Replay {
  constructor(run, match, game, moved, isLive) {
    super(run, match, game, moved);
    this.isLive = isLive;
    this.lastAt = this.spokenAt = 0;
    this.since = Date.now();
    if (isLive) this.ticker = setInterval(() => this.tick(), TICK_MS);
  }

  get isAtEnd() {
    return this.place === this.frames.length - 1;
  }

  grow(change) {
    const wasAtEnd = this.isAtEnd && this.timer === null,
      now = Date.now();
    if (change.steps) this.game.steps.push(...change.steps);
    if (change.ended) Object.assign(this.game, { ended: change.ended, why: change.why });
    const known = this.frames.length;
    this.frames = framesOf(this.game, this.run.terms.clock);
    for (let place = known; place < this.frames.length; place += 1) {
      this.rows.push(this.row(this.frames[place], place));
      this.moves.append(this.rows[place]);
    }
    this.slider.max = String(this.frames.length - 1);
    this.counter.textContent = `${this.place} / ${this.frames.length - 1}`;
    const isCalm = now - this.lastAt > SLIDE_AFTER_MS;
    this.lastAt = this.since = now;
    if (!wasAtEnd) return;
    // A quick game would talk without end: then only some turns are said.
    const isSaid = now - this.spokenAt > SPEAK_EVERY_MS || change.ended;
    this.sentence.setAttribute("aria-live", isSaid ? "polite" : "off");
    if (isSaid) this.spokenAt = now;
    this.show(
      this.frames.length - 1,
      isCalm && this.frames.length === known + 1 && !document.hidden,
    );
  }

  tell(frame) {
    super.tell(frame);
    this.liveButton?.toggleAttribute("hidden", this.isAtEnd || !this.isLive);
    this.tick();
  }

  /** Who has to play, and what is left of the time: it runs here as it does at the table. */
  tick() {
    if (!this.plates) return;
    const frame = this.frames[this.place],
      isRunning = this.isLive && !this.game.ended && this.isAtEnd && frame.seat;
    const mover = isRunning ? (frame.kind === "turn" ? 3 - frame.seat : frame.seat) : 0;
    this.plates.forEach(({ node, clock }, index) => {
      const isMover = mover === index + 1;
      node.classList.toggle("thinking", isMover);
      if (isMover)
        clock.textContent = duration(
          Math.max(
            0,
            frame.left[index] -
              Math.max(0, Date.now() - this.since - this.run.terms.clock.delay_ms),
          ),
        );
    });
  }

  close() {
    this.stop();
    clearInterval(this.ticker);
  }
}

export class MatchView {
  /** The match with this id; `attempt` is 0 for the one that counts, or is played. */
  constructor(fixture, attempt) {
    Object.assign(this, { fixture, attempt });
    this.node = make("div", { class: "match" });
    this.above = make("div", {});
    this.box = make("div", {});
    this.below = make("div", {});
    this.node.append(this.above, this.box, this.below);
    this.box.append(make("p", { class: "quiet" }, say("Reading the records …")));
    this.replay = null;
    this.wanted = [0, ""];
    this.begin();
  }

  async begin() {
    try {
      PAGES.run ??= await source().run();
      this.take(await source().match(this.fixture, this.attempt));
      const { is_over: isOver, key } = this.page;
      if (source().isLive && !isOver && !this.isClosed)
        this.stream = source().changes(this.fixture, key, (kind, content) =>
          this.heard(kind, content),
        );
    } catch (error) {
      this.box.replaceChildren(homeCrumb(), troubleOf(error));
    }
  }

  take(page) {
    this.page = page;
    this.open = new Map(page.shown.map((game) => [game.number, game]));
    this.isLive = source().isLive && !page.is_over && page.state === "under way";
    this.names = page.entrants.map((id) => PAGES.run.names[id] ?? id);
    this.shown = null;
    this.drawAround();
    this.go(...this.wanted);
  }

  heard(kind, content) {
    if (kind === "snapshot") {
      this.take(content);
      return;
    }
    const { page, replay } = this;
    const live = replay && replay.game.number === content.game ? replay : null;
    if (content.kind === "game") {
      this.open.set(content.game, content.started);
      page.games.push({ game: content.game, result: null, turns: null });
      this.drawAround();
      this.followOn();
    } else if (content.kind === "step" || content.kind === "ended") {
      const known = this.open.get(content.game);
      if (live) live.grow(content);
      else if (known && content.steps) known.steps.push(...content.steps);
      else if (known && content.ended)
        Object.assign(known, { ended: content.ended, why: content.why });
      if (content.kind === "ended") this.gameEnded(content);
    } else if (content.kind === "bot") {
      page.versions = content.versions;
    } else if (content.kind === "over") {
      page.is_over = true;
      page.void = content.void;
      this.isLive = false;
      if (replay) replay.isLive = false;
      this.drawAround();
      announce(
        content.void
          ? say("The match is void: {reason}", { reason: told(content.void) })
          : sentence(["not_due.over", {}]),
      );
    }
  }

  gameEnded({ game, ended }) {
    const row = this.page.games.find((one) => one.game === game);
    if (row) Object.assign(row, { result: ended.result, turns: ended.turns });
    this.page.score = ended.score;
    this.drawAround();
    setTimeout(() => this.followOn(), NEXT_GAME_MS);
  }

  /** A reader who follows the match goes on to the game that is played next. */
  followOn() {
    if (this.isClosed || this.wanted[0] || !this.replay?.game.ended || !this.replay.isAtEnd) return;
    const next = this.current();
    if (next && next !== this.replay.game.number) {
      this.shown = null;
      this.go(0, "");
    }
  }

  /** The game to follow: the one that is shown while it is played, else the first that is. */
  current() {
    const running = [...this.open.values()]
      .filter((game) => !game.ended)
      .map((game) => game.number);
    return (
      running[0] ??
      (this.page.current ||
        source().playable(this.page).at(-1) ||
        this.page.games.at(-1)?.game ||
        0)
    );
  }

  /** Show a game at a place; game 0 is the one that is played, at its last turn. */
  async go(number, label) {
    this.wanted = [number, label];
    if (!this.page) return;
    const game = number || this.current(),
      isFollowed = !number && this.isLive;
    if (!game) {
      this.box.replaceChildren(
        this.heading(),
        make("p", { class: "notice" }, say("No game of this match has begun yet.")),
      );
      return;
    }
    if (this.shown !== game) {
      const asked = (this.asked = (this.asked ?? 0) + 1);
      let content = this.open.get(game),
        broken = this.page.broken;
      if (!content) {
        try {
          ({ game: content, broken } = await source().game(this.page, game));
        } catch (error) {
          this.shown = null;
          this.box.replaceChildren(this.heading(), troubleOf(error));
          return;
        }
        if (asked !== this.asked || this.isClosed) return;
      }
      this.show(content, broken);
    }
    const { replay } = this;
    const place = label
      ? frameAt(replay.frames, label)
      : isFollowed || !number
        ? replay.frames.length - 1
        : 0;
    replay.jump(Math.max(0, place));
    if (label && place < 0)
      tellNotice(
        say("Game {game} of {match} has no turn {turn}; this is its start.", {
          game,
          match: this.page.link,
          turn: label,
        }),
      );
  }

  show(content, broken) {
    const { page } = this,
      { run } = PAGES;
    this.replay?.close();
    const match = { ...page, playable: source().playable(page), broken };
    const isLive = this.isLive && !content.ended;
    const replay = (this.replay = new LiveReplay(
      run,
      match,
      content,
      (at) => this.moved(at),
      isLive,
    ));
    this.shown = content.number;
    replay.liveButton = pressed(
      [liveDot(), ` ${say("Back to the game as it is played")}`],
      () => {
        this.wanted = [0, ""];
        replay.jump(replay.frames.length - 1);
        writeAddress(`#${this.page.link}`);
      },
      { class: "to-live", hidden: true },
    );
    replay.node.querySelector(".sentence").before(replay.liveButton);
    this.box.replaceChildren(replay.node);
    replay.node.querySelector("h1").focus({ preventScroll: true });
    document.title = `${this.names.join(" – ")}, ${say("game {number}", { number: content.number })} · ${run.name}`;
  }

  /** The address follows the reader: at the last turn of a game that is played it names the match alone. */
  moved(label) {
    const { replay } = this;
    if (!replay?.node.isConnected) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.isClosed || !this.replay) return;
      const isFollowing =
        this.isLive && replay.isAtEnd && (!this.wanted[0] || this.wanted[0] === this.current());
      if (isFollowing) this.wanted = [0, ""];
      else this.wanted = [this.shown, label];
      writeAddress(
        isFollowing ? `#${this.page.link}` : `#${this.page.link}/${this.shown}/${label}`,
      );
    }, REST_MS);
  }

  heading() {
    return make("h1", { tabindex: "-1" }, this.names.join(" – "));
  }

  drawAround() {
    const { page, names } = this,
      { run } = PAGES;
    const state = this.isLive
      ? [liveDot(), ` ${say("live")}`]
      : {
          settled: say("finished"),
          annulled: say("annulled"),
          void: say("void"),
          "under way": page.void ? say("void") : page.is_over ? say("finished") : say("under way"),
        }[page.state];
    const bot = (place) => botLink(page.entrants[place], names[place]),
      playable = source().playable(page);
    this.above.replaceChildren(
      make(
        "p",
        { class: "match-head" },
        make("a", { href: "#" }, `← ${say("The tournament")}`),
        make("span", { class: "state" }, state),
        make(
          "span",
          { class: "score" },
          bot(0),
          make("b", {}, ` ${page.score[0]} : ${page.score[1]} `),
          bot(1),
        ),
        run.delay_ms
          ? make(
              "span",
              { class: "quiet" },
              say("shown {time} later", { time: duration(run.delay_ms) }),
            )
          : "",
      ),
    );
    const rows = page.games.map(({ game, result, turns }) => [
      gameCell(page.link, game, playable.includes(game)),
      result ? (result.winner ? make("strong", {}, names[result.winner - 1]) : "–") : "",
      result ? endingWords(result) : say("being played"),
      result?.winner ? result.points : "–",
      turns ?? "–",
    ]);
    const facts = [
      page.state === "settled" || page.state === "annulled"
        ? make(
            "p",
            { class: "quiet" },
            `${say("What decided the match:")} `,
            toldSpan(page.outcome),
          )
        : "",
      page.commitment
        ? make(
            "p",
            { class: "quiet" },
            `${say("Commitment to the dice:")} `,
            make("code", {}, page.commitment),
          )
        : "",
      page.seed
        ? make("p", { class: "quiet" }, `${say("Seed of the dice:")} `, make("code", {}, page.seed))
        : "",
    ];
    const attempts =
      page.attempts > 1 && !this.attempt
        ? make(
            "p",
            { class: "quiet" },
            `${say("Attempts before, which do not count:")} `,
            Array.from({ length: page.attempt - 1 }, (_, place) => [
              " ",
              make("a", { href: `#${this.fixture}~${place + 1}` }, String(place + 1)),
            ]),
          )
        : "";
    this.below.replaceChildren(
      section(
        "match-games",
        say("Games of this match"),
        page.left_out
          ? make(
              "p",
              { class: "quiet" },
              say("{count} earlier games are not in this list.", { count: number(page.left_out) }),
            )
          : "",
        rows.length
          ? table(
              say("Games of this match"),
              [say("game"), say("winner"), say("ending"), say("points"), say("turns")],
              rows,
              "",
            )
          : "",
        attempts,
        facts,
      ),
    );
  }

  key(event) {
    this.replay?.key(event);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.stream?.close();
    this.replay?.close();
  }
}
