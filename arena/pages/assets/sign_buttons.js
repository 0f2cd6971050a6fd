// Buttons with drawn signs.

import { draw, pressed } from "./elements.js";

/** Signs of the buttons, drawn, since not every system has them in its type. */
const SIGNS = {
  first: "M5 4v16M19 4L8 12l11 8z",
  back: "M16 4l-8 8 8 8 2-2-6-6 6-6z",
  play: "M7 4l12 8-12 8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  forward: "M8 4l8 8-8 8-2-2 6-6-6-6z",
  last: "M19 4v16M5 4l11 8-11 8z",
  flip: "M7 4v14m0 0l-4-4m4 4l4-4M17 20V6m0 0l-4 4m4-4l4 4",
  arrows: "M4 19L18 5M18 5h-9M18 5v9",
};

/**
 * @param {keyof typeof SIGNS} name
 * @returns {SVGSVGElement}
 */
export function sign(name) {
  return draw(
    "svg",
    { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true" },
    draw("path", { d: SIGNS[name] }),
  );
}

/**
 * @param {string} words
 * @param {keyof typeof SIGNS} name
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
export function signButton(words, name, act) {
  return pressed(sign(name), act, { "aria-label": words, title: words });
}

/**
 * @param {string} words
 * @param {keyof typeof SIGNS} name
 * @param {boolean} isOn
 * @param {() => boolean} act changes what is switched, and returns whether it is on now
 * @returns {HTMLButtonElement}
 */
export function signToggle(words, name, isOn, act) {
  const node = signButton(words, name, () => setPressed(node, act()));
  setPressed(node, isOn);
  return node;
}

/**
 * @param {HTMLButtonElement} button
 * @param {boolean} isOn
 */
export function setPressed(button, isOn) {
  button.setAttribute("aria-pressed", String(isOn));
}
