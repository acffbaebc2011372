// What the page is about, as it changes: the server sends the state in a stream. Where it has no stream left, or a program on the
// way holds one back, the state is asked for every two seconds. A page that nobody looks at does neither.

import { ask } from "./api.js";
import { exported } from "./exported.js";

/** @typedef {import("../shown.ts").StateShown} StateShown */

const pollMs = 2_000;
/** Longer than two beats of the server (events.ts): the stream is dead, whatever the browser believes. */
const silenceMs = 40_000;
/** How long it is polled before a stream is tried again. */
const againMs = 30_000;

/**
 * `told` gets each state, maybe the same again; `lost` is called while the server does not answer.
 * @param {{ told: (state: StateShown) => void, lost: () => void }} options
 */
export function follow(options) {
  // Nothing changes in a file.
  if (exported !== null) {
    void ask("state").then(options.told);
    return;
  }
  const follower = new Follower(options);
  document.addEventListener("visibilitychange", () => follower.look());
  follower.look();
}

class Follower {
  #told;
  #lost;
  /** @type {EventSource | null} */
  #stream = null;
  /** What is done next, if nothing comes. @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {object | null} */
  #polling = null;
  #hasTold = false;

  /** @param {{ told: (state: StateShown) => void, lost: () => void }} options */
  constructor({ told, lost }) {
    this.#told = told;
    this.#lost = lost;
  }

  /** As long as somebody looks; at least once. */
  look() {
    this.#end();
    if (document.hidden && this.#hasTold) return;
    if (document.hidden) void this.#ask();
    else this.#listen();
  }

  #end() {
    this.#stream?.close();
    this.#stream = null;
    this.#polling = null;
    clearTimeout(this.#timer);
  }

  #listen() {
    this.#end();
    const stream = new EventSource("api/events");
    this.#stream = stream;
    this.#watch();
    stream.addEventListener("beat", () => this.#watch());
    stream.addEventListener("state", ({ data }) => {
      this.#watch();
      this.#tell(JSON.parse(data));
    });
    stream.addEventListener("error", () => {
      if (stream !== this.#stream) return;
      // The browser tries again by itself, unless it was refused.
      if (stream.readyState === EventSource.CLOSED) this.#poll();
      else void this.#ask();
    });
  }

  #watch() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), silenceMs);
  }

  #poll() {
    this.#end();
    this.#polling = {};
    this.#timer = setTimeout(() => this.#listen(), againMs);
    void this.#pollOnce(this.#polling);
  }

  /** @param {object} polling which ends when there is another */
  async #pollOnce(polling) {
    await this.#ask();
    setTimeout(() => {
      if (this.#polling === polling) void this.#pollOnce(polling);
    }, pollMs);
  }

  async #ask() {
    try {
      this.#tell(await ask("state"));
    } catch {
      this.#lost();
    }
  }

  /** @param {StateShown} state */
  #tell(state) {
    this.#hasTold = true;
    this.#told(state);
  }
}
