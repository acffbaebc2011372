// The world that connections are asked about: what the judge needs, and the words for it. Made once, asked often; the model
// must not change meanwhile.

import type { EndSet } from "../analysis/end-sets.ts";
import { EndSets } from "../analysis/end-sets.ts";
import { EndsOf } from "../analysis/ends.ts";
import type { PodIndex } from "../analysis/pod-index.ts";
import type { Ref, RuleRef } from "../analysis/ref.ts";
import { refOf, ruleRefOf, sharedKinds } from "../analysis/ref.ts";
import type { Cni } from "../cni/answers.ts";
import { readBy } from "../cni/reading.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { PodFact } from "../model/facts.ts";
import type { ObjectKind, LocationOf, ReferencedObject, WorldObject } from "../model/object.ts";
import { kindText, kindTextOf, objectKey } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import type { Workload } from "../model/workload.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import { dialectsByKind } from "../policy/contracts/dialect.ts";
import { everySubject } from "../policy/every-subject.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Direction, Policy, PolicyKey, Rule } from "../policy/ir.ts";
import { isSelected } from "../policy/matching.ts";
import { inOrder } from "../policy/order.ts";
import type { RuleStep } from "./answer.ts";
import { tierRefOf } from "./tiers.ts";
import type { ForeignPolicy, NotRead } from "../unknowns/foreign.ts";
import { allRead } from "../unknowns/foreign.ts";
import type { Unknowns, ReadRecord } from "../unknowns/unknowns.ts";
import { unknownsOf, withOpenAnswers } from "../unknowns/unknowns.ts";
import { readService, type Service } from "../model/service.ts";

/** The part of the offline model that is asked. */
export interface AskedModel {
  readonly facts: FactStore;
  records(): Iterable<ReadRecord>;
  policies(): readonly Policy[];
}

export interface AskedOptions {
  readonly dialects: readonly Dialect[];
  readonly placeOf: LocationOf;
  /** What policies may refer to; others are passed over. */
  readonly objects?: readonly WorldObject[];
  /** null: those that the facts show. */
  readonly families?: readonly IpFamily[] | null;
  readonly services?: readonly ReferencedObject[];
  /** Those that stand for pods which are not there; none unless given. */
  readonly workloads?: readonly Workload[];
  /** Every workload, those with pods too; as `workloads` unless given. */
  readonly makers?: readonly Workload[];
  /** Of names of ends that have none; null unless given: `default`. */
  readonly namespace?: string | null;
  /** Networks of Services whose objects are not known. */
  readonly serviceNetworks?: readonly Cidr[];
  /** Kinds whose objects are unknown; none unless given. */
  readonly unread?: readonly ObjectKind[];
  /** Policies of kinds that are not read; none unless given. */
  readonly notRead?: NotRead;
  /** The network plugin that enforces the policies; null unless given: what is written for OVN is in force. */
  readonly cni?: Cni | null;
}

/** Ends as they were asked for. */
export interface NamedSet {
  readonly text: string;
  readonly set: EndSet;
}

export class AskedWorld {
  readonly #sets: EndSets;
  readonly #namespace: string | null;
  readonly facts: FactStore;
  /** That the judge is asked about. */
  readonly policies: readonly Policy[];
  /** The same with what a network plugin leaves open: for the verdicts that are possible. */
  readonly possible: readonly Policy[];
  /** As their objects say them, whatever a network plugin makes of them. */
  readonly written: readonly Policy[];
  readonly cni: Cni | null;
  readonly workloads: readonly Workload[];
  readonly unknowns: Unknowns;
  readonly families: readonly IpFamily[] | null;
  readonly services: readonly Service[];
  readonly serviceNetworks: readonly Cidr[];
  readonly #dialects: ReturnType<typeof dialectsByKind>;
  readonly #model: AskedModel;
  /** These look at every pod or policy, and many questions need none of them: made at the first that does. */
  #ends: EndsOf | null = null;
  #taken: readonly IpAddress[] | null = null;
  #priorities: ReadonlyMap<PolicyKey, number> | null = null;
  #ranks: ReadonlyMap<string, number> | null = null;
  readonly #policiesOf = new WeakMap<Connection, readonly Policy[]>();
  readonly placeOf: LocationOf;
  /** Kinds of policy whose objects are unknown. */
  readonly unreadPolicies: readonly ObjectKind[];
  /** Policies of kinds that are not read. */
  readonly foreign: readonly ForeignPolicy[];
  /** What of the cluster could not be asked, one sentence each. */
  readonly notAsked: readonly string[];
  /** Names of kinds that several API groups have among the policies, whether they are read or not. */
  readonly sharedKinds: ReadonlySet<string>;

