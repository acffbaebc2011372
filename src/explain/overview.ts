// All policies in the order of evaluation, their rules, and the rules that apply to one pod. The policies by which nodes reach
// their own pods have no object: only a pod's rules show them. Counts no rows: a backend does that.

import type { Ref } from "../analysis/ref.ts";
import type { RuleHits } from "../hits/hits.ts";
import { onlyEnd, unplaced } from "../analysis/ends.ts";
import { refOf } from "../analysis/ref.ts";
import { peerTexts, portText, subjectText } from "../analysis/words.ts";
import { NoSuchEnd } from "../analysis/end-query.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import { quote } from "../model/quote.ts";
import { podText } from "../model/workload.ts";
import type { Connection } from "../policy/evaluate.ts";
import { isolation } from "../policy/evaluate.ts";
import { everySubject } from "../policy/every-subject.ts";
import { isSelected } from "../policy/matching.ts";
import { matchesNothing } from "../policy/inert.ts";
import type { Direction, GroupKey, Policy, Rule, Tier } from "../policy/ir.ts";
import { directions, groupKey } from "../policy/ir.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import { byTier, inOrder, rulesInOrder } from "../policy/order.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import type { RuleStep, TierRef } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { tierRefOf } from "./tiers.ts";
import { appliesTo } from "../analysis/parts.ts";

/**
 * - `in force`: it is as its object says
 * - `kept`: its object is refused, and its previous version is in force
 * - `refused`: nothing of it is in force
 * - `inert`: it selects no pod, or no rule of it can match
 * - `rows differ`: the database has other rows for it
 * - `not read`: its kind is not read
 */
export type PolicyState = "in force" | "kept" | "refused" | "inert" | "rows differ" | "not read";

export interface ListedPolicy extends TierRef {
  /** From 1, in the order of evaluation. */
  readonly order: number;
  readonly priority: number | null;
  readonly policy: Ref;
  readonly place: string | null;
  /** Pods; null: it is not known. */
  readonly subjects: number | null;
  /** Workloads that stand for pods which are not there; null: it is not known. */
  readonly workloads: number | null;
  readonly rules: Readonly<Record<Direction, number>>;
  readonly state: PolicyState;
}

export interface ListedRule extends RuleStep {
  /** What packets met; absent: not asked. */
  readonly hits?: RuleHits;
  /** Of the policy; null: it has no object. */
  readonly order: number | null;
  /** What the rule applies to. */
  readonly subject: readonly string[];
  readonly peers: readonly string[];
  /** Null: any. */
  readonly ports: readonly string[] | null;
}

type Members = Pick<Membership, "pods">;

/** Those of kinds that are not read are last: their order is not known. */
export function listPolicies(asked: AskedWorld, membership: Members): readonly ListedPolicy[] {
  const own = orderedPolicies(asked).map((one) => listedPolicy(asked, membership, one));
  return [...own, ...asked.foreign.map((one, at) => foreignPolicy(one, own.length + at + 1))];
}

function foreignPolicy({ group, kind, namespace, name, place }: ForeignPolicy, order: number): ListedPolicy {
  return {
    ...{
      order,
      ...tierRefOf({ tier: unknownTier }),
      priority: null,
      policy: { group, kind, namespace, name },
      place,
    },
    ...{ subjects: null, workloads: null, rules: { ingress: 0, egress: 0 }, state: "not read" },
  };
}

const unknownTier: Tier = { name: "?", order: Infinity };

/** A policy with its place in the order of evaluation. */
export interface OrderedPolicy {
  /** From 1. */
  readonly order: number;
  readonly policy: Policy;
  readonly isRefused: boolean;
}

/** All of them, refused ones included; pods are not counted yet. */
export function orderedPolicies(asked: AskedWorld): readonly OrderedPolicy[] {
  return orderIn(asked).list;
}

/** A world that is asked does not change. */
const known = new WeakMap<AskedWorld, ReturnType<typeof newOrder>>();

