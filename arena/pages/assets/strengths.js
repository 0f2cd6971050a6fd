// How strong an opponent is, as people say it.

import { say } from "./words.js";

/**
 * @param {string} strength as the arena names it
 * @returns {string}
 */
export function strengthWords(strength) {
  switch (strength) {
    case "beginner":
      return say("for your first game");
    case "easy":
      return say("easy");
    case "medium":
      return say("plays well");
    case "strong":
      return say("hard to beat");
    default:
      return say("beats everybody here");
  }
}
