// A board as a picture file: with its styles written out, so that it looks the same elsewhere.

import { make } from "./elements.js";

const SHAPE_STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-linecap",
  "stroke-dasharray",
  "opacity",
];

const TEXT_STYLES = [
  ...SHAPE_STYLES,
  "paint-order",
  "stroke-linejoin",
  "font-size",
  "font-weight",
  "font-family",
];

/** Values that need not be written. */
const DEFAULTS = new Map([
  ["stroke", "none"],
  ["stroke-width", "1px"],
  ["stroke-linecap", "butt"],
  ["stroke-dasharray", "none"],
  ["paint-order", "normal"],
  ["stroke-linejoin", "miter"],
  ["opacity", "1"],
]);

/**
 * Return the text of an SVG file that looks like the drawing, on its own.
 *
 * @param {SVGSVGElement} picture a drawing that is on the page
 * @returns {string}
 */
export function standaloneSvg(picture) {
  const copy = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
  const shown = [picture, ...picture.querySelectorAll("*")];
  const copied = [copy, ...copy.querySelectorAll("*")];
  for (const [place, node] of shown.entries()) writeStyle(copied[place], getComputedStyle(node));
  const [, , width, height] = (picture.getAttribute("viewBox") ?? "").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

/**
 * Write a style into the attributes of an element, in place of its class.
 *
 * @param {Element} node
 * @param {CSSStyleDeclaration} style
 */
function writeStyle(node, style) {
  node.removeAttribute("class");
  if (style.display === "none") {
    node.setAttribute("display", "none");
    return;
  }
  if (["svg", "g"].includes(node.localName)) return;
  for (const name of node.localName === "text" ? TEXT_STYLES : SHAPE_STYLES) {
    const value = style.getPropertyValue(name);
    if (value !== DEFAULTS.get(name)) node.setAttribute(name, value);
  }
}

/**
 * Let the browser save what is at an address.
 *
 * @param {string} name of the file
 * @param {string} address
 */
export function download(name, address) {
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

/**
 * Return an address that holds the drawing itself.
 *
 * @param {SVGSVGElement} picture
 * @returns {string}
 */
export function svgAddress(picture) {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(picture))}`;
}

/**
 * Save the drawing at twice its size, which is sharp on paper and on fine screens.
 *
 * @param {SVGSVGElement} picture
 * @param {string} name of the file, without its ending
 * @returns {Promise<void>}
 */
export async function savePng(picture, name) {
  const image = new Image();
  image.src = svgAddress(picture);
  await image.decode();
  const canvas = make("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  download(`${name}.png`, canvas.toDataURL("image/png"));
}
