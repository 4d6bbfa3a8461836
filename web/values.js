// What moves are worth: exact values where known, an engine's scores elsewhere.

import { ask, stream } from "./api.js";
import { byId, chipOf, el, grouped, plies } from "./dom.js";
import { inWords, isAbort } from "./errors.js";

/** @typedef {import("./board.js").Chip} Chip */
/** @typedef {import("./types").Truth} Truth */
/** @typedef {import("./types").Score} Score */

/** Seconds that the engine looks at a position whose values nobody knows. */
const GLANCE = 0.5;

/** Milliseconds until moves are shown whose values are not known yet. */
const PATIENCE = 100;

/** Most moves that it scores. */
const MAX_SCORED = 60;

/** @param {import("./types").Value} value @param {number | null} distance @returns {Chip} */
export function exact(value, distance) {
  const n = distance ?? 0;
  if (value === "draw") return { text: "draw", short: "=", kind: "draw", exact: true, rank: 0 };
  const text = distance === 0 ? value : `${value} in ${plies(n)}`;
  const short = `${value === "win" ? "W" : "L"}${n}`;
  return { text, short, kind: value, exact: true, rank: value === "win" ? 1e6 - n : -1e6 + n };
}

/** A score of an engine. @param {Score} score @param {string} text @returns {Chip} */
export function scored(score, text) {
  const { kind, value } = score;
  const own = { text: `engine: ${text}`, exact: false };
  if (kind === "win") return { ...own, short: `W${value}`, kind, rank: 9e5 - value };
  if (kind === "loss") return { ...own, short: `L${value}`, kind, rank: value - 9e5 };
  const rank = kind === "expectation" ? (value - 0.5) * 1000 : value;
  const short = kind === "expectation" ? `${Math.round(value * 100)}%` : `${value > 0 ? "+" : ""}${(value / 100).toFixed(1)}`;
  return { ...own, short, kind: "score", rank };
}

/**
 * The lines of an answer of the engine, each with its score in words.
 * @param {Partial<import("./types").Found>} found
 * @returns {import("./types").EngineLine[]}
 */
export const linesOf = (found) => (found.lines ?? []).map((line, n) => ({ ...line, text: line.text ?? found.texts?.[n] ?? "" }));

/** The values of the position on the board. */
export class Values extends EventTarget {
  /** By move. @type {Map<string, Chip>} */ chips = new Map();
  /** @type {Truth | null} */ truth = null;
  /** What the engine expects, where nothing is known. @type {string[]} */ line = [];
  shown = true;
  #controller = new AbortController();
  /** Known answers. @type {Map<string, Truth>} */ #kept = new Map();
  /** Set while the engine panel searches: it scores the moves then. */
  busy = false;

  /** @param {import("./session.js").Session} session */
  constructor(session) {
    super();
    this.session = session;
    session.addEventListener("change", () => this.refresh());
  }

  /** Shows or hides values. @param {boolean} shown */
  show(shown) {
    this.shown = shown;
    this.refresh();
  }

