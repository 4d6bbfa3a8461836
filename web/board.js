// The board: drawn from a position, and the hands that move its pieces.

import { chipOf, el, svg } from "./dom.js";
import { draw } from "./pieces.js";

/** @typedef {import("./types").BoardObject} BoardObject */
/** @typedef {import("./types").Move} Move */
/** @typedef {import("./types").Kind} Kind */
/** @typedef {{text: string, short: string, kind: "win" | "draw" | "loss" | "score", exact: boolean, rank: number}} Chip */
/** @typedef {{kinds: Kind[], flipped: boolean, changed: string[], values: Map<string, Chip>, arrow: string[] | null, frozen: boolean}} Look */

const SQUARE = 100;

/** Half the width of a graph, and from one of its layers to the next. */
const RADIUS = 430;
const STOREY = 285;

/** How high a graph looks from the side, as a share of its width. */
const TILT = 0.28;

/** How far a finger moves before it drags, in pixels. */
const SLACK = 6;

export class Board {
  /** @type {BoardObject | null} */ #position = null;
  /** @type {Look} */ #look = { kinds: [], flipped: false, changed: [], values: new Map(), arrow: null, frozen: false };
  /** Squares that were chosen so far. @type {string[]} */ #chosen = [];
  /** @type {Map<string, [number, number]>} */ #places = new Map();
  /** @type {string[]} */ #names = [];
  #focus = "";
  /** @type {{square: string, x: number, y: number, piece: SVGGElement | null, moved: boolean, chooses: boolean} | null} */ #drag = null;
  #unit = SQUARE;
  /** The letter of the piece in hand that is to be dropped. */
  #held = "";
  /** Where the hands of the far and of the near side are shown. @type {HTMLElement[]} */ hands = [];

