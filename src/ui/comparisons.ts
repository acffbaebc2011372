// YAML that somebody has pasted on the page, compared with what is shown. The text is given to a thread and to nothing else: it is
// neither written nor kept. A few results are kept for a while, each under a name that nobody can guess. Refuses a text while
// others are being compared.

import { randomUUID } from "node:crypto";
import type { Reply } from "../http/reply.ts";
import { jsonReply } from "./serving/answers.ts";
import { classesShown, planShown } from "./plan-answers.ts";
import type { Query } from "./query.ts";
import { BadQuestion, textOf } from "./query.ts";
import type { ComparedShown } from "./shown.ts";
import type { Compared, ShownWorld } from "./world.ts";

export const mostTextBytes = 1024 * 1024;
const mostAtOnce = 2;
const mostKept = 4;

type Result = Compared | { readonly failure: string } | null;

interface Comparison {
  /** null: it is being made. */
  result: Result;
}

type ComparedWorld = Pick<ShownWorld, "compare" | "revision" | "isReady">;

export class Comparisons {
  readonly #world: ComparedWorld;
  /** The oldest first. */
  readonly #kept = new Map<string, Comparison>();
  #running = 0;

  constructor(world: ComparedWorld) {
    this.#world = world;
  }

  /** 202 with the id by which the result is asked for. */
  begin(text: string): Reply {
    const { compare, isReady } = this.#world;
    if (!isReady) return jsonReply(503, { error: "the objects are still being read" });
    if (text.trim() === "") return jsonReply(400, { error: "there is no text to compare" });
    if (this.#running >= mostAtOnce)
      return jsonReply(503, { error: `${mostAtOnce} texts are being compared already: try again` });
    const id = randomUUID();
    const comparison: Comparison = { result: null };
    this.#keep(id, comparison);
    this.#running++;
    void compare(text)
      .catch((error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }))
      .then((result) => {
        comparison.result = result;
        this.#running--;
      });
    return jsonReply(202, { id });
  }

  /** null: the path is none of these. */
  of(path: string, query: Query): Reply | null {
    if (path !== "/api/compare" && path !== "/api/compare/classes") return null;
    const comparison = this.#kept.get(textOf(query, "id"));
    if (comparison === undefined)
      return jsonReply(404, { error: "this comparison is no longer kept: compare again" });
    const { result } = comparison;
    if (result === null) return jsonReply(200, { isMaking: true });
    if ("failure" in result) return jsonReply(400, { error: result.failure });
    try {
      return jsonReply(200, this.#shown(path, result, query));
    } catch (error) {
      if (error instanceof BadQuestion) return jsonReply(400, { error: error.message });
      throw error;
    }
  }

  #shown(path: string, { report, isOfNow }: Compared, query: Query): unknown {
    if (path === "/api/compare/classes") return classesShown(report, query);
    const shown: ComparedShown = {
      ...planShown({ value: report, revision: this.#world.revision }, "what is shown", query),
      isOfNow: isOfNow(),
    };
    return shown;
  }

  #keep(id: string, comparison: Comparison): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(id, comparison);
  }
}
