// Changes of what only Antrea's kinds have: groups, tiers and Services that policies refer to, policies that move among tiers,
// and namespaces whose labels decide who is whose own. What is put in comes from another world, so that no policy is refused.

import type { PolicyObject, ReferencedObject, WorldObject } from "../../src/model/object.ts";
import { isApiObject, isNamespace, isReferenced } from "../../src/model/object.ts";
import type { Change, Pick } from "./changes.ts";
import { replaced } from "./changes.ts";
import { sorted } from "./worlds.ts";

type World = readonly WorldObject[];

export const antreaChanges = {
  "group edited": (world, material, pick) => {
    const [group, spec] = groupAndSpec(world, material, pick);
    return group === undefined ? [] : [replaced(world, group, { ...group, spec })];
  },
  "group gone, and come as another": (world, material, pick) => {
    const [group, spec] = groupAndSpec(world, material, pick);
    return group === undefined ? [] : [replaced(world, group), replaced(world, group, { ...group, spec })];
  },
  "Service's selector edited": (world, material, pick) => {
    const [group] = groupAndSpec(world, material, pick);
    const service = pick(referencedIn(world, ["Service"]));
    const app = pick(["x", "y", "z"]);
    if (group === undefined || service === undefined) return [];
    const { name, namespace } = service;
    const spec = { serviceReference: { name, namespace } };
    const referring = replaced(world, group, { ...group, spec });
    const ports = [{ port: 79, targetPort: 80 }];
    return [referring, replaced(referring, service, { ...service, spec: { selector: { app }, ports } })];
  },
  "tier of policies moved": (world, _material, pick) => {
    const [tier] = referencedIn(world, ["Tier"]);
    const priority = pick([0, 49, 99, 149, 199, 249]);
    if (tier === undefined || !specsIn(world).includes(`"tier":"${tier.name}"`)) return [];
    return [replaced(world, tier, { ...tier, spec: { priority } })];
  },
  "policy moved among tiers, or in its own": (world, _material, pick) => {
    const policy = pick(policiesIn(world));
    if (policy === undefined) return [];
    const isPassing = JSON.stringify(policy.spec).includes('"Pass"');
    const tiers = ["emergency", "mine", "application", ...(isPassing ? [] : ["baseline"])];
    if (pick([true, false]) === true) return [withField(world, policy, "tier", pick(tiers))];
    return [withField(world, policy, "priority", pick([1, 4.5, 5, 6, 9999]))];
  },
  "places of rules exchanged": (world, _material, pick) => {
    const side = pick(["ingress", "egress"]) ?? "ingress";
    const policy = pick(policiesIn(world).filter((one) => rulesOf(one, side).length > 1));
    if (policy === undefined) return [];
    return [withField(world, policy, side, rulesOf(policy, side).toReversed())];
  },
  "namespace relabelled under sameLabels": (world, _material, pick) => {
    const keys = ["app", "tier"].filter((key) =>
      new RegExp(`"sameLabels":\\[[^\\]]*"${key}"`).test(specsIn(world)),
    );
    const [key, namespace] = [pick(keys), pick(world.filter(isNamespace))];
    if (key === undefined || namespace === undefined) return [];
    const labels = new Map(namespace.labels);
    const value = pick([undefined, "x", "y", "z"].filter((one) => one !== labels.get(key)));
    if (value === undefined) labels.delete(key);
    else labels.set(key, value);
    return [replaced(world, namespace, { ...namespace, labels })];
  },
} satisfies Readonly<Record<string, Change>>;

/** A group that a policy names, by itself or as a child, and what it may say instead. */
function groupAndSpec(world: World, material: World, pick: Pick): readonly [ReferencedObject?, unknown?] {
  const kinds = ["ClusterGroup", "Group"];
  const specs = specsIn(world);
  const named = referencedIn(world, kinds).filter(
    ({ name }) => specs.includes(`"group":"${name}"`) || specs.includes('"group":"gc"'),
  );
  const group = pick(named);
  // A child with children would select nothing.
  const others = referencedIn(material, kinds).filter(
    ({ kind, spec }) => kind === group?.kind && !JSON.stringify(spec).includes("childGroups"),
  );
  const other = pick(others);
  return group === undefined || other === undefined ? [] : [group, other.spec];
}

function policiesIn(world: World): readonly PolicyObject[] {
  return sorted(world).policies.filter(({ apiVersion }) => apiVersion.startsWith("crd.antrea.io/"));
}

function referencedIn(world: World, kinds: readonly string[]): readonly ReferencedObject[] {
  return world
    .filter((one) => isApiObject(one) && isReferenced(one))
    .filter(({ kind }) => kinds.includes(kind));
}

function specsIn(world: World): string {
  const specs = [...policiesIn(world), ...referencedIn(world, ["ClusterGroup", "Group"])];
  return JSON.stringify(specs.map(({ spec }) => spec));
}

function rulesOf({ spec }: PolicyObject, side: string): readonly unknown[] {
  const rules = new Map<string, unknown>(Object.entries(spec ?? {})).get(side);
  return Array.isArray(rules) ? rules : [];
}

function withField(world: World, policy: PolicyObject, field: string, value: unknown): World {
  return replaced(world, policy, { ...policy, spec: { ...(policy.spec ?? {}), [field]: value } });
}
