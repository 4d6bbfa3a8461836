// A worker of the page without a server: it puts questions to the module.

/** What the module exports. @type {any} */
let api;

/** Whether the games have been taken, and questions can be answered. */
let asking = false;

/** Sends the page what the module says. @param {number} at @param {number} length @param {number} status */
function say(at, length, status) {
  const text = new TextDecoder().decode(memory(at, length));
  if (asking) postMessage({ text, status });
  else if (status >= 400) throw new Error(JSON.parse(text).error);
}

/** The longest file that is loaded whole, where the server sends no parts of files: in bytes. */
const MAX_WHOLE = 64 << 20;

/** Files that came whole; `null` for those of which a part came. @type {Map<string, Uint8Array | null>} */
const files = new Map();

/** Asks for a file beside the page, and waits for it. @param {string} method @param {string} file @param {string} [range] */
function load(method, file, range) {
  const request = new XMLHttpRequest();
  request.open(method, file, false);
  request.responseType = "arraybuffer";
  if (range) request.setRequestHeader("range", range);
  request.send();
  return request;
}

/** A view of the module's memory, whose addresses are unsigned. @param {number} at @param {number} length */
const memory = (at, length) => new Uint8Array(api.memory.buffer, at >>> 0, length);

/**
 * Reads a part of a file beside the page for the module; module.rs says what is what.
 * @param {number} name @param {number} nameLength @param {number} length @param {number} offset @param {number} buffer @param {number} count
 */
function read(name, nameLength, length, offset, buffer, count) {
  const file = new TextDecoder().decode(memory(name, nameLength));
  const end = offset + count;
  try {
    let part = files.get(file)?.subarray(offset, end);
    if (!part) {
      const long = length > MAX_WHOLE && !files.has(file);
      if (long && load("HEAD", file).getResponseHeader("accept-ranges") !== "bytes") return 501;
      const { status, response } = load("GET", file, `bytes=${offset}-${end - 1}`);
      if (status !== 200 && status !== 206) return status;
      const bytes = new Uint8Array(response);
      files.set(file, status === 200 ? bytes : null);
      part = status === 200 ? bytes.subarray(offset, end) : bytes;
    }
    // It may be another file than the one that the site was made with.
    if (part.length !== count) return 416;
    memory(buffer, count).set(part);
    return 200;
  } catch {
    return 0;
  }
}

/** @param {string} what @param {object} body */
function ask(what, body) {
  const question = new TextEncoder().encode(`${what}\n${JSON.stringify(body)}`);
  memory(api.room(question.length), question.length).set(question);
  api.ask();
}

/** Questions wait until the module is there. @type {Promise<void>} */
let ready;

onmessage = async ({ data: { module, site, what, body } }) => {
  try {
    if (module) {
      ready = WebAssembly.instantiate(module, { page: { now: () => performance.now(), random: Math.random, say, read } }).then((instance) => {
        api = /** @type {any} */ (instance).exports;
        ask("open", site);
        asking = true;
      });
    }
    await ready;
    if (what) ask(what, body);
  } catch (error) {
    postMessage({ text: JSON.stringify({ error: error instanceof Error ? error.message : error, status: 500 }), status: 500 });
  }
};
