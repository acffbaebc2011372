// Changes of where pods are: moved to another node, given another address, gone and come, and an address that goes from a pod
// to another one. A pod that is made again is seen in stages, as a cluster shows it, or at once, as a controller that was
// busy sees it.

import type { PodFact } from "../../src/model/facts.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { IpAddress, IpFamily } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { ip } from "../support/facts.ts";
import type { Change, Pick } from "./changes.ts";
import { labelsIn, replaced } from "./changes.ts";
import { sorted } from "./worlds.ts";

type World = readonly WorldObject[];

export const placeChanges = {
  "pod moved, in stages": (world, _material, pick) => {
    const [pod, moved] = move(world, pick);
    if (pod === undefined || moved === undefined) return [];
    const without = replaced(world, pod);
    return [
      without,
      [...without, { ...moved, node: null, ips: [] }],
      [...without, { ...moved, ips: [] }],
      [...without, moved],
    ];
  },
  "pod moved, seen at once": (world, _material, pick) => {
    const [pod, moved] = move(world, pick);
    return pod === undefined || moved === undefined ? [] : [replaced(world, pod, moved)];
  },
  "pod's address changed": (world, _material, pick) => {
    const pod = pick(livePods(world));
    if (pod === undefined) return [];
    return [replaced(world, pod, readdressed(world, pod, pod.ips.map(familyOf), pick))];
  },
  "address taken over, in stages": (world, material, pick) => {
    const [pod, heir] = inherit(world, material, pick);
    if (pod === undefined || heir === undefined) return [];
    const without = replaced(
      world,
      pod,
      ...(pick([true, false]) === true ? [{ ...pod, completed: true }] : []),
    );
    return [without, [...without, heir]];
  },
  "address taken over, seen at once": (world, material, pick) => {
    const [pod, heir] = inherit(world, material, pick);
    return pod === undefined || heir === undefined ? [] : [replaced(world, pod, heir)];
  },
  "pods come and go": (world, material, pick) => {
    const live = livePods(world);
    const going = live.length > 2 ? live.filter(() => pick([true, false, false]) === true).slice(0, 2) : [];
    const left = world.filter((object) => going.every((pod) => pod !== object));
    const families = [...new Set(live.flatMap((pod) => pod.ips.map(familyOf)))];
    const template = pick(livePods(material));
    if (template === undefined) return [left];
    const named = { ...template, name: freeName(world) };
    return [[...left, readdressed(world, named, families, pick)]];
  },
} satisfies Readonly<Record<string, Change>>;

function livePods(world: World): readonly PodFact[] {
  return sorted(world).pods.filter((pod) => isOnPodNetwork(pod) && pod.ips.length > 0);
}

/** A pod, and what it is on another node. */
function move(world: World, pick: Pick): readonly [PodFact?, PodFact?] {
  const pod = pick(livePods(world));
  const { nodes, pods } = sorted(world);
  const names = new Set([...nodes.map(({ name }) => name), ...pods.flatMap(({ node }) => node ?? [])]);
  const node = pick([...names].filter((name) => name !== pod?.node));
  if (pod === undefined || node === undefined) return [];
  return [pod, { ...readdressed(world, pod, pod.ips.map(familyOf), pick), node }];
}

/** A pod, and another one that has its addresses after it. */
function inherit(world: World, material: World, pick: Pick): readonly [PodFact?, PodFact?] {
  const pod = pick(livePods(world));
  const labels = pick(labelsIn(material));
  const place = pick(livePods(world));
  if (pod === undefined || place === undefined || labels === undefined) return [];
  return [pod, { ...pod, namespace: place.namespace, node: place.node, name: freeName(world), labels }];
}

/** Not a name of the generator's. */
function freeName(world: World): string {
  const names = new Set(sorted(world).pods.map(({ name }) => name));
  for (let number = 1; ; number++) if (!names.has(`new-${number}`)) return `new-${number}`;
}

function readdressed(world: World, pod: PodFact, families: readonly IpFamily[], pick: Pick): PodFact {
  const taken = new Set(sorted(world).pods.flatMap(({ ips }) => ips));
  const ips = families.flatMap((family) => pick(addresses[family].filter((one) => !taken.has(one))) ?? []);
  return { ...pod, ips };
}

/** Those of the generator's pods, and some that it gives to nobody. */
const hosts = Array.from({ length: 16 }, (_, at) => at);
const addresses: Readonly<Record<IpFamily, readonly IpAddress[]>> = {
  v4: [0, 1].flatMap((subnet) => hosts.map((host) => ip(`10.0.${subnet}.${16 + host}`))),
  v6: [0, 1].flatMap((subnet) => hosts.map((host) => ip(`fd00:0:0:${subnet}::1${host.toString(16)}`))),
};
