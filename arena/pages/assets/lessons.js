// Lessons: steps at a board without an opponent, each with what is to be learnt.

import { make, section } from "./elements.js";
import { keyed, keyedButton, redraw } from "./redraw.js";
import { keptChoice, say, told } from "./words.js";

/** @import {PageState} from "./contents.d.ts" */
/** @import {HandTable} from "./hand_table.js" */
/** @import {Ask, Choice, LessonStep, StateAtTheBoard} from "./hand_types.d.ts" */

/** Where the browser keeps which lessons it has seen solved. */
const SOLVED_CHOICE = "arena-solved";

const SOLVED = new Set((keptChoice(SOLVED_CHOICE) ?? "").split(" "));

const CLASSES = { open: "", reached: "good", missed: "bad" };

/** The numbers that answer a question of a lesson. */
const NUMBERS = [0, 1, 2, 3, 4, 5, 6];

const OFF = 25;

/** The ruleset of the lessons, and of the match that follows them. */
const RULESET = "vasa";

/**
 * Return all lessons, to be chosen.
 *
 * @param {Choice} choice
 * @param {Ask} act
 * @returns {HTMLElement}
 */
export function lessonsPart(choice, act) {
  const note = say(
    "Short steps on the board, by the rules of vasa. A lesson has its tick once every step was " +
      "right at the first attempt.",
  );
  return section(
    "lessons",
    say("The game in five minutes"),
    make("p", {}, note),
    make("p", { class: "quiet" }, solvedWords(choice)),
    lessonLists(choice, "", act),
  );
}

/**
 * @param {Choice} choice
 * @returns {{ solved: number, count: number }} how many lessons are solved
 */
function solvedCount({ lessons }) {
  const all = lessons.flat();
  return { solved: all.filter((lesson) => SOLVED.has(lesson)).length, count: all.length };
}

/**
 * @param {Choice} choice
 * @returns {string} the same in words
 */
export function solvedWords(choice) {
  return say("{solved} of {count} lessons solved", solvedCount(choice));
}

/**
 * @param {Choice} choice
 * @returns {string} the same for a tab
 */
export function lessonsWords(choice) {
  return say("Lessons {solved} of {count}", solvedCount(choice));
}

/**
 * @param {Choice} choice
 * @param {string} current the lesson at the board
 * @param {Ask} act
 * @returns {HTMLElement[]}
 */
function lessonLists({ lessons: [firstSteps, soundGame] }, current, act) {
  return [
    make("h3", {}, say("First steps")),
    lessonList(firstSteps, 1, current, act),
    make("h3", {}, say("A sound game")),
    lessonList(soundGame, firstSteps.length + 1, current, act),
  ];
}

/**
 * @param {string[]} lessons
 * @param {number} start the number of the first one
 * @param {string} current
 * @param {Ask} act
 * @returns {HTMLOListElement}
 */
function lessonList(lessons, start, current, act) {
  const rows = lessons.map((lesson) => {
    const learn = () => act("learn", { lesson });
    const words = [told([`lesson.${lesson}.title`, {}]), solvedSign(lesson)];
    const attributes = { "aria-current": lesson === current && "step" };
    return keyed(lesson, make("li", {}, keyedButton("lesson", words, learn, attributes)));
  });
  return make("ol", { class: "lessons", start }, rows);
}

/**
 * @param {string} lesson
 * @returns {(Node | string)[]} a sign that a lesson is solved; empty if it is not
 */
function solvedSign(lesson) {
  if (!SOLVED.has(lesson)) return [];
  return [" ", make("span", { class: "tick", role: "img", "aria-label": say("solved") }, "✓")];
}

/**
 * @param {PageState} state
 * @returns {string} the step at the board
 */
function stepName({ lesson, step }) {
  return `${lesson} ${step}`;
}

/** What stands beside the board of a lesson. */
export class LessonPanel {
  /**
   * @param {Choice} choice
   * @param {Ask} act
   * @param {HandTable} table
   * @param {() => void} drawPage draws the page again
   */
  constructor(choice, act, table, drawPage) {
    this.choice = choice;
    this.act = act;
    this.table = table;
    this.drawPage = drawPage;
    /** The step at the board, and that whose hint is shown. */
    this.shown = "";
    this.hinted = "";
    /** True once the reader has gone on from the last step of all. */
    this.isOver = false;
    this.list = make("details", { class: "lesson-list" });
    const choose = keyedButton("choose", say("To the lobby"), () => act("choose", {}));
    table.middle.append(make("div", { class: "lesson-foot" }, this.list, choose));
  }

