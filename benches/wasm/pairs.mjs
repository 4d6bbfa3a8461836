// Runs programs and a module of WebAssembly in turns, and prints the ratio of their times.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [count, ...programs] = process.argv.slice(2);
const file = programs.pop();
const bytes = readFileSync(file);
const module = new WebAssembly.Module(bytes);

/** Seconds of processor time. @param {() => void} work */
function seconds(work) {
  const begun = process.cpuUsage();
  work();
  const used = process.cpuUsage(begun);
  return (used.user + used.system) / 1e6;
}

/** Seconds of processor time of a program. */
function native(program) {
  const script = 'TIMEFORMAT="%U %S"; time "$0" >&2';
  const text = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`, program], { encoding: "utf8" });
  const [user, system] = text.trim().split("\n").pop().split(" ").map(Number);
  return user + system;
}

const wasm = () => seconds(() => new WebAssembly.Instance(module, {}).exports.main(0, 0));
wasm();
const ratios = programs.map(() => []);
for (let n = 0; n < Number(count); n++) {
  programs.forEach((program, p) => ratios[p].push(native(program) / wasm()));
}
programs.forEach((program, p) => {
  const sorted = ratios[p].sort((a, b) => a - b);
  const at = (share) => `${(100 * sorted[Math.round(share * (sorted.length - 1))]).toFixed(0)}%`;
  console.log(`${program}: WebAssembly searches ${at(0.5)} of its nodes a second (${at(0)} to ${at(1)})`);
});
console.log(`${file}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`);
