// Pieces as pictures: silhouettes, dominoes, and tokens that show how a piece moves.

import { byId, svg } from "./dom.js";

/** @typedef {import("./types").Piece} Piece */
/** @typedef {import("./types").Kind} Kind */

/** Colours of the light and of the dark part of a token, by its tone. */
const SHADES = {
  white: ["#ffffff", "#e6dcc8"], black: ["#5b5f6b", "#24262d"], red: ["#db5a49", "#a32a23"], green: ["#45a06b", "#1c6340"], blue: ["#5490dd", "#22549c"], gold: ["#f6d878", "#c5942a"],
};
byId("shades").append(...Object.entries(SHADES).map(([tone, colours]) => svg("radialGradient", { id: `shade-${tone}`, cx: 0.38, cy: 0.28, r: 0.8 }, ...colours.map((colour, offset) => svg("stop", { offset, "stop-color": colour })))));

/** Silhouettes on a square of 100. @type {Record<string, string>} */
const SILHOUETTES = {
  K: "M46.5 13h7v6.5h6.5v7H53.5V34c9-6 23-3 23 9.5 0 10-8 16.5-11.5 23.5h-30C31.5 60 23.5 53.5 23.5 43.5 23.5 31 37.5 28 46.5 34v-7.5H40v-7h6.5zM33.5 70h33l3.5 9.5H30zM27 82.5h46V90H27z",
  Q: "M50 13.5a5 5 0 0 1 2.6 9.3l7 20.2 8.4-17a4.6 4.6 0 1 1 5.4-.4L68.5 62h-37l-4.9-36.4a4.6 4.6 0 1 1 5.4.4l8.4 17 7-20.2A5 5 0 0 1 50 13.5zM31 65h38l-2.5 6 3.5 8.5H30L33.5 71zM27 82.5h46V90H27z",
  R: "M28 19h10.5v8H45v-8h10v8h6.5v-8H72v19l-7.5 6v23.5l5.5 12H30l5.5-12V44L28 38zM26 82.5h48V90H26z",
  B: "M50 11a5.5 5.5 0 0 1 3.6 9.7C66 30 70.5 41 67.5 51.5L59 43l-3.5 3.5 9 9.5c-1.5 3.5-4 6-6.5 8H42c-7-5-11.5-14-8.5-25 2-7.5 7-13.5 12.9-18.3A5.5 5.5 0 0 1 50 11zM38 66.5h24v5l8 8H30l8-8zM26 82.5h48V90H26z",
  N: "M41.5 13l8 7.5c18.5 3 27.5 19 26.5 41-.3 7-1.5 13-2.5 18H33c-1-15 13-20 14.5-33-5.5 1.5-9.5 8.5-17.5 9.5-5 .5-8-4.5-6.5-9.5 5-6 6.5-13.5 12.5-19zM43 27.5a2.8 2.8 0 1 0 .1 0zM27 82.5h48V90H27z",
  P: "M50 22a13.5 13.5 0 0 1 8.6 23.9H63v5.6h-4.7C60 63 66 70 69.5 79.5h-39C34 70 40 63 41.7 51.5H37v-5.6h4.4A13.5 13.5 0 0 1 50 22zM28 82.5h44V90H28z",
};

const CHESS = { K: "King", Q: "Queen", R: "Rook", B: "Bishop", N: "Knight", P: "Pawn" };

