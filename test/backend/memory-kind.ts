// The in-memory backend as commands know one: a preview of its chains, which render prints, get counts and plan compares. There is
// nothing of it to read beside, and nothing to clean up.

import type { Ref } from "../../src/analysis/ref.ts";
import type { BackendKind, RowCounts } from "../../src/backend-kind.ts";
import { invariant } from "../../src/lib/invariant.ts";
import { splitKey } from "../../src/model/object.ts";
import { OfflineModel } from "../../src/offline/model.ts";
import type { RenderedModel } from "../../src/offline/rendered.ts";
import type { RowChange, RowChanges } from "../../src/plan/report.ts";
import type { PolicyKey } from "../../src/policy/ir.ts";
import { policyKey } from "../../src/policy/ir.ts";
import { MemoryBackend } from "./memory-backend.ts";
import type { Chain } from "./memory-store.ts";
import { MemoryStore } from "./memory-store.ts";

/** A rule in a few words. */
type Line = string;

function chainsOf({ backend }: RenderedModel): ReadonlyMap<PolicyKey, Chain> {
  invariant(backend instanceof MemoryBackend, "the model is of another backend");
  return backend.chains();
}

function linesOf({ place: { tier, priority }, rules }: Chain): readonly Line[] {
  return rules.map(({ id, verdict }) => `${tier.name} ${priority} ${id} ${verdict}`);
}

function changesOf(old: ReadonlyMap<PolicyKey, Chain>, next: ReadonlyMap<PolicyKey, Chain>): RowChanges {
  const changes = [...new Set([...old.keys(), ...next.keys()])].flatMap((key): readonly RowChange[] => {
    const [was, is] = [old.get(key), next.get(key)].map((chain) => (chain ? linesOf(chain) : null));
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const op = was === null ? "add" : is === null ? "delete" : "change";
    const name = splitKey(key).name;
    return [
      {
        op,
        table: "chain",
        row: name,
        id: key,
        policy: splitKey(key),
        columns: { rules: { old: was, new: is } },
      },
    ];
  });
  const count = (op: RowChange["op"]) => changes.filter((change) => change.op === op).length;
  return { add: count("add"), change: count("change"), delete: count("delete"), changes };
}

export const memory: BackendKind = {
  name: "memory",
  writes: "chains of a filter in memory",
  options: {},
  model: ({ objects, dialects, families, zone }) => {
    const model = new OfflineModel({
      ...{ dialects, families, zone },
      backend: (membership) =>
        new MemoryBackend({ store: new MemoryStore(), membership, mayExist: () => false }),
    });
    model.observe(objects);
    return model;
  },
  data: (model) => Object.fromEntries(Array.from(chainsOf(model), ([key, chain]) => [key, linesOf(chain)])),
  text: (model) =>
    [...chainsOf(model).values()]
      .flatMap(linesOf)
      .map((line) => `${line}\n`)
      .join(""),
  counts: (model) => {
    const chains = chainsOf(model);
    return (policy: Ref): RowCounts => ({ rules: chains.get(policyKey(policy))?.rules.length ?? 0 });
  },
  changes: ({ old, new: next }) => changesOf(chainsOf(old), chainsOf(next)),
  existing: () => Promise.reject(new Error("a filter in memory cannot be read from outside")),
  cleanUp: ({ show }) => {
    show([]);
    return Promise.resolve(true);
  },
  verdictText: () => "",
};
