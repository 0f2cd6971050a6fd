// A stream of changes. The browser connects again by itself; a page that is not seen lets go of its stream after a while,
// since browsers allow only few connections to one server, and goes on where it was when it is seen again.

const UNSEEN_MS = 20000, AGAIN_MS = 4000, LOST_MS = 1500;

class LiveStream {
  /** `heard` is called with the kind of each message and its content; `last` is the id after which the stream goes on. */
  constructor(address, kinds, heard, last = "") {
    Object.assign(this, { address, kinds, heard, last });
    this.source = null;
    this.timers = {};
    this.seen = () => {
      clearTimeout(this.timers.unseen);
      if (document.hidden) this.timers.unseen = setTimeout(() => this.let(), UNSEEN_MS);
      else if (this.source === null) this.open();
    };
    document.addEventListener("visibilitychange", this.seen);
    this.open();
  }

  open() {
    clearTimeout(this.timers.again);
    const source = new EventSource(this.last ? `${this.address}?after=${encodeURIComponent(this.last)}` : this.address);
    this.source = source;
    for (const kind of this.kinds) {
      source.addEventListener(kind, (message) => {
        if (this.source !== source) return;
        if (message.lastEventId) this.last = message.lastEventId;
        this.heard(kind, JSON.parse(message.data));
      });
    }
    source.onopen = () => {
      clearTimeout(this.timers.lost);
      showConnection("");
    };
    source.onerror = () => {
      if (this.source !== source) return;
      clearTimeout(this.timers.lost);
      this.timers.lost = setTimeout(() => showConnection(say("The connection is lost; trying again …")), LOST_MS);
      if (source.readyState !== EventSource.CLOSED) return;
      this.let();
      this.timers.again = setTimeout(() => this.open(), AGAIN_MS);
    };
  }

  /** Let go of the connection, and remember where it was. */
  let() {
    this.source?.close();
    this.source = null;
  }

  close() {
    document.removeEventListener("visibilitychange", this.seen);
    Object.values(this.timers).forEach(clearTimeout);
    this.let();
    showConnection("");
  }
}
