// A game against the engine: players, clocks, hints, moves taken back.

import { stream } from "./api.js";
import { byId, complain, field, on } from "./dom.js";

/** Seconds for a move where there is no clock. */
const USUAL = 1;

/** @param {number} seconds */
function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
}

export class Match {
  /** @type {{w: string, b: string}} */ players = { w: "person", b: "person" };
  /** Seconds left, once a clock runs. @type {{w: number, b: number} | null} */ clocks = null;
  #bonus = 0;
  /** When the clock of the side to move began to run. */ #since = 0;
  #controller = new AbortController();
  #running = false;
  /** The clocks before each ply, for moves that are taken back. @type {Map<number, {w: number, b: number}>} */ #before = new Map();
  #mover = /** @type {"w" | "b"} */ ("w");

  /** @param {import("./session.js").Session} session @param {(squares: string[] | null) => void} point */
  constructor(session, point) {
    this.session = session;
    this.point = point;
    const choose = () => {
      for (const side of /** @type {const} */ (["w", "b"])) {
        this.players[side] = field(side === "w" ? "white" : "black").value;
      }
      this.#next();
    };
    on("white", "change", choose);
    on("black", "change", choose);
    on("new", "click", () => this.begin());
    on("takeback", "click", () => this.takeBack());
    on("hint", "click", () => this.hint());
    on("resign", "click", () => this.resign());
    session.addEventListener("opened", () => this.#reset());
    session.addEventListener("played", () => this.#played());
    setInterval(() => this.#tick(), 100);
  }

  /** Whether a person may move on the board now. */
  get mayMove() {
    return this.players[this.session.mover] === "person" || !this.session.current;
  }

  /** Whether one side is an engine's. */
  get matched() {
    return this.players.w !== "person" || this.players.b !== "person";
  }

  async begin() {
    const { about, variant, fen } = this.session;
    await this.session.open({ game: about?.game, variant, fen });
    const [time, bonus] = field("time").value.split("+").map(Number);
    this.clocks = time ? { w: time, b: time } : null;
    this.#bonus = bonus || 0;
    this.#running = true;
    this.#since = performance.now();
    this.#next();
  }

  #reset() {
    this.clocks = null;
    this.#running = false;
    this.#before.clear();
    this.#mover = this.session.mover;
    this.#next();
  }

  #played() {
    const { session } = this;
    if (this.clocks && this.#running && session.mover !== this.#mover) {
      this.#before.set(session.moves.length - 1, { ...this.clocks });
      const used = (performance.now() - this.#since) / 1000;
      this.clocks[this.#mover] += this.#bonus - used;
      this.#since = performance.now();
    }
    this.#mover = session.mover;
    this.#next();
  }

  /** Lets the engine move, if it is its turn. */
  async #next() {
    this.#controller.abort();
    const { session } = this;
    const engine = this.players[session.mover];
    if (engine === "person" || session.over || !session.current || !session.position) return;
    const controller = (this.#controller = new AbortController());
    const clock = this.clocks && { remaining: Math.max(0.05, this.clocks[session.mover]), increment: this.#bonus };
    const limit = clock ? { clock } : { seconds: USUAL };
    try {
      let best = null;
      for await (const found of stream("analyse", { ...session.place(), engine, ...limit }, controller.signal)) {
        if (found.done) best = found.bestmove;
      }
      if (best) await session.play(best, controller.signal);
    } catch (error) {
      complain(error);
    }
  }

  async takeBack() {
    this.#controller.abort();
    const { session } = this;
    const turns = [...(session.last?.turns ?? [])];
    let plies = turns.pop() ?? 0;
    // Against an engine, one's own move too.
    if (this.matched && session.current && this.players[session.mover] === "person") plies += turns.pop() ?? 0;
    if (!plies) return;
    await session.takeBack(plies);
    const clocks = this.#before.get(session.moves.length);
    if (this.clocks && clocks) this.clocks = { ...clocks };
    this.#since = performance.now();
    this.#mover = session.mover;
  }

  async hint() {
    const { session } = this;
    if (session.over) return;
    for await (const found of stream("analyse", { ...session.place(), seconds: USUAL })) {
      if (!found.done || !found.bestmove) continue;
      const first = found.bestmove.split(",")[0];
      const move = session.position?.moves.find((move) => move.move === found.bestmove || move.move === first);
      this.point(move?.squares ?? null);
      byId("news").textContent = `Hint: ${found.bestmove} (${found.texts[0] ?? ""})`;
    }
  }

  resign() {
    if (this.session.over) return;
    this.#controller.abort();
    const { mover } = this.session;
    const person = this.players[mover] === "person" ? mover : mover === "w" ? "b" : "w";
    this.session.lose(person, "resigned");
  }

  #tick() {
    const { session } = this;
    if (this.clocks && this.#running && session.over) this.#running = false;
    if (this.clocks && this.#running) {
      const left = this.clocks[this.#mover] - (performance.now() - this.#since) / 1000;
      if (left <= 0) {
        this.clocks[this.#mover] = 0;
        this.#controller.abort();
        session.lose(this.#mover, "time");
      }
      this.#draw(this.#mover, left);
      const other = this.#mover === "w" ? "b" : "w";
      this.#draw(other, this.clocks[other]);
    } else {
      for (const side of /** @type {const} */ (["w", "b"])) this.#draw(side, this.clocks?.[side]);
    }
  }

  /** @param {"w" | "b"} side @param {number | undefined} seconds */
  #draw(side, seconds) {
    const clock = document.querySelector(`.player[data-side="${side}"] .clock`);
    if (!clock) return;
    const text = seconds === undefined ? "" : clockText(seconds);
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("low", seconds !== undefined && seconds < 10);
  }
}
