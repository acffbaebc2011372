// What is shown of a set of pods and workloads: the policies that apply to them, the workloads that they are of, and Services. Of
// pods that no selector of a policy tells apart one is looked at.

import { unplaced } from "../analysis/ends.ts";
import { endOfGroup, podGroupOf } from "../analysis/pod-groups.ts";
import { orderedPolicies } from "../explain/overview.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import type { Service } from "../model/service.ts";
import { everySubject } from "../policy/every-subject.ts";
import type { Policy } from "../policy/ir.ts";
import { isSelected } from "../policy/matching.ts";
import { excerpt } from "./excerpt.ts";
import { shownPolicy } from "./listed.ts";
import type { GroupShown, NamespacePolicy, ServiceShown } from "./shown/namespace.ts";
import type { ShownWorld } from "./world.ts";

const mostOfGroup = 5;

/** Pods and templates that have the same labels and the same service account, of one namespace: one, and how many. */
export type PodKinds = readonly (readonly [PodFact, number])[];

export function kindsOf(pods: readonly PodFact[]): PodKinds {
  const key = ({ labels, serviceAccount }: PodFact) => JSON.stringify([serviceAccount, [...labels].sort()]);
  return [...Map.groupBy(pods, key).values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [[first, own.length] as const];
  });
}

/** Those that apply to any of them, and those of which `isOwn` says so, in the order of evaluation. */
export function policiesOn(
  world: ShownWorld,
  kinds: PodKinds,
  isOwn: (policy: Policy) => boolean = () => false,
): readonly NamespacePolicy[] {
  const { facts } = world.asked;
  const ends = kinds.map(([pod, count]) => ({ end: { ip: pod.ips[0] ?? unplaced.v4, pod }, count }));
  const countOf = (policy: Policy): number => {
    const subject = everySubject(policy);
    return ends.reduce((sum, { end, count }) => (isSelected(end, subject, facts) ? sum + count : sum), 0);
  };
  return orderedPolicies(world.asked).flatMap((one) => {
    const selected = countOf(one.policy);
    if (selected === 0 && !isOwn(one.policy)) return [];
    return [{ ...shownPolicy(world, one), selected: one.isRefused ? null : selected }];
  });
}

/** By their titles. */
export function groupsOf(pods: readonly PodFact[]): readonly GroupShown[] {
  const groups = Map.groupBy(pods, (pod) => groupTitle(pod));
  return Array.from(groups, ([title, own]): GroupShown => {
    const keys = own.map((pod) => podKey(pod.namespace, pod.name)).sort();
    const [first] = own;
    return {
      ...{ title, end: first === undefined ? null : endOfGroup(podGroupOf(first)) },
      pods: excerpt(keys, mostOfGroup),
      exempt: own.filter((pod) => !isOnPodNetwork(pod)).length,
    };
  }).sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** `shop/web (Deployment)`, or `shop/[app=web]`. */
export function groupTitle(pod: PodFact): string {
  const { title, kind } = podGroupOf(pod);
  return kind === null ? title : `${title} (${kind})`;
}

export function serviceShown({ namespace, name, ips, ports }: Service): ServiceShown {
  return {
    ...{ name, end: `${namespace}/svc/${name}`, ips: ips.slice(0, mostOfGroup) },
    ports: ports.slice(0, mostOfGroup).map(({ protocol, port }) => `${protocol} ${port}`),
  };
}
