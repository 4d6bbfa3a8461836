// The engine: a search until it is stopped, and the scores of a game.

import { ask, stream } from "./api.js";
import { byId, complain, el, field, grouped, on, svg } from "./dom.js";
import { isAbort } from "./errors.js";
import { exact, linesOf } from "./values.js";

/** @typedef {import("./types").Snapshot} Snapshot */
/** @typedef {import("./types").Found} Found */

/** Seconds for each position of a whole game. */
const EACH = 0.3;

export class EnginePanel {
  #controller = new AbortController();
  #on = false;
  /** Scores for the southern side, from -1 to 1, by the plies before them. @type {Map<string, {score: number, text: string}>} */
  #scores = new Map();
  #whole = false;

  /** @param {import("./session.js").Session} session @param {import("./values.js").Values} values */
  constructor(session, values) {
    this.session = session;
    this.values = values;
    on("search", "click", () => this.toggle());
    on("whole", "click", () => this.scoreAll());
    for (const id of ["algorithm", "multipv", "threads"]) on(id, "change", () => this.#restart());
    session.addEventListener("change", () => {
      this.#restart();
      this.draw();
    });
    session.addEventListener("opened", () => {
      this.#scores.clear();
      this.#whole = false;
    });
    values.addEventListener("change", () => this.#takeTruth());
  }

  get options() {
    const number = (/** @type {string} */ id, /** @type {number} */ most) => {
      const value = Number(field(id).value);
      return Math.max(1, Math.min(most, Math.round(value) || 1));
    };
    const engine = field("algorithm").value;
    return { engine, multipv: number("multipv", 40), threads: number("threads", 64) };
  }

  toggle() {
    this.#on = !this.#on;
    this.values.busy = this.#on;
    byId("search").textContent = this.#on ? "Stop" : "Start";
    if (this.#on) this.values.refresh();
    this.#restart();
  }

  stop() {
    if (this.#on) this.toggle();
  }

  #restart() {
    this.#controller.abort();
    if (this.#on) this.#search();
    else byId("speed").textContent = "Not searching.";
  }

  async #search() {
    const controller = (this.#controller = new AbortController());
    const { session } = this;
    if (session.over || !session.position) {
      byId("speed").textContent = "The game is over.";
      byId("lines").replaceChildren();
      return;
    }
    const key = session.moves.slice(0, session.at).join(" ");
    const south = session.mover === "w" ? 1 : -1;
    try {
      for await (const found of stream("analyse", { ...session.place(), ...this.options }, controller.signal)) {
        if (controller.signal.aborted) return;
        this.#show(found);
        this.values.scores(linesOf(found));
        this.#note(key, south, linesOf(found)[0]);
      }
    } catch (error) {
      if (isAbort(error)) return;
      this.stop();
      complain(error);
    }
  }

  /** @param {Snapshot | Found} found */
  #show(found) {
    const done = "done" in found;
    const nps = "nps" in found ? found.nps : found.nodes / Math.max(found.seconds, 1e-3);
    const speed = `${grouped(nps)} nodes a second`;
    byId("speed").textContent = `depth ${found.depth} · ${grouped(found.nodes)} nodes · ${speed}${done ? " · done" : ""}`;
    const list = byId("lines");
    const tree = this.options.engine === "mcts";
    list.replaceChildren(...linesOf(found).map((line) => {
      const bound = { exact: "", lower: "≥ ", upper: "≤ " }[line.bound ?? "exact"];
      const moves = line.line.slice(0, 14).map((move, m) =>
        el("button", { class: "ply", click: () => this.session.playAll(line.line.slice(0, m + 1)) }, move));
      const visits = tree ? el("span", { class: "visits" }, `${grouped(line.visits)} visits`) : null;
      const kind = line.proven ? "chip chip-proven" : "chip chip-score chip-engine";
      return el("li", {}, el("span", { class: kind }, bound + line.text), visits, el("span", { class: "line" }, ...moves));
    }));
  }

  /** @param {string} key @param {number} south @param {import("./types").EngineLine | undefined} line */
  #note(key, south, line) {
    if (!line) return;
    const { kind, value } = line.score;
    const score = { win: 1, loss: -1, centipawns: Math.tanh(value / 400), expectation: value * 2 - 1 }[kind];
    this.#scores.set(key, { score: south * score, text: line.text ?? "" });
    this.draw();
  }

  /** Takes a score from elsewhere. @param {string} key the moves before it @param {number} score for the southern side, from -1 to 1 @param {string} text */
  give(key, score, text) {
    this.#scores.set(key, { score, text });
    this.draw();
  }

  #takeTruth() {
    const { session, values: { truth } } = this;
    if (!truth?.value) return;
    const south = session.mover === "w" ? 1 : -1;
    const score = { win: 1, draw: 0, loss: -1 }[truth.value];
    const text = exact(truth.value, truth.distance).text;
    this.#scores.set(session.moves.slice(0, session.at).join(" "), { score: south * score, text });
    this.draw();
  }

  /** Scores every position of the game. */
  async scoreAll() {
    const button = byId("whole");
    if (this.#whole) {
      this.#whole = false;
      return;
    }
    this.stop();
    this.#whole = true;
    button.textContent = "Stop scoring";
    const { session } = this;
    try {
      for (let at = 0; at <= session.moves.length && this.#whole; at++) {
        const key = session.moves.slice(0, at).join(" ");
        if (this.#scores.has(key)) continue;
        byId("speed").textContent = `Scoring: ${at} of ${session.moves.length}`;
        const { side_to_move: mover } = await ask("position", session.place(at));
        for await (const found of stream("analyse", { ...session.place(at), seconds: EACH })) {
          this.#note(key, mover === "w" ? 1 : -1, linesOf(found)[0]);
        }
      }
      byId("speed").textContent = "Not searching.";
    } catch (error) {
      complain(error);
    }
    this.#whole = false;
    button.textContent = "Score the whole game";
  }

  /** Draws the graph of the scores. */
  draw() {
    const { session } = this;
    const graph = byId("graph");
    const points = [];
    for (let at = 0; at <= session.moves.length; at++) {
      const known = this.#scores.get(session.moves.slice(0, at).join(" "));
      if (known) points.push({ at, ...known });
    }
    graph.toggleAttribute("hidden", session.moves.length < 2 || points.length < 2);
    const width = Math.max(1, session.moves.length);
    const x = (/** @type {number} */ at) => (at / width) * 300;
    const y = (/** @type {number} */ score) => 36 - score * 32;
    graph.setAttribute("viewBox", "-4 0 308 72");
    graph.setAttribute("preserveAspectRatio", "none");
    const path = points.map(({ at, score }, n) => `${n ? "L" : "M"}${x(at).toFixed(1)} ${y(score).toFixed(1)}`).join("");
    graph.replaceChildren(
      svg("path", { d: "M0 36H300", class: "axis" }),
      svg("path", { d: `M${x(session.at)} 2V70`, class: "now" }),
      svg("path", { d: path, class: "curve" }),
      ...points.map(({ at, score, text }) => svg("circle", { cx: x(at), cy: y(score), r: 3, class: "point", click: () => session.go(at) }, svg("title", {}, `${at ? `after ${session.moves[at - 1]}` : "at the start"}: ${text}`))));
  }
}
