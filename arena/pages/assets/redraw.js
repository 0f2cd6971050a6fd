// Drawing again: an element gets new children, and what is alike stays in its place, with its
// focus, its selection and its scroll.
//
// New nodes are compared with those that stand there. A node with a key stays for a new one with
// the same key; others stay for the next one of their kind. What stays gets the attributes, the
// handlers (`onclick` and so on) and the children of the new node. Listeners of `addEventListener`
// cannot be seen from outside: so something to be pressed or filled in stays only if it has a key,
// or if it looks the same.

import { make } from "./elements.js";

/** @import {Attributes, Child} from "./elements.js" */

/** @type {WeakMap<Node, string>} */
const KEYS = new WeakMap();

const NEEDS_KEY = new Set(["BUTTON", "A", "INPUT", "SELECT", "TEXTAREA"]);

/**
 * Give a node a key, by which it stays when its parent is drawn again.
 *
 * @template {Node} Keyed
 * @param {string} key alone among the children of a parent
 * @param {Keyed} node
 * @returns {Keyed}
 */
export function keyed(key, node) {
  KEYS.set(node, key);
  return node;
}

/**
 * Make a button with a key.
 *
 * @param {string} key
 * @param {Child} words
 * @param {() => void} act
 * @param {Attributes} [attributes]
 * @returns {HTMLButtonElement}
 */
export function keyedButton(key, words, act, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, words);
  button.onclick = act;
  return keyed(key, button);
}

/**
 * Return the button with a key among the children of an element.
 *
 * @param {Element} parent
 * @param {string} key
 * @returns {HTMLButtonElement | null}
 */
export function buttonOf(parent, key) {
  for (const child of parent.children) {
    if (KEYS.get(child) === key && child instanceof HTMLButtonElement) return child;
  }
  return null;
}

/**
 * Give an element these children. A node that already stands there is left as it is.
 *
 * @param {Element} parent
 * @param {...(Node | string)} children
 */
export function redraw(parent, ...children) {
  const wanted = children.map((child) =>
    typeof child === "string" ? document.createTextNode(child) : child,
  );
  const old = [...parent.childNodes].filter((node) => !wanted.includes(node));
  const nodes = wanted.map((node) => (node.parentNode === parent ? node : stayingOr(node, old)));
  for (const node of old) node.remove();
  nodes.forEach((node, place) => {
    const there = parent.childNodes[place] ?? null;
    if (there !== node) parent.insertBefore(node, there);
  });
}

/**
 * Return the old node that stays for a new one, made like it; else the new one.
 *
 * @param {Node} node
 * @param {ChildNode[]} old nodes that are left; the one that stays is taken out
 * @returns {Node}
 */
function stayingOr(node, old) {
  const place = old.findIndex((one) => isAlike(one, node));
  if (place < 0) return node;
  const [staying] = old.splice(place, 1);
  update(staying, node);
  return staying;
}

/**
 * @param {Node} old
 * @param {Node} node
 * @returns {boolean} true if the old node may stay for the new one
 */
function isAlike(old, node) {
  const key = KEYS.get(node);
  if (old.nodeName !== node.nodeName || KEYS.get(old) !== key) return false;
  return key !== undefined || !NEEDS_KEY.has(node.nodeName) || old.isEqualNode(node);
}

/**
 * @param {Node} old
 * @param {Node} node of the same kind
 */
function update(old, node) {
  if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
  if (!isElement(old) || !isElement(node)) return;
  updateAttributes(old, node);
  old.onclick = node.onclick;
  old.onchange = node.onchange;
  old.oninput = node.oninput;
  if (old instanceof HTMLInputElement && node instanceof HTMLInputElement) updateInput(old, node);
  redraw(old, ...node.childNodes);
}

/**
 * @param {Node} node
 * @returns {node is HTMLElement | SVGElement}
 */
function isElement(node) {
  return node instanceof HTMLElement || node instanceof SVGElement;
}

/**
 * @param {Element} old
 * @param {Element} node
 */
function updateAttributes(old, node) {
  for (const name of old.getAttributeNames()) {
    if (!node.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of node.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

/**
 * What a reader has chosen or written is a property, and no attribute.
 *
 * @param {HTMLInputElement} old
 * @param {HTMLInputElement} node
 */
function updateInput(old, node) {
  if (old.checked !== node.checked) old.checked = node.checked;
  if (old.value !== node.value) old.value = node.value;
}
