// Facts in, desired state out: feeds pods, namespaces and nodes to the membership index, compiles policies, and keeps the
// groups of every compiled policy retained. Pure of I/O; the loop decides when, the backend what to write.

import { invariant } from "../lib/invariant.ts";
import { podKey } from "../model/facts.ts";
import type { ObjectKey, PolicyObject, WorldObject } from "../model/object.ts";
import { isNamespace, isNode, isPod } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Backend } from "../policy/backend.ts";
import type { Dialect } from "../policy/dialect.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { groupsOf } from "../policy/ir.ts";
import type { IpFamily } from "../model/ip.ts";
import { FamilyCensus } from "./family-census.ts";
import { PlainPolicies } from "./partitions.ts";
import type { Groups } from "../groups/index.ts";

/** What is known of one policy object. */
export interface PolicyRecord {
  readonly key: PolicyKey;
  readonly object: PolicyObject;
  /** What is in force: null when the object was never understood. */
  readonly policy: Policy | null;
  /** Findings of the last compilation. */
  readonly problems: readonly Problem[];
  /** True when the last compilation was refused, so that `policy` is what the object said before. */
  readonly rejected: boolean;
}

export interface EngineOptions {
  readonly dialects: readonly Dialect[];
  readonly groups: Groups;
  readonly backend: Pick<Backend, "serve" | "upsert" | "remove" | "freeze">;
  /** The IP families rows are written for; null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #dialects: ReadonlyMap<string, Dialect>;
  readonly #records = new Map<PolicyKey, PolicyRecord>();
  readonly #census: FamilyCensus | null;
  readonly #plain: PlainPolicies;
  #served = "";

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#dialects = new Map(options.dialects.map((dialect) => [dialect.kind, dialect]));
    this.#census = options.families === null ? new FamilyCensus() : null;
    this.#plain = new PlainPolicies(options.groups.partitions);
    this.settleFamilies();
  }

  record(key: PolicyKey): PolicyRecord | null {
    return this.#records.get(key) ?? null;
  }

  records(): Iterable<PolicyRecord> {
    return this.#records.values();
  }

  /** The policy that an object's key stands for; null for a key of another kind. */
  policyKeyOf(key: ObjectKey): PolicyKey | null {
    return this.#dialects.has(kindOf(key)) ? key : null;
  }

  /**
   * Tells the backend what facts alone have changed since the last call: policies about the subject's own namespaces, and
   * the families that the facts show; returns these when they are not the ones before.
   */
  settleFamilies(): readonly IpFamily[] | null {
    for (const { before, after } of this.#plain.settle()) this.#enforce(after, before);
    const families = this.#options.families ?? this.#census?.families ?? [];
    if (families.join() === this.#served) return null;
    this.#served = families.join();
    this.#options.backend.serve(families);
    return families;
  }

  /** Takes in the object as it is now; null when it does not exist. */
  observe(key: ObjectKey, object: WorldObject | null): void {
    const { groups } = this.#options;
    const policy = this.policyKeyOf(key);
    if (policy !== null) {
      this.#observePolicy(policy, object as PolicyObject | null);
      return;
    }
    if (object === null) {
      this.#forget(key);
    } else if (isPod(object)) {
      groups.setPod(object);
      this.#census?.setPod(object);
    } else if (isNamespace(object)) {
      groups.setNamespace(object);
    } else if (isNode(object)) {
      groups.setNode(object);
      this.#census?.setNode(object);
    }
  }

  #forget(key: ObjectKey): void {
    const { groups } = this.#options;
    const [kind, first, second] = key.split("/");
    invariant(first !== undefined, `a key without a name: ${key}`);
    if (kind === "Pod") {
      groups.deletePod(podKey(first, second ?? ""));
      this.#census?.deletePod(podKey(first, second ?? ""));
    } else if (kind === "Namespace") {
      groups.deleteNamespace(first);
    } else if (kind === "Node") {
      groups.deleteNode(first);
      this.#census?.deleteNode(first);
    }
  }

  #observePolicy(key: PolicyKey, object: PolicyObject | null): void {
    const record = this.#records.get(key) ?? null;
    const before = record?.policy ?? null;
    if (object === null) {
      this.#records.delete(key);
      this.#options.backend.remove(key);
      if (before !== null) this.#releaseGroups(this.#plain.of(before), null);
      this.#plain.remove(key);
      return;
    }
    const dialect = this.#dialects.get(object.kind);
    invariant(dialect !== undefined, `no dialect for ${object.kind}`);
    // After a refusal nobody has the object that what is in force was compiled from: all is compiled anew.
    const accepted =
      record === null || before === null || record.rejected ? null : { ...record, policy: before };
    const { policy, problems } = dialect.compile(object, accepted);
    this.#records.set(key, { key, object, policy: policy ?? before, problems, rejected: policy === null });
    if (policy !== null) {
      const plainBefore = before === null ? null : this.#plain.of(before);
      this.#enforce(this.#plain.set(policy), plainBefore);
    } else if (before === null) {
      this.#options.backend.freeze(key);
    }
  }

  #enforce(policy: Policy, before: Policy | null): void {
    // New groups first, so that one in use before and after is never let go.
    for (const group of groupsOf(policy, before)) this.#options.groups.retain(group);
    this.#options.backend.upsert(policy);
    if (before !== null) this.#releaseGroups(before, policy);
  }

  /** Those that the policy after it does without. */
  #releaseGroups(policy: Policy, after: Policy | null): void {
    for (const group of groupsOf(policy, after)) this.#options.groups.release(group);
  }
}

function kindOf(key: ObjectKey): string {
  return key.slice(0, key.indexOf("/"));
}
