// A packet filter in memory, as iptables with ipsets is one: chains of rules by policy, and sets of addresses that rules of
// any policy refer to. It outlives the backend that programs it. A write is done whole or not at all; it is refused, or the
// connection is lost during it, when a test says so. What it holds is plain data.

import type { Cidr, IpAddress } from "../../src/model/ip.ts";
import type { Action, Direction, LogSeverity, PolicyKey, PortRange } from "../../src/policy/ir.ts";
import type { Rank } from "../../src/policy/order.ts";
import type { TrafficTerm } from "../../src/policy/normal-form.ts";

export type SetName = string & { readonly __brand: "SetName" };

/** What an address of the set is at: "" in a set of addresses; "tcp:80 udp:53" in a set of named ports. */
export type SetEntries = ReadonlyMap<IpAddress, string>;

/** Addresses: those of any of the sets, those in any of the networks, or all of them. */
export interface Places {
  readonly sets: readonly SetName[];
  readonly networks: readonly Cidr[];
  readonly everything: boolean;
}

/** Addresses that are any of these, none of those, and within others; null: anywhere. */
export interface PeerTerm {
  readonly anyOf: Places;
  readonly noneOf: Places;
  readonly within: Places | null;
}

/** As the normal form has it; what its names stand for is in the sets, by address. */
export interface PortTerm extends Omit<TrafficTerm, "source" | "destination"> {
  readonly source: EndPortTerm | null;
  readonly destination: EndPortTerm | null;
}

interface Numbers {
  readonly ranges: readonly PortRange[];
  readonly sets: readonly SetName[];
}

/** Ports of one end that are any of these and none of those. */
export interface EndPortTerm {
  readonly anyOf: Numbers;
  readonly noneOf: Numbers;
}

export interface FilterRule {
  /** Unique in its chain: direction, index and share, or the direction's end. */
  readonly id: string;
  readonly direction: Direction;
  /** Whether it comes after the rules of every chain of the tier. */
  readonly atTierEnd: boolean;
  readonly verdict: Action;
  /** The rule is about addresses of any of the sets. */
  readonly subject: readonly SetName[];
  /** The address of the subject is that too; null: any of them. */
  readonly own: PeerTerm | null;
  readonly peers: readonly PeerTerm[];
  /** null: any. */
  readonly ports: readonly PortTerm[] | null;
  readonly log: { readonly severity: LogSeverity; readonly label: string | null } | null;
  /** Whether what answers an allowed packet passes with it. */
  readonly followsConnections: boolean;
  /** Whether it matches only what the filter's own load balancer has led to its destination. */
  readonly isBehindBalancer: boolean;
}

/** All that one policy comes to. */
export interface Chain {
  /** Of the policy in the order of all of them. */
  readonly place: Rank;
  readonly rules: readonly FilterRule[];
}

/** One atomic write. null removes a chain, a set, or an address of a set. */
export interface FilterWrite {
  readonly chains: ReadonlyMap<PolicyKey, Chain | null>;
  readonly sets: ReadonlyMap<SetName, ReadonlyMap<IpAddress, string | null> | null>;
}

export class FilterRefusedError extends Error {
  readonly policy: PolicyKey;

  constructor(policy: PolicyKey) {
    super("the filter refuses the chain");
    this.policy = policy;
  }
}

export class FilterLostError extends Error {}

export class MemoryStore {
  readonly #chains = new Map<PolicyKey, Chain>();
  readonly #sets = new Map<SetName, Map<IpAddress, string>>();
  readonly #listeners = new Set<() => void>();
  /** Policies whose chains are refused. */
  readonly blocked = new Set<PolicyKey>();
  /** Rules of somebody else, which nothing here touches. */
  readonly foreign: string[] = [];
  #connected = true;
  #losesNextAnswer = false;
  #written = 0;

  get connected(): boolean {
    return this.#connected;
  }

  /** Rules and addresses written so far, those that were removed too. */
  get written(): number {
    return this.#written;
  }

  chain(key: PolicyKey): Chain | null {
    return this.#chains.get(key) ?? null;
  }

  chains(): ReadonlyMap<PolicyKey, Chain> {
    return this.#chains;
  }

  set(name: SetName): SetEntries | null {
    return this.#sets.get(name) ?? null;
  }

  setNames(): Iterable<SetName> {
    return this.#sets.keys();
  }

  onConnected(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  cut(): void {
    this.#connected = false;
  }

  restore(): void {
    this.#connected = true;
    for (const listener of this.#listeners) listener();
  }

  /** A new connection, without what was to happen to the old one. */
  reconnect(): void {
    this.#losesNextAnswer = false;
  }

  /** The next write is done, and the connection is lost before its answer. */
  loseNextAnswer(): void {
    this.#losesNextAnswer = true;
  }

  /** Forgets everything, failures too. */
  clear(): void {
    this.#chains.clear();
    this.#sets.clear();
    this.blocked.clear();
    this.foreign.length = 0;
    this.#connected = true;
    this.#losesNextAnswer = false;
  }

  /** Throws FilterRefusedError, and has done nothing then, or FilterLostError, and may have done it. */
  async write(write: FilterWrite): Promise<void> {
    await Promise.resolve();
    if (!this.#connected) throw new FilterLostError("the connection to the filter was lost");
    for (const key of write.chains.keys()) if (this.blocked.has(key)) throw new FilterRefusedError(key);
    for (const [name, entries] of write.sets) this.#writeSet(name, entries);
    for (const [key, chain] of write.chains) this.#writeChain(key, chain);
    if (!this.#losesNextAnswer) return;
    this.#losesNextAnswer = false;
    this.#connected = false;
    throw new FilterLostError("the connection to the filter was lost before the answer");
  }

  #writeSet(name: SetName, entries: ReadonlyMap<IpAddress, string | null> | null): void {
    const set = this.#sets.get(name) ?? new Map<IpAddress, string>();
    if (entries === null) {
      this.#written += set.size;
      this.#sets.delete(name);
      return;
    }
    this.#sets.set(name, set);
    this.#written += entries.size;
    for (const [address, numbers] of entries) {
      if (numbers === null) set.delete(address);
      else set.set(address, numbers);
    }
  }

  #writeChain(key: PolicyKey, chain: Chain | null): void {
    const before = this.#chains.get(key)?.rules ?? [];
    const after = chain?.rules ?? [];
    const texts = new Set(before.map((rule) => JSON.stringify(rule)));
    const kept = after.filter((rule) => texts.has(JSON.stringify(rule))).length;
    this.#written += before.length - kept + (after.length - kept) + 1;
    if (chain === null) this.#chains.delete(key);
    else this.#chains.set(key, chain);
  }

  /** Canonical JSON of everything that is not somebody else's. */
  state(): string {
    const byText = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
    return jsonOf({
      chains: [...this.#chains].sort(byText),
      sets: [...this.#sets].sort(byText).map(([name, entries]) => [name, [...entries].sort(byText)]),
    });
  }
}

/** Numbers that JSON has no words for are strings. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === "number" && !Number.isFinite(one) ? String(one) : one,
  );
}
