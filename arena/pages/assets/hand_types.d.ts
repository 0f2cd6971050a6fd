// What the page of playing by hand has beside the structs of the arena.

import type { Act, AtTheBoard, Board, PageState } from "./contents.d.ts";

/** A place of a board: 0 (the bar) to 25 (off) on the mover's path, or a square such as d4. */
export type Slot = number | string;

/** A state of the page, and the moment of `performance.now()` at which it came. */
export type HandState = PageState & { at: number };

/** A state with a board. */
export type StateAtTheBoard = HandState & { table: AtTheBoard };

export type Deed = Act["do"];

/** What is sent with a deed. */
export type DeedFields = Omit<Partial<Act>, "do" | "tab" | "moves" | "games"> & {
  moves?: Slot[][];
  games?: number;
};

/** Asks the server for something; gives what it found, or null if it refused. */
export type Ask = (deed: Deed, fields: DeedFields) => Promise<unknown>;

/** A ruleset that can be chosen. */
export type RulesetChoice = {
  name: string;
  board: Board;
  start: string;
  options: string[];
  opponents: string[];
  default: string;
};

/** A step of a lesson. */
export type LessonStep = {
  count: number | null;
  refused: [number, number][];
};

/** All that can be chosen before a match. */
export type Choice = {
  rulesets: RulesetChoice[];
  chosen: string;
  options: string[];
  games: number;
  strengths: Record<string, string>;
  lessons: string[][];
  steps: Record<string, { steps: LessonStep[] }>;
};

/** A legal turn with its worth, from the evaluator or a strong bot. */
export type Hint = {
  text: string;
  moves: Slot[][];
  worth: number;
  unit: "points" | "warriors";
  sure: "" | "loses" | "wins";
};
