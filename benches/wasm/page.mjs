// The speed of searches in the module of a site, against that of the program on one thread.
//
//   node benches/wasm/page.mjs [MODULE [JEWEL [PAIRS]]]
//
// Both search the same positions for the same number of nodes, in turn, and their processor time is compared.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [module = "target/wasm/wasm32-unknown-unknown/wasm/jewel_page.wasm", jewel = "target/release/jewel", pairs = "5"] = process.argv.slice(2);
const GAMES = ["ambush", "diamond-chess", "chess"];
const NODES = 1_000_000;

/** Mebibytes of the first table. Each pair has another number, or the module would go on with the table of the last one. */
const HASH = 64;

let answer;
const page = {
  now: () => performance.now(),
  random: Math.random,
  say: (at, length, status) => {
    if (status) answer = JSON.parse(new TextDecoder().decode(new Uint8Array(api.memory.buffer, at >>> 0, length)));
  },
  read: () => 404,
};
const { instance } = await WebAssembly.instantiate(readFileSync(module), { page });
const api = instance.exports;

/** Asks the module. */
function ask(what, body) {
  const question = new TextEncoder().encode(`${what}\n${JSON.stringify(body)}`);
  const at = api.room(question.length) >>> 0;
  new Uint8Array(api.memory.buffer, at, question.length).set(question);
  api.ask();
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** Nodes of a search in the module for each second of processor time. */
function inModule(game, hash) {
  const begun = process.cpuUsage();
  const { nodes } = ask("analyse", { game, engine: "ab", nodes: NODES, hash });
  const { user, system } = process.cpuUsage(begun);
  return nodes / ((user + system) / 1e6);
}

/** The same in the program. */
function inProgram(game, hash) {
  const words = [jewel, "analyse", game, "--engine", "ab", "--nodes", NODES, "--threads", 1, "--hash", hash, "--json"];
  const script = 'TIMEFORMAT="%U %S"; { time "$@"; } 2>&1';
  const [found, times] = execFileSync("bash", ["-c", script, "bash", ...words.map(String)], { encoding: "utf8" }).trim().split("\n");
  const [user, system] = times.split(" ").map(Number);
  return JSON.parse(found).nodes / (user + system);
}

ask("open", { games: GAMES.map((id) => ({ id })) });
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const millions = (speeds) => (median(speeds) / 1e6).toFixed(2);
for (const game of GAMES) {
  inModule(game, 1);
  const rows = Array.from({ length: Number(pairs) }, (_, n) => [inModule(game, HASH - n), inProgram(game, HASH - n)]);
  const shares = rows.map(([module, program]) => module / program);
  const percent = (share) => `${(100 * share).toFixed(0)}%`;
  const [speed, native] = [0, 1].map((n) => millions(rows.map((row) => row[n])));
  console.log(`${game}: ${speed} million nodes a second in the module, ${native} in the program: ${percent(median(shares))} (${percent(Math.min(...shares))} to ${percent(Math.max(...shares))})`);
}
