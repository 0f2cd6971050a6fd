// What the table says to the person: what is to be done, and how much time there is.

import { counted, duration } from "./elements.js";
import { turnWords } from "./steps.js";
import { say } from "./words.js";

/** @import {AtTheBoard, ClosedGame} from "./contents.d.ts" */
/** @import {StateAtTheBoard} from "./hand_types.d.ts" */

/**
 * Say what is to be done now.
 *
 * @param {StateAtTheBoard} state
 * @param {(dice: readonly number[]) => number[]} inOrder gives dice as they lie
 * @param {string} time that is left, as `timeWords` has it
 * @param {boolean} isCounting true if the turn plays itself in a moment
 * @returns {string}
 */
export function dueWords(state, inOrder, time, isCounting) {
  const { table, opponent: name, lesson, judged, is_away: isAway } = state;
  switch (table.phase) {
    case "arriving":
      return say("Waiting for {name} …", { name });
    case "call":
      return say("A single die could complete a handsome game. How many dice do you roll (B11.3)?");
    case "waiting":
      return isAway ? say("{name} is away.", { name }) : say("{name} plays …", { name });
    case "ready": {
      const number = table.over.length + 1;
      return say("Game {number} begins when {name} is ready, and by itself in {time}.", {
        name,
        number,
        time,
      });
    }
    case "turn": {
      const isFound = lesson !== "" && judged === "reached" && table.text !== "";
      if (isFound) return say("Found: {moves}", { moves: turnWords(table.text) });
      if (isCounting && table.worth === null)
        return say("{moves}: plays itself, unless you undo.", { moves: turnWords(table.text) });
      return openTurnWords(table, inOrder);
    }
    default:
      return "";
  }
}

/**
 * Say what is open of the person's turn.
 *
 * @param {AtTheBoard} table
 * @param {(dice: readonly number[]) => number[]} inOrder
 * @returns {string}
 */
function openTurnWords(table, inOrder) {
  const dice = inOrder(table.dice).join("-");
  const moves = turnWords(table.text);
  if (table.pass_clause)
    return say("You roll {dice}. No die can be used, so the turn is a pass ({clause}).", {
      dice,
      clause: table.pass_clause,
    });
  if (table.is_whole && table.worth !== null)
    return say("{moves}: this ends the game, and is worth {points}.", {
      moves,
      points: counted(table.worth, "point", "points"),
    });
  if (table.is_whole) return say("{moves}: the turn is whole.", { moves });
  if (table.moves.length) {
    const left = inOrder(table.dice_left).join("-");
    return say("{moves}; {dice} left.", { moves, dice: left });
  }
  if (dice) return say("You roll {dice}. Choose a checker.", { dice });
  return say("Your move. Choose a piece.");
}

/**
 * Say when the next game begins, or that it has begun while somebody still looks at the end of the
 * last one.
 *
 * @param {AtTheBoard} table
 * @param {ClosedGame | null} final the game that is looked at
 * @param {string} time that is left, as `timeWords` has it; empty without a clock
 * @returns {string}
 */
export function pauseWords(table, final, time) {
  if (table.phase === "break") {
    const number = table.over.length + 1;
    return say("Game {number} begins when you are ready, and by itself in {time}.", {
      number,
      time,
    });
  }
  const isMatchOver = table.phase === "over" || table.phase === "left";
  if (!final || isMatchOver || table.game === final.game.number) return "";
  if (!time) return say("Game {number} has begun.", { number: table.game });
  return say("Game {number} has begun, and your clock runs: {time} left.", {
    number: table.game,
    time,
  });
}

/**
 * Say how much time is left.
 *
 * @param {number} ms less than 0 if it is over
 * @returns {string}
 */
export function timeWords(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : duration(1000 * seconds);
}
