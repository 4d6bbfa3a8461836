// The page without a server: a site in a real browser, from a server that knows nothing but files.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browse, json, playDuel, serveFolder, values, visit } from "./server.mjs";

const ROOT = new URL("../..", import.meta.url).pathname;
const MODULE = process.env.MODULE ?? `${process.env.CARGO_TARGET_DIR ?? `${ROOT}target`}/wasm/wasm32-unknown-unknown/wasm/jewel_page.wasm`;
const PICTURES = process.env.PICTURES ?? ".";
/** Five pieces of Ambush. */
const CLASS = "NLvNQQ";
const HEXAPAWN = `${ROOT}examples/variants/hexapawn.toml`;

// CI says where the module cannot be built.
const options = existsSync(MODULE) ? {} : { skip: `no ${MODULE}: web/wasm-toolchain build --profile wasm -p jewel-page` };

let browser;
let server;
let url;
let folder;
before(async () => {
  if (options.skip) return;
  folder = mkdtempSync(join(tmpdir(), "jewel-site-"));
  const jewel = (...words) => execFileSync(process.env.JEWEL, words);
  jewel("tables", "build", "ambush", "--class", CLASS, "--tables", join(folder, "tables/ambush"));
  const games = ["duel", "diamond-quest", HEXAPAWN, "kings-mate-active", "ambush"];
  // Which of the two is loaded does not depend on what is in them.
  for (const name of ["jewel.wasm", "jewel-simd.wasm"]) copyFileSync(MODULE, join(folder, name));
  jewel("site", ...games, "--tables", join(folder, "tables"), "--module", join(folder, "jewel.wasm"), "--out", join(folder, "site"));
  server = await serveFolder(join(folder, "site"));
  url = server.url;
  browser = await browse();
});
after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** The board of a site, closed at the end, with no error on its console. */
async function on(address, work, settings) {
  const { page, done } = await visit(browser, `${url}board.html${address}`, settings);
  await work(page);
  assert.deepEqual(await done(), []);
}

test("the gallery says what is proven, and leads to the boards", options, async () => {
  const context = await browser.newContext({ bypassCSP: false });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(url);
  const cards = await page.$$eval("article", (cards) => cards.map((card) => card.textContent));
  assert.equal(cards.length, 5);
  assert.match(cards[0], /draw with best play: all 162 positions/);
  assert.match(cards[0], /confirmed/);
  assert.match(cards[1], /Not solved/);
  const { positions } = json("solve", HEXAPAWN);
  assert.match(cards[2], new RegExp(`wins in \\d+ plies: all ${positions} positions`));
  assert.match(cards[3], /Dice decide/);
  assert.deepEqual(await page.$$eval("img", (images) => images.filter((image) => !image.complete || !image.naturalWidth).length), 0);
  await page.screenshot({ path: `${PICTURES}/gallery.png`, fullPage: true });
  await page.getByRole("link", { name: "Hexapawn", exact: true }).click();
  await page.waitForSelector("[data-square]");
  assert.equal(await page.$eval("#game", (list) => list.value), "hexapawn");
  assert.equal(await page.locator("#game option").count(), 5);
  await page.getByRole("link", { name: "All games" }).click();
  await page.waitForSelector("article");
  assert.deepEqual(errors, []);
  await context.close();
});

test("Duel is played to the draw by repetition without asking the network, and each value is that of solve", options, async () => {
  await on("#game=duel", async (page) => {
    await page.waitForSelector("#moves .chip");
    server.asked.length = 0;
    await playDuel(page);
    // The browser itself asks for the icon of every address.
    assert.deepEqual(server.asked.filter(({ path }) => path !== "/icon.svg"), []);
  });
});

test("a search goes on until it is stopped, and another begins", options, async () => {
  await on("#game=diamond-quest", async (page) => {
    await page.waitForSelector("#moves .chip");
    await page.click("#tab-engine");
    for (let n = 0; n < 2; n++) {
      await page.click("#search");
      await page.waitForFunction(() => /depth ([3-9]|\d\d)/.test(document.querySelector("#speed").textContent));
      assert.doesNotMatch(await page.textContent("#speed"), /done/);
      await page.click("#search");
      assert.equal(await page.textContent("#speed"), "Not searching.");
    }
    // Nothing is said after the end, and the board still answers.
    await page.waitForTimeout(300);
    assert.equal(await page.textContent("#speed"), "Not searching.");
    await page.fill("#typed", await page.$eval("#moves button", (button) => button.dataset.move));
    await page.keyboard.press("Enter");
    await page.waitForSelector("#history .ply");
  });
});

test("tree search, PGN and a reply of the engine", options, async () => {
  await on("#game=diamond-quest", async (page) => {
    await page.click("#tab-engine");
    await page.selectOption("#algorithm", "mcts");
    await page.click("#search");
    await page.waitForSelector("#lines .visits");
    await page.click("#search");
    await page.click("#tab-play");
    await page.selectOption("#black", "ab");
    // The move is played before the new game is on the board, and waits for it.
    await page.evaluate(() => {
      document.querySelector("#new").click();
      document.querySelector("#typed").value = document.querySelector("#moves button").dataset.move;
      document.querySelector("#typing").requestSubmit();
    });
    await page.waitForFunction(() => document.querySelectorAll("#history .ply").length === 2, null, { timeout: 30_000 });
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    assert.match(readFileSync(await download.path(), "utf8"), /\[Variant "diamond-quest"\]/);
  });
});

