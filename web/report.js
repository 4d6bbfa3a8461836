// The report on the game in the workshop: self-play as plots.

import { stream } from "./api.js";
import { byId, el, grouped, on, plies } from "./dom.js";
import { inWords } from "./errors.js";
import { band, histogram, intervals, shares } from "./plots.js";

/** @typedef {import("./types").Survey} Survey */
/** @typedef {import("./types").Estimate} Estimate */

/** What is asked for by each button. @type {Record<string, object>} */
const WANTED = {
  "shop-report": { games: 200, nodes: 1000, rungs: 3 },
  "shop-games": { games: 100, nodes: 300, rungs: 1, max_positions: 0 },
};

/** @param {Estimate} estimate @param {(n: number) => string} words */
function within({ value, low, high }, words) {
  const [middle, least, most] = [value, low, high].map((n) => (n === null ? "?" : words(n)));
  return `${middle} (${least} to ${most})`;
}
const percent = (/** @type {number} */ share) => `${Math.round(100 * share)}%`;

export class Reporter {
  /** @type {AbortController | null} */ #controller = null;

  /** @param {import("./session.js").Session} session @param {(survey: Survey) => void} watch shows a game */
  constructor(session, watch) {
    this.session = session;
    this.watch = watch;
    for (const id of Object.keys(WANTED)) on(id, "click", () => this.run(id));
    session.addEventListener("opened", () => this.#controller?.abort());
  }

  /** Plays the games, or stops doing so. @param {string} id */
  async run(id) {
    if (this.#controller) {
      this.#controller.abort();
      return;
    }
    const { about, variant } = this.session;
    if (!about) return;
    const controller = (this.#controller = new AbortController());
    const button = byId(id);
    const text = button.textContent;
    const output = byId("shop-result");
    const bar = el("progress", { max: 1, "aria-label": "Progress" });
    const words = el("p", {}, "Beginning…");
    button.textContent = "Stop";
    output.replaceChildren(bar, words);
    const own = variant === undefined ? { game: about.game } : { variant };
    try {
      for await (const found of stream("report", { ...own, ...WANTED[id] }, controller.signal)) {
        if (found.progress === "games") {
          bar.value = found.done / found.all;
          words.textContent = `${found.done} of ${found.all} games`;
        } else if (found.progress) {
          words.textContent = `Solving: ${grouped(found.done)} positions`;
        } else {
          this.#show(output, found);
        }
      }
    } catch (error) {
      output.textContent = inWords(error);
    }
    button.textContent = text;
    this.#controller = null;
  }

  /** @param {HTMLElement} output @param {Survey} survey */
  #show(output, survey) {
    const { sampled, ladder, method, exact } = survey;
    const [wins, draws, losses] = sampled.first;
    const length = (/** @type {number} */ n) => String(Math.round(n));
    const facts = [
      ["games", `${sampled.games}${sampled.distinct < sampled.games ? `, ${sampled.distinct} of them different` : ""}, ${method.algorithm} with ${grouped(method.nodes)} nodes a move after ${plies(method.plies)} at random`],
      [survey.first, `scores ${within(sampled.first_move_score, percent)} by moving first`],
      ["drawn", within(sampled.draw_rate, percent)],
      ["length", `${within(sampled.length.mean, length)} plies, ${sampled.length.quartiles[0]} to ${sampled.length.quartiles[4]}`],
      ["moves", `${within(sampled.branching.mean, (n) => n.toFixed(1))} in a position, ${sampled.branching.most} at most`],
      sampled.lead_changes && ["lead", `changes ${within(sampled.lead_changes, (n) => n.toFixed(1))} times a game`],
      ["ended", Object.entries(sampled.reasons).sort((a, b) => b[1] - a[1]).map(([reason, n]) => `${reason} ${n}`).join(", ")],
    ].filter(Boolean);
    const list = el("dl", {}, .../** @type {string[][]} */ (facts).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    const proven = exact ? el("p", {}, el("strong", {}, "Proven: "), `${survey.first} ${{ win: "wins", draw: "draws", loss: "loses" }[exact.value]}${exact.distance ? ` in ${plies(exact.distance)}` : ""}.`) : null;
    const rungs = ladder.map(({ nodes, against, elo }) => ({ name: `${short(nodes)} against ${short(against)}`, ...elo }));
    const example = el("button", { click: () => this.watch(survey) }, "Show a game of them");
    const parts = [
      proven,
      shares(sampled.first, `${survey.first}: ${wins} won, ${draws} drawn, ${losses} lost`),
      el("p", {}, `${survey.first}: ${wins} won, ${draws} drawn, ${losses} lost`),
      list,
      histogram(sampled.length.histogram, "Games by their plies"),
      band(sampled.branching.plies.map(({ ply, low, mean, high }) => ({ x: ply, low, mean, high })), "Legal moves by ply: the mean, and the middle 80%"),
      rungs.length ? intervals(rungs, "Elo for four times the nodes, with 95% intervals") : null,
      el("div", { class: "row" }, example),
    ];
    output.replaceChildren(...parts.filter((part) => part !== null));
  }
}

/** @param {number} n */
const short = (n) => (n >= 1000 ? `${+(n / 1000).toPrecision(3)}k` : String(n));
