// A second backend, small and in memory: it programs a filter of chains and shared sets of addresses, as one for iptables
// and ipset would. It plans by comparing what is desired with what the store has, only where something is pending, and
// writes one atomic transaction; a refused chain is left out and the rest is tried again.
// Invariant: what the store has of a policy that is settled is what the policy means for the members of the moment.

import { undeclaredPorts } from "../../src/contents/undeclared-ports.ts";
import { Multimap } from "../../src/lib/multimap.ts";
import type { IpAddress, IpFamily } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { Problem } from "../../src/model/problem.ts";
import type { CommitOutcome } from "../../src/policy/contracts/backend.ts";
import type { GroupKey, Policy, PolicyKey } from "../../src/policy/ir.ts";
import type { Edges, Membership } from "../../src/policy/contracts/membership.ts";
import type { Backend, Refusal } from "../../src/policy/contracts/backend.ts";
import type { UnmatchedPort } from "../../src/policy/contracts/unmatched-port.ts";
import type { RenderedChain, SetSpec } from "./memory-chain.ts";
import { refusalsOf, renderChain } from "./memory-chain.ts";
import { roomlessParts } from "./memory-room.ts";
import type { Chain, MemoryStore, SetName } from "./memory-store.ts";
import { FilterLostError, FilterRefusedError } from "./memory-store.ts";
import type { PendingSets } from "./memory-plan.ts";
import { planWrite } from "./memory-plan.ts";

export interface MemoryBackendOptions {
  readonly store: MemoryStore;
  readonly membership: Membership;
  /** Whether a policy that was never seen may exist all the same, unreadable. */
  readonly mayExist: (key: PolicyKey) => boolean;
  /** How many sets the filter has room for; any number unless given. */
  readonly sets?: number;
}

interface Desired extends RenderedChain {
  readonly policy: Policy;
}

const notConnected = "not connected to the filter";

export class MemoryBackend implements Backend {
  readonly isStandby = false;
  readonly #options: MemoryBackendOptions;
  readonly #desired = new Map<PolicyKey, Desired>();
  /** Sets that are desired, and by whom. */
  readonly #users = new Multimap<SetName, PolicyKey>();
  readonly #specs = new Map<SetName, SetSpec>();
  readonly #setsOfGroup = new Multimap<GroupKey, SetName>();
  readonly #pendingPolicies = new Set<PolicyKey>();
  readonly #pendingSets: PendingSets = new Map();
  readonly #frozen = new Set<PolicyKey>();
  readonly #removed = new Set<PolicyKey>();
  readonly #refused = new Set<PolicyKey>();
  #families: readonly IpFamily[] = [];
  #work: () => void = () => undefined;
  readonly #disconnect: () => void;

