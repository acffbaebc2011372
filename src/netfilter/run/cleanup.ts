// Removes what Northgate has written from a node's packet filter, as the node's one writer: refuses beside a `run` that lives. With
// iptables, chains of both flavours, and sets; with nftables, our table.

import type { Cleanup, OwnedPolicy } from "../../backend-kind.ts";
import { systemClock } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";
import { dialectDefaults, installed } from "../../dialects.ts";
import type { TableName } from "../live/actual.ts";
import { countsOf } from "../live/actual.ts";
import type { LiveFilter, TableWrite } from "../live/live-filter.ts";
import { noTableWrite } from "../live/live-filter.ts";
import { NodeFilter } from "../live/node-filter.ts";
import { TableFilter } from "../nft/table-filter.ts";
import { flavours } from "../options.ts";
import { NodeLock } from "./node-lock.ts";
import { ownedRules } from "./owned-policies.ts";
import { readNodeProtocols } from "./protocols.ts";
import { ProcessTable } from "./table-tools.ts";
import { nodePlace } from "./tool-process.ts";
import { ProcessTools } from "./tools.ts";

/** Milliseconds to wait for a writer that ends. */
const patienceMs = 15_000;

export function cleanUpIptables(cleanup: Cleanup): Promise<boolean> {
  const tools = flavours.map((flavour) => new ProcessTools({ place: nodePlace, flavour, families: ["v4"] }));
  return cleanUp(
    cleanup,
    tools.map((one) => new NodeFilter(one, readNodeProtocols())),
  );
}

export function cleanUpNftables(cleanup: Cleanup): Promise<boolean> {
  return cleanUp(cleanup, [new TableFilter(new ProcessTable({ place: nodePlace }))]);
}

/** Resolves with true: nothing else can write again. Rejects with an Error of one sentence. */
async function cleanUp(
  { removes, show, removed, owners }: Cleanup,
  all: readonly LiveFilter[],
): Promise<boolean> {
  if (installed(dialectDefaults).policies.some(({ ownerType }) => !owners.has(ownerType)))
    throw new Error("the rules of some kinds alone cannot be removed from a packet filter: leave --kind out");
  const lock = removes ? await locked() : null;
  try {
    const filters = await readable(all);
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
async function removeAll(filters: readonly LiveFilter[]): Promise<void> {
  for (const filter of filters.slice(0, -1)) await filter.write(withoutRules(filter));
  const last = filters.at(-1);
  const left = (await last?.write(new Map())) ?? null;
  if (left !== null) throw new Error(`a set cannot be removed: ${left}`);
}

/** Its sets alone. */
function withoutRules({ known }: LiveFilter): ReadonlyMap<TableName, TableWrite> {
  return new Map(
    [...(known ?? [])].map(([table, { sets }]) => [table, { ...noTableWrite, used: new Set(sets.keys()) }]),
  );
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

/** Those that can be read. */
async function readable(filters: readonly LiveFilter[]): Promise<readonly LiveFilter[]> {
  const read = await Promise.allSettled(filters.map((filter) => filter.read()));
  const failures = read.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
  const [first] = failures;
  if (failures.length === filters.length && first !== undefined) throw first;
  return filters.filter((_, at) => read[at]?.status === "fulfilled");
}

/** Sets of ipset are of both flavours. */
function owned(filters: readonly LiveFilter[]): readonly OwnedPolicy[] {
  const tables = filters.flatMap(({ known }) => [...(known?.values() ?? [])]);
  const { rules, others } = ownedRules(tables.map(({ chains }) => chains));
  const policies = [...rules].map(([policy, count]) => ({ policy, rows: { rules: count } }));
  const sets = Math.max(0, ...filters.map(({ known }) => countsOf(known).sets));
  return others + sets === 0 ? policies : [...policies, { policy: null, rows: { rules: others, sets } }];
}
