// Kinds of change from a world to the next, by name: each takes the present world, another one to take material from, and
// a way to choose, and gives the worlds that follow, or none where the present world has nothing that could change so.

import type { WorldObject } from "../../src/model/object.ts";
import type { Labels } from "../../src/model/labels.ts";
import { isNamespace, isNode, isPod } from "../../src/model/object.ts";
import { sorted } from "./worlds.ts";

type World = readonly WorldObject[];
/** One of the list; undefined of an empty one. */
export type Pick = <T>(list: readonly T[]) => T | undefined;
export type Change = (world: World, material: World, pick: Pick) => readonly World[];

/** Chooses by these numbers in turn. */
export function pickBy(rolls: readonly number[]): Pick {
  let at = 0;
  return (list) => list[(rolls[at++ % rolls.length] ?? 0) % list.length];
}

export function replaced(world: World, old: WorldObject, ...next: readonly WorldObject[]): World {
  return world.flatMap((object) => (object === old ? next : [object]));
}

function relabelled(only: (object: WorldObject) => boolean): Change {
  return (world, material, pick) => {
    const object = pick(world.filter(only));
    const labels = pick(labelsIn(material));
    if (object === undefined || labels === undefined || !("labels" in object)) return [];
    return [replaced(world, object, { ...object, labels })];
  };
}

export function labelsIn(world: World): readonly Labels[] {
  return world.flatMap((object) => ("labels" in object ? [object.labels] : []));
}

/** Everything that is not a pod's or node's place becomes what it is in the other world. */
const everythingEdited: Change = (world, material) => {
  const [here, there] = [sorted(world), sorted(material)];
  const labelsOf = <T extends { readonly labels: Labels }>(fact: T, others: readonly T[], at: number): T => ({
    ...fact,
    labels: others[at % Math.max(1, others.length)]?.labels ?? fact.labels,
  });
  return [
    [
      ...there.namespaces.values(),
      ...here.nodes.map((fact, at) => labelsOf(fact, there.nodes, at)),
      ...here.pods.map((fact, at) => labelsOf(fact, there.pods, at)),
      ...there.policies,
    ],
  ];
};

/** All policies are removed; then there are those of the other world. */
const policiesFromNone: Change = (world, material) => {
  const removed = new Set<WorldObject>(sorted(world).policies);
  const without = world.filter((object) => !removed.has(object));
  return [without, [...without, ...sorted(material).policies]];
};

export const worldChanges = {
  "policies where there were none": policiesFromNone,
  "everything but places edited": everythingEdited,
  "another world altogether": (_world, material) => [material],
  "namespace relabelled": relabelled(isNamespace),
  "pod relabelled": relabelled(isPod),
  "node relabelled": relabelled(isNode),
  "node added": (world, material, pick) => {
    const names = new Set(sorted(world).nodes.map(({ name }) => name));
    const added = pick(sorted(material).nodes.filter(({ name }) => !names.has(name)));
    return added === undefined ? [] : [[...world, added]];
  },
  "node removed": (world, _material, pick) => {
    const removed = pick(sorted(world).nodes);
    return removed === undefined ? [] : [replaced(world, removed)];
  },
} satisfies Readonly<Record<string, Change>>;
