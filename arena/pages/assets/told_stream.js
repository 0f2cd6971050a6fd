// A stream of messages that is asked for by fetch, since an EventSource sends no headers: what it needs to know would stand in
// its address, and in logs.

const ASK_AGAIN_MS = 1000;

/** The messages that have come so far, and what is left: a message ends with an empty line. */
function messagesIn(text) {
  const blocks = text.split("\n\n"), left = blocks.pop();
  const fieldsOf = (block) => Object.fromEntries(block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]));
  return { messages: blocks.map(fieldsOf).filter(({ event }) => event), left };
}

/** What a request comes to; null if the connection is lost, or was let go. */
function orNull(promise) {
  return promise.catch((error) => {
    if (error instanceof TypeError || error.name === "AbortError") return null;
    throw error;
  });
}

class ToldStream {
  /** `heard(kind, content)` is called with each message, `lost()` when the connection is; it is asked for again after the last. */
  constructor(address, headers, heard, lost) {
    Object.assign(this, { address, headers, heard, lost });
    this.last = "";
    this.leaving = new AbortController();
    this.stay();
  }

  async stay() {
    const { signal } = this.leaving;
    while (!signal.aborted) {
      await this.read(signal);
      if (signal.aborted) return;
      this.lost();
      await rest(ASK_AGAIN_MS);
    }
  }

  /** One connection, to its end. */
  async read(signal) {
    const headers = this.last ? { ...this.headers, "last-event-id": this.last } : this.headers;
    const answer = await orNull(fetch(this.address, { headers, cache: "no-store", signal }));
    if (!answer?.ok) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", part; (part = await orNull(reader.read())) && !part.done;) {
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

  close() {
    this.leaving.abort();
  }
}
