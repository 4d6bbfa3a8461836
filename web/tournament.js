// A tournament that is being played, or the records of one.

import { ask, get } from "./api.js";
import { Board } from "./board.js";
import { byId, complain, el, field, grouped, on } from "./dom.js";
import { isAbort } from "./errors.js";
import { intervals, walk } from "./plots.js";

/** @typedef {import("./types").Tournament} Tournament */
/** @typedef {import("./types").GameRecord} GameRecord */

/** Milliseconds between two looks at a tournament that is being played. */
const PAUSE = 1000;

/** Most boards that are drawn. */
const MAX_BOARDS = 4;

/** Games that are listed at a time; the server sends no more. */
const PART = 200;

/** Most players for whom a crosstable is drawn. */
const MAX_CROSSED = 16;

/** A score of a record for the player who gave it, from -1 to 1. @param {string} text */
export function share(text) {
  if (/^(win|loss|draw)/.test(text)) return { w: 1, l: -1, d: 0 }[text[0]] ?? 0;
  const number = parseFloat(text);
  if (Number.isNaN(number)) return 0;
  return text.endsWith("%") ? number / 50 - 1 : Math.tanh(number / 4);
}

/** The side of each ply. @param {GameRecord} record */
export function movers(record) {
  const first = record.start.split(/\s+/)[1] === "b" ? 1 : 0;
  const turns = record.turns?.length ? record.turns : record.moves.map(() => 1);
  return turns.flatMap((length, turn) => Array.from({ length }, () => ((turn + first) % 2 ? "b" : "w")));
}

export class TournamentPanel {
  /** @type {GameRecord | null} */ record = null;
  /** @type {{board: Board, shown: string}[]} */ #boards = [];
  /** @type {Map<string, Promise<import("./types").Kind[]>>} */ #kinds = new Map();
  #players = "";

