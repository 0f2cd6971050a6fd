// The matches that the person has played before: a list, and each to be looked at once more.

import { troubleOf, untilAnswered } from "./asking.js";
import { make, moment, pressed } from "./elements.js";
import { fetchPast, fetchReview, whyFailed } from "./hand_server.js";
import { reviewOf } from "./review.js";
import { say, told } from "./words.js";

/** @import {PastMatch} from "./contents.d.ts" */
/** @import {Ask} from "./hand_types.d.ts" */

export class PastGames {
  /**
   * @param {Ask} act
   * @param {() => void} changed called once the list has come
   */
  constructor(act, changed) {
    this.act = act;
    this.changed = changed;
    /** @type {PastMatch[]} */
    this.matches = [];
    this.node = make("div", { class: "past" });
  }

  /** Ask for the list, and show it. */
  async refresh() {
    this.showList();
    try {
      const isWanted = () => this.node.isConnected;
      this.matches = await untilAnswered(fetchPast, isWanted, () => {});
    } catch (error) {
      this.node.replaceChildren(make("p", { class: "notice bad" }, told(whyFailed(error))));
      return;
    }
    this.showList();
    this.changed();
  }

  /** @returns {PastMatch | undefined} the latest match that can be gone on with */
  get unfinished() {
    return this.matches.find(({ result }) => result === "open");
  }

  /** @param {PastMatch} match */
  goOn({ run }) {
    this.act("resume", { run });
  }

  showList() {
    const rows = this.matches.map((match) => this.row(match));
    const empty = make("p", { class: "quiet" }, say("Your matches will stand here."));
    this.node.replaceChildren(rows.length ? make("ul", { class: "past-matches" }, rows) : empty);
  }

  /**
   * @param {PastMatch} match
   * @returns {HTMLLIElement}
   */
  row(match) {
    const { opponent, ruleset, result } = match;
    const isOpen = result === "open";
    const words = [
      make("strong", {}, say("Against {name}", { name: opponent })),
      make("span", { class: "quiet" }, `${ruleset}, ${moment(match.began_ms)}`),
      make("span", { class: `outcome ${result}` }, resultWords(match)),
    ];
    const act = () => (isOpen ? this.goOn(match) : this.showReview(match));
    const button = pressed(isOpen ? say("Go on") : say("Look at it"), act);
    return make("li", {}, words, button);
  }

  /** @param {PastMatch} match */
  async showReview(match) {
    const { run, opponent, seat } = match;
    const back = pressed(`← ${say("Your last games")}`, () => {
      this.showList();
      this.node.querySelector("button")?.focus();
    });
    const title = `${say("Against {name}", { name: opponent })}, ${resultWords(match)}`;
    const review = make("div", {}, make("p", { role: "status" }, say("Reading the records …")));
    const heading = make("h2", { tabindex: "-1" }, title);
    this.node.replaceChildren(back, heading, review);
    heading.focus();
    try {
      const isWanted = () => review.isConnected;
      const tellSilence = (/** @type {Error} */ error) => review.replaceChildren(troubleOf(error));
      const past = await untilAnswered(() => fetchReview(run), isWanted, tellSilence);
      review.replaceChildren(reviewOf(past.match, { is_judged: true, ...past, seat }));
    } catch (error) {
      review.replaceChildren(make("p", { class: "notice bad" }, told(whyFailed(error))));
    }
  }
}

/**
 * @param {PastMatch} match
 * @returns {string} how it ended
 */
function resultWords({ result, score }) {
  const [mine, theirs] = score;
  const points = { mine, theirs };
  if (result === "won") return say("won {mine} : {theirs}", points);
  if (result === "lost") return say("lost {mine} : {theirs}", points);
  if (result === "drawn") return say("drawn {mine} : {theirs}", points);
  return say("not over");
}
