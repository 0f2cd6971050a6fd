// What every page explains: the signs on the board, the game in five minutes, the glossary and the rules, in a dialog above it.

import { bookLink, draw, endingName, make, pressed } from "./elements.js";
import { checker, leftFrom, shades, tablesBoard } from "./tables_board.js";
import { say } from "./words.js";

const BOOK = { dialog: null, chapters: null, filled: null };

export function bookLinks() {
  return [
    [say("Signs on the board"), "signs"],
    [say("The game in five minutes"), say("the-game")],
    [say("Glossary"), "glossary"],
    [say("Rules"), "rules"],
  ].map(([words, place]) => bookLink(words, place));
}

/** Open the book at a clause or a chapter. The rules are in English, as the documentation; the game is explained in Swedish too. */
export async function openBook(place) {
  if (!BOOK.dialog) {
    BOOK.chapters = make("div", {
      class: "chapters",
      tabindex: "0",
      role: "region",
      "aria-label": say("Rules and signs"),
    });
    BOOK.dialog = make(
      "dialog",
      { class: "book", "aria-label": say("Rules and signs") },
      make(
        "div",
        { class: "book-head" },
        bookLinks(),
        pressed("✕", () => BOOK.dialog.close(), { "aria-label": say("Close"), class: "close" }),
      ),
      BOOK.chapters,
    );
    BOOK.dialog.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (event.target === BOOK.dialog) BOOK.dialog.close(); // beside the book
      if (!link) return;
      event.preventDefault(); // what stands after the # belongs to the page
      turnTo(link.getAttribute("href").slice(1));
    });
    document.body.append(BOOK.dialog);
  }
  if (!BOOK.dialog.open) BOOK.dialog.showModal();
  BOOK.filled ??= fillBook();
  await BOOK.filled;
  turnTo(`book-${place}`);
}

/** Put the chapters into the book; where they cannot be fetched, the next opening tries again. */
async function fillBook() {
  try {
    BOOK.chapters.replaceChildren(signsChapter(), ...(await docsChapters()));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    BOOK.filled = null;
    const words = say("The server does not answer.");
    BOOK.chapters.replaceChildren(make("p", { class: "notice bad", role: "alert" }, words));
  }
}

/** The chapters of the documentation: a report has them inside, a server is asked for them. */
async function docsChapters() {
  const template = document.getElementById("book");
  const { address } = template.dataset;
  if (!address) return template.content.cloneNode(true).childNodes;
  const answer = await fetch(address);
  const chapters = new DOMParser().parseFromString(await answer.text(), "text/html");
  return chapters.body.childNodes;
}

/** Show a place of the book at the top; a clause without a rule of its own is that of its chapter. */
function turnTo(id) {
  const { chapters } = BOOK;
  const found =
    chapters.querySelector(`#${CSS.escape(id)}`) ??
    chapters.querySelector(`[id^="book-rules-${CSS.escape(id.slice(5).toLowerCase())}-"]`);
  chapters.querySelector(".looked-up")?.classList.remove("looked-up");
  if (!found) return;
  const rule = found.localName === "strong" ? found.closest("li") : found;
  rule.classList.toggle("looked-up", rule !== found);
  rule.scrollIntoView({ block: "start", behavior: "instant" });
}

/** The signs that stand on boards and in lists of turns, each with what it means. */
function signsChapter() {
  const row = (sign, words) =>
    make("tr", {}, make("th", { scope: "row" }, sign), make("td", {}, words));
  const rows = (caption, list) =>
    make(
      "table",
      { class: "signs" },
      make("caption", {}, caption),
      make(
        "tbody",
        {},
        list.map(([sign, words]) => row(sign, words)),
      ),
    );
  const drawn = (kind, ...parts) =>
    draw(
      "svg",
      { class: `board sign-picture ${kind}`, viewBox: "-34 -34 68 68", "aria-hidden": "true" },
      ...parts,
    );
  const ring = (kind) => draw("circle", { class: kind, r: 27 });
  const board = { kind: "tables", facing: "same_way", remembers: [] };
  const pattern = (counts) => {
    const position = `${".".repeat(24 - counts.length)}${[...counts].map((count) => ".abcdefghijklmno"[Number(`0x${count}`)]).join("")}....`;
    return make(
      "span",
      { class: "small-board", "aria-hidden": "true" },
      tablesBoard(
        board,
        ["", ""],
        { kind: "start", position, before: position, dice: [], mover: 1 },
        false,
      ),
    );
  };
  return make(
    "article",
    { id: "book-signs" },
    make("h2", {}, say("Signs on the board")),
    rows(say("On the board"), [
      [
        drawn("", shades(), checker(0, 0, 27, 1, true)),
        say("A checker that was moved in the last turn."),
      ],
      [drawn("", leftFrom(0, 0, 11)), say("It stood here before.")],
      [
        drawn(
          "spot can-lift",
          checker(0, 0, 27, 1, false),
          draw("g", { class: "spot" }, ring("lifting")),
        ),
        say("A checker that you can lift."),
      ],
      [
        drawn("", draw("g", { class: "spot" }, ring("landing"))),
        say("The checker that you have lifted can land here."),
      ],
      [
        drawn(
          "arrow",
          draw("path", { class: "shaft", d: "M-24 18L8 -6" }),
          draw("path", { class: "head", d: "M26 -20L13 4L0 -14Z" }),
        ),
        say("The way of a checker in the last turn; green in a turn that would have been better."),
      ],
      [
        drawn("", draw("rect", { class: "deciding", x: -26, y: -28, width: 52, height: 56 })),
        say(
          "A point that decided the game: one that was left for entering at a jan, or one of the pattern of a handsome game.",
        ),
      ],
      [
        drawn(
          "",
          checker(0, 0, 27, 2, false),
          draw("text", { class: "count seat-2", y: 9, "text-anchor": "middle" }, 7),
        ),
        say("So many checkers stand on the point."),
      ],
    ]),
    rows(say("In lists of turns"), [
      ["1/7", say("A checker moves from point 1 to point 7.")],
      ["1/7*", say("It hits a single checker (B4.2).")],
      ["bar/5", say("A checker enters from the bar on point 5 (B5.1).")],
      ["bar/5**", say("It strikes a closed point: all checkers there go to the bar (B5.4).")],
      ["1/7(2)", say("The same move twice.")],
      ["20/off", say("A checker is borne off (B7.1).")],
      ["?! ? ??", say("A turn that was doubtful, bad, or a blunder, as the evaluator sees it.")],
    ]),
    rows(say("How a game can end, and what it is worth"), [
      [endingName("bearing_off"), say("All 15 checkers are off: 1 point.")],
      ...[
        ["single_crown", "33333"],
        ["double_crown", "555"],
        ["staircase", "357"],
        ["tower", "f"],
      ].map(([ending, counts]) => [
        [endingName(ending), pattern(counts)],
        say("A handsome game: all 15 checkers stand like this (B8.1): 2 points."),
      ]),
      [
        endingName("jan"),
        say(
          "More checkers are on the bar than there are points to enter on (B9.1): 4 points, and 6 for a forced jan, whose last hit was a strike.",
        ),
      ],
      [
        say("monk"),
        say(
          "The loser has a checker on the bar when the game ends, but for a jan: one point more (B10.1).",
        ),
      ],
    ]),
  );
}

document.addEventListener("open-book", (event) => openBook(event.detail));