  /** @returns {string[]} */
  get all() {
    return this.choice.lessons.flat();
  }

  /**
   * @param {PageState} state
   * @returns {LessonStep[]} the steps of the lesson
   */
  stepsOf({ lesson }) {
    return this.choice.steps[lesson].steps;
  }

  /**
   * @param {PageState} state
   * @returns {boolean} true at the last step of the lesson
   */
  isLast(state) {
    return state.step === this.stepsOf(state).length - 1;
  }

  /**
   * Show the step of a state, and remember a lesson that is solved.
   *
   * @param {StateAtTheBoard} state
   */
  show(state) {
    const { lesson, judged, is_clean: isClean } = state;
    const isReached = judged === "reached";
    const isSolved = isReached && isClean && this.isLast(state);
    if (isSolved && !SOLVED.has(lesson)) {
      SOLVED.add(lesson);
      keptChoice(SOLVED_CHOICE, [...SOLVED].join(" "));
    }
    if (!isReached) this.isOver = false;
    const { extra, isKeyboard } = this.table;
    const wasReached = extra.querySelector(".lesson.good") !== null;
    this.draw(state);
    if (this.shown !== stepName(state)) extra.querySelector("h1")?.focus();
    else if (isReached && !wasReached && isKeyboard) this.focusNext();
    this.shown = stepName(state);
  }

  /** Give the focus to what leads on. */
  focusNext() {
    /** @type {HTMLElement | null} */
    const button = this.table.extra.querySelector(".lesson .main");
    button?.focus();
  }

