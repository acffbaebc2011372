// One write of the in-memory backend: what is desired compared with what the store has, at the places that are pending.
// Pure: from desired, stored and pending to a write; it sets nothing. Of a set only the addresses that are pending are
// looked at, all of them only when the set is new to this program.

import type { Multimap } from "../../src/lib/multimap.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { NamedPort } from "../../src/model/facts.ts";
import type { PolicyKey } from "../../src/policy/ir.ts";
import type { Membership } from "../../src/policy/contracts/membership.ts";
import type { SetSpec } from "./memory-chain.ts";
import type { Chain, FilterWrite, MemoryStore, SetEntries, SetName } from "./memory-store.ts";
import { jsonOf } from "./memory-store.ts";

/** Addresses of a set that may differ, or all of it. */
export type PendingSets = Map<SetName, Set<IpAddress> | "all">;

export interface PlanInput {
  readonly store: MemoryStore;
  readonly membership: Membership;
  readonly chains: ReadonlyMap<PolicyKey, Chain>;
  readonly specs: ReadonlyMap<SetName, SetSpec>;
  readonly users: Multimap<SetName, PolicyKey>;
  readonly pendingPolicies: ReadonlySet<PolicyKey>;
  readonly pendingSets: PendingSets;
  readonly refused: ReadonlySet<PolicyKey>;
  /** Whether a chain stays though nobody desires it. */
  readonly spares: (key: PolicyKey) => boolean;
}

export interface Plan {
  readonly write: FilterWrite;
  /** Policies that are as desired once this is written. */
  readonly settled: ReadonlySet<PolicyKey>;
  /** Sets of which nothing is pending once this is written. */
  readonly done: ReadonlySet<SetName>;
  /** Zero: nothing is to be written. */
  readonly weight: number;
}

export function planWrite(input: PlanInput): Plan {
  const { store, chains, pendingPolicies, refused, users } = input;
  const settled = new Set<PolicyKey>();
  const chainWrites = planChains(input, settled);
  const setWrites = new Map<SetName, ReadonlyMap<IpAddress, string | null> | null>();
  const done = new Set<SetName>();
  for (const [name, pending] of input.pendingSets) {
    const living = [...users.get(name)].filter((key) => !refused.has(key));
    // A set of refused chains alone is made with them.
    if (living.length === 0 && store.set(name) === null) continue;
    const changes = planSet(name, pending, input);
    if (changes.size > 0 || store.set(name) === null) setWrites.set(name, changes);
    for (const key of living) settled.add(key);
    done.add(name);
  }
  for (const key of pendingPolicies) if (chains.has(key) && !refused.has(key)) settled.add(key);
  const referred = referredSets(input, chainWrites);
  for (const name of store.setNames()) if (!referred.has(name)) setWrites.set(name, null);
  return {
    write: { chains: chainWrites, sets: setWrites },
    settled,
    done,
    weight: chainWrites.size + setWrites.size,
  };
}

/** Chains that nobody desires are looked for every time: whoever protected one may do so no more. */
function planChains(
  { store, chains, pendingPolicies, refused, spares }: PlanInput,
  settled: Set<PolicyKey>,
): ReadonlyMap<PolicyKey, Chain | null> {
  const writes = new Map<PolicyKey, Chain | null>();
  for (const key of pendingPolicies) {
    const chain = chains.get(key) ?? null;
    if (chain === null || refused.has(key)) continue;
    if (jsonOf(store.chain(key)) !== jsonOf(chain)) writes.set(key, chain);
  }
  for (const key of new Set([...store.chains().keys(), ...pendingPolicies])) {
    if (chains.has(key) || spares(key)) continue;
    if (store.chain(key) !== null) writes.set(key, null);
    settled.add(key);
  }
  return writes;
}

function planSet(
  name: SetName,
  pending: ReadonlySet<IpAddress> | "all",
  { store, membership, specs }: PlanInput,
): ReadonlyMap<IpAddress, string | null> {
  const spec = specs.get(name);
  const have: SetEntries = store.set(name) ?? new Map();
  const changes = new Map<IpAddress, string | null>();
  if (spec === undefined) return changes;
  const places =
    pending === "all" ? new Set([...membership.addresses(spec.group).keys(), ...have.keys()]) : pending;
  for (const address of places) {
    const want = familyOf(address) === spec.family ? entryAt(spec, address, membership) : null;
    if (want !== (have.get(address) ?? null)) changes.set(address, want);
  }
  return changes;
}

/** null: the address is not in the set. */
function entryAt({ group, portName }: SetSpec, address: IpAddress, membership: Membership): string | null {
  if (portName === null) return membership.addresses(group).has(address) ? "" : null;
  const isOfName = ({ name }: NamedPort) => name === portName;
  const numbers = Iterator.from(membership.holders(group, address))
    .flatMap((pod) => pod.ports.filter(isOfName))
    .map(({ protocol, port }) => `${protocol}:${port}`);
  const text = [...new Set(numbers)].sort().join(" ");
  return text === "" ? null : text;
}

/** Sets that a chain of the store refers to once the chains are written. */
function referredSets(
  { store }: PlanInput,
  writes: ReadonlyMap<PolicyKey, Chain | null>,
): ReadonlySet<SetName> {
  const after = new Map<PolicyKey, Chain | null>([...store.chains(), ...writes]);
  const names = [...after.values()].flatMap((chain) =>
    (chain?.rules ?? []).flatMap(({ subject, peers, ports }) => [
      ...subject,
      ...peers.flatMap(({ anyOf, noneOf, within }) =>
        [anyOf, noneOf, within].flatMap((one) => one?.sets ?? []),
      ),
      ...(ports ?? [])
        .flatMap(({ source, destination }) => [source, destination])
        .flatMap((end) => (end === null ? [] : [...end.anyOf.sets, ...end.noneOf.sets])),
    ]),
  );
  return new Set(names);
}
