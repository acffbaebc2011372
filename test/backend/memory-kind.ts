// The in-memory backend as commands know one: a preview of its chains, which render prints, get counts and plan compares, and a
// filter that lives as long as a run. There is nothing of it to read beside, and nothing to clean up.

import type { Ref } from "../../src/analysis/ref.ts";
import type { BackendKind, RowCounts } from "../../src/backend-kind.ts";
import { invariant } from "../../src/lib/invariant.ts";
import { alone } from "../../src/metrics/read-metric.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import type { ObjectKind } from "../../src/model/object.ts";
import { kindText, kindTextOf, splitKey } from "../../src/model/object.ts";
import { OfflineModel } from "../../src/offline/model.ts";
import type { RenderedModel } from "../../src/offline/rendered.ts";
import { countedChanges } from "../../src/plan/counted-changes.ts";
import type { RowChange, RowChanges } from "../../src/plan/report.ts";
import type { PolicyKey } from "../../src/policy/ir.ts";
import { policyKey } from "../../src/policy/ir.ts";
import type { RunningBackend, RunRequest } from "../../src/running-backend.ts";
import { SettingsRefusedError } from "../../src/running-backend.ts";
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
  return countedChanges(changes);
}

/** A filter that is this process's own: it always leads, and nothing is left of it. */
class MemoryRun implements RunningBackend {
  readonly backend: MemoryBackend;
  readonly role = { leads: true, other: null, otherFlags: () => [] };
  readonly askProof = null;

  constructor({ membership, mayExist, clock, ended, settings }: RunRequest) {
    this.backend = new MemoryBackend({ store: new MemoryStore(), membership, mayExist });
    if (settings.zone === "refused")
      clock.after(0, () => {
        ended(new SettingsRefusedError("a filter in memory is for another zone"));
      });
  }

  countPolicies(kind: ObjectKind): number {
    const keys = Iterator.from(this.backend.chains().keys());
    return keys.filter((key) => kindTextOf(key) === kindText(kind)).toArray().length;
  }

  heldAddresses(): readonly IpAddress[] {
    return [];
  }

  totals(): readonly { readonly name: string; readonly value: number }[] {
    const rules = Iterator.from(this.backend.chains().values()).map((chain) => chain.rules.length);
    return [{ name: "rules", value: rules.reduce((sum, count) => sum + count, 0) }];
  }

  pending(): readonly string[] {
    return this.backend.ready ? [] : ["the filter is not there"];
  }

  notes(): readonly string[] {
    return ["the filter ends with this process"];
  }

  onReady(callback: () => void): void {
    callback();
  }

  reconsider(): void {
    // Nobody else writes.
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }

  halt(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export const memory: BackendKind = {
  name: "memory",
  writes: "chains of a filter in memory",
  options: {},
  needsZone: false,
  families: null,
  forms: {},
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
  live: {
    existing: () => Promise.reject(new Error("a filter in memory cannot be read from outside")),
    examine: () => Promise.resolve([]),
    nothingOwned: "nothing is there",
    cleanUp: ({ show }) => {
      show([]);
      return Promise.resolve(true);
    },
    verdictText: () => "",
    hasRemotes: false,
    observation: null,
    metrics: [
      {
        ...{ type: "gauge", name: "memory_chain_rules", help: "Rules in all chains.", labels: [] },
        moves: "a pass writes",
        series: alone((running) => running.totals()[0]?.value ?? 0),
      },
    ],
    open: (request) => new MemoryRun(request),
  },
};
