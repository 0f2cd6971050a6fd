// Strokes on a touch screen.

/** A stroke is at least this long, in pixels. */
const STROKE = 30;

/**
 * Follow strokes over an element: to the left goes on, to the right back.
 *
 * @param {HTMLElement} node
 * @param {(by: 1 | -1) => void} step
 */
export function followStrokes(node, step) {
  /** @type {PointerEvent | null} */
  let start = null;
  node.addEventListener("pointerdown", (event) => {
    start = event.pointerType === "mouse" ? null : event;
  });
  node.addEventListener("pointerup", (event) => {
    if (!start) return;
    const across = event.clientX - start.clientX;
    const down = event.clientY - start.clientY;
    start = null;
    const isStroke = Math.abs(across) > STROKE && Math.abs(across) > 2 * Math.abs(down);
    if (isStroke) step(across < 0 ? 1 : -1);
  });
}
