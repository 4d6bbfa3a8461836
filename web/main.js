// The page: what is where, and what happens when.

import { ask, get } from "./api.js";
import { Board } from "./board.js";
import { byId, complain, el, field, on, showPlayer, svg } from "./dom.js";
import { EnginePanel } from "./engine.js";
import { draw } from "./pieces.js";
import { Match } from "./play.js";
import { Reporter } from "./report.js";
import { RoomTable } from "./room.js";
import { Session } from "./session.js";
import { TournamentPanel } from "./tournament.js";
import { Values, showValues } from "./values.js";
import { Prover, Workshop } from "./workshop.js";

const session = new Session();
const values = new Values(session);
let flipped = false;
/** @type {string[] | null} */ let arrow = null;
/** @type {import("./types").Card[]} */ let cards = [];

const board = new Board(byId("board"), (move) => play(move));
board.hands = [byId("hand-far"), byId("hand-near")];
const engine = new EnginePanel(session, values);
const match = new Match(session, (squares) => {
  arrow = squares;
  show();
});
const room = new RoomTable(board);
const prover = new Prover(session, values);
const shop = new Workshop(session, prover);
new Reporter(session, ({ fen, sample_game: { moves } }) => {
  session.open({ game: session.about?.game, variant: session.variant, fen, moves, at: 0 }).catch(complain);
});
const cup = new TournamentPanel(session, engine, (what) => open(what));

/** Plays a move of the board. @param {string} move */
async function play(move) {
  byId("problem").textContent = "";
  if (room.open) return room.play(move);
  if (!match.mayMove) return complain("it is the engine's turn");
  try {
    await session.play(move);
  } catch (error) {
    complain(error);
    board.clear();
  }
}

/** Draws the position. */
function show() {
  const position = session.position;
  if (!position || room.open) return;
  const kinds = session.about?.pieces ?? [];
  const frozen = session.over || !match.mayMove;
  board.show(position, { kinds, flipped, changed: position.changed, values: values.chips, arrow, frozen });
  for (const [id, side] of /** @type {const} */ ([["player-near", flipped ? "b" : "w"], ["player-far", flipped ? "w" : "b"]])) {
    const player = { person: "", ab: " · engine", mcts: " · tree engine" }[match.players[side]] ?? "";
    showPlayer(id, side, session.side(side) + player, !session.over && position.side_to_move === side);
  }
  const others = position.moves.filter((move) => move.squares.length === 0);
  byId("others").replaceChildren(...others.map((move) => el("button", { click: () => play(move.move), disabled: frozen }, move.move)));
  field("first").disabled = field("back").disabled = session.at === 0;
  field("forward").disabled = field("last").disabled = session.current;
}

/** Says what has happened, for those who hear it too. */
function tell() {
  const position = session.position;
  if (!position) return;
  const moves = position.san ?? position.played;
  const last = moves[moves.length - 1];
  const parts = [];
  if (last) parts.push(`${last} was played.`);
  if (position.revealed) parts.push(position.revealed);
  if (session.lost && session.current) {
    const loser = session.side(session.lost.side);
    parts.push(session.lost.by === "time" ? `${loser} has overstepped the time.` : `${loser} has resigned.`);
  } else if (position.ending) {
    parts.push(`The game is over: ${position.ending.text}.`);
  } else {
    parts.push(`${session.side(position.side_to_move)} to move.`);
  }
  const roll = /:(hit|miss)$/.exec(position.played[position.played.length - 1] ?? "");
  if (roll) parts.unshift(roll[1] === "hit" ? "⚄ The dice: hit." : "⚀ The dice: a miss.");
  byId("news").textContent = parts.join(" ");
}

function showHistory() {
  const last = session.last;
  const list = byId("history");
  list.replaceChildren();
  if (!last) return;
  const texts = last.san ?? session.moves;
  let ply = 0;
  last.turns.forEach((length, turn) => {
    const item = el("li", {}, turn % 2 === 0 ? el("span", { class: "number" }, `${turn / 2 + 1}.`) : null);
    for (let n = 0; n < length; n++) {
      ply += 1;
      const at = ply;
      const current = at === session.at;
      item.append(el("button", { class: "ply", "aria-current": current ? "step" : null, click: () => session.go(at) }, texts[at - 1]));
    }
    list.append(item);
  });
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function showAbout() {
  const { about, position } = session;
  if (!about || !position) return;
  document.title = `${about.name} · jewel`;
  byId("name").textContent = about.name;
  byId("summary").textContent = about.summary;
  const status = about.status && about.status !== "open" ? ` Proven: ${about.status}.` : "";
  byId("objective").textContent = `To win: ${about.objective}.${status}`;
  const notes = Object.entries(position.notes).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
  byId("notes").replaceChildren(...notes);
  field("fen").value = position.fen;
  byId("white-name").textContent = position.sides[0];
  byId("black-name").textContent = position.sides[1];
  const rows = about.pieces.map((kind) => {
    const names = kind.names[0] === kind.names[1] ? kind.names[0] : kind.names.join(" / ");
    const piece = { square: "", letter: kind.letter, side: "w", name: kind.names[0], abbreviation: "" };
    const look = { sides: position.sides, kinds: about.pieces, flipped: false };
    const picture = svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, draw(piece, look));
    return el("li", {}, picture, el("span", {}, names), el("code", { title: "Betza notation" }, kind.betza));
  });
  byId("pieces").replaceChildren(...rows);
}

