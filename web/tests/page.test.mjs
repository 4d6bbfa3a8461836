// The page in a real browser.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browse, click, json, play, playDuel, plies, serve, values, visit, watch } from "./server.mjs";

const require = createRequire(import.meta.url);
const PICTURES = process.env.PICTURES ?? ".";

let browser;
let server;
before(async () => {
  browser = await browse();
  server = await serve("--searches", "8");
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** A page that is closed at the end, with no error on its console. */
async function on(address, work, options) {
  const { page, done } = await visit(browser, `${server.url}${address}`, options);
  await work(page);
  assert.deepEqual(await done(), []);
}

test("Duel is played to the draw by repetition, and each value is that of solve", async () => {
  await on("#game=duel", playDuel);
});

test("a piece is dragged, and a move is typed", async () => {
  await on("#game=chess", async (page) => {
    await page.waitForSelector("#moves .chip");
    // In one step, where `$eval` takes two: the board is drawn anew whenever the scores of the moves change, and a square
    // that was found before is nowhere afterwards.
    const middle = (square) => page.evaluate((square) => {
      const { x, y, width, height } = document.querySelector(`[data-square="${square}"]`).getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }, square);
    await page.locator(`[data-square="e2"]`).waitFor();
    await page.mouse.move(...(await middle("e2")));
    await page.mouse.down();
    await page.mouse.move(...(await middle("e3")), { steps: 3 });
    await page.mouse.move(...(await middle("e4")), { steps: 3 });
    await page.mouse.up();
    await page.waitForSelector("#history .ply");
    assert.equal(await page.textContent("#history .ply"), "e4");
    await page.fill("#typed", "Nf6");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("#history .ply").length === 2);
    await page.fill("#typed", "Ke5");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#problem").textContent.length > 0);
    // Squares are chosen by keys, too.
    await page.locator('[data-square="d2"]').focus();
    // A board that is drawn anew leaves the focus where it was.
    await page.keyboard.press("f");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-square")), "d2");
    await page.keyboard.press("f");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("#history .ply").length === 3);
    assert.equal(await page.getAttribute('[data-square="d3"]', "aria-label"), "d3, White Pawn");
  });
});

test("a Pikeman of DiamondQuest is promoted", async () => {
  const fen = "7/P6/3k3/7/7/7/3K3 w - - 0 1";
  const moves = json("moves", "diamond-quest", "--fen", fen).moves.filter((move) => move.startsWith("a6a7"));
  assert.equal(moves.length, 3);
  await on(`#${new URLSearchParams({ game: "diamond-quest", fen })}`, async (page) => {
    await click(page, "a6");
    await click(page, "a7");
    await page.waitForSelector(".chooser button");
    const names = await page.$$eval(".chooser button:not(.quiet) span:first-of-type", (spans) => spans.map((span) => span.textContent));
    assert.deepEqual(names.sort(), ["Knight", "Noble", "Tower"]);
    await page.getByRole("button", { name: "Tower" }).first().click();
    await page.waitForSelector("#history .ply");
    assert.match(await page.getAttribute('[data-square="a7"]', "aria-label"), /Aristocrat/);
  });
});

test("a variant is edited: the error, the mended file, its solution", async () => {
  await on("#game=duel", async (page) => {
    await page.click("#tab-shop");
    const text = await page.inputValue("#text");
    assert.match(text, /\[board\]|size/);
    const wrong = text.replace(/^size.*$/m, 'size = "3 by 3"');
    await page.fill("#text", wrong);
    await page.waitForSelector("#complaint.bad");
    const line = wrong.split("\n").findIndex((line) => line.includes("3 by 3")) + 1;
    assert.match(await page.textContent("#complaint"), new RegExp(`line ${line}`));
    assert.equal(await page.textContent("#gutter .wrong"), String(line));
    await page.fill("#text", text.replace(/^name.*$/m, 'name = "<img src=x onerror=alert(1)>"'));
    await page.waitForFunction(() => document.querySelector("#complaint").textContent === "The file is right.");
    // The name is a name, wherever it stands.
    assert.equal(await page.title(), "<img src=x onerror=alert(1)> · jewel");
    assert.equal(await page.locator("img:not([src='icon.svg'])").count(), 0);
    await page.click("#shop-solve");
    await page.waitForFunction(() => document.querySelector("#shop-result").textContent.includes("162 positions"));
  });
});

