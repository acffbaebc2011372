// Desired rows under an engine and without a database: what an edit renders, and what it leaves dirty. Named ports are
// resolved where they are dirty, as a planner would.

import { dialects } from "../../src/dialects.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { Content } from "../../src/nbdb/desired/content.ts";
import { Desired } from "../../src/nbdb/desired/desired.ts";
import { markDifference } from "../../src/nbdb/desired/difference.ts";
import type { Rendering } from "../../src/nbdb/desired/rendering.ts";
import { resolveNamedPorts } from "../../src/nbdb/desired/resolve.ts";
import { SetContents } from "../../src/nbdb/desired/set-contents.ts";
import type { UnitState } from "../../src/nbdb/desired/unit-state.ts";
import { UnitPending } from "../../src/nbdb/pending.ts";
import type { NamedPortForm } from "../../src/nbdb/rows/render-mode.ts";
import { unitOfPolicy } from "../../src/nbdb/rows/unit.ts";
import { OfflineModel, noBackend } from "../../src/offline/model.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { EngineBackend } from "../../src/controller/engine.ts";
import { keyOf } from "./controller.ts";

export class Renderer {
  readonly #desired: Desired;
  readonly #content: Content;
  readonly #model: OfflineModel<EngineBackend>;
  readonly #renderings: Rendering[] = [];

  constructor(
    namedPorts: NamedPortForm,
    facts: readonly WorldObject[],
    known: readonly Dialect[] = dialects,
  ) {
    this.#desired = new Desired({ zone: null, namedPorts });
    this.#model = new OfflineModel({
      dialects: known,
      families: ["v4", "v6"],
      backend: () => ({
        ...noBackend,
        serve: (families) => this.#desired.serve(families),
        upsert: (policy) => {
          this.#renderings.push(...this.#desired.upsert(policy).rendered);
        },
        remove: (key) => {
          this.#desired.remove(key);
        },
      }),
    });
    this.#content = new Content(this.#model.membership, null);
    this.#model.observe(facts);
  }

  /** What the object is rendered to, and where that is to be compared with a database. */
  see(object: PolicyObject): { state: UnitState; pending: UnitPending; rendering: Rendering } {
    const key = keyOf(object);
    this.#model.observe([object]);
    const state = this.#desired.get(unitOfPolicy(key));
    const rendering = this.#renderings.pop();
    if (state === null || rendering === undefined) throw new Error("the policy is refused");
    const pending = new UnitPending();
    markDifference(rendering, pending);
    const { namedPorts } = this.#content;
    const contents = new SetContents(this.#model.membership, namedPorts);
    resolveNamedPorts(state, pending, { namedPorts, contents, present: () => [] });
    return { state, pending, rendering };
  }

  /** What of the rows depends on members, as a planner asks for it. */
  contents(): { content: Content; contents: SetContents } {
    return {
      content: this.#content,
      contents: new SetContents(this.#model.membership, this.#content.namedPorts),
    };
  }

  /** Every row under its name or id, as text. */
  rows(state: UnitState): ReadonlyMap<string, string> {
    const sets = [...state.addressSets()].map((set): [string, unknown] => [
      set.name,
      "named" in set
        ? [set.externalIds, this.#content.namedPorts.numbers(set.named)]
        : [set.externalIds, [...set.groups].sort(), [...set.networks].sort()],
    ]);
    const acls = [...state.acls()].map(({ id, row }): [string, unknown] => [id, Object.entries(row).sort()]);
    return new Map([...sets, ...acls].map(([id, content]) => [id, text(content)]));
  }
}

export const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Map || part instanceof Set ? [...(part as Iterable<unknown>)] : part,
  );