/** Keeps the address in step with the board, so that it can be sent to a friend. */
function keepAddress() {
  const { about, variant, fen, moves } = session;
  if (!about || variant !== undefined) return;
  const fields = new URLSearchParams({ game: about.game });
  if (fen) fields.set("fen", fen);
  if (moves.length) fields.set("moves", moves.join(" "));
  if (!session.current) fields.set("at", String(session.at));
  history.replaceState(null, "", `#${fields}`);
}

/** Opens a game, or the room of one that hides things. @param {{game?: string, variant?: string, fen?: string, moves?: string[], at?: number}} what */
async function open(what) {
  byId("problem").textContent = "";
  const card = cards.find((card) => card.game === what.game);
  const hidden = card?.hidden || what.game?.startsWith("crown-jewels");
  document.body.classList.toggle("in-room", Boolean(hidden && !what.fen));
  if (hidden && !what.fen) {
    engine.stop();
    pick(what.game ?? "");
    room.start(what.game ?? "");
    return;
  }
  room.leave();
  await session.open(what);
  if (!what.variant) pick(session.about?.game ?? "");
}

/** Shows a game in the list of games. @param {string} game */
function pick(game) {
  const list = /** @type {HTMLSelectElement} */ (byId("game"));
  if (![...list.options].some((option) => option.value === game)) {
    list.append(el("option", { value: game }, session.about?.name ?? game));
  }
  list.value = game;
}

/** Opens what the address names. */
async function openAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const invitation = fields.get("invite");
  const id = fields.get("room");
  if (id) {
    document.body.classList.add("in-room");
    pick("crown-jewels");
    await room.enter(id, invitation);
    return;
  }
  const served = cards.find((card) => card.served) ?? cards[0];
  const at = fields.get("at");
  await open({
    game: fields.get("game") ?? served.game,
    fen: fields.get("fen") ?? undefined,
    moves: fields.get("moves")?.split(" ").filter(Boolean) ?? [],
    at: at === null ? undefined : Number(at),
  });
}

session.addEventListener("change", () => {
  arrow = null;
  byId("problem").textContent = "";
  show();
  tell();
  showHistory();
  showAbout();
  keepAddress();
});
values.addEventListener("change", () => {
  show();
  showValues(values, session, play);
});

// Tabs.
const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[role=tab]")]);
/** @param {HTMLElement} chosen */
function showTab(chosen) {
  for (const tab of tabs) {
    const on = tab === chosen;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    byId(tab.getAttribute("aria-controls") ?? "").hidden = !on;
  }
  if (chosen.id === "tab-shop") shop.fill();
}
tabs.forEach((tab, n) => {
  tab.addEventListener("click", () => showTab(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(n + step + tabs.length) % tabs.length];
    showTab(next);
    next.focus();
  });
});

const steps = { first: () => session.go(0), back: () => session.go(session.at - 1), forward: () => session.go(session.at + 1), last: () => session.go(session.moves.length) };
for (const [id, step] of Object.entries(steps)) on(id, "click", step);
function turnRound() {
  flipped = !flipped;
  if (room.open) room.turnRound();
  else show();
}
on("flip", "click", turnRound);
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest("input, textarea, select, dialog") || event.altKey || event.ctrlKey || event.metaKey) return;
  const step = { ArrowLeft: steps.back, ArrowRight: steps.forward, Home: steps.first, End: steps.last }[event.key];
  if (step && !room.open) {
    event.preventDefault();
    step().catch(complain);
  } else if (event.key === "f") {
    turnRound();
  }
});
on("typing", "submit", async (event) => {
  event.preventDefault();
  const typed = field("typed");
  const text = typed.value.trim();
  if (!text) return;
  await play(text);
  if (!byId("problem").textContent) typed.value = "";
});
on("game", "change", () => {
  return open({ game: field("game").value });
});
on("show-values", "change", (event) => values.show(event.target.checked));
on("setup", "submit", (event) => {
  event.preventDefault();
  const fen = field("fen").value;
  return open({ game: session.about?.game, variant: session.variant, fen });
});

/** Gives the user a file. @param {string} name @param {string} text */
function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
on("save", "click", async () => {
  const { lost } = session;
  const name = (/** @type {"w" | "b"} */ side) => match.players[side].replace("person", "human");
  const body = { ...session.place(session.moves.length), white: name("w"), black: name("b"), lost: lost?.side, by: lost?.by };
  const { pgn } = await ask("record", body);
  save(`${session.about?.game ?? "game"}.pgn`, pgn);
});
on("load", "change", async (event) => {
  const input = event.target;
  const file = input.files?.[0];
  if (!file) return;
  const pgn = await file.text();
  input.value = "";
  const { about, variant } = session;
  const own = variant === undefined ? { game: about?.game } : { variant };
  const loaded = await ask("load", { ...own, pgn });
  const game = variant !== undefined && loaded.game === about?.game ? { variant } : { game: loaded.game };
  await open({ ...game, fen: loaded.fen, moves: loaded.moves });
});
on("link", "click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("news").textContent = "The link is copied.";
  } catch {
    byId("news").textContent = location.href;
  }
});
on("shop-save", "click", () => save("variant.toml", shop.text));

// Light and dark: as the system has it, until somebody chooses.
const root = document.documentElement;
root.dataset.theme = localStorage.getItem("theme") ?? "";
on("theme", "click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});

try {
  cards = await get("games");
  byId("game").replaceChildren(...cards.map((card) => el("option", { value: card.game }, card.name)));
  const shown = await cup.begin();
  await openAddress();
  if (shown && !location.hash.includes("room=")) showTab(byId("tab-cup"));
} catch (error) {
  complain(error);
}
addEventListener("hashchange", () => openAddress().catch(complain));