  constructor(model: AskedModel, options: AskedOptions) {
    const { dialects, placeOf, objects = [], families = null, services = [], serviceNetworks = [] } = options;
    this.#dialects = dialectsByKind(dialects);
    this.placeOf = placeOf;
    this.unreadPolicies = (options.unread ?? []).filter((kind) => this.#dialects.has(kindText(kind)));
    const { policies: foreign, sentences } = options.notRead ?? allRead;
    this.foreign = foreign;
    this.notAsked = sentences;
    this.#model = model;
    this.facts = model.facts;
    this.cni = options.cni ?? null;
    this.written = inOrder(model.policies(), (policy) => policy);
    const unknowns = unknownsOf(model.records(), objects, model.facts.hostNames, (key) =>
      this.#dialectOf(key),
    );
    const read = readPolicies(this.cni, this.written, model.facts, unknowns);
    this.policies = read.policies;
    this.possible = read.possible;
    this.unknowns = read.unknowns;
    this.sharedKinds = sharedKinds([...this.written, ...unknowns.unread].map(refOf).concat(foreign));
    this.families = families;
    this.services = services.map(readService);
    this.workloads = options.workloads ?? [];
    this.#sets = new EndSets({
      ...{ facts: model.facts, workloads: this.workloads, services: this.services },
      ...(options.makers === undefined ? {} : { makers: options.makers }),
    });
    this.#namespace = options.namespace ?? null;
    this.serviceNetworks = serviceNetworks;
  }

  get ends(): EndsOf {
    return (this.#ends ??= new EndsOf(this.#sets.index, this.facts.nodes, this.families ?? undefined));
  }

  /** Addresses that pods, nodes and Services have. */
  get taken(): readonly IpAddress[] {
    return (this.#taken ??= [...this.ends.taken(), ...this.services.flatMap(({ ips }) => ips)]);
  }

  /** Throws NoSuchEnd. */
  endNamed(text: string): NamedSet {
    return { text, set: this.#sets.find(text, this.#namespace) };
  }

  /** The pods by namespace. */
  get podIndex(): PodIndex {
    return this.#sets.index;
  }

  podsIn(namespace: string): readonly PodFact[] {
    return this.#sets.index.of(namespace);
  }

  /** Of `policies`, in their order, those that apply to an end: no other decides, loses or nearly matches. */
  policiesOf(connection: Connection): readonly Policy[] {
    const known = this.#policiesOf.get(connection);
    if (known !== undefined) return known;
    const { from, to } = connection;
    const own = this.policies.filter((policy) => {
      const subjects = everySubject(policy);
      return isSelected(from, subjects, this.facts) || isSelected(to, subjects, this.facts);
    });
    this.#policiesOf.set(connection, own);
    return own;
  }

  stepOf(policy: Policy, direction: Direction, rule: Rule | null): RuleStep {
    return {
      ...tierRefOf(policy),
      policy: refOf(policy),
      priority: this.priorityOf(policy),
      rule: rule === null ? null : this.ruleRefOf(policy, direction, rule),
    };
  }

  /** As its object says it; null: its kind has none. */
  priorityOf({ key }: Policy): number | null {
    this.#priorities ??= prioritiesOf(this.#model.records());
    return this.#priorities.get(key) ?? null;
  }

  /** The policy's place in the order of evaluation. */
  rankOf(policy: Ref): number {
    this.#ranks ??= new Map(this.policies.map((one, at) => [keyOfRef(refOf(one)), at]));
    return this.#ranks.get(keyOfRef(policy)) ?? Infinity;
  }

  ruleRefOf(policy: Policy, direction: Direction, rule: Rule): RuleRef {
    return ruleRefOf(policy.key, direction, rule, this.#dialectOf(policy.key), this.placeOf);
  }

  /** The rule in its policy's object: `spec.ingress[2]`; null: no user wrote the policy. */
  fieldOf({ key }: Policy, direction: Direction, { index }: Rule): string | null {
    return this.#dialectOf(key)?.fieldOf({ kind: "rule", direction, index, field: "rule" }) ?? null;
  }

  #dialectOf(key: PolicyKey): Dialect | null {
    return this.#dialects.get(kindTextOf(key)) ?? null;
  }
}

interface ReadPolicies extends Pick<AskedWorld, "policies" | "possible"> {
  readonly unknowns: Unknowns;
}

function readPolicies(
  cni: Cni | null,
  written: readonly Policy[],
  { nodes }: FactStore,
  unknowns: Unknowns,
): ReadPolicies {
  if (cni === null) return { policies: written, possible: written, unknowns };
  const read = readBy(cni, { policies: written, nodes, isDoubtful: (rule) => unknowns.rules.has(rule) });
  return {
    policies: inOrder(read.policies, (policy) => policy),
    possible: inOrder(read.possible, (policy) => policy),
    unknowns: withOpenAnswers(unknowns, read.open),
  };
}

/** Numbers of the IR are of all kinds of a tier together; a user knows those of the object. */
function prioritiesOf(records: Iterable<ReadRecord>): ReadonlyMap<PolicyKey, number> {
  const priorities = new Map<PolicyKey, number>();
  for (const { key, object } of records) {
    const { raw } = new Field(new Problems(), "spec", object.spec).at("priority");
    if (typeof raw === "number") priorities.set(key, raw);
  }
  return priorities;
}

function keyOfRef({ group, kind, namespace, name }: Ref): string {
  return objectKey({ group, kind }, namespace, name);
}
