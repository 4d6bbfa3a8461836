// The game on the board: where it began, its moves, and where we are.

import { ask } from "./api.js";

/** @typedef {import("./types").Position} Position */
/** @typedef {import("./types").About} About */

/** Most positions that are remembered. */
const MAX_KEPT = 400;

export class Session extends EventTarget {
  /** @type {About | null} */ about = null;
  /** The text of a variant file, where the game is not one of the program. @type {string | undefined} */ variant;
  /** @type {string | undefined} */ fen;
  /** All plies. @type {string[]} */ moves = [];
  /** The plies before the position on the board. */
  at = 0;
  /** @type {Position | null} */ position = null;
  /** The last position of the moves, for their names. @type {Position | null} */ last = null;
  /** A side that lost otherwise than by the rules. @type {{side: "w" | "b", by: string} | null} */ lost = null;
  /** @type {Map<string, Position>} */ #kept = new Map();
  #turn = 0;
  /** Ends when no game is being opened. @type {Promise<unknown>} */ #opening = Promise.resolve();

  /** The fields that name a position of this game. @param {number} [at] @returns {import("./types").Place} */
  place(at = this.at) {
    const own = this.variant === undefined ? { game: this.about?.game } : { variant: this.variant };
    return { ...own, fen: this.fen, moves: this.moves.slice(0, at) };
  }

  /**
   * Opens a game; moves wait for it. Nothing changes if it cannot be opened.
   * @param {{game?: string, variant?: string, fen?: string, moves?: string[], at?: number}} what
   */
  open(what) {
    const opened = this.#opening.then(() => this.#open(what));
    this.#opening = opened.catch(() => {});
    return opened;
  }

  /** @param {Parameters<Session["open"]>[0]} what */
  async #open({ game, variant, fen, moves = [], at = moves.length }) {
    const own = variant === undefined ? { game } : { variant };
    const about = await ask("game", own);
    if (about.hidden && !fen) throw new Error("this game is played in a room");
    const last = await ask("position", { ...own, fen, moves });
    Object.assign(this, { about, variant, fen, moves: last.played, lost: null, last });
    this.#kept.clear();
    this.at = -1;
    await this.go(Math.min(at, this.moves.length), "opened");
  }

  /** Goes to the position after so many plies. @param {number} at @param {string} [why] */
  async go(at, why = "moved") {
    at = Math.max(0, Math.min(at, this.moves.length));
    if (at === this.at && why === "moved") return;
    const turn = ++this.#turn;
    const key = this.moves.slice(0, at).join(" ");
    const position = this.#kept.get(key) ?? (await ask("position", this.place(at)));
    if (turn !== this.#turn) return;
    this.#keep(key, position);
    this.at = at;
    this.position = position;
    this.#tell(why);
  }

  /**
   * Plays a move in the position on the board; what came after it is forgotten, unless it begins with this move.
   * @param {string} text @param {AbortSignal} [signal]
   */
  async play(text, signal) {
    await this.#opening;
    signal?.throwIfAborted();
    if (this.lost) throw new Error("the game is over");
    if (this.moves[this.at] === text) return this.go(this.at + 1, "played");
    const turn = ++this.#turn;
    const position = await ask("position", { ...this.place(), play: text });
    if (turn !== this.#turn) return;
    this.moves = position.played;
    this.at = this.moves.length;
    this.position = position;
    this.last = position;
    this.#keep(this.moves.join(" "), position);
    this.#tell("played");
  }

  /** Plays moves one after the other. @param {string[]} moves */
  async playAll(moves) {
    for (const move of moves) await this.play(move);
  }

  /** Takes the last plies back. @param {number} plies */
  async takeBack(plies) {
    await this.#opening;
    this.lost = null;
    const at = Math.max(0, this.moves.length - plies);
    this.moves = this.moves.slice(0, at);
    this.at = -1;
    this.last = await ask("position", this.place(at));
    await this.go(at, "played");
  }

  /** Ends the game otherwise than by the rules. @param {"w" | "b"} side the loser @param {string} by */
  lose(side, by) {
    this.lost = { side, by };
    this.#tell("ended");
  }

  /** The side whose turn it is on the board. */
  get mover() {
    return this.position?.side_to_move ?? "w";
  }

  /** Whether the game on the board is over. */
  get over() {
    return Boolean(this.position?.ending || (this.lost && this.at === this.moves.length));
  }

  /** Whether the board shows the end of the moves. */
  get current() {
    return this.at === this.moves.length;
  }

  /** The name of a side. @param {"w" | "b"} side */
  side(side) {
    return this.position?.sides[side === "w" ? 0 : 1] ?? side;
  }

  /** @param {string} key @param {Position} position */
  #keep(key, position) {
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, position);
  }

  /** @param {string} what */
  #tell(what) {
    this.dispatchEvent(new Event(what));
    this.dispatchEvent(new Event("change"));
  }
}
