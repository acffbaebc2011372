// What rules of the catalogue may ask: the policies in force and the objects that define them, the facts, what every rule
// decides, and what cluster services are expected to be reachable. Everything dear is made on the first question.

import type { Cni } from "../cni/answers.ts";
import type { PluginReading } from "../cni/reading.ts";
import { readBy } from "../cni/reading.ts";
import type { Hits } from "../hits/hits.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { PodFact } from "../model/facts.ts";
import type { LocationOf, PolicyObject, SourceProblem } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import { dialectsByKind } from "../policy/contracts/dialect.ts";
import type { StackAround } from "../policy/contracts/tier-layout.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { KindText } from "../model/object.ts";
import { kindTextOf } from "../model/object.ts";
import type { Workload } from "../model/workload.ts";
import { invariant } from "../lib/invariant.ts";
import type { Service } from "../model/service.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import type { Needs } from "../analysis/needs.ts";
import { Open } from "./open.ts";
import { RuleReachability } from "../verdicts/questions/rule-reachability.ts";
import type { OrderedRule } from "../verdicts/entries.ts";
import { Reach } from "../verdicts/reach.ts";

/** A policy object with what its dialect made of it. */
export interface PolicyRecord {
  readonly key: PolicyKey;
  readonly object: PolicyObject;
  /** null: it is refused, and no earlier version is in force. */
  readonly policy: Policy | null;
  readonly problems: readonly Problem[];
}

export interface LintInput {
  /** In force, as their dialects compile them. */
  readonly policies: readonly Policy[];
  readonly records: readonly PolicyRecord[];
  readonly facts: FactStore;
  /** Those that stand for pods which are not there; none unless given. */
  readonly workloads?: readonly Workload[];
  readonly dialects: readonly Dialect[];
  readonly placeOf: LocationOf;
  readonly needs: Needs;
  /** What could not be read, or not as it is written, of objects that are no policies here; none unless given. */
  readonly unread?: readonly SourceProblem[];
  /** Policies of kinds that are not read; none unless given. */
  readonly foreign?: readonly ForeignPolicy[];
  /** Kinds of policy of which it is unknown whether objects exist, one sentence each; none unless given. */
  readonly notAsked?: readonly string[];
  /** Those that were read; none unless given. */
  readonly services?: readonly Service[];
  /** Another program's rows, where some stand among those of the policies; null unless given. */
  readonly beside?: Beside | null;
  /** What differs in the existing rows; absent: they were not read. */
  readonly rows?: readonly RowFault[];
  /** The network plugin that enforces the policies; null unless given: OVN. */
  readonly cni?: Cni | null;
  /** What packets met; null unless given. */
  readonly hits?: Hits | null;
}

export interface Beside {
  readonly around: StackAround;
  /** The kinds that the other program enforces. */
  readonly kinds: ReadonlySet<KindText>;
}

/** A row that is not what the policies ask for. */
export interface RowFault {
  /** Of the policy that it belongs to, or that uses it; where there is none, of the row. */
  readonly key: PolicyKey;
  /** Table and id of the row. */
  readonly row: string;
  /** One sentence without a full stop. */
  readonly message: string;
}

export class Context {
  readonly facts: FactStore;
  readonly workloads: readonly Workload[];
  readonly needs: Needs;
  /** Of every object that was read, refused ones too, in the order of evaluation. */
  readonly records: readonly PolicyRecord[];
  /** Those in force that users wrote, in the order of evaluation. */
  readonly policies: readonly Policy[];
  readonly placeOf: LocationOf;
  readonly rows: readonly RowFault[];
  readonly unread: readonly SourceProblem[];
  readonly foreign: readonly ForeignPolicy[];
  readonly notAsked: readonly string[];
  readonly services: readonly Service[];
  readonly beside: Beside | null;
  /** What the network plugin makes of the policies; null: what is written for OVN. */
  readonly plugin: PluginReading | null;
  readonly cni: Cni | null;
  readonly hits: Hits | null;
  readonly #dialects: ReturnType<typeof dialectsByKind>;
  readonly #all: readonly Policy[];
  readonly #byKey: ReadonlyMap<PolicyKey, PolicyRecord>;
  #reach: Reach | null = null;
  #reachability: RuleReachability | null = null;
  #open: Open | null = null;
  #pods: readonly PodFact[] | null = null;

  constructor({
    policies,
    records,
    facts,
    workloads = [],
    dialects,
    placeOf,
    needs,
    rows = [],
    unread = [],
    foreign = [],
    notAsked = [],
    services = [],
    beside = null,
    cni = null,
    hits = null,
  }: LintInput) {
    this.hits = hits;
    this.cni = cni;
    this.plugin =
      cni === null ? null : readBy(cni, { policies, nodes: facts.nodes, isDoubtful: () => false });
    this.facts = facts;
    this.workloads = workloads;
    this.unread = unread;
    this.foreign = foreign;
    this.notAsked = notAsked;
    this.services = services;
    this.beside = beside;
    this.rows = rows;
    this.needs = needs;
    this.placeOf = placeOf;
    this.#dialects = dialectsByKind(dialects);
    this.#all = this.plugin?.policies ?? policies;
    this.#byKey = new Map(records.map((record) => [record.key, record]));
    this.policies = this.reach.policies.filter(({ key }) => !isOwnPolicy(key));
    const places = new Map(this.policies.map(({ key }, at) => [key, at]));
    const placeIn = ({ key }: PolicyRecord): number => places.get(key) ?? places.size;
    this.records = records.toSorted((a, b) => placeIn(a) - placeIn(b) || (a.key < b.key ? -1 : 1));
  }

  /** Everything that every rule decides; includes the policies that no user wrote. */
  get reach(): Reach {
    return (this.#reach ??= new Reach(this.#all, this.facts, this.workloads));
  }

  get reachability(): RuleReachability {
    return (this.#reachability ??= new RuleReachability(this.reach));
  }

  /** What is not known. */
  get open(): Open {
    return (this.#open ??= new Open(this));
  }

  /** Every pod, and the templates of those that are not there. */
  get pods(): readonly PodFact[] {
    return (this.#pods ??= [...this.facts.pods.values(), ...this.workloads.map(({ template }) => template)]);
  }

  /** Whether pods are among what was read: without them nothing can be said about which pods are selected. */
  get hasPods(): boolean {
    return this.pods.length > 0;
  }

  /** Every rule that a user wrote, in the order of evaluation. */
  entries(): readonly OrderedRule[] {
    const { ingress, egress } = this.reach.rules;
    return [...ingress, ...egress].filter(({ policy }) => !isOwnPolicy(policy.key));
  }

  record(key: PolicyKey): PolicyRecord | null {
    return this.#byKey.get(key) ?? null;
  }

  dialectOf(key: PolicyKey): Dialect {
    const dialect = this.#dialects.get(kindTextOf(key));
    invariant(dialect !== undefined, `no dialect for ${key}`);
    return dialect;
  }
}
