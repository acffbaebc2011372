// Facts in, desired state out: keeps the fact store and its followers up to date, compiles policies, and keeps the
// groups of every compiled policy retained. Pure of I/O; the loop decides when, the backend decides what to write. An
// object of an unknown kind is our own bug and throws: a policy that is silently skipped protects nothing.

import { invariant } from "../lib/invariant.ts";
import { sharing } from "../model/objects/json.ts";
import type { KindText, ObjectKey, PolicyObject, WorldObject } from "../model/object.ts";
import { factKinds, isApiObject, isReferenced, kindText, kindTextOf, splitKey } from "../model/object.ts";
import type { PolicyKindTraits } from "../policy/contracts/dialect.ts";
import { policyKinds } from "../policy/contracts/dialect.ts";
import { groupChanges } from "../policy/changes.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import type { IpFamily } from "../model/ip.ts";
import { type Admitted, Compiler } from "./compiler.ts";
import type { EngineOptions, Settled } from "./engine-parts.ts";
import { FamilyCensus } from "./family-census.ts";
import type { JudgedReference } from "./judged-references.ts";
import { JudgedReferences } from "./judged-references.ts";
import { OwnPolicies } from "./own-policies.ts";
import { ObservedFacts } from "./observed-facts.ts";
import { PlainPolicies } from "./partitions.ts";
import type { PolicyRecord } from "./records.ts";
import { isProgress, PolicyRecords } from "./records.ts";
import { References } from "./references.ts";

export type { EngineBackend, EngineOptions, Settled } from "./engine-parts.ts";
export type { PolicyRecord } from "./records.ts";

const namespaceKind = kindText(factKinds.Namespace);

export class Engine {
  readonly #options: EngineOptions;
  readonly #compiler: Compiler;
  readonly #kinds: ReadonlyMap<KindText, PolicyKindTraits>;
  readonly #references: References;
  readonly #judged: JudgedReferences;
  readonly #records = new PolicyRecords();
  readonly #facts: ObservedFacts;
  /** null: the families are given. */
  readonly #census: FamilyCensus | null;
  readonly #plain: PlainPolicies;
  readonly #own: OwnPolicies;
  #served = "";

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#kinds = new Map(policyKinds(options.dialects).map((kind) => [kindText(kind), kind]));
    const references = options.dialects.flatMap((dialect) => dialect.references);
    this.#references = new References(references, options.facts.namespaces);
    this.#compiler = new Compiler(options.dialects, this.#references, options.backend);
    this.#judged = new JudgedReferences(options.dialects, this.#references);
    this.#census = options.families === null ? new FamilyCensus() : null;
    const { facts, groups, zone = null, inside = [], follower = null } = options;
    this.#own = new OwnPolicies({ nodes: facts.nodes, zone, inside });
    const followers = [groups, this.#own, this.#census, follower].filter((one) => one !== null);
    this.#facts = new ObservedFacts(facts, followers);
    this.#plain = new PlainPolicies(options.groups.partitions);
    this.settle();
  }

  record(key: PolicyKey): PolicyRecord | null {
    return this.#records.get(key) ?? null;
  }

  records(): Iterable<PolicyRecord> {
    return this.#records.values();
  }

  /** The policies that share the record's kind, tier and priority, itself among them, ascending. */
  sharing(record: PolicyRecord): readonly PolicyKey[] {
    return this.#records.sharing(record);
  }

  /** There is no fact and no policy, refused ones included. */
  get isEmpty(): boolean {
    return this.#records.size === 0 && this.#options.facts.isEmpty;
  }