test("a piece of Dobutsu shogi is captured, and dropped from the hand", async () => {
  const file = new URL("../../examples/variants/dobutsu.toml", import.meta.url).pathname;
  const own = await serve(file);
  const { page, done } = await visit(browser, own.url);
  assert.equal(await page.locator("#hand-near button").count(), 0);
  await play(page, "b2b3");
  assert.match(await page.getAttribute("#hand-near [data-hand]", "aria-label"), /Chick, 1 in hand$/);
  await play(page, "a4a3");
  const drops = json("moves", file, "--moves", "b2b3 a4a3").moves.filter((move) => move.startsWith("C@"));
  await page.click("#hand-near [data-hand]");
  assert.deepEqual((await page.$$eval(".square.target", (squares) => squares.map((square) => `C@${square.dataset.square}`))).sort(), drops.sort());
  await page.screenshot({ path: `${PICTURES}/dobutsu-hand.png` });
  await click(page, drops[0].slice(2));
  await page.waitForFunction(() => document.querySelectorAll("#history .ply").length === 3);
  assert.equal(await page.locator("#hand-near button").count(), 0);
  assert.deepEqual(await done(), []);
  own.stop();
});

test("the workshop plays a hundred games, and shows them as plots", async () => {
  await on("#game=duel", async (page) => {
    await page.click("#tab-shop");
    await page.click("#shop-games");
    await page.waitForSelector("#shop-result figure .plot-bar", { timeout: 120_000 });
    assert.match(await page.textContent("#shop-result"), /100, \d+ of them different|100, ab with/);
    await page.locator("#panel-shop").screenshot({ path: `${PICTURES}/report.png` });
    await page.getByRole("button", { name: "Show a game of them" }).click();
    await page.waitForSelector("#history .ply");
  });
  await on("#game=chess", async (page) => {
    await page.click("#tab-shop");
    await page.click("#shop-report");
    await page.waitForFunction(() => /\d+ of \d+ games|Solving/.test(document.querySelector("#shop-result").textContent));
    await page.click("#shop-report");
    await page.waitForFunction(() => document.querySelector("#shop-result").textContent === "Stopped.");
  });
});

test("a finished tournament is replayed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jewel-cup-"));
  const records = join(folder, "cup.jsonl");
  const report = json("tournament", "duel", "--player", "ab,nodes=60", "--player", "random", "--player", "name=<b>,kind=greedy", "--rounds", "4", "--records", records);
  const own = await serve("--games", records);
  const { page, done } = await visit(browser, own.url);
  await page.waitForSelector("#cup-games li");
  assert.equal(await page.locator("#cup-standings tbody tr").count(), 3);
  assert.equal(await page.locator("#cup-cross tbody td").count(), 9);
  assert.equal(await page.textContent("#cup-standings tbody tr:first-child th"), report.players[0].name);
  await page.selectOption("#cup-player", "ab");
  await page.selectOption("#cup-result", "win");
  const wins = report.players.find(({ name }) => name === "ab").wins;
  await page.waitForFunction((text) => document.querySelector("#cup-count").textContent === text, `${wins} games`);
  await page.locator("#cup-games button").first().click();
  await page.waitForSelector("#history .ply");
  const number = Number(await page.getAttribute("#cup-games button", "data-number"));
  const record = JSON.parse(readFileSync(records, "utf8").split("\n")[number - 1]);
  assert.equal(await plies(page), record.moves.length);
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await page.waitForFunction((text) => document.querySelector("#cup-move").textContent.includes(text), `Ply ${record.moves.length}: ${record.moves.at(-1)} by `);
  await page.screenshot({ path: `${PICTURES}/tournament.png`, fullPage: true });
  assert.deepEqual(await done(), []);
  own.stop();
  rmSync(folder, { recursive: true });
});