  /** @param {StateAtTheBoard} state */
  draw(state) {
    const { lesson, step, judged } = state;
    const steps = this.stepsOf(state).length;
    const place = say("Lesson {number} of {count}, step {step} of {steps}", {
      number: this.all.indexOf(lesson) + 1,
      count: this.all.length,
      step: step + 1,
      steps,
    });
    const attributes = { class: `notice lesson ${CLASSES[judged]}`, "aria-label": say("Lesson") };
    const title = told([`lesson.${lesson}.title`, {}]);
    const task = told([`lesson.${lesson}.${step + 1}.text`, {}]);
    const summary = make("summary", {}, solvedWords(this.choice));
    redraw(this.list, keyed("summary", summary), ...lessonLists(this.choice, lesson, this.act));
    redraw(
      this.table.extra,
      make(
        "section",
        attributes,
        make("p", { class: "quiet" }, place),
        make("h1", { tabindex: "-1" }, title),
        make("p", { class: "task" }, task),
        make("p", { class: "lesson-verdict", role: "status" }, this.verdict(state)),
        this.answers(state),
        make("div", { class: "hand-buttons" }, this.ways(state)),
      ),
    );
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {Node | null} what is said of the step so far; null if nothing
   */
  verdict(state) {
    const { lesson, step, judged, is_clean: isClean } = state;
    const hint = told([`lesson.${lesson}.${step + 1}.hint`, {}]);
    if (judged === "missed") return make("span", {}, strong(say("Not that.")), ` ${hint}`);
    if (judged === "open") return this.hinted === stepName(state) ? make("span", {}, hint) : null;
    if (!this.isLast(state)) return strong(say("Right."));
    const done = told([`lesson.${lesson}.done`, {}]);
    if (isClean) return strong(done);
    const slip = say("It was not right at the first attempt: once more, for its tick.");
    return make("span", {}, strong(done), ` ${slip}`);
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {HTMLElement | null} the numbers to answer by, or the move to try by keyboard
   */
  answers(state) {
    const { table, step, judged } = state;
    const { count, refused } = this.stepsOf(state)[step];
    if (judged === "reached") return null;
    if (count !== null) {
      const buttons = NUMBERS.map((number) => {
        const answer = () => this.act("answer", { number });
        return keyedButton(`number ${number}`, String(number), answer);
      });
      return make("div", { class: "hand-buttons numbers-to-answer" }, buttons);
    }
    if (refused.length === 0) return null;
    const { question } = table;
    const [[from, to]] = refused;
    const move = `${from}/${to === OFF ? "off" : to}`;
    const attempt = () => this.act("move", { question, moves: [[from, to]] });
    return keyedButton("attempt", say("Try {move}", { move }), attempt, { class: "skip" });
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {HTMLElement[]} the ways on, back and out of the lesson, and the hint
   */
  ways(state) {
    const { lesson, step, judged, is_clean: isClean } = state;
    const parts = [];
    const before = this.all[this.all.indexOf(lesson) - 1];
    if (step > 0) parts.push(this.way("back", say("Back"), lesson, step - 1));
    else if (before) parts.push(this.way("back", say("Back"), before));
    if (judged === "reached" && this.isLast(state) && !isClean)
      parts.push(this.way("again", say("Once more"), lesson, 0, "main"));
    if (judged === "missed" && state.table.phase === "turn")
      parts.push(this.way("retry", say("Try again"), lesson, step, "main"));
    if (judged !== "reached") parts.push(...this.hints(state));
    parts.push(this.next(state));
    return parts;
  }

  /**
   * @param {string} key
   * @param {string} words
   * @param {string} lesson
   * @param {number} [step]
   * @param {string} [kind] its class
   * @returns {HTMLElement} a button that leads to a step
   */
  way(key, words, lesson, step = 0, kind = "") {
    return keyedButton(key, words, () => this.act("learn", { lesson, step }), { class: kind });
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {HTMLElement[]} the hint in words, and after it the numbers of the evaluator
   */
  hints(state) {
    const isHinted = this.hinted === stepName(state) || state.judged === "missed";
    if (!isHinted) {
      const hint = () => {
        this.hinted = stepName(state);
        this.draw(state);
      };
      return [keyedButton("hint", say("Hint"), hint)];
    }
    const hasNumbers = this.choice.lessons[1].includes(state.lesson) && !state.no_hints;
    if (!hasNumbers || state.table.phase !== "turn") return [];
    return [keyedButton("numbers", say("Show me"), () => this.table.showHints(state))];
  }

  /**
   * @param {StateAtTheBoard} state
   * @returns {HTMLElement} the way to the next step, the next lesson or the last page
   */
  next(state) {
    const { lesson, step, judged, is_clean: isClean } = state;
    const isLastStep = this.isLast(state);
    const kind = judged === "reached" && (isClean || !isLastStep) ? "main" : "";
    if (!isLastStep) return this.way("next", say("Next"), lesson, step + 1, kind);
    const following = this.all[this.all.indexOf(lesson) + 1];
    if (following) return this.way("next", say("Next lesson"), following, 0, kind);
    const end = () => {
      this.isOver = true;
      this.drawPage();
    };
    return keyedButton("next", say("To the end"), end, { class: kind });
  }

  /** @returns {HTMLElement} the page after the last lesson, which leads into a match */
  lastPage() {
    const { default: name } = /** @type {Choice["rulesets"][0]} */ (
      this.choice.rulesets.find((rules) => rules.name === RULESET)
    );
    const match = { opponent: name, ruleset: RULESET, options: [], games: 3 };
    const back = () => {
      this.isOver = false;
      this.drawPage();
    };
    const words = say(
      "The rest comes with play. Your first opponent is the bot {name}, in three games by the " +
        "rules of vasa.",
      { name },
    );
    const begin = () => this.act("begin", match);
    return make(
      "section",
      { id: "lessons", class: "last-page" },
      make("h1", { tabindex: "-1" }, say("You know the game")),
      make("p", {}, words),
      make("div", { class: "hand-buttons" }, [
        keyedButton("begin", say("Play against {name}", { name }), begin, { class: "main" }),
        keyedButton("choose", say("Another match"), () => this.act("choose", {})),
        keyedButton("back", say("Back"), back),
      ]),
      make("p", { class: "quiet" }, solvedWords(this.choice)),
      lessonLists(this.choice, "", this.act),
    );
  }
}

/**
 * @param {string} words
 * @returns {HTMLElement}
 */
function strong(words) {
  return make("strong", {}, words);
}