test("a variant is edited: the error, the mended file, its solution", options, async () => {
  await on("#game=duel", async (page) => {
    await page.click("#tab-shop");
    assert.equal(await page.locator("#shop-report").isVisible(), false);
    const text = await page.inputValue("#text");
    await page.fill("#text", text.replace(/^size.*$/m, 'size = "3 by 3"'));
    await page.waitForSelector("#complaint.bad");
    await page.fill("#text", text);
    await page.waitForFunction(() => document.querySelector("#complaint").textContent === "The file is right.");
    await page.click("#shop-solve");
    await page.waitForFunction(() => document.querySelector("#shop-result").textContent.includes("162 positions"));
  });
});

test("dice are rolled", options, async () => {
  const fen = json("moves", "kings-mate-active").fen;
  assert.ok(fen);
  await on("#game=kings-mate-active", async (page) => {
    await page.waitForSelector("#moves .chip");
    await page.locator("#moves button").first().click();
    await page.waitForSelector("#history .ply");
  });
});

/** Looks at positions with tables, and compares the values with those of `tables probe`. */
async function probe(host) {
  const { page, done } = await visit(browser, `${host.url}board.html#game=ambush`);
  host.asked.length = 0;
  for (const fen of ["N4/4n/5/q4/1q1L1 w - - 0 1", "4N/1n3/5/q4/1q1L1 b - - 0 1", "N4/4n/5/5/1q1L1 w - - 0 1"]) {
    await page.evaluate((fen) => (location.hash = new URLSearchParams({ game: "ambush", fen })), fen);
    const probed = json("tables", "probe", "ambush", "--fen", fen, "--tables", join(folder, "tables/ambush"));
    const legal = probed.moves.map((move) => move.move).sort().join();
    await page.waitForFunction((legal) => [...document.querySelectorAll("#moves button")].map((button) => button.dataset.move).sort().join() === legal, legal);
    await page.waitForFunction(() => document.querySelector("#source").textContent === "Exact, from tables.");
    const words = ({ value, distance }) => (value === "draw" ? value : `${value} in ${distance} ${distance === 1 ? "ply" : "plies"}`);
    assert.deepEqual(new Map(await values(page)), new Map(probed.moves.map((move) => [move.move, words(move)])), fen);
  }
  assert.deepEqual(await done(), []);
  return host.asked.filter(({ path }) => path.endsWith(".jt"));
}

test("of tables only the parts are fetched that are needed", options, async () => {
  const asked = await probe(server);
  const { games } = JSON.parse(readFileSync(join(folder, "site/site.json"), "utf8"));
  const all = games.at(-1).tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const bytes = asked.reduce((sum, one) => sum + one.bytes, 0);
  console.log(`tables: ${asked.length} requests for ${bytes} of ${all} bytes`);
  assert.ok(bytes > 0 && bytes < all, `${bytes} of ${all} bytes`);
  assert.ok(asked.every((one) => one.bytes <= 32768));
});

test("a server that sends no parts of files is asked for each table once", options, async () => {
  const plain = await serveFolder(join(folder, "site"), { ranges: false });
  const asked = await probe(plain);
  assert.ok(asked.length > 0);
  assert.equal(new Set(asked.map(({ path }) => path)).size, asked.length);
  plain.stop();
});

test("a table that is missing is named, and the engine scores the moves", options, async () => {
  const { page, done } = await visit(browser, `${url}board.html#game=duel`);
  await page.route("**/*.jt", (route) => route.fulfill({ status: 404 }));
  await page.evaluate(() => (location.hash = new URLSearchParams({ game: "ambush", fen: "N4/4n/5/q4/1q1L1 w - - 0 1" })));
  await page.waitForFunction(() => /table .*\.jt: it cannot be loaded: status 404/.test(document.querySelector("#source").textContent));
  await page.waitForSelector("#moves .chip-engine");
  assert.deepEqual((await done()).filter((error) => !/404/.test(error)), []);
});

test("a browser loads the module that it can run, and only that", options, async () => {
  for (const [vectors, module] of [[true, "jewel-simd.wasm"], [false, "jewel.wasm"]]) {
    const context = await browser.newContext();
    const page = await context.newPage();
    if (!vectors) await page.addInitScript(() => (WebAssembly.validate = () => false));
    const loaded = [];
    page.on("request", (request) => /wasm$/.test(request.url()) && loaded.push(request.url()));
    await page.goto(`${url}board.html#game=duel`);
    await page.waitForSelector("#moves .chip");
    assert.deepEqual(loaded, [url + module]);
    await context.close();
  }
});

test("a site without its module says so", options, async () => {
  const { page } = { page: await browser.newPage() };
  await page.route("**/*.wasm", (route) => route.fulfill({ status: 404 }));
  await page.goto(`${url}board.html`);
  await page.waitForFunction(() => document.querySelector("#problem").textContent.includes("jewel-simd.wasm cannot be loaded: status 404"));
  await page.close();
});

test("serious findings of axe are none", options, async () => {
  const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const address of ["", "board.html#game=duel"]) {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(url + address);
    if (address) await page.waitForSelector("#moves .chip");
    await page.evaluate(source);
    const { violations } = await page.evaluate(() => window.axe.run());
    const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]), [], address);
    await context.close();
  }
});

test("the first board is soon there", options, async () => {
  const times = [];
  for (let n = 0; n < 5; n++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const begun = performance.now();
    await page.goto(`${url}board.html#game=duel`, { waitUntil: "commit" });
    await page.waitForSelector("[data-square]");
    times.push(performance.now() - begun);
    await context.close();
  }
  times.sort((a, b) => a - b);
  console.log(`first board: median ${times[2].toFixed(0)} ms, most ${times[4].toFixed(0)} ms; the module has ${statSync(MODULE).size} bytes`);
});