test("a tournament is watched while it is played", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jewel-live-"));
  const own = await watch("duel", "--player", "name=one,kind=ab,nodes=2000", "--player", "name=two,kind=mcts,nodes=2000", "--rounds", "100000", "--sprt", "elo0=0,elo1=1", "--records", join(folder, "cup.jsonl"), "--serve=0");
  const { page, done } = await visit(browser, own.url);
  await page.waitForSelector("#cup-boards .board [data-square]");
  const news = await page.textContent("#cup-news");
  await page.waitForFunction((news) => document.querySelector("#cup-news").textContent !== news, news);
  // A level line has no height, so it does not count as visible.
  await page.waitForSelector("#cup-plots .plot-bound", { state: "attached" });
  await page.screenshot({ path: `${PICTURES}/tournament-live.png`, fullPage: true });
  assert.deepEqual(await done(), []);
  own.stop();
  rmSync(folder, { recursive: true });
});

test("a search goes on, is stopped, and ends with its tab", async () => {
  await on("#game=chess", async (page) => {
    await page.click("#tab-engine");
    await page.click("#search");
    await page.waitForFunction(() => /depth \d+ .* nodes a second/.test(document.querySelector("#speed").textContent));
    await page.waitForFunction(() => document.querySelectorAll("#lines li").length === 3);
    await page.selectOption("#algorithm", "mcts");
    await page.waitForSelector("#lines .visits");
    await page.click("#search");
    assert.equal(await page.textContent("#speed"), "Not searching.");
    await page.click("#search");
    await page.waitForFunction(() => /depth/.test(document.querySelector("#speed").textContent));
  });
  const ticks = () => {
    const fields = readFileSync(`/proc/${server.id}/stat`, "utf8").split(") ")[1].split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  for (let n = 0; ; n++) {
    const begun = ticks();
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (ticks() - begun <= 5) break;
    assert.ok(n < 40, "it goes on searching");
  }
});

test("the engine plays, moves are taken back, and the game is saved and loaded", async () => {
  await on("#game=duel", async (page) => {
    await page.click("#tab-play");
    await page.selectOption("#black", "ab");
    await page.selectOption("#time", "60+1");
    await page.click("#new");
    await play(page, "c1b1").catch(() => {});
    await page.waitForFunction(() => document.querySelectorAll("#history .ply").length === 2);
    assert.match(await page.textContent('.player[data-side="w"] .clock'), /^\d+:\d\d|\d\.\d$/);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    const path = await download.path();
    assert.match(readFileSync(path, "utf8"), /\[Black "ab"\][^]*1\. Lb1 La2/);
    await page.click("#takeback");
    await page.waitForFunction(() => document.querySelectorAll("#history .ply").length === 0);
    await page.setInputFiles("#load", path);
    await page.waitForFunction(() => document.querySelectorAll("#history .ply").length === 2);
  });
});

test("two players of Crown Jewels see only their own tiles", async () => {
  const sent = { w: [], b: [] };
  const listen = (page, side) => page.on("response", async (response) => {
    if (response.url().includes("/api/")) sent[side].push(await response.text().catch(() => ""));
  });
  const white = await visit(browser, `${server.url}#game=crown-jewels`);
  listen(white.page, "w");
  await white.page.getByRole("button", { name: "Invite a friend" }).click();
  const address = await white.page.inputValue(".invitation");
  const black = await visit(browser, server.url);
  listen(black.page, "b");
  await black.page.goto(address);
  for (const { page } of [white, black]) await page.getByRole("button", { name: "Choose for me" }).click();
  for (const { page } of [white, black]) await page.getByRole("button", { name: "Place for me" }).click();
  for (const { page } of [white, black]) await page.waitForSelector(".board .domino");
  // Each page has a set of its own tiles on the board, and backs of the others.
  const tiles = {};
  for (const [side, { page }] of [["w", white], ["b", black]]) {
    tiles[side] = await page.evaluate((tone) => document.querySelectorAll(`.board .domino.${tone} .domino-line`).length, side === "w" ? "tone-white" : "tone-black");
    assert.equal(tiles[side], 14);
    assert.equal(await page.locator(".board .domino-back").count(), 14);
  }
  for (const [side, other] of [["w", "b"], ["b", "w"]]) {
    const bytes = sent[side].join("\n");
    assert.ok(bytes.length > 2000);
    // A tile of the other side on the board is `b05` in every text of the game.
    const known = bytes.match(new RegExp(`[^0-9a-f]${other}[0-6]{2}(?![0-9!])`, "g"));
    assert.equal(known, null, `${side} was sent ${known}`);
  }
  for (const player of [white, black]) assert.deepEqual(await player.done(), []);
});

test("serious findings of axe are none", async () => {
  const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  for (const [address, colorScheme] of [["#game=duel", "light"], ["#game=chess", "dark"], ["#game=crystal-draughts", "light"], ["#game=crown-jewels", "dark"]]) {
    const { page, done } = await visit(browser, `${server.url}${address}`, { colorScheme, bypassCSP: true });
    await page.waitForTimeout(800);
    await page.evaluate(source);
    for (const tab of ["tab-values", "tab-engine", "tab-play", "tab-rules", "tab-shop"]) {
      if (await page.locator(`#${tab}`).isVisible()) await page.click(`#${tab}`);
      const { violations } = await page.evaluate(() => window.axe.run());
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]), [], `${address} ${tab}`);
    }
    await done();
  }
});

