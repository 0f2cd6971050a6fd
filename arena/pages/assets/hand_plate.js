// The plates beside the board at which a person plays: who sits there, the score, the clock, and
// how far it is.

import { make } from "./elements.js";
import { readTables, tablesPips, tablesRoom } from "./geometry.js";
import { timeWords } from "./hand_words.js";
import { strengthWords } from "./strengths.js";
import { say } from "./words.js";

/** @import {AtTheBoard, ClosedGame} from "./contents.d.ts" */
/** @import {StateAtTheBoard} from "./hand_types.d.ts" */

/** Below this share of the bank a clock warns. */
const LOW = 0.2;

/** The clock of a side, which stays when its plate is drawn again. */
export class SideClock {
  constructor() {
    this.node = make("span", { class: "clock" });
    this.isLow = false;
  }

  /**
   * Tell the time that is left.
   *
   * @param {number} ms
   * @param {number} bankMs all of it
   * @returns {boolean} true if it has just begun to warn
   */
  tell(ms, bankMs) {
    const wasLow = this.isLow;
    const time = timeWords(ms);
    this.isLow = ms < LOW * bankMs;
    this.node.textContent = time;
    this.node.title = say("{time} left for this game", { time });
    this.node.classList.toggle("low", this.isLow);
    return this.isLow && !wasLow;
  }
}

/**
 * Return what is left of both banks now.
 *
 * @param {StateAtTheBoard} state
 * @returns {{ mine: number, theirs: number }} in milliseconds
 */
export function timesLeft({ table, at }) {
  const { clocks, left_ms: leftMs, phase } = table;
  const spent = performance.now() - at;
  const isMine = phase === "turn" || phase === "call";
  const mine = isMine && leftMs !== null ? leftMs - spent : clocks.mine_ms;
  const theirs = phase === "waiting" ? clocks.theirs_ms - spent : clocks.theirs_ms;
  return { mine: Math.max(0, Math.min(mine, clocks.mine_ms)), theirs: Math.max(0, theirs) };
}

/**
 * @param {AtTheBoard} table
 * @param {ClosedGame | null} final
 * @param {boolean} isMine
 * @returns {number} the colour of a side, as the number of a seat
 */
export function discOf(table, final, isMine) {
  const { colour } = final ?? table;
  if (colour) return (colour === "Black") === isMine ? 2 : 1;
  return isMine ? table.seat : 3 - table.seat;
}

/**
 * Return the plate of a side.
 *
 * @param {StateAtTheBoard} state
 * @param {ClosedGame | null} final a game that is over and is looked at
 * @param {boolean} isMine
 * @param {SideClock} clock
 * @returns {HTMLElement}
 */
export function plate(state, final, isMine, clock) {
  const { table, me, opponent, lesson } = state;
  const { position } = final ?? table;
  const isDue = table.phase === "turn" || table.phase === "call";
  const isMoving = !final && isDue === isMine && table.phase !== "arriving";
  const name = isMine ? me : opponent || say("nobody");
  const side = isMine ? "near" : "far";
  const score = make("b", { class: "score", title: say("points") }, table.score[isMine ? 0 : 1]);
  return make(
    "div",
    { class: `plate ${side}${isMoving ? " moving" : ""}`, hidden: lesson !== "" && !isMine },
    make("span", { class: `disc seat-${discOf(table, final, isMine)}` }),
    make("strong", {}, document.createTextNode(name)),
    noteOf(state, final, isMine),
    make("span", { class: "quiet pips" }, standing({ ...table, position }, isMine)),
    lesson ? null : clock.node,
    lesson ? null : score,
  );
}

/**
 * @param {StateAtTheBoard} state
 * @param {ClosedGame | null} final
 * @param {boolean} isMine
 * @returns {HTMLSpanElement} the person's colour, or the opponent's strength or absence
 */
function noteOf({ table, strength, is_away: isAway }, final, isMine) {
  const colour = table.colour && say((final ?? table).colour);
  if (isMine) return make("span", { class: "quiet note" }, colour);
  if (isAway) return make("span", { class: "away note" }, say("away"));
  return make("span", { class: "quiet note" }, strength && strengthWords(strength));
}

/**
 * Say how far a side has to go, and in Bräde how near it is to a jan (B9.1).
 *
 * @param {AtTheBoard} table
 * @param {boolean} isMine
 * @returns {string}
 */
function standing({ board, position, seat: mine }, isMine) {
  if (board.kind !== "tables") return "";
  const seat = isMine ? mine : 3 - mine;
  const pips = say("{count} pips", { count: tablesPips(board, position, seat) });
  if (board.facing !== "same_way") return pips;
  const { bar } = readTables(position, board.remembers)[seat - 1];
  const free = tablesRoom(board, position, seat);
  return `${pips} · ${say("bar {bar}, free {free}", { bar, free })}`;
}