function orderIn(asked: AskedWorld): ReturnType<typeof newOrder> {
  const made = known.get(asked) ?? newOrder(asked);
  known.set(asked, made);
  return made;
}

/** With the numbers of the list. */
function newOrder(asked: AskedWorld) {
  const list = inForceAndRefused(asked).map((one, at): OrderedPolicy => ({ ...one, order: at + 1 }));
  return { list, places: new Map(list.map(({ policy, order }) => [policy.key, order])) };
}

/** Counts the pods that it applies to. */
export function listedPolicy(
  asked: AskedWorld,
  membership: Members,
  { order, policy, isRefused }: OrderedPolicy,
): ListedPolicy {
  const subjects = isRefused ? null : subjectCount(policy, membership);
  const workloads = isRefused ? null : workloadsOf(policy, asked);
  return {
    order,
    ...tierRefOf(policy),
    priority: asked.priorityOf(policy),
    policy: refOf(policy),
    place: asked.placeOf(policy.key, ""),
    ...{ subjects, workloads },
    rules: {
      ingress: isRefused ? 0 : countOf(policy.rules.ingress),
      egress: isRefused ? 0 : countOf(policy.rules.egress),
    },
    state: isRefused ? "refused" : stateOf(policy, asked, (subjects ?? 0) + (workloads ?? 0)),
  };
}

/** As their object counts them. */
function countOf(rules: readonly Rule[]): number {
  return new Set(rules.map(({ index }) => index)).size;
}

export function listRules(asked: AskedWorld): readonly ListedRule[] {
  const orderOf = orders(asked);
  return asked.policies
    .filter(({ key }) => !isOwnPolicy(key))
    .flatMap((policy) =>
      directions.flatMap((direction) =>
        policy.rules[direction].map((rule) => listed(asked, policy, direction, rule, orderOf(policy))),
      ),
    );
}

/** In the order of evaluation, each with what it was made of. */
export function rulesOfPolicy(
  asked: AskedWorld,
  policy: Policy,
  direction: Direction,
): readonly { readonly rule: Rule; readonly listed: ListedRule }[] {
  const order = orders(asked)(policy);
  return policy.rules[direction].map((rule) => ({
    rule,
    listed: listed(asked, policy, direction, rule, order),
  }));
}

/** The pods that the policy and its rules apply to, in no order. */
export function podsOf(policy: Policy, membership: Members): ReadonlySet<PodKey> {
  const [first, ...others] = new Set<GroupKey>(everySubject(policy).map(groupKey));
  const pods = new Set<PodKey>(first === undefined ? [] : membership.pods(first).keys());
  for (const key of others) for (const pod of membership.pods(key).keys()) pods.add(pod);
  return pods;
}

export type PodRules = Readonly<Record<Direction, readonly ListedRule[]>>;

export interface PodOverview extends PodRules {
  readonly pod: string;
  readonly node: string | null;
  readonly ips: readonly string[];
  /** Policies do not apply to it: it is on its node's network, not scheduled, or has completed. */
  readonly exempt: boolean;
}

/** By `NAMESPACE/NAME`, or by another name of one pod or workload. Throws NoSuchEnd. */
export function podOverview(asked: AskedWorld, name: string): PodOverview {
  const [namespace = "", own = ""] = name.split("/");
  const pod = asked.facts.pods.get(podKey(namespace, own)) ?? podNamed(asked, name);
  const isJudged = isOnPodNetwork(pod);
  const rules = isJudged ? rulesOfPod(asked, pod) : { ingress: [], egress: [] };
  const { node, ips } = pod;
  return {
    pod: podText(pod),
    node: node === "" ? null : node,
    ips,
    exempt: !isJudged,
    egress: rules.egress,
    ingress: rules.ingress,
  };
}

function podNamed(asked: AskedWorld, name: string): PodFact {
  const { set } = asked.endNamed(name);
  const only = onlyEnd(set, name);
  const pod = only?.pod ?? only?.workload?.template ?? set.pods[0]?.pod;
  if (pod === undefined || (only === null && set.pods.length !== 1))
    throw new NoSuchEnd(`${quote(name)} is not one pod or workload`);
  return pod;
}

