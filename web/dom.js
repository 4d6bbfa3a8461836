// Elements, made without HTML: names from files are text wherever they appear.

import { inWords, isAbort } from "./errors.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {string | number | Node | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | Work>} Attributes */
/** @typedef {(event: any) => unknown} Work */

/** Does something whenever an event happens, and says what goes wrong with it. @param {Element} element @param {string} kind @param {Work} work */
function listen(element, kind, work) {
  element.addEventListener(kind, async (event) => {
    try {
      await work(event);
    } catch (error) {
      complain(error);
    }
  });
}

/** @param {Element} element @param {Attributes} attributes @param {Child[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      listen(element, name, value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/**
 * An element of the page. Attributes that are functions listen to the event of their name.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  // Else it would send the form that it is in.
  if (element instanceof HTMLButtonElement) element.type = "button";
  fill(element, attributes, children);
  return element;
}

/**
 * An element of a picture.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return /** @type {any} */ (element);
}

/** The value of a move as a label. @param {import("./board.js").Chip} chip @param {string} text */
export const chipOf = (chip, text) => el("span", { class: `chip chip-${chip.kind}${chip.exact ? "" : " chip-engine"}`, title: chip.text }, text);

/**
 * The element with an id, which the page has.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return /** @type {T} */ (element);
}

/** Says what went wrong, for a while. @param {unknown} error */
export function complain(error) {
  if (!isAbort(error)) byId("problem").textContent = inWords(error);
}

/** Does something whenever an event happens to an element. @param {string} id @param {string} kind @param {Work} work */
export const on = (id, kind, work) => listen(byId(id), kind, work);

/** A field or a button of a form. @param {string} id */
export const field = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** Says who plays on one side of the board. @param {string} id @param {string} side @param {string} name @param {boolean} toMove */
export function showPlayer(id, side, name, toMove) {
  const bar = byId(id);
  bar.dataset.side = side;
  bar.children[0].textContent = name;
  bar.classList.toggle("to-move", toMove);
}

/** Digits in groups of three. @param {number} number */
export const grouped = (number) => Math.round(number).toLocaleString("en-US");

/** `1 ply`, `5 plies`. @param {number} n */
export const plies = (n) => (n === 1 ? "1 ply" : `${n} plies`);