test("200 moves are shown with their values", async () => {
  await on("#game=duel", async (page) => {
    await values(page);
    const times = await page.evaluate(async () => {
      const times = [];
      const shown = () => new Promise((resolve) => {
        const look = () => {
          const ready = document.querySelector("#moves .chip:not(.chip-engine)") || document.querySelector("#moves").children.length === 0;
          if (ready && document.querySelector("#verdict").className !== "verdict") resolve();
          else setTimeout(look, 1);
        };
        look();
      });
      for (let n = 0; n < 200; n++) {
        const back = document.querySelectorAll("#history .ply").length >= 7;
        if (back) {
          document.querySelector("#first").click();
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
        const button = document.querySelector("#moves button");
        if (!button) continue;
        const list = document.querySelector("#moves").firstElementChild;
        const begun = performance.now();
        button.click();
        await new Promise((resolve) => {
          const look = () => document.querySelector("#moves").firstElementChild === list ? setTimeout(look, 1) : resolve();
          look();
        });
        await shown();
        times.push(performance.now() - begun);
      }
      return times;
    });
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(1);
    console.log(`click to values, ${times.length} moves: median ${at(0.5)} ms, 90% ${at(0.9)} ms, most ${at(1)} ms`);
  });
});

const SCENES = {
  duel: "#game=duel&moves=c1b1",
  ambush: "#game=ambush",
  "diamond-qi": "#game=diamond-qi",
  "diamond-quest": "#game=diamond-quest",
  "diamond-chess": "#game=diamond-chess",
  "crystal-of-doom": "#game=crystal-of-doom",
  "star-lords": "#game=star-lords",
  chess: "#game=chess&moves=e2e4 e7e5 g1f3",
  "kings-mate": "#game=kings-mate",
  "kings-mate-expanded": "#game=kings-mate-expanded",
  "kings-mate-active": "#game=kings-mate-active",
  "world-tree": "#game=world-tree:start=standard",
  "crystal-draughts": "#game=crystal-draughts",
  "crown-jewels": "#game=crown-jewels",
};

test("every game fits a phone and a desktop, light and dark", async () => {
  for (const [name, address] of Object.entries(SCENES)) {
    const { page, done } = await visit(browser, `${server.url}${address}`, { hasTouch: true });
    if (name === "crown-jewels") {
      await page.getByRole("button", { name: "Play the engine" }).click();
      await page.getByRole("button", { name: "Choose for me" }).click();
      await page.getByRole("button", { name: "Place for me" }).click();
      await page.waitForSelector(".board .domino");
    } else {
      await page.waitForSelector("#moves .chip");
    }
    for (const [width, height, shape] of [[1280, 860, "desktop"], [390, 844, "phone"]]) {
      await page.setViewportSize({ width, height });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name} ${shape}: ${wide} pixels too wide`);
      const box = await page.locator(".board").boundingBox();
      assert.ok(box.width > 250 && box.height > 150, `${name} ${shape}: ${JSON.stringify(box)}`);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${PICTURES}/${name}-${shape}-${colorScheme}.png` });
      }
    }
    assert.deepEqual(await done(), [], name);
  }
});
