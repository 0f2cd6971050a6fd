// A stream of messages that is asked for by fetch, since an EventSource sends no headers: what the server needs to know would
// stand in its address, and in logs. When the connection is lost it is asked for again, after the last message. A page that is
// not seen lets go of its stream after a while, since browsers allow only few connections to one server.

import { showConnection } from "./page_head.js";
import { rest } from "./timing.js";
import { say } from "./words.js";

const UNSEEN_MS = 20000,
  ASK_AGAIN_MS = 1000,
  LOST_MS = 300;

/** The messages that have come so far, and what is left: a message ends with an empty line. */
function messagesIn(text) {
  const blocks = text.split("\n\n"),
    left = blocks.pop();
  const fieldsOf = (block) =>
    Object.fromEntries(
      block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]),
    );
  return { messages: blocks.map(fieldsOf).filter(({ event }) => event), left };
}

/** What a request comes to; null if the connection is lost, or was let go. */
function orNull(promise) {
  return promise.catch((error) => {
    if (error instanceof TypeError || error.name === "AbortError") return null;
    throw error;
  });
}

export class LiveStream {
  /**
   * `heard(kind, content)` is called with each message; `last` is the id after which the stream goes on. One that `isKept`
   * stays while the page is not seen.
   */
  constructor(address, heard, { last = "", headers = {}, isKept = false } = {}) {
    Object.assign(this, { address, heard, last, headers });
    this.leaving = null;
    this.timers = {};
    this.seen = () => {
      clearTimeout(this.timers.unseen);
      if (!document.hidden) this.open();
      else if (!isKept) this.timers.unseen = setTimeout(() => this.let(), UNSEEN_MS);
    };
    document.addEventListener("visibilitychange", this.seen);
    this.open();
  }

  open() {
    if (this.leaving) return;
    this.leaving = new AbortController();
    this.stay(this.leaving.signal);
  }

  async stay(signal) {
    while (!signal.aborted) {
      await this.read(signal);
      if (signal.aborted) return;
      this.timers.lost ??= setTimeout(
        () => showConnection(say("The connection is lost; trying again …")),
        LOST_MS,
      );
      await rest(ASK_AGAIN_MS);
    }
  }

  async read(signal) {
    const headers = this.last ? { ...this.headers, "last-event-id": this.last } : this.headers;
    const answer = await orNull(fetch(this.address, { headers, cache: "no-store", signal }));
    if (!answer?.ok) return;
    this.found();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", part; (part = await orNull(reader.read())) && !part.done; ) {
      const { messages, left } = messagesIn(text + part.value);
      text = left;
      for (const { event, id, data } of messages) {
        this.last = id ?? this.last;
        try {
          this.heard(event, JSON.parse(data));
        } catch (error) {
          reportError(error); // what cannot be shown does not end the stream
        }
        if (signal.aborted) return;
      }
    }
  }

  found() {
    clearTimeout(this.timers.lost);
    delete this.timers.lost;
    showConnection("");
  }

  /** Let go of the connection, and remember where it was. */
  let() {
    this.leaving?.abort();
    this.leaving = null;
  }

  close() {
    document.removeEventListener("visibilitychange", this.seen);
    clearTimeout(this.timers.unseen);
    this.let();
    this.found();
  }
}
