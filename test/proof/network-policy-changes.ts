// Changes of one NetworkPolicy, as people make them: of what no other kind has. What is put in comes from policies of another
// world, so that every policy stays one that its dialect accepts.

import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import type { Change } from "./changes.ts";
import { replaced } from "./changes.ts";
import { sorted } from "./worlds.ts";

type World = readonly WorldObject[];

const stateless = "k8s.ovn.org/acl-stateless";

export const networkPolicyChanges = {
  "NetworkPolicy added": (world, material, pick) => {
    const added = pick(networkPoliciesIn(material));
    if (added === undefined) return [];
    const taken = new Set(networkPoliciesIn(world).map(({ name }) => name));
    const name = ["np-0", "np-1", "np-2", "np-3", "np-4", "np-5"].find((one) => !taken.has(one));
    return name === undefined ? [] : [[...world, { ...added, name }]];
  },
  "NetworkPolicy deleted": (world, _material, pick) => {
    const deleted = pick(networkPoliciesIn(world));
    return deleted === undefined ? [] : [replaced(world, deleted)];
  },
  "policyTypes edited": (world, _material, pick) => {
    const policy = pick(networkPoliciesIn(world));
    if (policy === undefined) return [];
    const lists = [["Ingress"], ["Egress"], ["Ingress", "Egress"]];
    const differing = lists.filter((one) => one.join() !== String(fieldOf(policy, "policyTypes")));
    return [withField(world, policy, "policyTypes", pick(differing))];
  },
  "podSelector changed": (world, material, pick) => {
    const [policy, other] = [pick(networkPoliciesIn(world)), pick(networkPoliciesIn(material))];
    if (policy === undefined || other === undefined) return [];
    return [withField(world, policy, "podSelector", fieldOf(other, "podSelector"))];
  },
  "connections followed or not": (world, _material, pick) => {
    const policy = pick(networkPoliciesIn(world));
    if (policy === undefined) return [];
    const annotations = new Map(policy.annotations);
    if (!annotations.delete(stateless)) annotations.set(stateless, "true");
    return [replaced(world, policy, { ...policy, annotations })];
  },
} satisfies Readonly<Record<string, Change>>;

/** Antrea has a kind of this name too. */
export function isNetworkPolicy({ kind, apiVersion }: PolicyObject): boolean {
  return kind === "NetworkPolicy" && apiVersion.startsWith("networking.k8s.io/");
}

function networkPoliciesIn(world: World): readonly PolicyObject[] {
  return sorted(world).policies.filter(isNetworkPolicy);
}

function fieldOf({ spec }: PolicyObject, field: string): unknown {
  return new Map<string, unknown>(Object.entries(spec ?? {})).get(field);
}

function withField(world: World, policy: PolicyObject, field: string, value: unknown): World {
  return replaced(world, policy, { ...policy, spec: { ...(policy.spec ?? {}), [field]: value } });
}