  constructor(options: MemoryBackendOptions) {
    this.#options = options;
    this.#disconnect = options.store.onConnected(() => {
      this.#work();
    });
  }

  get ready(): boolean {
    return this.#options.store.connected;
  }

  holdsRows(): boolean {
    const { store } = this.#options;
    return store.chains().size > 0 || [...store.setNames()].length > 0;
  }

  onWork(callback: () => void): void {
    this.#work = callback;
  }

  /** Lets go of the store. */
  stop(): void {
    this.#disconnect();
  }

  admit(policy: Policy): readonly Refusal[] {
    const unsayable = refusalsOf(policy);
    const { sets: most = Infinity } = this.#options;
    if (unsayable.length > 0 || most === Infinity) return unsayable;
    const others = [...this.#specs.keys()].filter((name) =>
      [...this.#users.get(name)].some((key) => key !== policy.key),
    );
    return roomlessParts(policy, this.#families, new Set(others), most);
  }

  serve(families: readonly IpFamily[]): void {
    this.#families = families;
    for (const { policy } of [...this.#desired.values()]) this.#render(policy);
  }

  upsert(policy: Policy): void {
    this.#frozen.delete(policy.key);
    this.#removed.delete(policy.key);
    this.#refused.delete(policy.key);
    this.#render(policy);
  }

  remove(key: PolicyKey): void {
    this.#frozen.delete(key);
    this.#refused.delete(key);
    this.#removed.add(key);
    this.#replace(key, null);
  }

  takeContested(): readonly PolicyKey[] {
    return [];
  }

  freeze(key: PolicyKey): void {
    this.#frozen.add(key);
  }

  retry(key: PolicyKey): void {
    if (this.#refused.delete(key)) this.#pendingPolicies.add(key);
  }

  touch(edges: Edges): void {
    for (const [group, { addresses, namedPorts }] of edges) {
      for (const name of this.#setsOfGroup.get(group)) {
        const spec = this.#specs.get(name);
        if (spec === undefined) continue;
        const touched = spec.portName === null ? addresses : (namedPorts.get(spec.portName) ?? new Set());
        this.#markAddresses(spec, touched);
      }
    }
  }

  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    const policy = this.#desired.get(key)?.policy;
    if (policy === undefined) return [];
    return undeclaredPorts(policy, this.#options.membership);
  }

  /** What the filter is to have, by policy. */
  chains(): ReadonlyMap<PolicyKey, Chain> {
    return new Map(Array.from(this.#desired, ([key, { chain }]) => [key, chain]));
  }

  /** A chain is enforced as soon as it is in the filter. */
  unenforced(): null {
    return null;
  }

  async commit(): Promise<CommitOutcome> {
    const refused = new Map<PolicyKey, Problem>();
    for (;;) {
      if (!this.ready) return { settled: [], refused, interrupted: notConnected };
      const policies = new Set(this.#pendingPolicies);
      const sets: PendingSets = new Map(this.#pendingSets);
      const { write, settled, done, weight } = this.#plan(policies, sets);
      // What is marked while the write is under way is for the next commit.
      this.#pendingPolicies.clear();
      this.#pendingSets.clear();
      try {
        if (weight > 0) await this.#options.store.write(write);
        this.#putBack([], new Map([...sets].filter(([name]) => !done.has(name))));
        return { settled: [...settled], refused, interrupted: null };
      } catch (error) {
        this.#putBack(policies, sets);
        if (error instanceof FilterLostError) return { settled: [], refused, interrupted: error.message };
        if (!(error instanceof FilterRefusedError)) throw error;
        this.#refused.add(error.policy);
        refused.set(error.policy, problemOf(error));
      }
    }
  }

  #plan(pendingPolicies: ReadonlySet<PolicyKey>, pendingSets: PendingSets): ReturnType<typeof planWrite> {
    return planWrite({
      store: this.#options.store,
      membership: this.#options.membership,
      chains: new Map([...this.#desired].map(([key, { chain }]) => [key, chain])),
      specs: this.#specs,
      users: this.#users,
      pendingPolicies,
      pendingSets,
      refused: this.#refused,
      spares: (key) => this.#frozen.has(key) || (!this.#removed.has(key) && this.#options.mayExist(key)),
    });
  }

  #putBack(policies: Iterable<PolicyKey>, sets: PendingSets): void {
    for (const key of policies) this.#pendingPolicies.add(key);
    for (const [name, addresses] of sets) {
      const since = this.#pendingSets.get(name) ?? [];
      if (!this.#specs.has(name) || since === "all") continue;
      this.#pendingSets.set(name, addresses === "all" ? "all" : new Set([...addresses, ...since]));
    }
  }

  #render(policy: Policy): void {
    this.#replace(policy.key, { policy, ...renderChain(policy, this.#families) });
  }

  /** New sets first, so that one in use before and after keeps what is known of it. */
  #replace(key: PolicyKey, after: Desired | null): void {
    const before = this.#desired.get(key);
    if (after === null) this.#desired.delete(key);
    else this.#desired.set(key, after);
    for (const [name, spec] of after?.sets ?? []) if (before?.sets.has(name) !== true) this.#use(spec, key);
    for (const name of before?.sets.keys() ?? []) if (after?.sets.has(name) !== true) this.#unuse(name, key);
    this.#pendingPolicies.add(key);
  }

  #use(spec: SetSpec, key: PolicyKey): void {
    if (!this.#users.add(spec.name, key)) return;
    this.#specs.set(spec.name, spec);
    this.#setsOfGroup.add(spec.group, spec.name);
    this.#pendingSets.set(spec.name, "all");
  }

  #unuse(name: SetName, key: PolicyKey): void {
    if (!this.#users.remove(name, key)) return;
    const spec = this.#specs.get(name);
    if (spec !== undefined) this.#setsOfGroup.remove(spec.group, name);
    this.#specs.delete(name);
    this.#pendingSets.delete(name);
  }

  #markAddresses({ name, family }: SetSpec, touched: ReadonlySet<IpAddress>): void {
    const pending = this.#pendingSets.get(name) ?? new Set<IpAddress>();
    if (pending === "all") return;
    for (const address of touched) if (familyOf(address) === family) pending.add(address);
    if (pending.size > 0) this.#pendingSets.set(name, pending);
  }
}

function problemOf(error: FilterRefusedError): Problem {
  return { code: "RowRefused", severity: "error", field: "", message: error.message };
}
