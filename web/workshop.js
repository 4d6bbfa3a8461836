// The workshop: a variant file beside the board, checked while it is typed.

import { ask, stream } from "./api.js";
import { byId, chipOf, complain, el, field, grouped, on, plies } from "./dom.js";
import { inWords } from "./errors.js";
import { shares } from "./plots.js";
import { exact } from "./values.js";

/** Milliseconds without a key after which the text is looked at. */
const PAUSE = 200;

/** Solves positions, and says how it goes on. */
export class Prover {
  /** @type {AbortController | null} */ #controller = null;

  /** @param {import("./session.js").Session} session @param {import("./values.js").Values} values */
  constructor(session, values) {
    this.session = session;
    this.values = values;
    on("solve", "click", () => this.solve(byId("solved"), byId("solve")));
  }

  /**
   * Solves what the position on the board leads to, or stops doing so.
   * @param {HTMLElement} output @param {HTMLElement} button
   */
  async solve(output, button) {
    if (this.#controller) {
      this.#controller.abort();
      return;
    }
    const controller = (this.#controller = new AbortController());
    const text = button.textContent;
    button.textContent = "Stop";
    output.textContent = "Solving…";
    try {
      for await (const found of stream("solve", this.session.place(), controller.signal)) {
        if (found.progress) {
          const words = { enumerate: "positions found", link: "positions linked", propagate: "positions to decide" };
          output.textContent = `${grouped(found.known)} ${words[/** @type {"link"} */ (found.progress)] ?? "positions"}`;
        } else {
          this.#show(output, found);
          this.values.again();
        }
      }
    } catch (error) {
      output.textContent = inWords(error);
    }
    button.textContent = text;
    this.#controller = null;
  }

  /** @param {HTMLElement} output @param {import("./types").Proof} proof */
  #show(output, proof) {
    const chip = exact(/** @type {"win"} */ (proof.value), proof.distance);
    const counts = [proof.wins, proof.draws, proof.losses];
    const [wins, draws, losses] = counts.map(grouped);
    const numbers = `${grouped(proof.positions)} positions: ${wins} won, ${draws} drawn, ${losses} lost for the side to move.`;
    const longest = proof.longest_win ? ` The longest win takes ${plies(proof.longest_win)}.` : "";
    const claims = (proof.claims ?? []).map(({ text, confirmed, found }) => el("li", {}, el("strong", {}, confirmed ? "confirmed " : "refuted "), text, " — found: ", found));
    output.replaceChildren(el("p", {}, chipOf(chip, chip.text), ` ${numbers}${longest}`), shares(counts, numbers), claims.length ? el("ul", { class: "claims" }, ...claims) : "");
  }
}

/** The editor of the variant file. */
export class Workshop {
  #timer = 0;
  #filled = "";

  /** @param {import("./session.js").Session} session @param {Prover} prover */
  constructor(session, prover) {
    this.session = session;
    this.area = field("text");
    this.area.addEventListener("input", () => {
      this.#number(null);
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#look(), PAUSE);
    });
    this.area.addEventListener("scroll", () => (byId("gutter").scrollTop = this.area.scrollTop));
    session.addEventListener("opened", () => {
      if (!byId("panel-shop").hidden) this.fill();
    });
    on("shop-solve", "click", () => prover.solve(byId("shop-result"), byId("shop-solve")));
  }

  get text() {
    return this.area.value;
  }

  /** Shows the file of the game on the board. */
  fill() {
    const { about, variant } = this.session;
    const text = variant ?? about?.text;
    if (text && text !== this.#filled && variant === undefined) {
      this.area.value = text;
      this.#filled = text;
    } else if (!text && !this.area.value) {
      byId("complaint").textContent = "The rules of this game are code, not a file. Choose another game to begin with its file.";
    }
    this.#number(null);
  }

  /** Numbers the lines, and marks the one with a mistake. @param {number | null} wrong */
  #number(wrong) {
    const count = this.area.value.split("\n").length;
    const lines = Array.from({ length: count }, (_, n) => el("span", { class: n + 1 === wrong ? "wrong" : null }, n + 1));
    byId("gutter").replaceChildren(...lines);
    byId("gutter").scrollTop = this.area.scrollTop;
  }

  async #look() {
    const variant = this.area.value;
    const complaint = byId("complaint");
    try {
      const { error, line } = await ask("variant", { variant });
      if (variant !== this.area.value) return;
      this.#number(line);
      complaint.textContent = error ?? "";
      complaint.classList.toggle("bad", Boolean(error));
      if (!error) {
        await this.session.open({ variant });
        complaint.textContent = "The file is right.";
      }
    } catch (error) {
      complain(error);
    }
  }
}
