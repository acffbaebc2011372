// One policy: its object, its pods, its rules with their lines, and what is wrong with it. Of a refused policy that has a version
// in force the rules are of that version, and have no lines. Every list has at most so many entries, and says how many there are.

import { subjectText } from "../analysis/words.ts";
import type { OrderedPolicy } from "../explain/overview.ts";
import { listPolicies, orderedPolicies, podsOf, rulesOfPolicy } from "../explain/overview.ts";
import { hitsOfRule, hitsText } from "../hits/hits.ts";
import type { PodKey } from "../model/facts.ts";
import type { PolicyObject } from "../model/object.ts";
import { workloadText } from "../model/workload.ts";
import { textOfWorkload } from "../analysis/end-query.ts";
import { unplaced } from "../analysis/ends.ts";
import { everySubject } from "../policy/every-subject.ts";
import type { Direction, Policy } from "../policy/ir.ts";
import { policyKey } from "../policy/ir.ts";
import { isSelected } from "../policy/matching.ts";
import { excerpt } from "./excerpt.ts";
import { shownPolicy } from "./listed.ts";
import type { ObjectText } from "./object-text.ts";
import { objectText } from "./object-text.ts";
import type { Query } from "./query.ts";
import { limitOf, NotThere, offsetOf, textOf } from "./query.ts";
import type { ObjectShown, PolicyPageShown, RuleShown } from "./shown/policy.ts";
import type { ShownWorld } from "./world.ts";

const mostRules = 2_000;
const mostLines = 5_000;
const mostPods = 200;
const most = 50;

/** By `policy`, the key. Throws NotThere. */
export function policyOf(world: ShownWorld, query: Query): PolicyPageShown {
  const key = textOf(query, "policy");
  const one = orderedPolicies(world.asked).find(({ policy }) => policyKey(policy.ref) === key);
  return one === undefined ? unreadPolicy(world, key) : readPolicy(world, one, query);
}

function readPolicy(world: ShownWorld, one: OrderedPolicy, query: Query): PolicyPageShown {
  const { asked } = world;
  const { policy, isRefused } = one;
  const record = world.record(policy.key);
  const text = record === null || record.rejected ? null : objectText(record.object);
  const limit = limitOf(query, 100, mostRules);
  const rulesOf = (direction: Direction) =>
    isRefused ? { total: 0, shown: [] } : excerpt(ruleListOf(world, policy, direction, text), limit);
  return {
    revision: world.revision,
    policy: shownPolicy(world, one),
    subject: excerpt([...new Set(everySubject(policy).map(subjectText))], most),
    problems: excerpt(
      (record?.problems ?? []).map(({ severity, field, message }) => ({
        ...{ severity, field, message },
        place: asked.placeOf(policy.key, field),
      })),
      most,
    ),
    rules: { ingress: rulesOf("ingress"), egress: rulesOf("egress") },
    isolates: {
      ingress: !isRefused && policy.unmatched.ingress === "deny",
      egress: !isRefused && policy.unmatched.egress === "deny",
    },
    object: record === null ? null : objectShown(record.object),
    ...subjectShown(world, one, query),
  };
}

function ruleListOf(
  { asked, hits = null }: ShownWorld,
  policy: Policy,
  direction: Direction,
  text: ObjectText | null,
): readonly RuleShown[] {
  return rulesOfPolicy(asked, policy, direction).map(({ rule, listed }) => {
    const field = asked.fieldOf(policy, direction, rule);
    return {
      ...listed,
      met: hits && hitsText(hitsOfRule(hits, policy, direction, rule)),
      lines: field === null || text === null ? null : text.linesOf(field),
      unknown: asked.unknowns.rules.get(rule)?.code ?? null,
    };
  });
}

function objectShown(object: PolicyObject): ObjectShown {
  const { lines } = objectText(object);
  return excerpt(lines, mostLines);
}

function subjectShown(
  { asked, membership }: ShownWorld,
  { policy, isRefused }: OrderedPolicy,
  query: Query,
): Pick<PolicyPageShown, "pods" | "workloads" | "namespaces"> {
  if (isRefused) return nobody;
  const pods = [...podsOf(policy, membership)].sort();
  const offset = offsetOf(query);
  const workloads = asked.workloads.filter(({ template }) =>
    isSelected({ ip: unplaced.v4, pod: template }, everySubject(policy), asked.facts),
  );
  return {
    pods: { total: pods.length, offset, shown: pods.slice(offset, offset + mostPods) },
    workloads: excerpt(
      workloads.map((made) => ({ end: textOfWorkload(made), title: workloadText(made) })),
      most,
    ),
    namespaces: excerpt(
      Array.from(Map.groupBy(pods, namespaceOf), ([name, own]) => ({ name, pods: own.length })),
      most,
    ),
  };
}

const none = { total: 0, shown: [] };
const nobody = { pods: null, workloads: none, namespaces: none };

function namespaceOf(pod: PodKey): string {
  return pod.slice(0, pod.indexOf("/"));
}

/** Of a kind that is not read, its name alone is known. */
function unreadPolicy(world: ShownWorld, key: string): PolicyPageShown {
  const { asked, membership } = world;
  const isAsked = asked.foreign.some((one) => policyKey(one) === key);
  const one = isAsked
    ? listPolicies(asked, membership).find(({ policy }) => policyKey(policy) === key)
    : undefined;
  if (one === undefined) throw new NotThere("there is no such policy");
  return {
    revision: world.revision,
    policy: { ...one, key, notInForce: null, inPart: false },
    ...{ subject: none, problems: none, rules: { ingress: none, egress: none } },
    ...{ isolates: { ingress: false, egress: false }, object: null, ...nobody },
  };
}
