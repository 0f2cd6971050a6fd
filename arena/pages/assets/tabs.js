// Panels of a page that stand below or beside each other on a wide screen, and behind tabs on a
// narrow one.

/** @import { Child } from "./elements.js" */

import { make, pressed } from "./elements.js";
import { say } from "./words.js";

/**
 * @typedef {object} Panel
 * @property {string} id Of the section that it begins with; the address names it.
 * @property {string} title
 * @property {HTMLElement} node
 */

/** From here on everything is in sight (report.css has the same width). */
const WIDE = "(min-width: 68.75em)";

/**
 * @param {string} id
 * @param {string} title
 * @param {...Child} parts
 * @returns {Panel}
 */
export function pagePanel(id, title, ...parts) {
  return { id, title, node: make("div", { class: "panel-of-page" }, parts) };
}

/**
 * The parts of a page that is followed: its first panel, and beside it who leads; on a narrow screen
 * tabs.
 *
 * @param {HTMLElement} intro
 * @param {HTMLElement | undefined} leaders
 * @param {Tabs} tabs
 * @returns {HTMLElement[]}
 */
export function besideEachOther(intro, leaders, { list, panels }) {
  const [first, ...others] = panels.map(({ node }) => node);
  if (!leaders) return [intro, list, first, ...others];
  return [make("div", { class: "followed" }, intro, leaders, list, first), ...others];
}

/**
 * The head of a page, with links to its sections.
 *
 * @param {HTMLElement} head
 * @param {{ id: string, title: string }[]} sections
 */
export function introOf(head, sections) {
  const links = sections.map(({ id, title }) =>
    make("li", {}, make("a", { href: `#${id}` }, title)),
  );
  const navigation = make("nav", { "aria-label": say("Sections") }, make("ul", {}, links));
  return make("div", { class: "intro" }, head, navigation);
}

export class Tabs {
  /**
   * @param {string} label
   * @param {Panel[]} panels
   * @param {(id: string) => void} chosen Hears which panel the reader chooses.
   * @param {boolean} [isAlways] True if there are tabs on a wide screen, too.
   */
  constructor(label, panels, chosen, isAlways = false) {
    this.panels = panels;
    this.chosen = chosen;
    this.selected = panels[0].id;
    this.buttons = panels.map((panel) => this.button(panel));
    this.list = make("div", { class: "tabs", role: "tablist", "aria-label": label }, this.buttons);
    this.list.addEventListener("keydown", (event) => this.key(event));
    for (const { id, node } of panels) node.id = `panel-${id}`;
    this.width = matchMedia(isAlways ? "not all" : WIDE);
    this.listener = () => this.show();
    this.width.addEventListener("change", this.listener);
    this.show();
  }

  /** @param {Panel} panel */
  button({ id, title }) {
    const attributes = { id: `tab-${id}`, role: "tab", "aria-controls": `panel-${id}` };
    return pressed(title, () => this.choose(id), attributes);
  }

  show() {
    const isWide = this.width.matches;
    this.list.hidden = isWide || this.panels.length < 2;
    for (const [place, panel] of this.panels.entries()) {
      const isSelected = panel.id === this.selected;
      const button = this.buttons[place];
      button.setAttribute("aria-selected", String(isSelected));
      button.tabIndex = isSelected ? 0 : -1;
      panel.node.hidden = !isWide && !isSelected;
      this.tellRole(panel);
    }
  }

  /**
   * A panel is one only while there are tabs.
   *
   * @param {Panel} panel
   */
  tellRole({ id, node }) {
    if (this.list.hidden) {
      node.removeAttribute("role");
      node.removeAttribute("aria-labelledby");
    } else {
      node.setAttribute("role", "tabpanel");
      node.setAttribute("aria-labelledby", `tab-${id}`);
    }
  }

  /**
   * The reader chooses a panel. It begins below the tabs, which stay in sight.
   *
   * @param {string} id
   */
  choose(id) {
    const isBelowTop = this.list.getBoundingClientRect().top <= 0;
    this.selected = id;
    this.show();
    this.chosen(id);
    if (isBelowTop) this.panelOf(id)?.node.scrollIntoView({ behavior: "instant" });
  }

  /**
   * Show the panel that an element is in.
   *
   * @param {Element} element
   */
  reveal(element) {
    const panel = this.panels.find(({ node }) => node.contains(element));
    if (!panel) return;
    this.selected = panel.id;
    this.show();
  }

  /**
   * A panel is empty from now on.
   *
   * @param {string} id
   */
  remove(id) {
    const place = this.panels.findIndex((panel) => panel.id === id);
    if (place < 0) return;
    const [panel] = this.panels.splice(place, 1);
    const [button] = this.buttons.splice(place, 1);
    panel.node.remove();
    button.remove();
    if (this.selected === id) this.selected = this.panels[0].id;
    this.show();
  }

  /**
   * @param {string} id
   * @param {string} title
   */
  rename(id, title) {
    const place = this.panels.findIndex((panel) => panel.id === id);
    this.buttons[place].textContent = title;
  }

  /** @param {string} id */
  panelOf(id) {
    return this.panels.find((panel) => panel.id === id);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { length } = this.panels;
    const at = this.panels.findIndex(({ id }) => id === this.selected);
    const places = new Map([
      ["ArrowLeft", (at + length - 1) % length],
      ["ArrowRight", (at + 1) % length],
      ["Home", 0],
      ["End", length - 1],
    ]);
    const place = places.get(event.key);
    if (place === undefined) return;
    event.preventDefault();
    this.choose(this.panels[place].id);
    this.buttons[place].focus();
  }

  close() {
    this.width.removeEventListener("change", this.listener);
  }
}
