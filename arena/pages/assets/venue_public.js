// What a venue makes public, in words.

import { make } from "./elements.js";
import { firstPageCrumb, titlePage } from "./venue_view.js";
import { say } from "./words.js";

export class PublicPage {
  constructor() {
    titlePage(say("What is public"));
    this.node = make(
      "div",
      { class: "venue" },
      firstPageCrumb(),
      make("h1", {}, say("What is public")),
      make("h2", {}, say("Everybody can see")),
      listOf([
        say("the name of every bot, its display name, when it joined, and its versions;"),
        say(
          "the fingerprint by which a version is known, in the records of its days: it says nothing about the program;",
        ),
        say(
          "every match, turn by turn: dice, moves, times, illegal turns and forfeits, " +
            "for as long as the venue is there;",
        ),
        say("ratings with their errors, every pairing, and when a bot came and went;"),
        say("what the operator does to a bot: a rest or a ban, with the reason."),
      ]),
      make("h2", {}, say("Nobody can see")),
      listOf([
        say("tokens: the venue keeps only a hash of each, and pages show neither;"),
        say(
          "invites, and the addresses that bots connect from: the operator keeps these for 14 days;",
        ),
        say("what a bot notes for itself with a turn: a ladder does not record it;"),
        say("the programs of bots from elsewhere: they never leave their authors' machines."),
      ]),
      make(
        "p",
        { class: "quiet" },
        say("A name stays in the records once it has played. So choose one that you may show."),
      ),
    );
  }

  follow() {
    // these words do not change
  }
}

/** @param {string[]} sentences */
function listOf(sentences) {
  return make(
    "ul",
    {},
    sentences.map((sentence) => make("li", {}, sentence)),
  );
}
