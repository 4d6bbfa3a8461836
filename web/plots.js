// Plots: small pictures of numbers, with the numbers in words.

import { el, svg } from "./dom.js";

const WIDTH = 360;
const HEIGHT = 150;
const LEFT = 38;
const BOTTOM = 22;
const TOP = 8;
const RIGHT = 10;

/** @param {number} n */
const short = (n) => (Math.abs(n) >= 1e6 ? `${+(n / 1e6).toPrecision(3)}M` : Math.abs(n) >= 1e4 ? `${+(n / 1e3).toPrecision(3)}k` : String(+n.toPrecision(3)));

/** Round numbers from one to another, about so many. @param {number} from @param {number} to @param {number} count */
function ticks(from, to, count) {
  const rough = Math.max((to - from) / count, 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough) ?? rough;
  const marks = [];
  for (let at = Math.ceil(from / step) * step; at <= to + step / 1e6; at += step) marks.push(+at.toPrecision(12));
  return marks;
}

/**
 * A picture with axes. `x` and `y` of the answer place numbers in it.
 * @param {[number, number]} xs @param {[number, number]} ys @param {string} label
 */
function axes(xs, ys, label) {
  const spread = (/** @type {[number, number]} */ [from, to]) => (to > from ? to - from : 1);
  const x = (/** @type {number} */ n) => +(LEFT + ((n - xs[0]) / spread(xs)) * (WIDTH - LEFT - RIGHT)).toFixed(2);
  const y = (/** @type {number} */ n) => +(HEIGHT - BOTTOM - ((n - ys[0]) / spread(ys)) * (HEIGHT - BOTTOM - TOP)).toFixed(2);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "plot" });
  for (const tick of ticks(ys[0], ys[1], 4)) {
    picture.append(svg("path", { d: `M${LEFT} ${y(tick)}H${WIDTH - RIGHT}`, class: "axis" }), svg("text", { x: LEFT - 5, y: y(tick) + 4, "text-anchor": "end" }, short(tick)));
  }
  for (const tick of ticks(xs[0], xs[1], 6)) picture.append(svg("text", { x: x(tick), y: HEIGHT - 6, "text-anchor": "middle" }, short(tick)));
  return { picture, x, y };
}

/** @param {SVGElement} picture @param {string} caption */
const figure = (picture, caption) => el("figure", {}, picture, el("figcaption", {}, caption));

/** @param {{x: (n: number) => number, y: (n: number) => number}} place @param {[number, number][]} points */
const path = (place, points) => points.map(([a, b], n) => `${n ? "L" : "M"}${place.x(a)} ${place.y(b)}`).join("");

/**
 * How often numbers fall between others.
 * @param {{from: number, to: number, games: number}[]} bars @param {string} caption
 */
export function histogram(bars, caption) {
  if (!bars.length) return el("p", {}, caption);
  const most = Math.max(...bars.map((bar) => bar.games));
  const place = axes([bars[0].from, bars[bars.length - 1].to + 1], [0, most], caption);
  for (const { from, to, games } of bars) {
    if (!games) continue;
    const left = place.x(from);
    const width = Math.max(1, place.x(to + 1) - left - 1);
    const title = svg("title", {}, `${from === to ? from : `${from} to ${to}`}: ${games}`);
    place.picture.append(svg("rect", { x: left, y: place.y(games), width, height: HEIGHT - BOTTOM - place.y(games), class: "plot-bar" }, title));
  }
  return figure(place.picture, caption);
}

/**
 * A mean with the range around it.
 * @param {{x: number, low: number, mean: number, high: number}[]} points @param {string} caption
 */
export function band(points, caption) {
  if (points.length < 2) return el("p", {}, caption);
  const place = axes([points[0].x, points[points.length - 1].x], [0, Math.max(...points.map((p) => p.high))], caption);
  const high = points.map((p) => /** @type {[number, number]} */ ([p.x, p.high]));
  const low = points.map((p) => /** @type {[number, number]} */ ([p.x, p.low])).reverse();
  place.picture.append(
    svg("path", { d: `${path(place, [...high, ...low])}Z`, class: "plot-band" }),
    svg("path", { d: path(place, points.map((p) => [p.x, p.mean])), class: "curve" }));
  return figure(place.picture, caption);
}

/**
 * Estimates with their intervals, one below the other. Bounds that are infinite are `null`.
 * @param {{name: string, low: number | null, value: number | null, high: number | null}[]} rows @param {string} caption
 */
export function intervals(rows, caption) {
  const known = rows.flatMap((row) => [row.low, row.value, row.high]).filter((n) => n !== null && Number.isFinite(n)).map(Number);
  const [from, to] = [Math.min(0, ...known), Math.max(0, ...known)];
  const room = (to - from || 1) * 0.06;
  const height = 26 * rows.length + BOTTOM + TOP;
  const left = 112;
  const x = (/** @type {number} */ n) => +(left + ((n - from + room) / (to - from + 2 * room || 1)) * (WIDTH - left - RIGHT)).toFixed(2);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": caption, class: "plot" });
  for (const tick of ticks(from, to, 5)) {
    picture.append(svg("path", { d: `M${x(tick)} ${TOP}V${height - BOTTOM}`, class: tick === 0 ? "now" : "axis" }), svg("text", { x: x(tick), y: height - 6, "text-anchor": "middle" }, short(tick)));
  }
  rows.forEach(({ name, low, value, high }, n) => {
    const y = TOP + 26 * n + 14;
    picture.append(svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, name.length > 16 ? `${name.slice(0, 15)}…` : name));
    picture.append(svg("path", { d: `M${low === null ? left : x(low)} ${y}H${high === null ? WIDTH - RIGHT : x(high)}`, class: "plot-interval" }));
    if (value !== null) picture.append(svg("circle", { cx: x(value), cy: y, r: 4, class: "point" }, svg("title", {}, `${name}: ${value.toFixed(1)}`)));
  });
  return figure(picture, caption);
}

/**
 * A curve between two bounds.
 * @param {[number, number][]} points @param {number} lower @param {number} upper @param {string} caption
 */
export function walk(points, lower, upper, caption) {
  const ys = points.map((point) => point[1]);
  const place = axes([0, Math.max(10, points[points.length - 1]?.[0] ?? 0)], [Math.min(lower, ...ys) - 0.3, Math.max(upper, ...ys) + 0.3], caption);
  for (const [bound, name] of /** @type {const} */ ([[lower, "loss"], [upper, "win"]])) {
    place.picture.append(svg("path", { d: `M${LEFT} ${place.y(bound)}H${WIDTH - RIGHT}`, class: `plot-bound is-${name}` }));
  }
  place.picture.append(svg("path", { d: path(place, [[0, 0], ...points]), class: "curve" }));
  return figure(place.picture, caption);
}

/**
 * Shares of a whole in a bar: won, drawn, lost.
 * @param {number[]} counts @param {string} label
 */
export function shares(counts, label) {
  const bar = el("div", { class: "bar", role: "img", "aria-label": label, title: label });
  ["win", "draw", "loss"].forEach((kind, n) => {
    const part = el("span", { class: `bar-${kind}` });
    part.style.flexGrow = String(counts[n]);
    bar.append(part);
  });
  return bar;
}
