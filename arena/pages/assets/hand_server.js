// Requests of the page of playing by hand. The seat stands in the link after the #, and is sent as
// a header, so that it gets into no log.

import { orNoAnswer } from "./asking.js";
import { LiveStream } from "./live_stream.js";
import { say } from "./words.js";

/** @import {PageState, PastMatch, PastReview, RunPage, Said} from "./contents.d.ts" */
/** @import {Choice, Deed, DeedFields} from "./hand_types.d.ts" */
/** @import {MatchInReview} from "./review.js" */

/** The token of the seat; empty if the link was cut off. */
export const SEAT = location.hash.slice(1);

const HEADERS = { "x-seat": SEAT };

/** Names the tab: one has the board, the last that was opened. */
const TAB = [...crypto.getRandomValues(new Uint8Array(8))]
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("");

/** Raised for what the server refuses; a proxy in between says something in text. */
export class Refusal extends Error {
  /**
   * @param {Said | string} said
   * @param {string} [clause]
   */
  constructor(said, clause = "") {
    super(String(said));
    this.said = said;
    this.clause = clause;
  }
}

/**
 * @param {Response} answer
 * @returns {Promise<Refusal>} what the server refused, and why
 */
async function refusalIn(answer) {
  const text = await answer.text();
  const type = answer.headers.get("content-type") ?? "";
  if (!type.startsWith("application/json")) return new Refusal(text.trim());
  const { refused, clause } = JSON.parse(text);
  return new Refusal(refused, clause);
}

/**
 * Return why a request failed, in the words of the arena.
 *
 * @param {unknown} error
 * @returns {Said | string}
 */
export function whyFailed(error) {
  if (error instanceof Refusal) return error.said;
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {string} address
 * @returns {Promise<Response>}
 * @throws {Refusal} if the server refuses; a NoAnswer if it is silent
 */
async function fetched(address) {
  const answer = await orNoAnswer(fetch(address, { headers: HEADERS }));
  if (!answer.ok) throw await refusalIn(answer);
  return answer;
}

/** @returns {Promise<Choice>} */
export async function fetchChoice() {
  return (await fetched("api/choice")).json();
}

/** @returns {Promise<string>} the record of the match that is over */
export async function fetchRecord() {
  return (await fetched("api/record")).text();
}

/** @returns {Promise<MatchInReview>} */
export async function fetchMatch() {
  return (await fetched("api/match")).json();
}

/** @returns {Promise<PastMatch[]>} the latest matches of the person */
export async function fetchPast() {
  return (await fetched("api/past")).json();
}

/**
 * @param {string} run of a match of before
 * @returns {Promise<PastReview>}
 */
export async function fetchReview(run) {
  return (await fetched(`api/review?${new URLSearchParams({ run })}`)).json();
}

/** @returns {Promise<RunPage>} */
export async function fetchStandings() {
  return (await fetched("api/standings")).json();
}

/**
 * Ask the server for something.
 *
 * @param {Deed} deed
 * @param {DeedFields} fields
 * @returns {Promise<unknown>} what it found
 * @throws {Refusal} if it refuses, or does not answer
 */
export async function askServer(deed, fields) {
  const request = {
    method: "POST",
    headers: { "content-type": "application/json", ...HEADERS },
    body: JSON.stringify({ do: deed, tab: TAB, ...fields }),
  };
  try {
    const answer = await fetch("api/act", request);
    if (!answer.ok) throw await refusalIn(answer);
    return (await answer.json()).found;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(say("The server does not answer."));
  }
}

/**
 * A message of the stream: a state, or that another tab has taken over the seat.
 *
 * @typedef {[kind: "state", state: PageState] | [kind: "taken", nothing: unknown]} SeatMessage
 */

/**
 * Listen to the states of the page.
 *
 * @param {(state: PageState) => void} heard
 * @param {() => void} taken called if another tab has taken over the seat
 * @returns {LiveStream<SeatMessage>}
 */
export function listen(heard, taken) {
  /** @type {(...message: SeatMessage) => void} */
  const hear = (...message) => {
    if (message[0] === "state") heard(message[1]);
    else if (message[0] === "taken") taken();
  };
  return new LiveStream(`events?tab=${TAB}`, hear, { headers: HEADERS, isKept: true });
}
