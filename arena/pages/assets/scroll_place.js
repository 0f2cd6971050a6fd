// Where the reader was on a page: each entry of the tab's history remembers it, so that going back
// returns there. The browser does not do it itself, since pages are drawn when their contents come.

const REST_MS = 300;
const SETTLED_MS = 1000;
const ACTS_OF_READER = ["wheel", "touchstart", "pointerdown", "keydown"];

export class ScrollPlace {
  /** @param {Element} view Everything that may still grow until the place is there. */
  constructor(view) {
    this.view = view;
    this.endReturn = () => {};
    this.isReturning = false;
    /** @type {number | undefined} */
    this.timer = undefined;
    history.scrollRestoration = "manual";
    window.addEventListener("scroll", () => this.moved(), { passive: true });
    window.addEventListener("pagehide", () => this.keep());
    document.addEventListener("click", () => this.keep(), { capture: true });
  }

  /** @returns {number | null} Where the reader was, if the address is one that was left before. */
  get known() {
    return history.state?.scrolled ?? null;
  }

  /** The page has moved under the reader: remember the place where it comes to rest. */
  moved() {
    if (this.isReturning) return;
    window.clearTimeout(this.timer);
    const { href } = location;
    this.timer = window.setTimeout(() => {
      if (location.href === href) this.keep();
    }, REST_MS);
  }

  keep() {
    if (this.isReturning) return;
    window.clearTimeout(this.timer);
    history.replaceState({ ...history.state, scrolled: Math.round(window.scrollY) }, "");
  }

  /** Whatever was remembered, another page is shown now. */
  leave() {
    window.clearTimeout(this.timer);
    this.endReturn();
  }

  /**
   * Go to a place, as soon as the page is long enough, and stay there while the page grows, until
   * the reader does something.
   *
   * @param {number} place
   */
  returnTo(place) {
    this.leave();
    this.isReturning = true;
    /** @type {number | undefined} */
    let settling;
    const scroll = () => {
      window.scrollTo({ top: place, behavior: "instant" });
      const isThere = Math.abs(window.scrollY - place) < 1;
      if (isThere) settling ??= window.setTimeout(this.endReturn, SETTLED_MS);
    };
    const sizes = new ResizeObserver(scroll);
    this.endReturn = () => {
      this.isReturning = false;
      window.clearTimeout(settling);
      sizes.disconnect();
      for (const act of ACTS_OF_READER) window.removeEventListener(act, this.endReturn, true);
    };
    for (const act of ACTS_OF_READER) window.addEventListener(act, this.endReturn, true);
    sizes.observe(this.view);
    scroll();
  }
}
