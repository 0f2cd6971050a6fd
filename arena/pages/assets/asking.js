// Questions to a server: the answer, or why there is none. A server that is silent is asked again.

import { make, toldSpan } from "./elements.js";
import { say } from "./words.js";

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30000;

/** Raised where something is not in the page; its words are the reader's. */
export class NotHere extends Error {}

/** Raised if a server does not answer. */
export class NoAnswer extends Error {
  constructor() {
    super(say("The server does not answer."));
  }
}

/**
 * The answer to a request, from JSON.
 *
 * @template T
 * @param {string} address
 * @returns {Promise<T>}
 * @throws {NoAnswer} if the server is silent; an error with its own sentence if it refuses.
 */
export async function fetched(address) {
  const answer = await orNoAnswer(fetch(address));
  const text = await orNoAnswer(answer.text());
  if (answer.ok) return JSON.parse(text);
  if (text.trim()) throw new Error(text);
  throw new Error(say("The server has no answer ({status}).", { status: answer.status }));
}

/**
 * What a request comes to; a lost connection is a TypeError of the browser.
 *
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function orNoAnswer(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof TypeError) throw new NoAnswer();
    throw error;
  }
}

/**
 * Ask until there is an answer. A server that is silent is asked again after a pause that grows,
 * and as soon as the reader looks at the page again.
 *
 * @template T
 * @param {() => T | Promise<T>} ask
 * @param {() => boolean} isWanted False once nobody waits for the answer.
 * @param {(error: NoAnswer) => void} tellSilence Called once, if the server is silent at first.
 * @returns {Promise<T>}
 * @throws {NoAnswer} if the answer is not wanted any more; else what `ask` raises.
 */
export async function untilAnswered(ask, isWanted, tellSilence) {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NoAnswer) || !isWanted()) throw error;
      if (pause === FIRST_PAUSE_MS) tellSilence(error);
      await restOrSeen(pause);
      if (!isWanted()) throw error;
    }
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/**
 * Wait so long, or until the page is seen again.
 *
 * @param {number} ms
 * @returns {Promise<void>}
 */
function restOrSeen(ms) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
      resolve();
    };
    const seen = () => {
      if (!document.hidden) end();
    };
    const timer = setTimeout(end, ms);
    document.addEventListener("visibilitychange", seen);
  });
}

/**
 * What went wrong, as a notice for the reader.
 *
 * @param {unknown} error
 */
export function troubleOf(error) {
  const isForReader = error instanceof NotHere || error instanceof NoAnswer;
  const reason = error instanceof Error ? error.message : String(error);
  const words = isForReader ? reason : toldSpan(reason);
  return make("p", { class: "notice bad", role: "alert" }, words);
}
