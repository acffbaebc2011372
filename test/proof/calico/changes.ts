// Kinds of change from a world of Calico's policies to the next, by name, as people and controllers make them: on manifests, so that
// the judge and the product read the same. Pods keep their places. What is put in comes from another world, as long as OVN's tiers
// have room for it.

import type {
  CalicoPolicy,
  CalicoSpec,
  EndpointSlice,
  Manifest,
  NetworkSet,
  Tier,
} from "../../oracle/calico/manifests.ts";
import type { Pick } from "../changes.ts";
import { roomForPasses } from "./worlds.ts";

type World = readonly Manifest[];
/** null: the world has nothing that could change so. */
export type CalicoChange = (world: World, material: World, pick: Pick) => World | null;

const directions = ["ingress", "egress"] as const;
const tierOrders = [-7, 0.25, 0.5, 500, 1000.5, 2_000_000, 30_000_000, null];
const policyOrders = [-2, 0, 0.5, 999, 1000, 1001, null];
const actions = ["Allow", "Deny", "Pass"] as const;

export const calicoChanges: Readonly<Record<string, CalicoChange>> = {
  "a rule passes, or passes no longer": (world, _material, pick) => {
    const list = pick(ruleLists(world));
    if (list === undefined) return null;
    const rules = list.spec[list.direction] ?? [];
    const at = pick([...rules.keys()]) ?? 0;
    const now = rules[at]?.action;
    // A Pass half of the time.
    const action = now === "Pass" ? pick(["Allow", "Deny"] as const) : pick([...actions, "Pass"] as const);
    if (action === undefined || action === now) return null;
    const edited = rules.map((rule, index) => (index === at ? { ...rule, action } : rule));
    return withSpec(world, list.policy, { [list.direction]: edited });
  },
  "a tier passes no longer": (world, _material, pick) => {
    const tier = pick([...passingTiers(world)]);
    const others = pick(["Allow", "Deny"] as const);
    const passing = policiesIn(world).filter(({ spec }) => tierOf(spec) === tier && passes(spec));
    if (others === undefined || passing.length === 0) return null;
    return passing.reduce<World>((now, policy) => {
      const without = directions.map((direction) => [
        direction,
        (policy.spec[direction] ?? []).map((rule) =>
          rule.action === "Pass" ? { ...rule, action: others } : rule,
        ),
      ]);
      return withSpec(now, policy, Object.fromEntries(without) as CalicoSpec);
    }, world);
  },
  "a tier passes what no rule of its decides": (world, _material, pick) => {
    const policy = pick(policiesIn(world));
    const direction = pick(directions);
    if (policy === undefined || direction === undefined) return null;
    return withSpec(world, policy, {
      [direction]: [...(policy.spec[direction] ?? []), { action: "Pass" }],
    });
  },
  "tier moved": (world, _material, pick) => {
    const tier = pick(world.filter(isTier));
    if (tier === undefined) return null;
    return replaced(world, tier, { ...tier, spec: ordered(tier.spec, pick(tierOrders)) });
  },
  "default action of a tier turned": (world, _material, pick) => {
    const tier = pick(world.filter(isTier));
    if (tier === undefined) return null;
    const defaultAction = tier.spec.defaultAction === "Pass" ? "Deny" : "Pass";
    return replaced(world, tier, { ...tier, spec: { ...tier.spec, defaultAction } });
  },
  "policy moved to another tier": (world, _material, pick) => {
    const policy = pick(policiesIn(world));
    const tier = pick(["default", ...world.filter(isTier).map(({ metadata }) => metadata.name)]);
    if (policy === undefined || tier === undefined || tier === tierOf(policy.spec)) return null;
    return withSpec(world, policy, { tier });
  },
  "order of a policy changed": (world, _material, pick) => {
    const policy = pick(policiesIn(world));
    if (policy === undefined) return null;
    return replaced(world, policy, { ...policy, spec: ordered(policy.spec, pick(policyOrders)) });
  },
  "rules reversed": (world, _material, pick) => {
    const list = pick(ruleLists(world).filter(({ spec, direction }) => (spec[direction] ?? []).length > 1));
    if (list === undefined) return null;
    const { policy, spec, direction } = list;
    return withSpec(world, policy, { [direction]: (spec[direction] ?? []).toReversed() });
  },
  "policy comes or goes": comesOrGoes(policiesIn, (policy, world) => {
    const tiers = new Set(["default", ...world.filter(isTier).map(({ metadata }) => metadata.name)]);
    if (tiers.has(tierOf(policy.spec))) return policy;
    return { ...policy, spec: { ...policy.spec, tier: "default" } };
  }),
  "networks of a set changed": (world, material, pick) => {
    const set = pick(world.filter(isSet));
    const nets = pick(material.filter(isSet))?.spec.nets;
    return set === undefined || nets === undefined ? null : replaced(world, set, { ...set, spec: { nets } });
  },
  "set comes or goes": comesOrGoes((all) => all.filter(isSet)),
  "set relabelled": relabelled(isSet),
  "service account relabelled": relabelled((one) => one.kind === "ServiceAccount"),
  "namespace relabelled": relabelled((one) => one.kind === "Namespace"),
  "pod relabelled": relabelled((one) => one.kind === "Pod"),
  "endpoints of a slice changed": (world, material, pick) => {
    const [slice, other] = [pick(namedSlices(world, world)), pick(material.filter(isSlice))];
    if (slice === undefined || other?.addressType !== slice.addressType) return null;
    return replaced(world, slice, { ...slice, endpoints: other.endpoints });
  },
  "ports of a slice changed": (world, material, pick) => {
    const [slice, other] = [pick(namedSlices(world, world)), pick(material.filter(isSlice))];
    if (slice === undefined || other?.ports === undefined) return null;
    return replaced(world, slice, { ...slice, ports: other.ports });
  },
  "slice comes or goes": comesOrGoes(namedSlices),
};

