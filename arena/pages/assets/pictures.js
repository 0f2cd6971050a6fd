// A board as a picture file: with its styles written out, so that it looks the same elsewhere.

import { make } from "./elements.js";

const SHAPE_STYLES = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-linecap",
    "stroke-dasharray",
    "opacity",
  ],
  TEXT_STYLES = [
    ...SHAPE_STYLES,
    "paint-order",
    "stroke-linejoin",
    "font-size",
    "font-weight",
    "font-family",
  ];

const DEFAULTS = {
  stroke: "none",
  "stroke-width": "1px",
  "stroke-linecap": "butt",
  "stroke-dasharray": "none",
  "paint-order": "normal",
  "stroke-linejoin": "miter",
  opacity: "1",
};

/** The text of an SVG file that looks like the drawing, on its own. */
function standaloneSvg(picture) {
  const copy = picture.cloneNode(true);
  const [own, copied] = [
    [picture, ...picture.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  own.forEach((node, place) => {
    const style = getComputedStyle(node);
    if (style.display === "none") copied[place].setAttribute("display", "none");
    else if (!["svg", "g"].includes(node.localName)) {
      for (const name of node.localName === "text" ? TEXT_STYLES : SHAPE_STYLES) {
        const value = style.getPropertyValue(name);
        if (value !== DEFAULTS[name]) copied[place].setAttribute(name, value);
      }
    }
    copied[place].removeAttribute("class");
  });
  const [, , width, height] = picture.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

export function download(name, address) {
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

export function svgAddress(picture) {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(picture))}`;
}

/** Twice the size of the drawing, which is sharp on paper and on fine screens. */
export async function savePng(picture, name) {
  const image = new Image();
  image.src = svgAddress(picture);
  await image.decode();
  const canvas = make("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  download(`${name}.png`, canvas.toDataURL("image/png"));
}
