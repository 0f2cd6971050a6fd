// Lessons: positions to be played, each with what is to be learnt.

import { make, pressed, section } from "./elements.js";
import { keptChoice, say, told } from "./words.js";

/** The lessons that this browser has seen solved. */
const SOLVED = new Set((keptChoice("arena-solved") ?? "").split(" "));

export function lessonsPart(choice, act) {
  return section(
    "lessons",
    say("The game in five minutes"),
    make(
      "p",
      {},
      say(
        "Positions to try, with the rules of vasa. Nobody answers, and the referee says what is wrong.",
      ),
    ),
    [say("First steps"), say("A sound game, if you know backgammon")].map((title, group) => [
      make("h3", {}, title),
      make(
        "ol",
        { class: "lessons", start: choice.lessons.slice(0, group).flat().length + 1 },
        choice.lessons[group].map((lesson) =>
          make(
            "li",
            {},
            pressed(
              [
                lessonWords(lesson, "title"),
                ...(SOLVED.has(lesson)
                  ? [" ", make("span", { role: "img", "aria-label": say("solved") }, "✓")]
                  : []),
              ],
              () => act("learn", { lesson }),
            ),
          ),
        ),
      ),
    ]),
  );
}

function lessonWords(lesson, part) {
  return told([`lesson.${lesson}.${part}`, {}]);
}

export function lessonPart(choice, { lesson, judged }, act) {
  const lessons = choice.lessons.flat(),
    place = lessons.indexOf(lesson),
    next = lessons[place + 1],
    isReached = judged === "reached";
  if (isReached) keptChoice("arena-solved", [...SOLVED.add(lesson)].join(" "));
  return make(
    "section",
    {
      class: `notice lesson ${{ reached: "good", missed: "bad" }[judged] ?? ""}`,
      "aria-label": say("Position to try"),
    },
    make("p", { class: "quiet" }, `${place + 1} / ${lessons.length}`),
    make("h1", { tabindex: "-1" }, lessonWords(lesson, "title")),
    make("p", { class: "task" }, lessonWords(lesson, "text")),
    judged === "open"
      ? ""
      : make(
          "p",
          { role: "status" },
          make("strong", {}, lessonWords(lesson, isReached ? "done" : "missed")),
        ),
    make(
      "div",
      { class: "hand-buttons" },
      next
        ? pressed(say("Next position"), () => act("learn", { lesson: next }), {
            class: isReached ? "main" : "",
          })
        : "",
      pressed(say("Play a match"), () => act("choose", {}), {
        class: isReached && !next ? "main" : "",
      }),
    ),
  );
}
