// A stream of messages that is asked for by fetch, since an EventSource sends no headers: what the
// server needs to know would stand in its address, and in logs. When the connection is lost it is
// asked for again, after the last message. A page that is not seen lets go of its stream after a
// while, since browsers allow only few connections to one server.

import { showConnection } from "./page_head.js";
import { rest } from "./timing.js";
import { say } from "./words.js";

const UNSEEN_MS = 20000;
const ASK_AGAIN_MS = 1000;
const LOST_MS = 300;

/**
 * @typedef {object} Message A message of the stream: its fields, as they are sent.
 * @property {string} event
 * @property {string} [id]
 * @property {string} data JSON.
 */

/**
 * The messages that have come so far, and the beginning of the next: a message ends with an empty
 * line. Blocks without an event only keep the connection open.
 *
 * @param {string} text
 * @returns {{ messages: Message[], unfinished: string }}
 */
export function messagesIn(text) {
  const blocks = text.split("\n\n");
  const unfinished = blocks.pop() ?? "";
  const messages = [];
  for (const block of blocks) {
    const { event, id, data } = fieldsOf(block);
    if (event) messages.push({ event, id, data });
  }
  return { messages, unfinished };
}

/**
 * @param {string} block
 * @returns {Record<string, string>}
 */
function fieldsOf(block) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of block.split("\n")) {
    const [name] = line.split(": ", 1);
    fields[name] = line.slice(line.indexOf(": ") + 2);
  }
  return fields;
}

/**
 * What a request comes to; null if the connection is lost, or was let go.
 *
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T | null>}
 */
async function orNull(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof TypeError) return null;
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

/** @template {[kind: string, content: unknown]} M The messages that the stream brings. */
export class LiveStream {
  /**
   * @param {string} address
   * @param {(...message: M) => void} heard Called with each message.
   * @param {object} [options]
   * @param {string} [options.last] The id after which the stream goes on.
   * @param {Record<string, string>} [options.headers]
   * @param {boolean} [options.isKept] True if it stays while the page is not seen.
   */
  constructor(address, heard, { last = "", headers = {}, isKept = false } = {}) {
    this.address = address;
    this.heard = heard;
    this.last = last;
    this.headers = headers;
    /** @type {AbortController | null} */
    this.leaving = null;
    /** @type {number | undefined} */
    this.unseenTimer = undefined;
    /** @type {number | undefined} */
    this.lostTimer = undefined;
    this.seen = () => {
      window.clearTimeout(this.unseenTimer);
      if (!document.hidden) this.open();
      else if (!isKept) this.unseenTimer = window.setTimeout(() => this.let(), UNSEEN_MS);
    };
    document.addEventListener("visibilitychange", this.seen);
    this.open();
  }

  open() {
    if (this.leaving) return;
    this.leaving = new AbortController();
    this.stay(this.leaving.signal);
  }

  /**
   * Read the stream, and ask for it again whenever it ends, until the signal.
   *
   * @param {AbortSignal} signal
   */
  async stay(signal) {
    while (!signal.aborted) {
      await this.read(signal);
      if (signal.aborted) return;
      this.lostTimer ??= window.setTimeout(
        () => showConnection(say("The connection is lost; trying again …")),
        LOST_MS,
      );
      await rest(ASK_AGAIN_MS);
    }
  }

  /**
   * Read the stream to its end, or to the signal.
   *
   * @param {AbortSignal} signal
   */
  async read(signal) {
    const headers = { ...this.headers };
    if (this.last) headers["last-event-id"] = this.last;
    const answer = await orNull(fetch(this.address, { headers, cache: "no-store", signal }));
    if (!answer?.ok || !answer.body) return;
    this.found();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const part = await orNull(reader.read());
      if (!part || part.done) return;
      const { messages, unfinished } = messagesIn(text + part.value);
      text = unfinished;
      for (const message of messages) {
        this.tell(message);
        if (signal.aborted) return;
      }
    }
  }

  /** @param {Message} message */
  tell({ event, id, data }) {
    this.last = id ?? this.last;
    try {
      this.heard(.../** @type {M} */ ([event, JSON.parse(data)]));
    } catch (error) {
      reportError(error); // what cannot be shown does not end the stream
    }
  }

  found() {
    window.clearTimeout(this.lostTimer);
    this.lostTimer = undefined;
    showConnection("");
  }

  /** Let go of the connection, and remember where it was. */
  let() {
    this.leaving?.abort();
    this.leaving = null;
  }

  close() {
    document.removeEventListener("visibilitychange", this.seen);
    window.clearTimeout(this.unseenTimer);
    this.let();
    this.found();
  }
}
