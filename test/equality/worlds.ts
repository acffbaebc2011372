// The worlds that two builds are asked about: those of the other generators, of every kind, each with a world that one change
// leads to. Everything follows from the seed, which says the kind too, so that a world is made again by its seed alone.

import fc from "fast-check";
import type { WorldObject } from "../../src/model/object.ts";
import { drawFrom } from "../fuzz/mutate.ts";
import type { Draw } from "../fuzz/mutate.ts";
import { antreaChanges } from "../proof/antrea-changes.ts";
import { withAntrea } from "../proof/antrea-policies.ts";
import type { Change } from "../proof/changes.ts";
import { pickBy } from "../proof/changes.ts";
import { changes } from "../proof/grounds.ts";
import { withOwnNetworkPolicies } from "../proof/own-network-policies.ts";
import type { ProofWorld } from "../proof/worlds.ts";
import { proofWorld, zone, zonedWorld } from "../proof/worlds.ts";
import { world as collidingWorld } from "../scenarios/worlds.ts";
import type { Manifest } from "../support/manifests.ts";
import { damaged } from "./damage.ts";
import { manifestsOf } from "./objects.ts";

export interface Pair {
  readonly seed: number;
  readonly kind: string;
  readonly world: readonly Manifest[];
  /** What a change, or a few, made of it. */
  readonly next: readonly Manifest[];
  /** Of the world: what a connection can have as an end. */
  readonly pods: readonly string[];
  readonly addresses: readonly string[];
  /** The node whose database it is; null: one database for all nodes. */
  readonly zone: string | null;
}

interface Kind {
  readonly name: string;
  readonly worlds: fc.Arbitrary<ProofWorld>;
  readonly zone?: string;
  /** Some of its objects are not as their API wants them. */
  readonly isDamaged?: boolean;
}

/** Addresses that several pods have, pods without one, policies of one place. */
const colliding = collidingWorld.map((objects): ProofWorld => ({ objects, salt: 0 }));
const all = withAntrea(withOwnNetworkPolicies(proofWorld));

const kinds: readonly Kind[] = [
  { name: "cluster-wide", worlds: proofWorld },
  { name: "with NetworkPolicies", worlds: withOwnNetworkPolicies(proofWorld) },
  { name: "with Antrea's kinds", worlds: all },
  { name: "colliding", worlds: withAntrea(withOwnNetworkPolicies(colliding)) },
  { name: "zoned", worlds: withAntrea(withOwnNetworkPolicies(zonedWorld)), zone },
  { name: "damaged", worlds: all, isDamaged: true },
];

const everyChange: Readonly<Record<string, Change>> = { ...changes, ...antreaChanges };
/** Most changes fit most worlds. */
const attempts = 20;

export function pairOf(seed: number): Pair {
  const kind = kinds[seed % kinds.length] ?? { name: "cluster-wide", worlds: proofWorld };
  const [first, material] = fc.sample(kind.worlds, { seed, numRuns: 2 });
  const draw = drawFrom(seed);
  const objects = first?.objects ?? [];
  const next = changed(objects, material?.objects ?? [], draw);
  const written = (from: readonly WorldObject[]) => {
    const manifests = manifestsOf(from);
    return kind.isDamaged === true ? damaged(manifests, draw) : manifests;
  };
  return {
    ...{ seed, kind: kind.name, world: written(objects), next: written(next), zone: kind.zone ?? null },
    pods: objects.flatMap((one) => (one.kind === "Pod" ? [`${one.namespace}/${one.name}`] : [])),
    addresses: objects.flatMap((one) => ("ips" in one ? [...one.ips] : [])),
  };
}

function changed(
  world: readonly WorldObject[],
  material: readonly WorldObject[],
  draw: Draw,
): readonly WorldObject[] {
  const names = Object.keys(everyChange);
  let now = world;
  const wanted = 1 + draw(3);
  for (let made = 0, tried = 0; made < wanted && tried < attempts; tried++) {
    const change = everyChange[names[draw(names.length)] ?? ""];
    const rolls = Array.from({ length: 12 }, () => draw(2 ** 31));
    const after = change?.(now, material, pickBy(rolls)).at(-1);
    if (after === undefined) continue;
    now = after;
    made++;
  }
  return now;
}
