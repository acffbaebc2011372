// Removes our chains and sets from a node, of both flavours, as the node's one writer: refuses beside a `run` that lives.

import type { Cleanup, OwnedPolicy } from "../../backend-kind.ts";
import { systemClock } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";
import { dialectDefaults, installed } from "../../dialects.ts";
import type { IpFamily } from "../../model/ip.ts";
import { ipFamilies } from "../../model/ip.ts";
import type { FilterTools } from "../live/filter-tools.ts";
import { noSetChanges } from "../live/live-sets.ts";
import { NodeFilter } from "../live/node-filter.ts";
import type { Flavour } from "../options.ts";
import { flavours } from "../options.ts";
import { NodeLock } from "./node-lock.ts";
import { ownedRules } from "./owned-policies.ts";
import { readNodeProtocols } from "./protocols.ts";
import { nodePlace } from "./tool-process.ts";
import { ProcessTools } from "./tools.ts";

/** Milliseconds to wait for a writer that ends. */
const patienceMs = 15_000;

/** Resolves with true: nothing else can write again. Rejects with an Error of one sentence. */
export async function cleanUp({ removes, show, removed, owners }: Cleanup): Promise<boolean> {
  if (installed(dialectDefaults).policies.some(({ ownerType }) => !owners.has(ownerType)))
    throw new Error("the rules of some kinds alone cannot be removed from a packet filter: leave --kind out");
  const lock = removes ? await locked() : null;
  try {
    const filters = await known();
    show(owned(filters));
    if (lock === null) return true;
    await removeAll(filters);
    await removed();
    return true;
  } finally {
    await lock?.release();
  }
}

/** Rules of every flavour first: a set that is used by any cannot be removed. */
async function removeAll(filters: readonly NodeFilter[]): Promise<void> {
  for (const filter of filters) {
    const of = (family: IpFamily) => ({ chains: [], sets: noSetChanges, used: filter.setNames(family) });
    await filter.write({ v4: of("v4"), v6: of("v6") });
  }
  const last = filters.at(-1);
  await last?.read();
  const nothing = { chains: [], sets: noSetChanges, used: new Set<string>() };
  const left = (await last?.write({ v4: nothing, v6: nothing })) ?? null;
  if (left !== null) throw new Error(`a set cannot be removed: ${left}`);
}

async function locked(): Promise<NodeLock> {
  let held: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    held = resolve;
  });
  const lock: NodeLock = new NodeLock(systemClock, () => {
    if (lock.isHeld) held();
  });
  if (await endsWithin(systemClock, patienceMs, waiting)) return lock;
  await lock.release();
  throw new Error(`${lock.failure ?? "the lock is not free"}; stop it, and run the cleanup again`);
}

/** Of every flavour that can be read. Sets are of both: they are removed with the last. */
async function known(): Promise<readonly NodeFilter[]> {
  const filters = flavours.map((flavour) => new NodeFilter(toolsOf(flavour), readNodeProtocols()));
  const read = await Promise.allSettled(filters.map((filter) => filter.read()));
  const failures = read.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
  const [first] = failures;
  if (failures.length === filters.length && first !== undefined) throw first;
  return filters.filter((_, at) => read[at]?.status === "fulfilled");
}

function toolsOf(flavour: Flavour): FilterTools {
  return new ProcessTools({ place: nodePlace, flavour, families: ["v4"] });
}

function owned(filters: readonly NodeFilter[]): readonly OwnedPolicy[] {
  const chains = filters.flatMap(({ known: all }) =>
    all === null ? [] : ipFamilies.map((family) => all[family].chains),
  );
  const { rules, others } = ownedRules(chains);
  const policies = [...rules].map(([policy, count]) => ({ policy, rows: { rules: count } }));
  const sets = Math.max(0, ...filters.map((filter) => filter.counts().sets));
  return others + sets === 0 ? policies : [...policies, { policy: null, rows: { rules: others, sets } }];
}
