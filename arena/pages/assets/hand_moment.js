// What the page of playing by hand is asked for at a moment: when it changes, the page is drawn again.

import { momentOf } from "./clicks.js";

/** @import {HandState, StateAtTheBoard} from "./hand_types.d.ts" */

/**
 * @param {HandState} state
 * @returns {state is StateAtTheBoard}
 */
export function isAtTheBoard(state) {
  return state.table !== null;
}

/**
 * Return a text that changes when something else is to be seen or done.
 *
 * @param {HandState} state
 * @param {number} seen how many games that are over have been looked at
 * @returns {string}
 */
export function momentOfPage(state, seen) {
  const { status, match, lesson, step, judged, table, over, in_tournament } = state;
  return [
    status,
    match,
    lesson,
    step,
    judged,
    seen,
    table ? momentOf(table) : "",
    over?.is_settled,
    over?.is_judged,
    in_tournament?.is_expected,
    in_tournament?.decided,
  ].join("|");
}
