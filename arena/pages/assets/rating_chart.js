// The rating of a bot over time, with its error as a band; each version has a line of its own.

/** @import { RatedBot, RatingPoint } from "./contents.d.ts" */
/** @import { Child } from "./elements.js" */

import { draw, make, signed } from "./elements.js";
import { fixed, LANGUAGE, LOCALES, say } from "./words.js";

const SIZE = { height: 220, left: 48, right: 14, top: 16, bottom: 26 };
const WIDE = 720;
const WIDE_ON_A_PHONE = 380; // steeper

/** Elo; an uncertain beginning would flatten all that comes after it, where that is the longer part. */
const WIDEST_ERROR = 80;
const LEAST_SPAN = 100;
const DAY_MS = 86400000;

/**
 * The frame of a chart: what it shows of time and of ratings.
 *
 * @typedef {object} Frame
 * @property {number} from
 * @property {number} to
 * @property {number} low
 * @property {number} high
 */

/**
 * Return the frame in which points are shown: all of the time, and the ratings that are known.
 *
 * @param {readonly RatingPoint[]} course
 * @returns {Frame}
 */
export function frameOf(course) {
  const known = course.filter(
    ({ error }, place) => error <= WIDEST_ERROR || place === course.length - 1,
  );
  const shown = 2 * known.length > course.length ? known : course;
  let low = Math.min(...shown.map(({ elo, error }) => elo - error));
  let high = Math.max(...shown.map(({ elo, error }) => elo + error));
  const missing = (LEAST_SPAN - (high - low)) / 2;
  if (missing > 0) {
    low -= missing;
    high += missing;
  }
  const times = course.map((point) => point.at_ms);
  return { from: Math.min(...times), to: Math.max(...times), low, high };
}

/**
 * Return round numbers between two values: at most six, and at least two where there is room.
 *
 * @param {number} low
 * @param {number} high
 * @returns {number[]}
 */
export function levels(low, high) {
  const steps = [10, 20, 25, 50, 100, 200, 250, 500, 1000];
  const step = steps.find((size) => (high - low) / size <= 5) ?? 2000;
  const numbers = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step)
    numbers.push(value + 0); // no minus before a zero
  return numbers;
}

/**
 * Return the courses of the versions, the first version first.
 *
 * @param {readonly RatingPoint[]} course
 * @returns {Map<number, RatingPoint[]>}
 */
export function byVersion(course) {
  /** @type {Map<number, RatingPoint[]>} */
  const versions = new Map();
  for (const point of course) {
    const points = versions.get(point.version) ?? [];
    points.push(point);
    versions.set(point.version, points);
  }
  return new Map([...versions].sort(([one], [other]) => one - other));
}

/**
 * Draw the chart, or say when there will be one.
 *
 * @param {readonly RatingPoint[]} course
 * @param {Pick<RatedBot, "elo" | "error">} now The rating that is told beside the chart.
 * @returns {HTMLElement}
 */
export function ratingChart(course, now) {
  if (course.length < 2) {
    const words = say("The course of its rating is drawn here once it has played more matches.");
    return make("p", { class: "quiet" }, words);
  }
  const width = matchMedia("(max-width: 36rem)").matches ? WIDE_ON_A_PHONE : WIDE;
  const frame = frameOf(course);
  const { left, right, top, bottom, height } = SIZE;
  const span = frame.to - frame.from || 1;
  /** @param {number} at */
  const x = (at) => left + ((width - left - right) * (at - frame.from)) / span;
  /** @param {number} elo */
  const y = (elo) => {
    const part = (frame.high - elo) / (frame.high - frame.low);
    return top + (height - top - bottom) * part;
  };
  const versions = byVersion(course);
  const inside = { x: 0, y: top, width, height: height - top - bottom };
  const cut = { ...inside, viewBox: `0 ${top} ${width} ${inside.height}` };
  const picture = draw(
    "svg",
    {
      class: "rating-chart",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": chartWords(course, now),
    },
    levels(frame.low, frame.high).map((elo) => levelLine(elo, y(elo), width)),
    datesOf(frame, width).map((at, place, dates) =>
      dateText(at, x(at), span, anchorOf(place, dates)),
    ),
    draw(
      "svg",
      cut,
      [...versions.values()].map((points) => courseOf(points, x, y)),
    ),
    versions.size > 1
      ? [...versions].map(([version, [first]]) => versionMark(version, x(first.at_ms)))
      : null,
  );
  const words = say("The band is the standard error.");
  return make(
    "figure",
    { class: "rating-figure" },
    picture,
    make("figcaption", { class: "quiet" }, words),
  );
}