/** The world after changes of these kinds, one after the other; null: there is none, or nothing has changed. */
export function afterChanges(
  world: World,
  material: World,
  kinds: readonly string[],
  pick: Pick,
  room = roomForPasses,
): World | null {
  const after = kinds.reduce((now, kind) => calicoChanges[kind]?.(now, material, pick) ?? now, world);
  return JSON.stringify(after) === JSON.stringify(world) || !hasRoom(after, room) ? null : after;
}

/** Of every kind. */
export function withoutPolicies(world: World): World {
  return world.filter(({ kind }) => !/^(Global|Cluster|)NetworkPolicy$/.test(kind));
}

/** Whether OVN's tiers have room for its passes. */
export function hasRoom(world: World, room = roomForPasses): boolean {
  return passingTiers(world).size <= room;
}

function passingTiers(world: World): ReadonlySet<string> {
  const tiers = world.flatMap((one) => {
    if (isPolicy(one)) return passes(one.spec) ? [tierOf(one.spec)] : [];
    if (one.kind !== "ClusterNetworkPolicy") return [];
    const { ingress = [], egress = [], tier } = one.spec;
    return [...ingress, ...egress].some(({ action }) => action === "Pass") ? [`kube-${tier}`] : [];
  });
  return new Set(tiers);
}

function passes({ ingress = [], egress = [] }: CalicoSpec): boolean {
  return [...ingress, ...egress].some(({ action }) => action === "Pass");
}

function tierOf({ tier = "default" }: CalicoSpec): string {
  return tier;
}

function ruleLists(world: World) {
  return world
    .filter(isPolicy)
    .flatMap((policy) => directions.map((direction) => ({ policy, spec: policy.spec, direction })))
    .filter(({ spec, direction }) => (spec[direction] ?? []).length > 0);
}

/** One of the world goes, or one of the other world comes, as this world takes it. */
function comesOrGoes<M extends Manifest>(
  /** Those of the manifests that may go from the world, or come to it. */
  among: (manifests: World, world: World) => readonly M[],
  asHere: (one: M, world: World) => Manifest = (one) => one,
): CalicoChange {
  return (world, material, pick) => {
    const here = among(world, world);
    const names = new Set(world.map(nameOf));
    const there = among(material, world).filter((one) => !names.has(nameOf(one)));
    const [going, coming] = [pick(here), pick(there)];
    if (going !== undefined && (coming === undefined || pick([true, false]) === true))
      return replaced(world, going);
    return coming === undefined ? null : [...world, asHere(coming, world)];
  };
}

function relabelled(isOne: (manifest: Manifest) => boolean): CalicoChange {
  return (world, material, pick) => {
    const one = pick(world.filter(isOne));
    const labels = pick(
      material.flatMap(({ metadata }) => (metadata.labels === undefined ? [] : [metadata.labels])),
    );
    if (one === undefined || labels === undefined) return null;
    return replaced(world, one, { ...one, metadata: { ...one.metadata, labels } });
  };
}

function withSpec(world: World, policy: CalicoPolicy, spec: CalicoSpec): World {
  return replaced(world, policy, { ...policy, spec: { ...policy.spec, ...spec } });
}

/** null: without one. */
function ordered<S extends { readonly order?: number }>(spec: S, order: number | null | undefined): S {
  const others = Object.entries(spec).filter(([name]) => name !== "order");
  return Object.fromEntries([...others, ...(typeof order === "number" ? [["order", order]] : [])]) as S;
}

function replaced(world: World, old: Manifest, ...next: readonly Manifest[]): World {
  return world.flatMap((one) => (one === old ? next : [one]));
}

function nameOf({ kind, metadata: { namespace = "", name } }: Manifest): string {
  return `${kind}/${namespace}/${name}`;
}

function isPolicy(one: Manifest): one is CalicoPolicy {
  if (one.kind === "GlobalNetworkPolicy") return true;
  return one.kind === "NetworkPolicy" && one.apiVersion !== "networking.k8s.io/v1";
}

function policiesIn(manifests: World): readonly CalicoPolicy[] {
  return manifests.filter(isPolicy);
}

/** Those of the manifests whose Services rules of the world name. */
function namedSlices(manifests: World, world: World): readonly EndpointSlice[] {
  const sides = policiesIn(world).flatMap(({ spec: { ingress = [], egress = [] } }) =>
    [...ingress, ...egress].flatMap(({ source, destination }) => [source?.services, destination?.services]),
  );
  return manifests
    .filter(isSlice)
    .filter(({ metadata: { namespace, labels = {} } }) =>
      sides.some((one) => one?.namespace === namespace && one?.name === labels["kubernetes.io/service-name"]),
    );
}

function isTier(one: Manifest): one is Tier {
  return one.kind === "Tier";
}

function isSet(one: Manifest): one is NetworkSet {
  return one.kind === "NetworkSet" || one.kind === "GlobalNetworkSet";
}

function isSlice(one: Manifest): one is EndpointSlice {
  return one.kind === "EndpointSlice";
}
