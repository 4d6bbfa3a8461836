// Questions to the module, which answers them in workers. A page without a server has this file in place of api.js.

import { ApiError, inWords } from "./errors.js";

/** @typedef {{text: string, status: number}} Line the status of all but the last line is 0 */
/** @typedef {{what: string, body: object, hear: (line: Line) => void}} Job */

const address = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("jewel", { createScriptURL: String }).createScriptURL("worker.js") ?? "worker.js";

/** @param {string} file */
async function load(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file} cannot be loaded: status ${response.status}`);
  return response;
}

/** With vector instructions, and what only browsers with them take. */
const SIMD = "jewel-simd.wasm";
const VECTOR = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123]);

/** @type {Promise<any>} */
const site = load("site.json").then((response) => response.json());

/** The module, compiled once for all workers, and the games. */
const ready = Promise.all([
  site.then(async ({ files }) => {
    const response = await load(files.includes(SIMD) && WebAssembly.validate(VECTOR) ? SIMD : "jewel.wasm");
    const spare = response.clone();
    // Not every server knows the type of the file.
    return WebAssembly.compileStreaming(response).catch(async () => WebAssembly.compile(await spare.arrayBuffer()));
  }),
  site,
]);

/** Does one job after the other in a worker of its own. */
class Clerk {
  /** @type {Worker | null} */ #worker = null;
  /** @type {Job[]} */ #jobs = [];
  /** @type {Job | null} */ #job = null;

  /** @param {Job} job */
  take(job) {
    this.#jobs.push(job);
    if (!this.#job) this.#next();
  }

  /** Gives a job up: what has not begun is forgotten, and what takes long is ended, with its worker. @param {Job} job */
  drop(job) {
    this.#jobs = this.#jobs.filter((other) => other !== job);
    if (this.#job === job && /^(analyse|solve)$/.test(job.what)) this.#end();
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#next();
  }

  async #next() {
    const job = (this.#job = this.#jobs.shift() ?? null);
    if (!job) return;
    try {
      const [module, site] = await ready;
      // Given up meanwhile.
      if (this.#job !== job) return;
      if (!this.#worker) {
        const worker = (this.#worker = new Worker(address));
        // An ended worker may have said something before.
        worker.onmessage = ({ data }) => this.#worker === worker && this.#hear(data);
        worker.onerror = () => this.#fail("the worker failed");
        worker.postMessage({ module, site });
      }
      this.#worker.postMessage({ what: job.what, body: job.body });
    } catch (error) {
      this.#fail(inWords(error));
    }
  }

  /** @param {string} error */
  #fail(error) {
    this.#hear({ text: JSON.stringify({ error, status: 500 }), status: 500 });
  }

  /** @param {Line} line */
  #hear(line) {
    this.#job?.hear(line);
    // What has failed is not asked again.
    if (line.status >= 500) this.#end();
    else if (line.status) this.#next();
  }
}

/** Boards are drawn while values are looked for, and both while the engine searches. */
const [board, prover, searcher] = [new Clerk(), new Clerk(), new Clerk()];

/**
 * A question that is answered by one object after the other; an error among them is thrown.
 * @param {string} what @param {object} body @param {AbortSignal} [signal] @returns {AsyncGenerator<any>}
 */
export async function* stream(what, body, signal) {
  const clerk = what === "analyse" ? searcher : what === "solve" || what === "values" ? prover : board;
  /** @type {Line[]} */ const lines = [];
  let wake = () => {};
  const job = {
    what,
    body,
    hear: (/** @type {Line} */ line) => {
      // Of how it goes on only the newest counts.
      if (lines.at(-1)?.status === 0) lines.pop();
      lines.push(line);
      wake();
    },
  };
  const abort = () => wake();
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort);
  clerk.take(job);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const line = lines.shift();
      if (!line) {
        await new Promise((go) => (wake = () => go(0)));
        continue;
      }
      const object = JSON.parse(line.text);
      if (line.status >= 400) throw new ApiError(object.error, object.status);
      yield object;
      if (line.status) return;
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    // Nobody listens any more.
    clerk.drop(job);
  }
}

/** One question, one answer. @param {string} what @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function ask(what, body, signal) {
  for await (const answer of stream(what, body, signal)) return answer;
}

/** A question without a body. @param {"games" | "tournament"} what @returns {Promise<any>} */
export async function get(what) {
  return what === "games" ? ask(what, {}) : { report: null };
}
