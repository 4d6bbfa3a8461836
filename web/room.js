// Rooms: games in which each player is sent only what that player may see.

import { ask } from "./api.js";
import { byId, complain, el, showPlayer, svg } from "./dom.js";
import { draw } from "./pieces.js";

/** @typedef {import("./types").Room} Room */
/** @typedef {import("./types").Tile} Tile */
/** @typedef {NonNullable<Room["tiles"]>} Tiles */

/** Milliseconds until a question is asked again that was not answered. */
const AGAIN = 1500;

export class RoomTable {
  open = false;
  /** @type {import("./types").Seat | null} */ #seat = null;
  /** @type {Room | null} */ #room = null;
  #game = "crown-jewels";
  /** Tiles to be given away. @type {Set<string>} */ #given = new Set();
  /** Tiles and checkers by the squares on which they are to be placed. @type {Map<string, string>} */ #placed = new Map();
  /** What is in hand. */ #held = "";
  #turned = false;
  #visit = 0;

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.panel = byId("room");
  }

  /** Offers a new room. @param {string} game */
  start(game) {
    this.open = true;
    this.#game = game;
    this.#seat = null;
    this.#room = null;
    this.#visit += 1;
    this.panel.hidden = false;
    byId("news").textContent = "";
    byId("board").classList.add("empty");
    history.replaceState(null, "", `#${new URLSearchParams({ game })}`);
    const side = el("select", { "aria-label": "Your side" }, el("option", { value: "w" }, "White"), el("option", { value: "b" }, "Black"));
    const make = (/** @type {string} */ opponent) => this.#make(side.value, opponent);
    this.panel.replaceChildren(
      el("h2", {}, "Crown Jewels"),
      el("p", {}, "Two armies of dominoes hunt each other's Jewels. Each player sees only their own tiles, so a game is played in a room: your page is never told what stands on the other side."),
      el("div", { class: "row wrap" }, el("label", {}, "You play ", side),
        el("button", { class: "main", click: () => make("mcts") }, "Play the engine"),
        el("button", { click: () => make("person") }, "Invite a friend")),
    );
  }

  leave() {
    this.open = false;
    this.#visit += 1;
    this.panel.hidden = true;
    byId("board").classList.remove("empty");
  }

  turnRound() {
    this.#turned = !this.#turned;
    if (this.#room) this.#show(this.#room);
  }

  /** @param {string} side @param {string} opponent */
  async #make(side, opponent) {
    this.#sit(await ask("rooms", { game: this.#game, side, opponent }));
  }

  /** Enters a room by an invitation, or by the seat that this tab had there. @param {string} id @param {string | null} invitation */
  async enter(id, invitation) {
    this.open = true;
    this.panel.hidden = false;
    byId("board").classList.add("empty");
    const kept = sessionStorage.getItem(`seat ${id}`);
    try {
      if (!kept && !invitation) throw new Error("only the players of a room may look into it");
      this.#sit(kept ? JSON.parse(kept) : await ask(`rooms/${encodeURIComponent(id)}/join`, { invitation }));
    } catch (error) {
      this.start("crown-jewels");
      throw error;
    }
  }

  /** @param {import("./types").Seat} seat */
  #sit(seat) {
    this.#seat = seat;
    this.#given.clear();
    this.#placed.clear();
    sessionStorage.setItem(`seat ${seat.room}`, JSON.stringify(seat));
    history.replaceState(null, "", `#${new URLSearchParams({ room: seat.room })}`);
    this.#watch(seat, ++this.#visit);
  }

  /** Asks for news as long as the room is open. @param {import("./types").Seat} seat @param {number} visit */
  async #watch(seat, visit) {
    let after;
    while (visit === this.#visit) {
      try {
        /** @type {Room} */
        const room = await ask(`rooms/${seat.room}/look`, { token: seat.token, after });
        if (visit !== this.#visit) return;
        if (room.version !== after) this.#show(room);
        after = room.version;
      } catch (error) {
        if (visit !== this.#visit) return;
        complain(error);
        if (error instanceof Error && "status" in error) return;
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
  }

  /** @param {object} what */
  async #act(what) {
    const seat = this.#seat;
    if (!seat) return;
    byId("problem").textContent = "";
    try {
      this.#show(await ask(`rooms/${seat.room}/act`, { token: seat.token, ...what }));
    } catch (error) {
      complain(error);
      this.board.clear();
    }
  }

  /** Plays a move of the board. @param {string} move */
  play(move) {
    if (this.#room?.phase === "place") this.#put(move);
    else this.#act({ play: move });
  }

  /** @param {Room} room */
  #show(room) {
    if (this.#room && room.version < this.#room.version) return;
    this.#room = room;
    byId("board").classList.toggle("empty", room.phase === "give");
    /** @type {HTMLElement[]} */
    const parts = [el("h2", {}, room.name), el("p", { class: "source" }, this.#status(room))];
    const invitation = this.#seat?.invitation;
    if (invitation && room.opponent === "absent") {
      const address = `${location.origin}/#${new URLSearchParams({ room: room.room, invite: invitation })}`;
      parts.push(el("p", {}, "Send your friend this address: ", el("input", { readonly: true, value: address, "aria-label": "Invitation", class: "invitation" })));
    }
    if (room.tiles && room.phase === "give") parts.push(...this.#giving(room, room.tiles));
    if (room.tiles && room.phase === "place") parts.push(...this.#placing(room, room.tiles));
    if (room.board) this.#playing(room, room.board, parts);
    const news = el("ol", { class: "news-list", tabindex: 0, "aria-label": "What has happened" }, ...[...room.news].reverse().map((line) => el("li", {}, line)));
    parts.push(news);
    this.panel.replaceChildren(...parts);
    byId("news").textContent = room.over ?? room.news[room.news.length - 1] ?? "";
  }

  /** @param {Room} room */
  #status(room) {
    const side = room.side === "w" ? "White" : "Black";
    if (room.over) return room.over;
    if (room.opponent === "absent" && !room.turn) return `You play ${side}. Your friend has not come yet.`;
    if (!room.turn) return `You play ${side}. The other player is busy…`;
    const what = { give: "give tiles away", place: "place your tiles", play: "it is your turn", over: "" }[room.phase];
    return `You play ${side}: ${what}.`;
  }

  /** @param {Tile} tile @param {boolean} chosen @param {() => void} click @param {"w" | "b"} side */
  #tile(tile, chosen, click, side) {
    const piece = { square: "", letter: "T", side, name: tile.words, abbreviation: side + tile.tile };
    const look = { sides: /** @type {[string, string]} */ (["White", "Black"]), kinds: [], flipped: false };
    const picture = svg("svg", { viewBox: "-32 -46 64 92", "aria-hidden": "true" }, draw(piece, look));
    const label = `${tile.tile}, ${tile.words}, strength ${tile.strength}`;
    return el("button", { class: "tile", "aria-pressed": String(chosen), "aria-label": label, title: label, click }, picture, el("span", {}, tile.words));
  }

  /** @param {Room} room @param {Tiles} tiles */
  #giving(room, tiles) {
    if (!room.turn) return [el("p", {}, `You give away ${tiles.chosen?.replace("give ", "")}.`)];
    const toggle = (/** @type {string} */ tile) => {
      if (!this.#given.delete(tile) && this.#given.size < tiles.give) this.#given.add(tile);
      this.#show(room);
    };
    const give = () => this.#act({ give: `give ${[...this.#given].sort().join(" ")}` });
    return [
      el("p", {}, `Choose ${tiles.give} tiles for your opponent, who does the same.`),
      el("div", { class: "hand" }, ...tiles.hand.map((tile) => this.#tile(tile, this.#given.has(tile.tile), () => toggle(tile.tile), room.side))),
      el("div", { class: "row wrap" }, el("button", { class: "main", click: give, disabled: this.#given.size !== tiles.give }, `Give ${this.#given.size} of ${tiles.give}`),
        el("button", { click: () => this.#act({ give: "auto" }) }, "Choose for me")),
    ];
  }

  /** @param {Room} room @param {Tiles} tiles */
  #placing(room, tiles) {
    if (!room.turn) return [el("p", {}, "Your tiles are placed.")];
    const used = new Set(this.#placed.values());
    const checkers = [...this.#placed.values()].filter((what) => what === "#").length;
    const left = tiles.hand.filter((tile) => !used.has(tile.tile));
    if (!left.some((tile) => tile.tile === this.#held) && !(this.#held === "#" && checkers < tiles.checkers)) {
      this.#held = left[0]?.tile ?? (checkers < tiles.checkers ? "#" : "");
    }
    const hold = (/** @type {string} */ what) => {
      this.#held = what;
      this.#show(room);
    };
    const done = left.length === 0 && checkers === tiles.checkers;
    const place = () => {
      const at = [...this.#placed].filter(([, what]) => what !== "#").map(([square, tile]) => `${square}=${tile}`).sort();
      const on = [...this.#placed].filter(([, what]) => what === "#").map(([square]) => square).sort();
      this.#act({ place: `place ${at.join(" ")}${on.length ? ` # ${on.join(" ")}` : ""}` });
    };
    this.#drawHome(room, tiles);
    const checker = el("button", { class: "tile", "aria-pressed": String(this.#held === "#"), click: () => hold("#"), disabled: checkers >= tiles.checkers }, "◉", el("span", {}, `checker (${tiles.checkers - checkers})`));
    return [
      el("p", {}, `You were given ${tiles.received.map((tile) => tile.tile).join(", ")}. Choose a tile, then a square of yours; a square with a tile takes it back.`),
      el("div", { class: "hand" }, ...left.map((tile) => this.#tile(tile, this.#held === tile.tile, () => hold(tile.tile), room.side)), checker),
      el("div", { class: "row wrap" }, el("button", { class: "main", click: place, disabled: !done }, "Place them so"),
        el("button", { click: () => this.#act({ place: "auto" }) }, "Place for me")),
    ];
  }

  /** Draws the board with what is placed so far. @param {Room} room @param {Tiles} tiles */
  #drawHome(room, tiles) {
    const words = new Map(tiles.hand.map((tile) => [tile.tile, tile.words]));
    const pieces = [...this.#placed].filter(([, what]) => what !== "#").map(([square, tile]) =>
      ({ square, letter: "T", side: room.side, name: words.get(tile) ?? "", abbreviation: room.side + tile }));
    const labels = Object.fromEntries([...this.#placed].filter(([, what]) => what === "#"));
    const moves = tiles.home.map((square) => ({ move: square, squares: [square], rest: "", rolled: false }));
    this.board.show({
      game: room.game, name: room.name, fen: `placing ${[...this.#placed].join(" ")} ${this.#held}`, width: tiles.width, height: tiles.height,
      sides: ["White", "Black"], side_to_move: room.side, pieces, key: [], blocking: [], raised: tiles.home, river: [], labels, above: [],
      graph: null, notes: {}, objective: "", outcome: null, ending: null, moves,
    }, this.#look(room, []));
  }

  /** Puts what is held on a square, or takes back what is there. @param {string} square */
  #put(square) {
    const room = this.#room;
    if (!room?.turn) return;
    if (this.#placed.has(square)) this.#placed.delete(square);
    else if (this.#held) this.#placed.set(square, this.#held);
    this.#show(room);
  }

  /** @param {Room} room @param {string[]} changed */
  #look(room, changed) {
    const flipped = (room.side === "b") !== this.#turned;
    return { kinds: [], flipped, changed, values: new Map(), arrow: null, frozen: !room.turn };
  }

  /** @param {Room} room @param {import("./types").BoardObject} board @param {HTMLElement[]} parts */
  #playing(room, board, parts) {
    const last = /played (\w\d+)(\w\d+)/.exec([...room.news].reverse().find((line) => line.includes("played")) ?? "");
    this.board.show(board, this.#look(room, last ? [last[1], last[2]] : []));
    const skip = board.moves.find((move) => move.squares.length === 0);
    const buttons = [];
    if (skip) buttons.push(el("button", { class: "main", click: () => this.play(skip.move) }, skip.move));
    if (!room.over) buttons.push(el("button", { click: () => this.#act({ resign: true }) }, "Resign"));
    else buttons.push(el("button", { class: "main", click: () => this.start(room.game) }, "New game"));
    parts.push(el("div", { class: "row wrap" }, ...buttons));
    for (const id of ["player-near", "player-far"]) {
      const side = (id === "player-near") !== this.#look(room, []).flipped ? "w" : "b";
      showPlayer(id, side, `${side === "w" ? "White" : "Black"}${side === room.side ? " · you" : ""}`, !room.over && board.side_to_move === side);
    }
  }
}
