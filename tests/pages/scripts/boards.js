// Boards and positions that several tests use.

/** @import {Board} from "../../../arena/pages/assets/contents.d.ts" */

/** @type {Board} */
export const BRADE = {
  kind: "tables",
  facing: "same_way",
  remembers: ["unlocked", "one_die"],
  colours: [],
};

/** @type {Board} */
export const BACKGAMMON = {
  kind: "tables",
  facing: "opposite_ways",
  remembers: [],
  colours: [],
};

/** All checkers at their heads: point 1 of each seat. Nothing is unlocked. */
export const BRADE_START = `${"o".padEnd(12, ".")}${"O".padEnd(12, ".")}....0000`;

/** The usual start of backgammon, with seat 1's 24-point first. */
export const BACKGAMMON_START = "b....E.C...eE...c.e....B....";

/**
 * A position with these signs at these places, and nothing elsewhere.
 *
 * @param {Record<number, string>} signs by place: 0 to 23 the points, 24 and 25 the bars, 26 and 27
 *   what is off
 * @returns {string}
 */
export function positionWith(signs) {
  return Array.from({ length: 28 }, (_, place) => signs[place] ?? ".").join("");
}