/** The rules that apply to the pod, in order, with the isolation that ends a tier. */
export function rulesOfPod(asked: AskedWorld, pod: PodFact): PodRules {
  const ip = pod.isTemplate === true ? unplaced.v4 : pod.ips[0];
  if (ip === undefined) return { ingress: [], egress: [] };
  const end = { ip, pod };
  // The other end makes no difference to what a rule applies to.
  const connection: Connection = { from: end, to: end, protocol: "tcp", port: 0 };
  const orderOf = orders(asked);
  const of = (direction: Direction): readonly ListedRule[] =>
    byTier(asked.policiesOf(connection)).flatMap(([, tier]) => {
      const rules = rulesInOrder(tier, direction)
        .filter(({ policy, rule }) => appliesTo({ policy, direction, rule, connection, world: asked.facts }))
        .map(({ policy, rule }) => listed(asked, policy, direction, rule, orderOf(policy)));
      const isolating = isolation(direction, connection, asked.facts, tier)?.policy;
      return isolating === undefined
        ? rules
        : [...rules, isolated(asked, isolating, direction, orderOf(isolating))];
    });
  return { ingress: of("ingress"), egress: of("egress") };
}

function listed(
  asked: AskedWorld,
  policy: Policy,
  direction: Direction,
  rule: Rule,
  order: number | null,
): ListedRule {
  return {
    order,
    ...asked.stepOf(policy, direction, rule),
    subject: (rule.subject ?? policy.subject).map(subjectText),
    peers: peerTexts(rule),
    ports: rule.ports?.map(portText) ?? null,
  };
}

function isolated(asked: AskedWorld, policy: Policy, direction: Direction, order: number | null): ListedRule {
  return {
    order,
    ...asked.stepOf(policy, direction, null),
    subject: policy.subject.map(subjectText),
    peers: ["everything else"],
    ports: null,
  };
}

function orders(asked: AskedWorld): (policy: Policy) => number | null {
  const { places } = orderIn(asked);
  return ({ key }) => places.get(key) ?? null;
}

/** Refused ones have the place that they would have. */
function inForceAndRefused({
  policies,
  unknowns,
}: AskedWorld): readonly { policy: Policy; isRefused: boolean }[] {
  const known = new Set(policies.map(({ key }) => key));
  const refused = unknowns.unread.filter(({ key }) => !known.has(key));
  const all = [
    ...policies.filter(({ key }) => !isOwnPolicy(key)).map((policy) => ({ policy, isRefused: false })),
    ...refused.map((policy) => ({ policy, isRefused: true })),
  ];
  return inOrder(all, ({ policy }) => policy);
}

/** `subjects`: how many it applies to. */
function stateOf(policy: Policy, asked: AskedWorld, subjects: number): PolicyState {
  if (asked.unknowns.unread.some(({ key }) => key === policy.key)) return "kept";
  return subjects === 0 || matchesNothing(policy) ? "inert" : "in force";
}

/** How many it may apply to. */
function workloadsOf(policy: Policy, { workloads, facts }: AskedWorld): number {
  const groups = everySubject(policy);
  return workloads.filter(({ template }) => isSelected({ ip: unplaced.v4, pod: template }, groups, facts))
    .length;
}

/** Of the policy and of rules that have subjects of their own. The largest group is counted as it is, and copied by nobody. */
function subjectCount(policy: Policy, membership: Members): number {
  const keys = new Set<GroupKey>(everySubject(policy).map(groupKey));
  const [largest, ...others] = [...keys].map((key) => membership.pods(key)).sort((a, b) => b.size - a.size);
  if (largest === undefined) return 0;
  const more = new Set<PodKey>();
  for (const group of others) for (const pod of group.keys()) if (!largest.has(pod)) more.add(pod);
  return largest.size + more.size;
}
