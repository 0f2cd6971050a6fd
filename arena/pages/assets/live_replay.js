// A game as it is played: a replay that grows.

/** @import { Change, MatchPage, ReplayedGame, RunPage } from "./contents.d.ts" */

import { duration } from "./elements.js";
import { Replay } from "./replay.js";
import { framesOf } from "./steps.js";

const SLIDE_AFTER_MS = 900;
const SPEAK_EVERY_MS = 2500;
const TICK_MS = 500;

/**
 * A game that may still be going on: turns are added, and a reader at the last one sees the next
 * one come.
 */
export class LiveReplay extends Replay {
  /**
   * @param {RunPage} run
   * @param {MatchPage & { playable: number[] }} match
   * @param {ReplayedGame} game
   * @param {(label: string) => void} moved
   * @param {boolean} isLive
   */
  constructor(run, match, game, moved, isLive) {
    super(run, match, game, moved);
    this.isLive = isLive;
    this.lastAt = 0;
    this.spokenAt = 0;
    this.since = Date.now();
    /** @type {HTMLButtonElement | null} */
    this.liveButton = null;
    /** @type {number | undefined} */
    this.ticker = undefined;
    if (isLive) this.ticker = window.setInterval(() => this.tick(), TICK_MS);
  }

  get isAtEnd() {
    return this.place === this.frames.length - 1;
  }

  /**
   * Take what has come to the game; who rests at its end sees it.
   *
   * @param {Change} change
   */
  grow({ steps, ended, why = "" }) {
    const wasAtEnd = this.isAtEnd && this.timer === null;
    const known = this.rows.length;
    if (steps) this.game.steps.push(...steps);
    if (ended) Object.assign(this.game, { ended, why });
    this.frames = framesOf(this.game, this.run.terms.clock);
    const last = this.frames.length - 1;
    this.addRows(known);
    this.slider.max = String(last);
    this.counter.textContent = `${this.place} / ${last}`;
    const now = Date.now();
    const isCalm = now - this.lastAt > SLIDE_AFTER_MS;
    this.lastAt = now;
    this.since = now;
    if (!wasAtEnd) return;
    // A quick game would talk without end: then only some turns are said.
    const isSpoken = now - this.spokenAt > SPEAK_EVERY_MS || ended !== undefined;
    this.sentence.setAttribute("aria-live", isSpoken ? "polite" : "off");
    if (isSpoken) this.spokenAt = now;
    const isOneStep = last === known;
    this.show(last, isCalm && isOneStep && !document.hidden);
  }

  /** @param {number} known How many frames have a row. */
  addRows(known) {
    for (const [place, frame] of this.frames.entries()) {
      if (place < known) continue;
      const row = this.row(frame, place);
      this.rows.push(row);
      this.moves.append(row);
    }
  }

  /** @param {ReturnType<typeof framesOf>[number]} frame */
  tell(frame) {
    super.tell(frame);
    this.liveButton?.toggleAttribute("hidden", this.isAtEnd || !this.isLive);
    this.tick();
  }

  /** Who has to play, and what is left of the time: it runs here as it does at the table. */
  tick() {
    const frame = this.frames[this.place];
    const isRunning = this.isLive && !this.game.ended && this.isAtEnd && frame.seat !== 0;
    const next = frame.kind === "turn" ? 3 - frame.seat : frame.seat;
    const mover = isRunning ? next : 0;
    const thinking = Date.now() - this.since;
    const spent = Math.max(0, thinking - this.run.terms.clock.delay_ms);
    this.plates.forEach(({ node, clock }, index) => {
      const isMover = mover === index + 1;
      node.classList.toggle("thinking", isMover);
      if (isMover) clock.textContent = duration(Math.max(0, frame.left[index] - spent));
    });
  }

  close() {
    this.stop();
    window.clearInterval(this.ticker);
  }
}
