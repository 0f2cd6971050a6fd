// Lessons: positions to be played, each with what is to be learnt.

import { make, pressed, section } from "./elements.js";
import { keyedButton } from "./redraw.js";
import { keptChoice, say, told } from "./words.js";

/** @import {PageState} from "./contents.d.ts" */
/** @import {Ask, Choice} from "./hand_types.d.ts" */

/** Where the browser keeps which lessons it has seen solved. */
const SOLVED_CHOICE = "arena-solved";

const SOLVED = new Set((keptChoice(SOLVED_CHOICE) ?? "").split(" "));

const CLASSES = { open: "", reached: "good", missed: "bad" };

/**
 * Return all lessons, to be chosen.
 *
 * @param {Choice} choice
 * @param {Ask} act
 * @returns {HTMLElement}
 */
export function lessonsPart({ lessons: [firstSteps, soundGame] }, act) {
  const note = say(
    "Positions to try, with the rules of vasa. Nobody answers, and the referee says what is wrong.",
  );
  return section(
    "lessons",
    say("The game in five minutes"),
    make("p", {}, note),
    make("h3", {}, say("First steps")),
    lessonList(firstSteps, 1, act),
    make("h3", {}, say("A sound game, if you know backgammon")),
    lessonList(soundGame, firstSteps.length + 1, act),
  );
}

/**
 * @param {string[]} lessons
 * @param {number} start the number of the first one
 * @param {Ask} act
 * @returns {HTMLOListElement}
 */
function lessonList(lessons, start, act) {
  const rows = lessons.map((lesson) => {
    const learn = () => act("learn", { lesson });
    const words = [lessonWords(lesson, "title"), solvedSign(lesson)];
    return make("li", {}, pressed(words, learn));
  });
  return make("ol", { class: "lessons", start }, rows);
}

/**
 * @param {string} lesson
 * @returns {(Node | string)[]} a sign that a lesson is solved; empty if it is not
 */
function solvedSign(lesson) {
  if (!SOLVED.has(lesson)) return [];
  return [" ", make("span", { role: "img", "aria-label": say("solved") }, "✓")];
}

/**
 * @param {string} lesson
 * @param {"title" | "text" | "done" | "missed"} part
 * @returns {string}
 */
function lessonWords(lesson, part) {
  return told([`lesson.${lesson}.${part}`, {}]);
}

/**
 * Remember that a lesson is solved.
 *
 * @param {string} lesson
 */
export function rememberSolved(lesson) {
  SOLVED.add(lesson);
  keptChoice(SOLVED_CHOICE, [...SOLVED].join(" "));
}

/**
 * Return the lesson that is at the board.
 *
 * @param {Choice} choice
 * @param {PageState} state
 * @param {Ask} act
 * @returns {HTMLElement}
 */
export function lessonPart(choice, { lesson, judged }, act) {
  const lessons = choice.lessons.flat();
  const place = lessons.indexOf(lesson);
  const attributes = {
    class: `notice lesson ${CLASSES[judged]}`,
    "aria-label": say("Position to try"),
  };
  return make(
    "section",
    attributes,
    make("p", { class: "quiet" }, `${place + 1} / ${lessons.length}`),
    make("h1", { tabindex: "-1" }, lessonWords(lesson, "title")),
    make("p", { class: "task" }, lessonWords(lesson, "text")),
    verdict(lesson, judged),
    lessonButtons(lessons[place + 1], judged === "reached", act),
  );
}

/**
 * @param {string} lesson
 * @param {PageState["judged"]} judged
 * @returns {HTMLElement | null} null while the lesson is open
 */
function verdict(lesson, judged) {
  if (judged === "open") return null;
  const words = lessonWords(lesson, judged === "reached" ? "done" : "missed");
  return make("p", { role: "status" }, make("strong", {}, words));
}

/**
 * @param {string | undefined} next the next lesson, if there is one
 * @param {boolean} isReached
 * @param {Ask} act
 * @returns {HTMLElement}
 */
function lessonButtons(next, isReached, act) {
  const parts = [];
  if (next) {
    const learn = () => act("learn", { lesson: next });
    const attributes = { class: isReached ? "main" : "" };
    parts.push(keyedButton("next", say("Next position"), learn, attributes));
  }
  const choose = () => act("choose", {});
  const attributes = { class: isReached && !next ? "main" : "" };
  parts.push(keyedButton("choose", say("Play a match"), choose, attributes));
  return make("div", { class: "hand-buttons" }, parts);
}
