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
  const text = execFileSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@"', "time", ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return JSON.parse(text).nodes;
}

ask("open", { games: GAMES.map((id) => ({ id })) });
