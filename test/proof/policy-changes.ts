// Changes of one policy or two, as people make them: rules edited and reordered, priorities moved, subjects and actions
// turned. What is put in comes from policies of another world, so that every policy stays one that its dialect accepts.

import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { directions } from "../../src/policy/ir.ts";
import type { Change, Pick } from "./changes.ts";
import { replaced } from "./changes.ts";
import { isNetworkPolicy } from "./network-policy-changes.ts";
import { sorted } from "./worlds.ts";

type World = readonly WorldObject[];
type Fields = Readonly<Record<string, unknown>>;

/** A policy's rules of one direction, of which there is at least one. */
interface RuleList {
  readonly policy: PolicyObject;
  readonly direction: (typeof directions)[number];
  readonly rules: readonly Fields[];
}

export const policyChanges = {
  "policy added": (world, material, pick) => {
    const added = pick(sorted(material).policies);
    if (added === undefined) return [];
    const taken = new Set(sorted(world).policies.map(({ kind, name }) => `${kind}/${name}`));
    const named = ["p", "q", "r", "s"].find((name) => !taken.has(`${added.kind}/${name}`));
    if (isPrioritized(added) && named !== undefined)
      return [[...world, withField({ ...added, name: named }, "priority", pick(freePriorities(world)))]];
    return taken.has(`${added.kind}/${added.name}`) ? [] : [[...world, added]];
  },
  "policy deleted": (world, _material, pick) => {
    const deleted = pick(sorted(world).policies);
    return deleted === undefined ? [] : [replaced(world, deleted)];
  },
  "rule edited": (world, material, pick) => {
    const list = pick(ruleListsIn(world));
    if (list === undefined) return [];
    const at = anIndexOf(list, pick);
    return withRules(world, list, list.rules.toSpliced(at, 1, ...ruleFor(list, material, pick)));
  },
  "rule inserted": (world, material, pick) => {
    const list = pick(ruleListsIn(world));
    if (list === undefined) return [];
    const inserted = ruleFor(list, material, pick);
    return inserted.length === 0
      ? []
      : withRules(world, list, list.rules.toSpliced(anIndexOf(list, pick), 0, ...inserted));
  },
  "rule removed": (world, _material, pick) => {
    const list = pick(ruleListsIn(world));
    return list === undefined ? [] : withRules(world, list, list.rules.toSpliced(anIndexOf(list, pick), 1));
  },
  "rules reordered": (world, _material, pick) => {
    const list = pick(ruleListsIn(world).filter(({ rules }) => new Set(rules.map(textOf)).size > 1));
    if (list === undefined) return [];
    const { rules } = list;
    const orders = [rules.toReversed(), [...rules.slice(1), ...rules.slice(0, 1)]];
    const differing = orders.filter((order) => textOf(order) !== textOf(rules));
    return withRules(world, list, pick(differing) ?? rules);
  },
  "policy moved before or after others": (world, _material, pick) => {
    const moved = pick(sorted(world).policies.filter(isPrioritized));
    if (moved === undefined) return [];
    return [replaced(world, moved, withField(moved, "priority", pick(freePriorities(world))))];
  },
  "two policies swap priorities": (world, _material, pick) => {
    const policies = sorted(world).policies.filter(isPrioritized);
    const one = pick(policies);
    const priorityOf = (policy: PolicyObject) => fieldsOf(policy.spec)["priority"];
    const other = pick(
      // A number of one kind may be none of another's.
      policies.filter((policy) => policy.kind === one?.kind && priorityOf(policy) !== priorityOf(one)),
    );
    if (one === undefined || other === undefined) return [];
    const swapped = replaced(world, one, withField(one, "priority", priorityOf(other)));
    return [replaced(swapped, other, withField(other, "priority", priorityOf(one)))];
  },
  "subject changed": (world, material, pick) => {
    const policy = pick(sorted(world).policies.filter((one) => !isNetworkPolicy(one)));
    // The newer API takes subjects that the older one refuses.
    const from = pick(
      sorted(material).policies.filter(({ apiVersion }) => apiVersion === policy?.apiVersion),
    );
    if (policy === undefined || from === undefined) return [];
    return [replaced(world, policy, withField(policy, "subject", fieldsOf(from.spec)["subject"]))];
  },
  "action flipped": (world, _material, pick) => {
    const list = pick(ruleListsIn(world).filter(({ policy }) => !isNetworkPolicy(policy)));
    if (list === undefined) return [];
    const at = anIndexOf(list, pick);
    const allow = list.policy.kind === "ClusterNetworkPolicy" ? "Accept" : "Allow";
    const actions = isPrioritized(list.policy) ? [allow, "Deny", "Pass"] : [allow, "Deny"];
    const rule = fieldsOf(list.rules[at]);
    const action = pick(actions.filter((one) => one !== rule["action"]));
    return withRules(world, list, list.rules.with(at, { ...rule, action }));
  },
} satisfies Readonly<Record<string, Change>>;

function isPrioritized({ spec }: PolicyObject): boolean {
  return "priority" in fieldsOf(spec);
}

/** Priorities that no policy has: next to those that policies have, and at both ends. */
function freePriorities(world: World): readonly number[] {
  const taken = sorted(world).policies.flatMap(({ spec }) => {
    const priority = fieldsOf(spec)["priority"];
    return typeof priority === "number" ? [priority] : [];
  });
  const near = [0, 50, 99, ...taken.flatMap((priority) => [priority - 1, priority + 1])];
  return near.filter((one) => one >= 0 && one <= 99 && !taken.includes(one));
}

function ruleListsIn(world: World): readonly RuleList[] {
  return sorted(world).policies.flatMap((policy) =>
    directions.flatMap((direction) => {
      const rules = rulesOf(policy, direction);
      return rules.length === 0 ? [] : [{ policy, direction, rules }];
    }),
  );
}

function anIndexOf({ rules }: RuleList, pick: Pick): number {
  return pick([...rules.keys()]) ?? 0;
}

/** A rule that can stand in the list; none when the other world has none. */
function ruleFor({ policy, direction }: RuleList, material: World, pick: Pick): readonly Fields[] {
  const alike = sorted(material).policies.filter(({ kind }) => kind === policy.kind);
  const rule = pick(alike.flatMap((other) => rulesOf(other, direction)));
  return rule === undefined ? [] : [rule];
}

function rulesOf({ spec }: PolicyObject, direction: RuleList["direction"]): readonly Fields[] {
  const rules = fieldsOf(spec)[direction];
  return Array.isArray(rules) ? rules.map(fieldsOf) : [];
}

function withRules(
  world: World,
  { policy, direction }: RuleList,
  rules: readonly Fields[],
): readonly World[] {
  return [replaced(world, policy, withField(policy, direction, rules))];
}

function withField(policy: PolicyObject, field: string, value: unknown): PolicyObject {
  return { ...policy, spec: { ...fieldsOf(policy.spec), [field]: value } };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}