  /**
   * @param {HTMLElement} root
   * @param {(move: string) => void} onMove
   */
  constructor(root, onMove) {
    this.root = root;
    this.onMove = onMove;
    this.picture = svg("svg", {
      class: "board",
      role: "group",
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event),
      pointercancel: () => this.#drop(),
      keydown: (event) => this.#key(event),
    });
    this.chooser = el("div", { class: "chooser", role: "dialog", "aria-label": "Which move?", hidden: true });
    root.append(this.picture, this.chooser);
  }

  /**
   * Shows a position.
   * @param {BoardObject} position
   * @param {Partial<Look>} look
   */
  show(position, look) {
    const same = this.#position?.fen === position.fen && this.#position?.moves.length === position.moves.length;
    this.#position = position;
    this.#look = { ...this.#look, ...look };
    if (!same) {
      this.#held = "";
      this.#chosen = [];
      this.#drop();
      this.#closeChooser();
    }
    // What is dragged stays in the hand while scores change.
    if (!this.#drag?.moved) this.#draw();
  }

  /** Forgets what was chosen. */
  clear() {
    this.#held = "";
    this.#chosen = [];
    this.#closeChooser();
    this.#draw();
  }

  /** The moves that go on from the squares chosen so far. @param {string[]} chosen */
  #going(chosen) {
    const moves = this.#look.frozen ? [] : this.#position?.moves ?? [];
    return moves.filter((move) => chosen.every((square, n) => move.squares[n] === square));
  }

  /** The moves that drop a piece from the hand. @param {string} letter */
  #drops(letter) {
    return this.#going([]).filter((move) => move.rest === `${letter}@` && move.squares.length === 1);
  }

  /** Takes a piece from the hand, to be dropped on the next square that is chosen, or puts it back. @param {string} letter */
  #hold(letter) {
    this.#closeChooser();
    this.#chosen = [];
    this.#held = this.#held === letter ? "" : letter;
    this.#draw();
  }

  /** Draws what both sides have in hand. @param {BoardObject} position */
  #drawHands(position) {
    const sides = /** @type {("w" | "b")[]} */ (this.#look.flipped ? ["w", "b"] : ["b", "w"]);
    this.hands.forEach((place, n) => {
      const side = sides[n];
      const hand = inHand(position, side);
      place.hidden = hand === null;
      const look = { ...this.#look, sides: position.sides };
      const buttons = [...(hand ?? new Map())].map(([letter, count]) => {
        const kind = look.kinds.find((kind) => kind.letter === letter);
        const name = kind?.names[side === "w" ? 0 : 1] ?? letter;
        const piece = { square: "", letter: side === "w" ? letter : letter.toLowerCase(), side, name, abbreviation: "" };
        const free = side === position.side_to_move && this.#drops(letter).length > 0;
        const take = (/** @type {PointerEvent} */ event) => {
          event.preventDefault();
          this.#hold(letter);
          // Let go over a square, the piece is dropped there.
          document.addEventListener("pointerup", ({ clientX, clientY }) => {
            const under = document.elementFromPoint(clientX, clientY)?.closest("[data-square]");
            if (under && this.picture.contains(under) && this.#held === letter) this.choose(under.getAttribute("data-square") ?? "");
          }, { once: true });
        };
        const key = (/** @type {MouseEvent} */ event) => event.detail === 0 && this.#hold(letter);
        const attributes = { disabled: !free, "data-hand": letter, "aria-pressed": String(side === position.side_to_move && this.#held === letter), "aria-label": `${position.sides[side === "w" ? 0 : 1]} ${name}, ${count} in hand`, pointerdown: take, click: key };
        return el("button", attributes, svg("svg", { viewBox: "-46 -46 92 92", "aria-hidden": "true" }, draw(piece, look)), el("span", {}, count));
      });
      place.replaceChildren(...buttons);
    });
  }

  /** Where the middle of a layer is. @param {number} layer @param {number} layers */
  #storey(layer, layers) {
    return (this.#look.flipped ? layer : layers - 1 - layer) * STOREY + 190;
  }

  #lay() {
    const position = /** @type {BoardObject} */ (this.#position);
    this.#places = new Map();
    this.#names = [];
    const { width, height, graph } = position;
    if (graph) {
      graph.names.forEach((name, n) => {
        const [east, north] = graph.points[n];
        const turn = this.#look.flipped ? -1 : 1;
        const x = RADIUS + 70 + (turn * east * RADIUS) / 1000;
        const y = this.#storey(Math.floor(n / width), height) - (turn * north * RADIUS * TILT) / 1000;
        this.#places.set(name, [x, y]);
        this.#names.push(name);
      });
      this.#unit = 62;
      return [2 * RADIUS + 140, (height - 1) * STOREY + 380];
    }
    for (let rank = height; rank >= 1; rank--) {
      for (let file = 0; file < width; file++) {
        const name = String.fromCharCode(97 + file) + rank;
        const column = this.#look.flipped ? width - 1 - file : file;
        const row = this.#look.flipped ? rank - 1 : height - rank;
        this.#places.set(name, [column * SQUARE + SQUARE / 2, row * SQUARE + SQUARE / 2]);
        this.#names.push(name);
      }
    }
    if (this.#look.flipped) this.#names.reverse();
    this.#unit = SQUARE;
    return [width * SQUARE, height * SQUARE];
  }

  #draw() {
    const position = this.#position;
    if (!position) return;
    const [width, height] = this.#lay();
    const active = document.activeElement;
    const focused = this.picture.contains(active);
    // Scripts and screen readers move the focus too.
    if (focused) this.#focus = active?.getAttribute("data-square") ?? this.#focus;
    this.picture.setAttribute("viewBox", `-6 -6 ${width + 12} ${height + 12}`);
    this.picture.setAttribute("aria-label", `Board of ${position.name}`);
    this.root.style.setProperty("--ratio", String(width / height));
    this.picture.replaceChildren();
    if (position.graph) {
      this.#drawGraph(position);
    } else {
      this.picture.append(svg("rect", { x: -5, y: -5, width: width + 10, height: height + 10, rx: 12, class: "frame" }));
    }
    const going = this.#going(this.#chosen);
    const next = this.#chosen.length;
    const targets = new Map();
    for (const move of this.#held ? this.#drops(this.#held) : next ? going : []) {
      const square = move.squares[next];
      if (square) targets.set(square, [...(targets.get(square) ?? []), move]);
    }
    const movable = new Set(this.#going([]).map((move) => move.squares[0]));
    if (!this.#names.includes(this.#focus)) this.#focus = this.#names[0];
    for (const name of this.#names) {
      this.picture.append(this.#square(position, name, targets.get(name) ?? [], movable.has(name)));
    }
    if (!position.graph) this.#coordinates(position);
    this.#drawHands(position);
    if (this.#look.arrow) this.#arrow(this.#look.arrow);
    if (focused) this.#element(this.#focus)?.focus({ preventScroll: true });
  }

  /** @param {BoardObject} position */
  #drawGraph(position) {
    const graph = /** @type {import("./types").Graph} */ (position.graph);
    const layers = position.height;
    const names = [];
    const at = (/** @type {number} */ n) => /** @type {[number, number]} */ (this.#places.get(graph.names[n]));
    for (let layer = 0; layer < layers; layer++) {
      const cy = this.#storey(layer, layers);
      this.picture.append(svg("ellipse", { cx: RADIUS + 70, cy, rx: RADIUS + 62, ry: RADIUS * TILT + 44, class: "tier" }));
      names.push(svg("text", { x: 26, y: cy + 8, class: "tier-name" }, `${graph.layer} ${layer + 1}`));
    }
    this.picture.append(...names);
    const level = (/** @type {number} */ n) => Math.floor(n / position.width);
    for (const [low, high] of graph.paths) {
      const [[x, y], [toX, toY]] = [at(low), at(high)];
      const kind = level(low) === level(high) ? "path" : "climb";
      this.picture.append(svg("path", { d: `M${x} ${y}L${toX} ${toY}`, class: kind }));
    }
  }

  /**
   * @param {BoardObject} position @param {string} name
   * @param {Move[]} targets the moves that go here next
   * @param {boolean} movable
   */
  #square(position, name, targets, movable) {
    const [x, y] = /** @type {[number, number]} */ (this.#places.get(name));
    const piece = position.pieces.find((piece) => piece.square === name);
    const above = position.above.filter((piece) => piece.square === name);
    const label = position.labels[name];
    const key = position.key.includes(name);
    const words = [name];
    if (key) words.push("key square");
    if (position.blocking.includes(name)) words.push("no slider passes");
    if (position.raised.includes(name)) words.push("raised");
    if (position.river.includes(name)) words.push("river");
    for (const one of [piece, ...above]) {
      if (one) words.push(`${position.sides[one.side === "w" ? 0 : 1]} ${one.name}`);
    }
    if (!piece && label === "#") words.push("checker");
    if (!piece && !above.length && label !== "#") words.push("empty");
    if (this.#chosen.includes(name)) words.push("chosen");
    const chip = bestOf(targets, this.#look.values);
    if (targets.length) words.push(chip ? `legal target, ${chip.text}` : "legal target");
    const group = svg("g", {
      transform: `translate(${x} ${y})`,
      class: `square${movable ? " movable" : ""}${targets.length ? " target" : ""}`,
      "data-square": name,
      role: "button",
      tabindex: name === this.#focus ? 0 : -1,
      "aria-label": words.join(", "),
    });
    if (position.graph) {
      group.append(svg("circle", { r: 44, class: "hit" }));
      group.append(svg("circle", { r: 17, class: key ? "atom goal" : "atom" }));
    } else {
      this.#field(group, position, name, key);
    }
    if (this.#look.changed.includes(name)) group.append(this.#shape("changed"));
    if (this.#chosen.includes(name)) group.append(this.#shape("chosen"));
    const scale = this.#unit / SQUARE;
    const look = { ...this.#look, sides: position.sides };
    const standing = svg("g", { class: "piece", transform: `scale(${scale})` });
    if (piece) {
      standing.append(draw(piece, { ...look, label }));
      group.append(standing);
    } else if (label) {
      standing.append(label === "#"
        ? svg("g", { class: "checker" }, svg("circle", { r: 33 }), svg("circle", { r: 22 }), svg("circle", { r: 11 }))
        : svg("text", { y: 9, class: "label" }, label));
      group.append(standing);
    }
    above.forEach((one, n) => {
      group.append(svg("g", { transform: `translate(${-26 + 52 * n} -27) scale(${scale * 0.5})` }, draw(one, look)));
    });
    if (targets.length) {
      const kind = chip ? `dot-${chip.kind}` : "dot-plain";
      const exact = !chip || chip.exact ? "" : " dot-engine";
      group.append(svg("circle", { r: (piece ? 45 : 14) * scale, class: `${piece ? "ring" : "dot"} ${kind}${exact}` }));
      if (chip) {
        const width = 12 + chip.short.length * 11;
        const tag = svg("g", { transform: `translate(0 ${34 * scale})`, class: `tag dot-${chip.kind}${exact}` });
        tag.append(svg("rect", { x: -width / 2, y: -12, width, height: 24, rx: 12 }));
        tag.append(svg("text", { y: 6.5 }, chip.short));
        group.append(tag);
      }
    }
    group.append(this.#shape("focus"));
    return group;
  }

  /** A shape that covers a square, or an atom. @param {string} kind */
  #shape(kind) {
    if (this.#position?.graph) return svg("circle", { r: 33, class: kind });
    const inset = kind === "focus" ? 4 : 0;
    const side = SQUARE - 2 * inset;
    return svg("rect", { x: -side / 2, y: -side / 2, width: side, height: side, class: kind, rx: inset });
  }

  /** @param {SVGGElement} group @param {BoardObject} position @param {string} name @param {boolean} key */
  #field(group, position, name, key) {
    const [file, rank] = [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];
    const shade = (file + rank) % 2 === 0 ? "dark" : "light";
    const square = { x: -SQUARE / 2, y: -SQUARE / 2, width: SQUARE, height: SQUARE };
    group.append(svg("rect", { ...square, class: shade }));
    if (position.river.includes(name)) {
      group.append(svg("rect", { ...square, class: "river" }));
      for (const y of [-22, 4, 30]) {
        group.append(svg("path", { d: `M-36 ${y}q9-9 18 0t18 0 18 0 18 0`, class: "wave" }));
      }
    }
    if (position.raised.includes(name)) {
      group.append(svg("rect", { x: -43, y: -43, width: 86, height: 86, rx: 10, class: "raised" }));
      group.append(svg("path", { d: "M-43 33V-33a10 10 0 0 1 10-10H33", class: "raised-light" }));
    }
    if (key) {
      group.append(svg("rect", { ...square, class: "key" }));
      group.append(svg("path", { d: "M0-42L42 0 0 42-42 0z", class: "key-gem" }));
      group.append(svg("path", { d: "M0-42L14 0 0 42-14 0zM-42 0H42", class: "key-facet" }));
    }
    if (position.blocking.includes(name)) {
      group.append(svg("rect", { x: -40, y: -40, width: 80, height: 80, rx: 8, class: "blocking" }));
    }
  }

  /** @param {BoardObject} position */
  #coordinates({ width, height }) {
    const flipped = this.#look.flipped;
    // As large on the screen on a small board as on a large one.
    const size = 16 * Math.min(1, Math.max(width, height) / 8 + 0.1);
    const group = svg("g", { class: "coordinates", "aria-hidden": "true", "font-size": size });
    for (let n = 0; n < width; n++) {
      const file = flipped ? width - 1 - n : n;
      const shade = (file + (flipped ? height - 1 : 0)) % 2 === 0 ? "on-dark" : "on-light";
      group.append(svg("text", { x: n * SQUARE + 92, y: height * SQUARE - 7, class: shade, "text-anchor": "end" }, String.fromCharCode(97 + file)));
    }
    for (let n = 0; n < height; n++) {
      const rank = flipped ? n : height - 1 - n;
      const shade = ((flipped ? width - 1 : 0) + rank) % 2 === 0 ? "on-dark" : "on-light";
      group.append(svg("text", { x: 7, y: n * SQUARE + 6 + size, class: shade }, rank + 1));
    }
    this.picture.append(group);
  }

  /** An arrow over the squares of a move. @param {string[]} squares */
  #arrow(squares) {
    const from = this.#places.get(squares[0]);
    const to = this.#places.get(squares[squares.length > 2 ? 1 : squares.length - 1]);
    if (!from || !to || from === to) return;
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
    const end = length - 26;
    const d = `M20-7H${end - 24}V-21L${end} 0 ${end - 24} 21V7H20z`;
    this.picture.append(svg("path", { d, class: "arrow", transform: `translate(${from[0]} ${from[1]}) rotate(${angle})` }));
  }

  /** @param {string} name @returns {SVGGElement | null} */
  #element(name) {
    return this.picture.querySelector(`[data-square="${CSS.escape(name)}"]`);
  }

  /** Chooses a square: a piece, a target, or nothing. @param {string} name */
  choose(name) {
    this.#closeChooser();
    if (this.#held) {
      const drop = this.#drops(this.#held).find((move) => move.squares[0] === name);
      this.#held = "";
      this.#draw();
      if (drop) return this.onMove(drop.move);
    }
    const further = [...this.#chosen, name];
    let moves = this.#chosen.length ? this.#going(further) : [];
    let chosen = further;
    if (!moves.length) {
      chosen = [name];
      moves = this.#chosen.length === 1 && this.#chosen[0] === name ? [] : this.#going(chosen);
    }
    if (!moves.length) {
      this.#chosen = [];
      this.#draw();
      return;
    }
    this.#chosen = chosen;
    const here = moves.filter((move) => move.squares.length === chosen.length);
    if (here.length === 1 && moves.length === 1) {
      this.#chosen = [];
      this.onMove(here[0].move);
    } else if (here.length) {
      this.#choose(moves, name);
    }
    this.#draw();
  }

  /** Asks which of several moves is meant. @param {Move[]} moves @param {string} square */
  #choose(moves, square) {
    const position = /** @type {BoardObject} */ (this.#position);
    const button = (/** @type {Move} */ move) => {
      const letter = move.rest.replace(/[^A-Za-z]/g, "");
      const kind = letter.length === 1 ? this.#look.kinds.find((kind) => kind.letter === letter.toUpperCase()) : undefined;
      const side = position.side_to_move;
      const content = [];
      if (kind) {
        const name = kind.names[side === "w" ? 0 : 1];
        const piece = { square, letter, side, name, abbreviation: "" };
        const look = { ...this.#look, sides: position.sides };
        content.push(svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, draw(piece, look)), el("span", {}, name));
      } else {
        content.push(el("span", {}, move.san ?? move.move));
      }
      const chip = this.#look.values.get(move.move);
      if (chip) content.push(chipOf(chip, chip.short));
      const play = () => {
        this.#closeChooser();
        this.#chosen = [];
        this.onMove(move.move);
      };
      return el("button", { click: play }, ...content);
    };
    const leave = () => this.clear();
    this.chooser.replaceChildren(...moves.slice(0, 24).map(button), el("button", { class: "quiet", click: leave }, "Cancel"));
    this.chooser.hidden = false;
    /** @type {HTMLElement | null} */ (this.chooser.firstElementChild)?.focus();
  }

  #closeChooser() {
    this.chooser.hidden = true;
    this.chooser.replaceChildren();
  }

  /** @param {Event} event */
  #named(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-square]") : null;
    return target?.getAttribute("data-square") ?? null;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const name = this.#named(event);
    if (!name || event.button !== 0) return;
    this.#focus = name;
    const chosen = this.#chosen;
    const goesOn = chosen.length > 0 && this.#going([...chosen, name]).length > 0;
    const again = chosen.length === 1 && chosen[0] === name;
    const begins = !this.#held && !goesOn && !again && this.#going([name]).some((move) => move.squares.length > 1);
    if (begins) {
      this.#closeChooser();
      this.#chosen = [name];
      this.#draw();
    }
    const element = this.#element(name);
    /** @type {SVGGElement | null} */
    const piece = begins || again ? element?.querySelector(".piece") ?? null : null;
    this.#drag = { square: name, x: event.clientX, y: event.clientY, piece, moved: false, chooses: !begins };
    try {
      this.picture.setPointerCapture(event.pointerId);
    } catch {
      // The pointer has gone already.
    }
    event.preventDefault();
    element?.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const drag = this.#drag;
    if (!drag?.piece) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < SLACK) return;
    drag.moved = true;
    const zoom = this.picture.getBoundingClientRect().width / this.picture.viewBox.baseVal.width;
    const scale = this.#unit / SQUARE;
    drag.piece.setAttribute("transform", `translate(${dx / zoom} ${dy / zoom}) scale(${scale * 1.06})`);
    const square = drag.piece.parentElement;
    if (square && square !== this.picture.lastElementChild) this.picture.append(square);
    square?.classList.add("dragged");
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.#drag;
    if (!drag) return;
    const moved = drag.moved;
    this.#drop();
    if (!moved) {
      if (drag.chooses) this.choose(drag.square);
      return;
    }
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    const names = under.map((element) => element.closest("[data-square]")?.getAttribute("data-square"));
    const name = names.find((name) => name && name !== drag.square);
    if (name && this.#going([...this.#chosen, name]).length) {
      this.choose(name);
    } else {
      this.#draw();
    }
  }

  #drop() {
    this.#drag = null;
  }

  /** Arrow keys walk over the board, Enter chooses. @param {KeyboardEvent} event */
  #key(event) {
    const name = this.#named(event);
    if (!name) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#focus = name;
      this.choose(name);
      return;
    }
    if (event.key === "Escape") {
      this.clear();
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    // After a click the arrow keys go through the game.
    if (!(event.target instanceof Element) || !event.target.matches(":focus-visible")) return;
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = /** @type {[number, number]} */ (this.#places.get(name));
    let best = "";
    let least = Infinity;
    for (const [other, [toX, toY]] of this.#places) {
      const along = (toX - x) * step[0] + (toY - y) * step[1];
      const across = Math.abs((toX - x) * step[1]) + Math.abs((toY - y) * step[0]);
      const cost = along + 2 * across;
      if (other !== name && along > 1 && across <= along && cost < least) [best, least] = [other, cost];
    }
    if (best) {
      this.#element(name)?.setAttribute("tabindex", "-1");
      this.#focus = best;
      const element = this.#element(best);
      element?.setAttribute("tabindex", "0");
      element?.focus();
    }
  }
}

/**
 * What a side has in hand: how many of each letter; `null` in games without hands.
 * @param {BoardObject} position @param {"w" | "b"} side
 */
function inHand(position, side) {
  const text = position.notes[`in hand, ${position.sides[side === "w" ? 0 : 1]}`];
  if (text === undefined) return null;
  /** @type {Map<string, number>} */ const hand = new Map();
  const letters = /^[+A-Za-z]*$/.test(text) ? text.match(/\+?[A-Za-z]/g) ?? [] : [];
  for (const letter of letters) hand.set(letter.toUpperCase(), (hand.get(letter.toUpperCase()) ?? 0) + 1);
  return hand;
}

/** The best of the values of moves to one square. @param {Move[]} moves @param {Map<string, Chip>} values */
function bestOf(moves, values) {
  /** @type {Chip | null} */ let best = null;
  for (const move of moves) {
    const chip = values.get(move.move);
    if (chip && (!best || chip.rank > best.rank)) best = chip;
  }
  return best;
}

