// Where a policy's rows may differ from what is desired: rows to compare whole, or single elements of one. What is pending
// only says "look here"; what is to be done there is read from desired and actual state at the moment of planning.

import { PendingSets } from "../contents/pending-elements.ts";
import type { PendingElements } from "../contents/pending-elements.ts";
import type { IpAddress } from "../model/ip.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { NamedPortRule } from "./rows/render.ts";

export class PolicyPending {
  /** Everything the policy owns, rows nobody desires included. */
  whole = false;
  /** By Address_Set name: addresses. A set that is not desired is removed. */
  readonly addressSets = new PendingSets<string>();
  /** Port names of the Port_Group. */
  ports: PendingElements<string> = new Set();
  /** Which ACLs the Port_Group refers to. */
  aclReferences = false;
  /** ACLs by id. */
  readonly acls = new Set<string>();
  /** Rules whose named ports are to be resolved again, at these addresses or everywhere. */
  readonly namedPorts = new PendingSets<NamedPortRule, IpAddress>();

  port(name: string): void {
    if (this.ports !== "all") this.ports.add(name);
  }
}

export class Pending {
  readonly #policies = new Map<PolicyKey, PolicyPending>();

  get size(): number {
    return this.#policies.size;
  }

  keys(): IterableIterator<PolicyKey> {
    return this.#policies.keys();
  }

  of(key: PolicyKey): PolicyPending {
    let pending = this.#policies.get(key);
    if (pending === undefined) {
      pending = new PolicyPending();
      this.#policies.set(key, pending);
    }
    return pending;
  }

  markWhole(key: PolicyKey): void {
    this.of(key).whole = true;
  }

  isWhole(key: PolicyKey): boolean {
    return this.#policies.get(key)?.whole === true;
  }

  /** What is pending of the policy; nothing is afterwards. */
  take(key: PolicyKey): PolicyPending | null {
    const pending = this.#policies.get(key) ?? null;
    this.#policies.delete(key);
    return pending;
  }
}
