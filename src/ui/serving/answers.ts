// The answers to what the page asks, as replies: of one revision each is made once, and whoever has it already gets none. In a
// controller an answer may be another without the revision: there each is made anew, and its tag is of its content.

import { createHash } from "node:crypto";
import type { Reply } from "../../http/reply.ts";
import type { Target } from "../../http/target.ts";
import { visibleJson } from "../../model/quote.ts";
import { answer } from "../api.ts";
import type { Told } from "./events.ts";
import type { ShownWorld } from "../world.ts";

const mostKept = 128;
const mostKeptBytes = 8 * 1024 * 1024;

export class Answers {
  readonly #world: ShownWorld;
  readonly #run: string;
  /** Those of #revision, by what was asked. */
  readonly #kept = new Map<string, Reply>();
  #keptBytes = 0;
  #revision = "";

  /** `run` is another for each run of the program: a tag of an earlier one names nothing. */
  constructor(world: ShownWorld, run: string) {
    this.#world = world;
    this.#run = run;
  }

  /** `known`: the tag of the answer that the client has. null: the path is unknown. */
  of({ path, query }: Target, known: string): Reply | null {
    const { revision, live, isReady } = this.#world;
    if (live !== null || !isReady) return this.#made(path, query, null);
    const tag = `"${this.#run}.${revision}"`;
    if (tag === known) return { status: 200, body: "", tag };
    if (revision !== this.#revision) this.#forget(revision);
    const asked = `${path}?${query.toString()}`;
    const kept = this.#kept.get(asked);
    if (kept !== undefined) return kept;
    const made = this.#made(path, query, tag);
    if (made?.status === 200) this.#keep(asked, made);
    return made;
  }

  /** The state, for streams. */
  now(): Told {
    const { revision, live, isReady } = this.#world;
    const json = (): string => jsonOf(answer(this.#world, "/api/state", new URLSearchParams())?.body);
    if (live === null && isReady) return { version: revision, json };
    const text = json();
    return { version: text, json: () => text };
  }

  #made(path: string, query: Target["query"], tag: string | null): Reply | null {
    const answered = answer(this.#world, path, query);
    if (answered === null) return null;
    return jsonReply(answered.status, answered.body, tag);
  }

  #keep(asked: string, reply: Reply): void {
    const bytes = reply.body.length + asked.length;
    if (this.#kept.size >= mostKept || this.#keptBytes + bytes > mostKeptBytes) this.#forget(this.#revision);
    this.#kept.set(asked, reply);
    this.#keptBytes += bytes;
  }

  #forget(revision: string): void {
    this.#kept.clear();
    this.#keptBytes = 0;
    this.#revision = revision;
  }
}

/** `tag` null: of what it says. */
export function jsonReply(status: number, value: unknown, tag: string | null = null): Reply {
  const body = Buffer.from(jsonOf(value));
  const own = tag ?? `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { status, body, type: "application/json; charset=utf-8", ...(status === 200 ? { tag: own } : {}) };
}

function jsonOf(body: unknown): string {
  return visibleJson(JSON.stringify(body));
}
