// What happens at the board, for those who hear the page: the opponent's turn, the roll, the end.

import { overWords } from "./hand_around.js";
import { turnWords } from "./steps.js";
import { say, told } from "./words.js";

/** @import {AtTheBoard, ClosedGame, PlayedTurn} from "./contents.d.ts" */

/**
 * Say what has happened.
 *
 * @param {string} theirs the opponent's turn in words, if it is new
 * @param {ClosedGame | undefined} final the game whose end is shown
 * @param {string} due what is to be done now, in words
 * @returns {string}
 */
export function announcement(theirs, final, due) {
  const words = [theirs, final ? overWords(final.game) : due];
  return words.filter(Boolean).join(" ");
}

/**
 * Say the opponent's last turn.
 *
 * @param {AtTheBoard} table
 * @param {string} name
 * @returns {string}
 */
export function theirTurnWords(table, name) {
  const turn = table.log.findLast(({ is_mine: isMine }) => !isMine);
  if (!turn) return "";
  const moves = turnWords(turn.text);
  const dice = turn.dice.join("-");
  const played = dice
    ? say("{name} rolls {dice} and plays {moves}.", { name, dice, moves })
    : say("{name} plays {moves}.", { name, moves });
  const hits = hitWords(turn, table.board.kind === "brandubh");
  return hits ? `${played} ${hits}` : played;
}

/**
 * @param {PlayedTurn} turn
 * @param {boolean} isCapture true where pieces are captured
 * @returns {string}
 */
function hitWords({ hits, strikes }, isCapture) {
  const words = [];
  if (hits) words.push(told([isCapture ? "count.captures" : "count.hits", { count: hits }]));
  if (strikes) words.push(told(["count.strikes", { count: strikes }]));
  return words.join(", ");
}
