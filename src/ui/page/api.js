// Questions to the server that this page comes from, and to no other. An answer that is no answer is an error with a sentence.

/**
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
  const response = await fetch(`api/${path}${text === "" ? "" : `?${text}`}`, signal ? { signal } : {});
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

/** The state, when it is another than the one with this tag. */
export class StateReader {
  #tag = "";

  /** @returns {Promise<import("../shown.ts").StateShown | null>} null: as before */
  async read() {
    /** @type {Record<string, string>} */
    const headers = this.#tag === "" ? {} : { "if-none-match": this.#tag };
    const response = await fetch("api/state", { headers, cache: "no-store" });
    if (response.status === 304) return null;
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    this.#tag = response.headers.get("etag") ?? "";
    return response.json();
  }
}
