// The speed of searches under the page of `jewel serve`, against `jewel analyse` on one thread.
//
//   node benches/serve.mjs [JEWEL [PAIRS]]
//
// Both search the same positions for the same number of nodes, in turn, and tell their nodes a second.

import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [jewel = "target/release/jewel", pairs = "15"] = process.argv.slice(2);
const GAMES = ["ambush", "diamond-chess", "chess"];
const NODES = 3_000_000;

const server = spawn(jewel, ["serve", "--port", "0", "--threads", "1", "--hash", "64M"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill());
const line = await new Promise((heard) => createInterface({ input: server.stdout }).once("line", heard));
const url = line.split(" ").find((word) => word.startsWith("http://"));

/** @param {string} report */
function speed(report) {
  const { nodes, seconds } = JSON.parse(report);
  return nodes / seconds;
}

/** Nodes a second under the page. */
async function served(game) {
  const body = JSON.stringify({ game, engine: "ab", nodes: NODES });
  const answer = await fetch(new URL("api/analyse", url), { method: "POST", headers: { "content-type": "application/json" }, body });
  return speed((await answer.text()).trim().split("\n").pop());
}

/** The same of the command. */
function analysed(game) {
  const words = ["analyse", game, "--engine", "ab", "--nodes", NODES, "--threads", 1, "--hash", 64, "--json"];
  return speed(execFileSync(jewel, words.map(String), { encoding: "utf8" }));
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
for (const game of GAMES) {
  await served(game);
  const shares = [];
  for (let n = 0; n < Number(pairs); n++) {
    // Each goes first in every other pair.
    if (n % 2) shares.push((await served(game)) / analysed(game));
    else shares.push(1 / (analysed(game) / (await served(game))));
  }
  const percent = (share) => `${(100 * share).toFixed(1)}%`;
  console.log(`${game}: ${percent(median(shares))} of the nodes a second (${percent(Math.min(...shares))} to ${percent(Math.max(...shares))})`);
}
process.exit();