  /**
   * The policies in force, as the dialects compiled them: for a refused object its earlier version, if it had one. Those by
   * which nodes reach their own pods are among them, and have no record.
   */
  *policies(): Generator<Policy, void> {
    for (const { policy } of this.#records.values()) if (policy !== null) yield policy;
    yield* this.#own.policies();
  }

  /** The policy in force with its rules made plain, one for each value that peers share; null: there is none. */
  plain(key: PolicyKey): Policy | null {
    const policy = this.#records.get(key)?.policy ?? null;
    return policy && this.#plain.of(policy);
  }

  /** What is reported on objects that policies refer to, as of the last `settle`. */
  judged(): Iterable<readonly [ObjectKey, JudgedReference]> {
    return this.#judged.all();
  }

  /** The policy key of an object's key; null for a key of another kind. */
  policyKeyOf(key: ObjectKey): PolicyKey | null {
    return this.#compiler.covers(key) || isOwnPolicy(key) ? key : null;
  }

  /**
   * Applies everything observed since the last call. Compiles policies again whose references changed or for which the
   * backend may have room now. Passes to the backend what facts alone have changed: policies about the subject's own
   * namespaces, and the IP families.
   */
  settle(): Settled {
    const stale = this.#references.takeStale();
    const compiled = new Set(stale.filter((key) => !this.#judged.covers(key)));
    const judged = this.#judged.settle(stale.filter((key) => this.#judged.covers(key)));
    for (const key of compiled) this.#compileAgain(key);
    for (const { before, after } of this.#plain.settle()) this.#enforce(after, before);
    for (const { before, after } of this.#own.settle(this.#records.size > 0)) {
      if (after !== null) this.#enforce(after, before);
      else if (before !== null) this.#abandon(before.key, before);
    }
    const families = this.#serve();
    for (const key of this.#admitAgain()) compiled.add(key);
    return { compiled, families, judged };
  }

  /**
   * Admits again policies in force whose places others have taken or left, and those refused for which there may be room; returns those
   * that are news. Whether a rule has a place depends on the tiers before its own alone, so the rounds end.
   */
  #admitAgain(): ReadonlySet<PolicyKey> {
    const admitted = new Set<PolicyKey>();
    for (;;) {
      const contested = this.#options.backend.takeContested();
      // What no place is left for must not be in force while others are asked about.
      const due = contested.length > 0 ? [] : this.#compiler.admissions.due();
      if (contested.length + due.length === 0) return admitted;
      for (const key of contested) this.#contest(key);
      for (const key of [...contested, ...due.filter((one) => this.#tryAgain(one))]) admitted.add(key);
    }
  }

  /** What stays in force of an object that is refused passes nothing either that has no place any more. */
  #contest(key: PolicyKey): void {
    this.#compileAgain(key);
    const record = this.#recordOf(key);
    if (!record.rejected || record.policy === null) return;
    const [policy, before] = [this.#compiler.kept(record.policy), this.#plain.of(record.policy)];
    this.#records.set({ ...record, policy });
    this.#enforce(this.#plain.set(policy), before);
  }

  /** Records the present state of the object; null when it does not exist. */
  observe(key: ObjectKey, object: WorldObject | null): void {
    // There is no such object: the key is taken up again when the database refused rows.
    if (isOwnPolicy(key)) return;
    const policy = this.policyKeyOf(key);
    if (policy !== null) {
      invariant(object === null || isApiObject(object), `${key} is no policy`);
      this.#observePolicy(policy, object);
    } else if (this.#references.covers(key)) {
      invariant(object === null || isReferenced(object), `${key} is nothing to refer to`);
      this.#references.observe(key, object);
      this.#judged.observe(key, object);
    } else {
      this.#observeFact(key, object);
    }
  }

  #observeFact(key: ObjectKey, object: WorldObject | null): void {
    const { namespaces } = this.#options.facts;
    const name = kindTextOf(key) === namespaceKind ? splitKey(key).name : null;
    const before = name === null ? undefined : namespaces.get(name);
    this.#facts.observe(key, object);
    if (name !== null && namespaces.get(name) !== before) this.#references.changed(name, before ?? null);
  }

  /** Returns the families when they changed. */
  #serve(): readonly IpFamily[] | null {
    const families = this.#options.families ?? this.#census?.families ?? [];
    if (families.join() === this.#served) return null;
    this.#served = families.join();
    this.#options.backend.serve(families);
    this.#compiler.admissions.changed();
    return families;
  }

  /** Whether the result is another one; if not, the record stays the same object, is not reported, and nothing is enforced. */
  #tryAgain(key: PolicyKey): boolean {
    const before = this.#recordOf(key);
    const compiled = this.#compiler.compile(key, before.object, before.policy);
    if (!isProgress(compiled, before)) return false;
    this.#take(key, before.object, compiled);
    return true;
  }

  #compileAgain(key: PolicyKey): void {
    this.#compile(key, this.#recordOf(key).object);
  }

  #recordOf(key: PolicyKey): PolicyRecord {
    const record = this.#records.get(key);
    invariant(record !== undefined, `${key} is to be compiled again and is not there`);
    return record;
  }

  #observePolicy(key: PolicyKey, object: PolicyObject | null): void {
    if (object !== null) {
      // A dialect recognizes the unedited parts of the spec, and need not read them again.
      const spec = sharing(object.spec, this.#records.get(key)?.object.spec);
      this.#compile(key, { ...object, spec });
      return;
    }
    const before = this.#records.get(key)?.policy ?? null;
    this.#records.delete(key);
    this.#references.forget(key);
    this.#compiler.admissions.forget(key);
    this.#withdraw(key, before);
  }

  /** `before`: the policy in force. */
  #withdraw(key: PolicyKey, before: Policy | null): void {
    this.#own.forget(key);
    this.#abandon(key, before === null ? null : this.#plain.of(before));
    this.#plain.remove(key);
  }

  /** `before`: the policy in force, in plain rules. */
  #abandon(key: PolicyKey, before: Policy | null): void {
    this.#options.backend.remove(key);
    this.#compiler.admissions.changed();
    for (const group of groupChanges(before, null).removed) this.#options.groups.release(group);
  }

  #compile(key: PolicyKey, object: PolicyObject): void {
    const before = this.#records.get(key)?.policy ?? null;
    this.#take(key, object, this.#compiler.compile(key, object, before));
  }

  /** `compiled`: from the object. */
  #take(key: PolicyKey, object: PolicyObject, { policy, problems, waits, isStaged }: Admitted): void {
    const before = this.#records.get(key)?.policy ?? null;
    const kind = this.#kindOf(key);
    if (kind.nodesReachOwnPods !== undefined) this.#own.ask(key, kind.nodesReachOwnPods);
    this.#records.set({
      ...{ key, kind, object, problems, isStaged },
      policy: isStaged ? null : (policy ?? before),
      rejected: policy === null && !isStaged,
    });
    if (isStaged) {
      // As if the object were not there, but for its record.
      this.#withdraw(key, before);
    } else if (policy !== null) {
      const plainBefore = before === null ? null : this.#plain.of(before);
      this.#enforce(this.#plain.set(policy), plainBefore);
      // Its own change makes no room for it.
      if (waits) this.#compiler.admissions.refused(key);
    } else if (before === null) {
      this.#options.backend.freeze(key);
    }
  }

  #enforce(policy: Policy, before: Policy | null): void {
    const { removed, added } = groupChanges(before, policy);
    // Retain new groups first, so that a group in use before and after is never released.
    for (const group of added) this.#options.groups.retain(group);
    this.#options.backend.upsert(policy);
    this.#compiler.admissions.changed();
    for (const group of removed) this.#options.groups.release(group);
  }

  #kindOf(key: PolicyKey): PolicyKindTraits {
    const kind = this.#kinds.get(kindTextOf(key));
    invariant(kind !== undefined, `no dialect for ${key}`);
    return kind;
  }
}
