// A worker of the page without a server: it puts one question after the other to the module.

/** What the module exports. @type {any} */
let api;

/** Whether the games have been taken, and questions can be answered. */
let asking = false;

/** Sends the page what the module says. @param {number} at @param {number} length @param {number} status */
function say(at, length, status) {
  const text = new TextDecoder().decode(new Uint8Array(api.memory.buffer, at, length));
  if (asking) postMessage({ text, status });
  else if (status >= 400) throw new Error(JSON.parse(text).error);
}

/** @param {string} what @param {object} body */
function ask(what, body) {
  const question = new TextEncoder().encode(`${what}\n${JSON.stringify(body)}`);
  const at = api.room(question.length);
  new Uint8Array(api.memory.buffer, at, question.length).set(question);
  api.ask();
}

/** Questions wait until the module is there. @type {Promise<void>} */
let ready;

onmessage = async ({ data: { module, site, what, body } }) => {
  try {
    if (module) {
      ready = WebAssembly.instantiate(module, { page: { now: () => performance.now(), random: Math.random, say } }).then((instance) => {
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
