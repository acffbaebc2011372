// Questions to the server that this page comes from, and to no other. An answer that is no answer is an error with a sentence.
// The last answers are kept with their tags: one that is as before is not sent again.

import { answerIn, exported } from "./exported.js";

/** @type {Map<string, { tag: string, body: any }>} the one that was used last is last */
const kept = new Map();
const mostKept = 32;

/**
 * What is answered may be given to others too: it is not changed.
 * @template T
 * @param {string} path
 * @param {Readonly<Record<string, string | number | readonly string[]>>} [params]
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function ask(path, params = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  const text = query.toString();
  const question = text === "" ? path : `${path}?${text}`;
  if (exported !== null) return answerIn(exported, question);
  const url = `api/${question}`;
  const before = kept.get(url);
  kept.delete(url);
  /** @type {Record<string, string>} */
  const headers = before === undefined ? {} : { "if-none-match": before.tag };
  const response = await fetch(url, { headers, cache: "no-store", ...(signal ? { signal } : {}) });
  const body = before !== undefined && response.status === 304 ? before.body : await response.json();
  if (!response.ok && response.status !== 304)
    throw new Error(body.error ?? `the server answered ${response.status}`);
  keep(url, response.headers.get("etag"), body);
  return body;
}

/**
 * A text for the server to work on; it writes none.
 * @param {string} path
 * @param {string} text
 * @returns {Promise<any>}
 */
export async function post(path, text) {
  const headers = { "content-type": "application/yaml" };
  const response = await fetch(`api/${path}`, { method: "POST", headers, body: text });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

/**
 * @param {string} url
 * @param {string | null} tag
 * @param {unknown} body
 */
function keep(url, tag, body) {
  if (tag === null) return;
  kept.set(url, { tag, body });
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
}
