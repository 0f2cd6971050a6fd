// The end of a match: what it shows, and the review, which comes bit by bit.

import { troubleOf, untilAnswered } from "./asking.js";
import { diceCheck } from "./dice_check.js";
import { make } from "./elements.js";
import { matchOverPanel } from "./hand_around.js";
import { fetchMatch, fetchRecord, whyFailed } from "./hand_server.js";
import { reviewOf } from "./review.js";
import { told } from "./words.js";

/** @import {MatchOver} from "./contents.d.ts" */
/** @import {Ask, HandState} from "./hand_types.d.ts" */

export class MatchEnd {
  /** @param {Ask} act */
  constructor(act) {
    this.act = act;
    this.dice = diceCheck(fetchRecord);
    this.review = make("div");
    /** The match of the dice check, and which judgement of it the review has. */
    this.checked = "";
    this.reviewed = "";
  }

  /**
   * @param {HandState} state
   * @param {MatchOver} over
   * @returns {HTMLElement}
   */
  panel(state, over) {
    const { match } = state;
    if (this.checked !== match) this.dice = diceCheck(fetchRecord);
    this.checked = match;
    this.review = make("div");
    this.reviewed = "";
    return matchOverPanel(state, over, this.act, this.dice, this.review);
  }

  /**
   * Show the match once more, turn by turn, with what the evaluator says of it so far.
   *
   * @param {HandState} state
   * @param {MatchOver} over
   */
  async showReview(state, over) {
    const judgement = `${state.match} ${over.is_judged}`;
    if (!over.is_settled || this.reviewed === judgement) return;
    this.reviewed = judgement;
    const parts = await this.reviewParts(state, over);
    if (this.reviewed === judgement) this.review.replaceChildren(parts);
  }

  /**
   * @param {HandState} state
   * @param {MatchOver} over
   * @returns {Promise<HTMLElement>}
   */
  async reviewParts({ table }, over) {
    try {
      const isWanted = () => this.review.isConnected;
      const tellSilence = (/** @type {Error} */ error) =>
        this.review.replaceChildren(troubleOf(error));
      const match = await untilAnswered(fetchMatch, isWanted, tellSilence);
      return reviewOf(match, { ...over, seat: table?.seat ?? 1 });
    } catch (error) {
      return make("p", { class: "notice bad" }, told(whyFailed(error)));
    }
  }
}
