// A server and a browser for the tests.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const JEWEL = process.env.JEWEL ?? "jewel";

/** What `jewel` prints with `--json`. */
export const json = (...words) => JSON.parse(execFileSync(JEWEL, [...words, "--json"], { encoding: "utf8" }));

/** Starts a server; the answer has its address. */
export async function serve(...words) {
  const child = spawn(JEWEL, ["serve", "--port", "0", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url) return { url, stop: () => child.kill(), id: child.pid };
  }
  throw new Error("the server has not said its address");
}

/** Starts a tournament that is shown; the answer has its address. */
export async function watch(...words) {
  const child = spawn(JEWEL, ["tournament", ...words], { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url) return { url, stop: () => child.kill("SIGKILL"), id: child.pid };
  }
  throw new Error("the tournament has not said its address");
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm" };

/**
 * Serves the files of a folder, and knows nothing else. The answer has its address, and `asked`: each request with its path and
 * the bytes that were sent. With `ranges`, parts of files are sent.
 */
export async function serveFolder(folder, { ranges = true } = {}) {
  const asked = [];
  const server = createServer(({ method, url, headers }, response) => {
    const path = new URL(url, "http://host").pathname.replace(/\/$/, "/index.html");
    const one = { method, path, bytes: 0 };
    asked.push(one);
    const file = join(folder, path);
    if (!["GET", "HEAD"].includes(method) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const all = readFileSync(file);
    const part = ranges && method === "GET" ? /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") : null;
    const [from, to] = part ? part.slice(1).map(Number) : [0, all.length - 1];
    const bytes = all.subarray(from, to + 1);
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    const more = { ...(ranges && { "accept-ranges": "bytes" }), ...(part && { "content-range": `bytes ${from}-${to}/${all.length}` }) };
    response.writeHead(part ? 206 : 200, { "content-type": type, "content-length": bytes.length, ...more });
    one.bytes = method === "GET" ? bytes.length : 0;
    response.end(method === "GET" ? bytes : undefined);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, stop: () => server.close() };
}

export const browse = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** A page whose errors are collected. */
export async function visit(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  // With ASSETS=FOLDER the files of the page come from there, to try changes without a build.
  if (process.env.ASSETS) {
    await page.route(/\/([a-z]+\.(js|css|svg|html))?(#.*)?$/, async (route) => {
      const path = new URL(route.request().url()).pathname;
      const response = await route.fetch();
      await route.fulfill({ response, body: readFileSync(`${process.env.ASSETS}${path === "/" ? "/index.html" : path}`) });
    });
  }
  const errors = [];
  page.on("console", (message) => {
    // A move that is not legal is refused by the API, which is no fault of the page.
    if (/status of 400/.test(message.text())) return;
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  const done = async () => {
    await context.close();
    return errors;
  };
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector("[data-square], .room:not([hidden])"));
  return { page, errors, done };
}

/** Clicks a square. */
export const click = (page, square) => page.locator(`[data-square="${square}"]`).click();

/** Plays a move of two squares by clicks, and waits until the board shows it. */
export async function play(page, move) {
  const before = await page.locator("#history [aria-current]").count() ? await plies(page) : 0;
  const [, from, to] = /^([a-z]\d+)([a-z]\d+)/.exec(move);
  await click(page, from);
  await click(page, to);
  await page.waitForFunction((n) => document.querySelectorAll("#history .ply").length === n, before + 1);
}

/** How many plies are listed. */
export const plies = (page) => page.locator("#history .ply").count();

/** The moves of the panel with their values, once they are exact. */
export async function values(page) {
  await page.waitForSelector("#moves .chip:not(.chip-engine)");
  return page.$$eval("#moves button", (buttons) => buttons.map((button) => [button.dataset.move, button.querySelector(".chip").textContent]));
}

const words = ({ value, distance }) => distance === null ? value : distance === 0 ? value : `${value} in ${distance} ${distance === 1 ? "ply" : "plies"}`;

/** Plays Duel to the draw by repetition: each move has the value that `jewel solve` gives it. */
export async function playDuel(page) {
  const played = [];
  for (let ply = 0; ply < 20; ply++) {
    const solved = json("solve", "duel", ...(played.length ? ["--moves", played.join(" ")] : []));
    assert.deepEqual(new Map(await values(page)), new Map(solved.moves.map((move) => [move.move, words(move)])), played.join(" "));
    const mv = solved.line[0];
    await play(page, mv);
    played.push(mv);
    if (/repetition/.test(await page.textContent("#news"))) break;
  }
  assert.match(await page.textContent("#verdict"), /draw by repetition/);
  assert.ok(played.length >= 8, played.join(" "));
  // Nothing can be played any more, and the game can be walked through by keys.
  assert.equal(await page.locator("#moves button").count(), 0);
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector("#verdict").textContent.includes("Red draws"));
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(`#history li:first-child .ply[aria-current]`);
  assert.equal(await plies(page), played.length);
}