/** Where the pips of half a domino are, by their number. */
const PIPS = [
  [],
  [[0, 0]],
  [[-1, -1], [1, 1]],
  [[-1, -1], [0, 0], [1, 1]],
  [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
];

/** The colour of a side: that of its name where it is one. @param {string} name @param {string} side */
export function colour(name, side) {
  const own = name.toLowerCase();
  if (["red", "green", "blue", "yellow", "gold"].includes(own)) return own === "yellow" ? "gold" : own;
  return side === "w" ? "white" : "black";
}

/** Whether all pieces of a game are those of chess. @param {Kind[]} kinds */
export function isChess(kinds) {
  return kinds.length > 0 && kinds.every((kind) => CHESS[/** @type {"K"} */ (kind.letter)] === kind.names[0]);
}

/**
 * The marks of a token that say how its piece moves: a dot for a step or a leap, a stroke for a slide.
 * @param {Kind} kind @param {boolean} up whether the piece moves up the picture
 */
function marks(kind, up) {
  const group = svg("g", { class: "marks" });
  const seen = new Set();
  for (const motion of kind.motions) {
    const { dx, quiet, capture, steps, initial } = motion;
    const dy = up ? motion.dy : -motion.dy;
    const key = `${dx},${dy},${steps}`;
    if (seen.has(key) || initial) continue;
    seen.add(key);
    const length = Math.hypot(dx, dy);
    const [x, y] = [dx / length, -dy / length];
    if (steps === 1) {
      const far = Math.max(Math.abs(dx), Math.abs(dy)) === 1 ? 27 : 31.5;
      const kindOf = capture && !quiet ? "mark-capture" : "mark";
      group.append(svg("circle", { cx: x * far, cy: y * far, r: 2.3, class: kindOf }));
    } else {
      const far = steps === 0 ? 33.5 : 30;
      const path = `M${x * 23.5} ${y * 23.5}L${x * far} ${y * far}`;
      group.append(svg("path", { d: path, class: "mark-slide" }));
    }
  }
  return group;
}

/** A domino. @param {string} tile two digits, or `??` @param {string} tone */
function domino(tile, tone) {
  const group = svg("g", { class: `domino ${tone}` });
  group.append(svg("rect", { x: -25, y: -41, width: 50, height: 82, rx: 9, class: "domino-body" }));
  if (!/^[0-6]{2}/.test(tile)) {
    group.append(svg("path", { d: "M-10-13h20l8 11-18 20-18-20z", class: "domino-back" }));
    return group;
  }
  group.append(svg("path", { d: "M-18 0H18", class: "domino-line" }));
  [Number(tile[0]), Number(tile[1])].forEach((pips, half) => {
    for (const [x, y] of /** @type {number[][]} */ (PIPS[pips])) {
      group.append(svg("circle", { cx: x * 12, cy: (half ? 20.5 : -20.5) + y * 11, r: 4.3, class: "pip" }));
    }
  });
  return group;
}

/**
 * A piece in the middle of its own picture, which reaches 50 to all sides.
 * @param {Piece} piece
 * @param {{sides: [string, string], kinds: Kind[], flipped: boolean, label?: string}} look
 */
export function draw(piece, look) {
  const own = colour(look.sides[piece.side === "w" ? 0 : 1], piece.side);
  const tone = `tone-${own}`;
  const fill = `url(#shade-${own})`;
  const letter = piece.letter.toUpperCase();
  const tile = /^[wb]([0-6]{2}|\?\?)(!?)$/.exec(piece.abbreviation);
  if (tile) {
    const group = domino(tile[1], tone);
    if (tile[2]) group.append(svg("circle", { cx: 21, cy: -37, r: 7, class: "known" }));
    return group;
  }
  if (isChess(look.kinds)) {
    const path = svg("path", { d: SILHOUETTES[letter], transform: "translate(-50 -52)", class: `silhouette ${tone}` });
    return svg("g", {}, path);
  }
  if (piece.name === "Electron") {
    return svg("g", { class: `token ${tone}` },
      svg("circle", { r: 34, class: "disc", fill }),
      svg("ellipse", { cx: -10, cy: -13, rx: 13, ry: 8, class: "gloss", transform: "rotate(-30 -10 -13)" }));
  }
  const kind = look.kinds.find((known) => known.letter === letter);
  const text = look.label ?? letter;
  const size = [0, 30, 24, 19][Math.min(text.length, 3)];
  const group = svg("g", { class: `token ${tone}` },
    svg("circle", { r: 40, class: "disc", fill }),
    svg("circle", { r: kind ? 36.5 : 34, class: "rim" }));
  if (kind) group.append(marks(kind, (piece.side === "w") !== look.flipped));
  group.append(svg("text", { y: size * 0.345, "font-size": kind ? size : size * 1.25, class: "letter" }, text));
  return group;
}