/**
 * @param {number} elo
 * @param {number} y
 * @param {number} width
 */
function levelLine(elo, y, width) {
  return draw(
    "g",
    {},
    draw("line", { class: "level", x1: SIZE.left, x2: width - SIZE.right, y1: y, y2: y }),
    draw("text", { x: SIZE.left - 6, y: y + 4, "text-anchor": "end" }, signed(elo, 0)),
  );
}

/**
 * Return some times that are written below the chart, as many as it has room for.
 *
 * @param {Frame} frame
 * @param {number} width
 * @returns {number[]}
 */
function datesOf({ from, to }, width) {
  if (from === to) return [from];
  const count = width > WIDE_ON_A_PHONE ? 5 : 3;
  return Array.from({ length: count }, (_, place) => from + ((to - from) * place) / (count - 1));
}

/**
 * The part of a text that stands at its place: the first and the last one end with the chart.
 *
 * @param {number} place
 * @param {readonly number[]} dates
 */
function anchorOf(place, dates) {
  if (place === 0) return "start";
  return place === dates.length - 1 ? "end" : "middle";
}

/**
 * @param {number} at
 * @param {number} x
 * @param {number} span of the whole chart, in milliseconds
 * @param {string} anchor
 */
function dateText(at, x, span, anchor) {
  /** @type {Intl.DateTimeFormatOptions} */
  const form =
    span > 2 * DAY_MS ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" };
  const text = new Intl.DateTimeFormat(LOCALES[LANGUAGE], form).format(at);
  return draw("text", { x, y: SIZE.height - 6, "text-anchor": anchor }, text);
}

/**
 * A version: its band and its line.
 *
 * @param {RatingPoint[]} points
 * @param {(at: number) => number} x
 * @param {(elo: number) => number} y
 * @returns {Child[]}
 */
function courseOf(points, x, y) {
  /** @param {number} sign */
  const edge = (sign) =>
    points.map(({ at_ms, elo, error }) => spot(x(at_ms), y(elo + sign * error)));
  const line = points.map(({ at_ms, elo }) => spot(x(at_ms), y(elo)));
  const band = [...edge(1), ...edge(-1).reverse()];
  const last = points[points.length - 1];
  return [
    draw("path", { class: "area", d: `M${band.join("L")}Z` }),
    draw("path", { class: "course", d: `M${line.join("L")}` }),
    draw("circle", { class: "dot", cx: x(last.at_ms), cy: y(last.elo), r: 3 }),
  ];
}

/**
 * @param {number} version
 * @param {number} x
 */
function versionMark(version, x) {
  const { top, bottom, height } = SIZE;
  return [
    draw("line", { class: "version-line", x1: x, x2: x, y1: top, y2: height - bottom }),
    draw("text", { class: "version-name", x: x + 3, y: top - 4 }, String(version)),
  ];
}

/**
 * @param {number} x
 * @param {number} y
 */
function spot(x, y) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/**
 * The chart in words.
 *
 * @param {readonly RatingPoint[]} course
 * @param {Pick<RatedBot, "elo" | "error">} now
 */
function chartWords(course, now) {
  const [first] = course;
  const values = course.map(({ elo }) => elo);
  return say(
    "The rating over time: {first} at first, at most {most}, at least {least}, {last} ± {error} now",
    {
      first: signed(first.elo, 0),
      most: signed(Math.max(...values), 0),
      least: signed(Math.min(...values), 0),
      last: signed(now.elo, 0),
      error: fixed(now.error, 0),
    },
  );
}
