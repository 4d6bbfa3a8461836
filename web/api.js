// Questions to the server.

import { ApiError } from "./errors.js";

/** @param {Response} response */
async function checked(response) {
  if (response.ok) return response;
  let message = `the server answered ${response.status}`;
  try {
    message = (await response.json()).error ?? message;
  } catch {
    // It is no answer of the API.
  }
  throw new ApiError(message, response.status);
}

/**
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} [signal]
 */
function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** A question without a body. @param {"games" | "tournament"} what @returns {Promise<any>} */
export async function get(what) {
  return (await checked(await fetch(`/api/${what}`))).json();
}

/** One question, one answer. @param {string} what @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function ask(what, body, signal) {
  return (await checked(await post(`/api/${what}`, body, signal))).json();
}

/**
 * A question that is answered by one object after the other; an error among them is thrown.
 * @param {string} what @param {object} body @param {AbortSignal} [signal] @returns {AsyncGenerator<any>}
 */
export async function* stream(what, body, signal) {
  const response = await checked(await post(`/api/${what}`, body, signal));
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const object = JSON.parse(line);
      if (object.error && object.status) throw new ApiError(object.error, object.status);
      yield object;
    }
  }
}