  async refresh() {
    this.#controller.abort();
    const controller = (this.#controller = new AbortController());
    const { session } = this;
    const position = session.position;
    this.chips = new Map();
    this.truth = null;
    this.line = [];
    if (!this.shown || !position || !session.about || session.about.hidden) {
      this.#tell();
      return;
    }
    const place = session.place();
    const key = JSON.stringify(place);
    // The moves themselves are known at once.
    const waiting = setTimeout(() => controller.signal.aborted || this.#tell(), PATIENCE);
    try {
      const truth = this.#kept.get(key) ?? (await ask("values", place, controller.signal));
      if (controller.signal.aborted) return;
      if (this.#kept.size > 400) this.#kept.clear();
      if (truth.value) this.#kept.set(key, truth);
      this.take(truth);
      if (!truth.value && !this.busy && position.moves.length) await this.#glance(place, position, controller.signal);
    } catch (error) {
      if (isAbort(error)) return;
      this.#tell();
      byId("source").textContent = inWords(error);
    } finally {
      clearTimeout(waiting);
    }
  }

  /** @param {Truth} truth */
  take(truth) {
    this.truth = truth;
    for (const { move, value, distance } of truth.moves) {
      if (value) this.chips.set(move, exact(value, distance));
    }
    this.#tell();
  }

  /** Forgets what was not known: more may be known now. */
  again() {
    this.#kept.clear();
    this.refresh();
  }

  /** @param {import("./types").Place} place @param {import("./types").Position} position @param {AbortSignal} signal */
  async #glance(place, position, signal) {
    const multipv = Math.min(position.moves.length, MAX_SCORED);
    for await (const found of stream("analyse", { ...place, seconds: GLANCE, multipv }, signal)) {
      if (signal.aborted) return;
      this.scores(linesOf(found));
    }
  }

  /** Takes the scores of an engine for moves whose values are not known. @param {import("./types").EngineLine[]} lines */
  scores(lines) {
    if (!this.shown || this.truth?.value) return;
    const moves = this.session.position?.moves ?? [];
    for (const { score, text, line } of lines) {
      const first = line[0] ?? "";
      const move = moves.find((move) => move.move === first) ?? moves.find((move) => first.startsWith(`${move.move},`));
      if (move && !this.chips.get(move.move)?.exact) this.chips.set(move.move, scored(score, text));
    }
    this.line = lines[0]?.line ?? [];
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * Fills the panel of the values.
 * @param {Values} values
 * @param {import("./session.js").Session} session
 * @param {(move: string) => void} play
 */
export function showValues(values, session, play) {
  const { truth, chips, shown } = values;
  const position = session.position;
  const verdict = byId("verdict");
  const source = byId("source");
  const list = byId("moves");
  const best = byId("best");
  const over = Boolean(position?.ending);
  list.replaceChildren();
  best.replaceChildren();
  if (!position) return;
  verdict.className = "verdict";
  if (over) {
    verdict.textContent = position.ending?.text ?? "";
    source.textContent = "The game is over.";
    return;
  }
  const mover = session.side(position.side_to_move);
  if (!shown) {
    verdict.textContent = `${mover} to move`;
    source.textContent = "Values are hidden.";
  } else if (truth?.value) {
    const chip = exact(truth.value, truth.distance);
    const words = { win: "wins", draw: "draws", loss: "loses" }[truth.value];
    verdict.textContent = `${mover} ${words}${truth.distance ? ` in ${plies(truth.distance)}` : ""}`;
    verdict.classList.add(`is-${chip.kind}`);
    source.textContent = truth.source === "graph"
      ? `Exact: all ${grouped(truth.positions ?? 0)} positions are solved.`
      : "Exact, from tables.";
  } else {
    verdict.textContent = `${mover} to move`;
    source.textContent = truth ? `Not proven: ${truth.reason}. Scores are an engine's.` : "…";
  }
  const rank = (/** @type {string} */ move) => chips.get(move)?.rank ?? -Infinity;
  const sorted = [...position.moves].sort((a, b) => rank(b.move) - rank(a.move));
  for (const move of shown ? sorted : position.moves) {
    const chip = chips.get(move.move);
    const label = chip && chipOf(chip, chip.exact ? chip.text : chip.short);
    const name = move.san ?? move.move;
    list.append(el("li", {}, el("button", { click: () => play(move.move), "data-move": move.move, title: move.rolled ? "the dice decide" : null }, el("span", { class: "name" }, name, move.rolled ? " ⚄" : ""), label)));
  }
  const line = truth?.line ?? [];
  if (shown && line.length) {
    best.append(el("span", { class: "caption" }, "Best play"));
    line.slice(0, 24).forEach((move, n) => {
      const forced = truth?.line_forced?.[n] ? "!" : "";
      best.append(el("button", { class: "ply", click: () => session.playAll(line.slice(0, n + 1)), title: forced ? "the only move that keeps the result" : null }, move + forced));
    });
    if (line.length > 24) best.append(el("span", {}, "…"));
    if (truth?.line_end?.kind === "repetition") best.append(el("span", { class: "caption" }, "and so on: a draw by repetition"));
  }
}