  /**
   * @param {import("./session.js").Session} session
   * @param {import("./engine.js").EnginePanel} engine
   * @param {(what: {game: string, fen: string, moves: string[], at: number}) => Promise<void>} open
   */
  constructor(session, engine, open) {
    this.session = session;
    this.engine = engine;
    this.open = open;
    for (const id of ["cup-player", "cup-result"]) on(id, "change", () => this.#list(0));
    session.addEventListener("change", () => this.#tell());
    session.addEventListener("opened", () => {
      if (this.record?.start !== session.fen || this.record?.moves.join() !== session.moves.join()) this.record = null;
    });
  }

  /** Looks whether a tournament is shown; the answer. */
  async begin() {
    const found = await this.#look();
    byId("tab-cup").hidden = !found;
    if (found) await this.#list(0);
    return found;
  }

  async #look() {
    /** @type {Tournament} */ const found = await get("tournament");
    if (!found.report) return false;
    this.#show(found);
    if (found.live) setTimeout(() => this.#again(), PAUSE);
    return true;
  }

  async #again() {
    try {
      if (document.hidden) setTimeout(() => this.#again(), PAUSE);
      else await this.#look();
    } catch (error) {
      if (isAbort(error)) return;
      byId("cup-news").textContent = "The tournament is over or was stopped: jewel serve --games FILE shows its games.";
    }
  }

  /** @param {Tournament} found */
  #show({ live, records, report, curve, boards }) {
    if (!report) return;
    const { players, games, scheduled, complete, crosstable, sprt } = report;
    const state = complete ? (live ? "over" : "") : `of ${grouped(scheduled)}`;
    byId("cup-news").textContent = `${records}: ${grouped(games)} games ${state}. White won ${report.white[0]}, drew ${report.white[1]}, lost ${report.white[2]}.`;
    const signed = (/** @type {number | null} */ n) => (n === null ? "–" : `${n > 0 ? "+" : ""}${n.toFixed(0)}`);
    const head = (/** @type {string[]} */ ...names) => el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)));
    const rows = players.map((player, n) => el("tr", {},
      el("td", {}, n + 1), el("th", { scope: "row" }, player.name), el("td", {}, player.wins), el("td", {}, player.draws), el("td", {}, player.losses),
      el("td", {}, player.score === null ? "–" : `${(100 * player.score).toFixed(1)}%`), el("td", {}, signed(player.elo), player.elo_error === null ? "" : ` ± ${player.elo_error.toFixed(0)}`)));
    byId("cup-standings").replaceChildren(el("caption", {}, "Standings"), el("thead", {}, head("", "player", "won", "drawn", "lost", "score", "Elo")), el("tbody", {}, ...rows));
    const crossed = players.length > 2 && players.length <= MAX_CROSSED;
    const cells = crosstable.map((points, n) => el("tr", {}, el("th", { scope: "row" }, `${n + 1} ${players[n].name}`), ...points.map((point) => el("td", {}, point === null ? "–" : point))));
    byId("cup-cross").replaceChildren(...(crossed ? [el("caption", {}, "Points against each other"), el("thead", {}, head("", ...players.map((_, n) => String(n + 1)))), el("tbody", {}, ...cells)] : []));
    const plots = [];
    if (sprt) {
      const verdict = { h0: "H0 is accepted", h1: "H1 is accepted", continue: "not decided" }[sprt.verdict];
      plots.push(walk(curve, sprt.lower, sprt.upper, `Sequential test of [${sprt.elo0}, ${sprt.elo1}] Elo: LLR ${sprt.llr.toFixed(2)} (${sprt.lower.toFixed(2)} to ${sprt.upper.toFixed(2)}), ${verdict}`));
    } else if (players.length > 2) {
      const elo = players.slice(0, MAX_CROSSED).map(({ name, elo, elo_error: error }) => {
        const known = elo !== null && error !== null;
        return { name, value: elo, low: known ? elo - error : null, high: known ? elo + error : null };
      });
      plots.push(intervals(elo, "Elo with 95% intervals"));
    }
    byId("cup-plots").replaceChildren(...plots);
    this.#choices(players.map((player) => player.name));
    this.#follow(boards).catch(complain);
  }

  /** Fills the list of players. @param {string[]} names */
  #choices(names) {
    const sorted = [...names].sort();
    if (this.#players === sorted.join("\n")) return;
    this.#players = sorted.join("\n");
    const list = field("cup-player");
    const chosen = list.value;
    list.replaceChildren(el("option", { value: "" }, "all players"), ...sorted.map((name) => el("option", { value: name }, name)));
    list.value = sorted.includes(chosen) ? chosen : "";
  }

  /** Draws the games that are being played. @param {import("./types").Running[]} running */
  async #follow(running) {
    const place = byId("cup-boards");
    const shown = running.slice(0, MAX_BOARDS);
    while (this.#boards.length < shown.length) {
      const box = el("div", { class: "mini" }, el("p", {}), el("div", {}));
      place.append(box);
      this.#boards.push({ board: new Board(/** @type {HTMLElement} */ (box.lastElementChild), () => {}), shown: "" });
    }
    while (this.#boards.length > shown.length) {
      this.#boards.pop();
      place.lastElementChild?.remove();
    }
    for (const [n, { game, start, moves, players }] of shown.entries()) {
      const key = JSON.stringify([start, moves]);
      const mini = this.#boards[n];
      if (mini.shown === key) continue;
      const kinds = this.#kinds.get(game) ?? ask("game", { game }).then((about) => about.pieces);
      this.#kinds.set(game, kinds);
      const position = await ask("position", { game, fen: start, moves });
      mini.board.show(position, { kinds: await kinds, flipped: false, changed: position.changed, values: new Map(), arrow: null, frozen: true });
      mini.shown = key;
      const words = place.children[n]?.firstElementChild;
      if (words) words.textContent = `${players[0] || "…"} – ${players[1] || "…"}, ply ${moves.length}`;
    }
  }

  /** Lists the games that the filters let through, from one on. @param {number} from */
  async #list(from) {
    const value = (/** @type {string} */ id) => field(id).value || undefined;
    const { games, all } = await ask("tournament/games", { from, player: value("cup-player"), result: value("cup-result") });
    const rows = games.map((/** @type {import("./types").GameLine} */ game) => el("li", {}, el("button", { "data-number": game.number, click: () => this.#replay(game.number) },
      el("span", { class: "number" }, `${game.number}.`), ` ${game.white} – ${game.black} `, el("strong", {}, game.result.replaceAll("1/2", "½")), el("span", { class: "visits" }, ` ${game.plies} plies, ${game.reason}`))));
    const list = byId("cup-games");
    if (from) list.append(...rows);
    else list.replaceChildren(...rows);
    const shown = from + games.length;
    const more = byId("cup-more");
    more.hidden = shown >= all;
    more.onclick = () => this.#list(shown).catch(complain);
    byId("cup-count").textContent = `${grouped(all)} games${all > PART ? `, ${grouped(shown)} of them listed` : ""}`;
  }

  /** Puts a game on the board, with the scores of its players. @param {number} number */
  async #replay(number) {
    /** @type {GameRecord} */ const record = await ask("tournament/game", { number });
    this.record = record;
    await this.open({ game: record.game, fen: record.start, moves: record.moves, at: 0 });
    this.record = record;
    const sides = movers(record);
    record.scores?.forEach((text, n) => {
      const ply = record.book + n;
      if (text) this.engine.give(record.moves.slice(0, ply).join(" "), (sides[ply] === "w" ? 1 : -1) * share(text), text);
    });
    this.#tell();
  }

  /** Says what the player thought of the last move. */
  #tell() {
    const { record, session } = this;
    const words = byId("cup-move");
    if (!record) {
      words.textContent = "";
      return;
    }
    const ply = session.at - 1;
    const thought = ply - record.book;
    const title = `Game ${record.number}: ${record.white} – ${record.black}, ${record.result} (${record.ending}). `;
    if (ply < 0) {
      words.textContent = `${title}→ goes through it.`;
      return;
    }
    const name = movers(record)[ply] === "w" ? record.white : record.black;
    const nodes = record.nodes?.[thought];
    const parts = [record.scores?.[thought], record.depths?.[thought] && `depth ${record.depths[thought]}`, nodes && `${grouped(nodes)} nodes`, record.seconds?.[thought] !== undefined && `${record.seconds[thought].toFixed(3)} s`].filter(Boolean);
    const found = thought < 0 ? "of the opening" : parts.join(", ");
    words.textContent = `${title}Ply ${ply + 1}: ${record.moves[ply]} by ${name}${found ? `, ${found}` : ""}.`;
  }
}
