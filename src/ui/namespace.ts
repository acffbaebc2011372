// One namespace: its workloads, its Services, and the policies that apply to pods or workloads there. What may reach it is another
// answer (reach.ts), which takes longer. Of pods that no selector of a policy tells apart one is looked at.

import { textOfWorkload } from "../analysis/end-query.ts";
import { unplaced } from "../analysis/ends.ts";
import { podGroupOf } from "../analysis/pod-groups.ts";
import { orderedPolicies } from "../explain/overview.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import type { Service } from "../model/service.ts";
import { workloadText } from "../model/workload.ts";
import { everySubject } from "../policy/every-subject.ts";
import type { Policy } from "../policy/ir.ts";
import { isSelected } from "../policy/matching.ts";
import { excerpt } from "./excerpt.ts";
import { shownPolicy } from "./listed.ts";
import type { Query } from "./query.ts";
import { NotThere, textOf } from "./query.ts";
import type { GroupShown, NamespaceShown, ServiceShown } from "./shown/namespace.ts";
import type { ShownWorld } from "./world.ts";

const most = 100;
const mostOfGroup = 5;

/** By `namespace`. Throws NotThere. */
export function namespaceOf(world: ShownWorld, query: Query): NamespaceShown {
  const name = textOf(query, "namespace");
  const { facts, asked } = world;
  const fact = facts.namespaces.get(name);
  const pods = [...facts.pods.values()].filter(({ namespace }) => namespace === name);
  const workloads = asked.workloads.filter(({ namespace }) => namespace === name);
  const services = asked.services.filter(({ namespace }) => namespace === name);
  if (fact === undefined && pods.length + workloads.length + services.length === 0)
    throw new NotThere("there is no such namespace");
  const kinds = kindsOf([...pods.filter(isOnPodNetwork), ...workloads.map(({ template }) => template)]);
  const policies = orderedPolicies(asked).flatMap((one) => {
    const selected = countOf(world, one.policy, kinds);
    const isOwn = one.policy.ref.namespace === name;
    return selected > 0 || isOwn
      ? [{ ...shownPolicy(world, one), selected: one.isRefused ? null : selected }]
      : [];
  });
  return {
    ...{ revision: world.revision, name, pods: pods.length, isUnread: fact?.isUnread === true },
    labels: excerpt([...(fact?.labels ?? [])].map(([key, value]) => `${key}=${value}`).sort(), most),
    groups: excerpt(groupsOf(pods), most),
    workloads: excerpt(
      workloads.map((made) => ({ end: textOfWorkload(made), title: workloadText(made) })),
      most,
    ),
    services: excerpt(services.map(serviceShown), most),
    policies: excerpt(policies, most),
  };
}

/** Pods and templates that have the same labels and the same service account, of one namespace: one, and how many. */
function kindsOf(pods: readonly PodFact[]): readonly (readonly [PodFact, number])[] {
  const key = ({ labels, serviceAccount }: PodFact) => JSON.stringify([serviceAccount, [...labels].sort()]);
  return [...Map.groupBy(pods, key).values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [[first, own.length] as const];
  });
}

function countOf(
  { asked }: ShownWorld,
  policy: Policy,
  kinds: readonly (readonly [PodFact, number])[],
): number {
  const groups = everySubject(policy);
  return kinds.reduce(
    (sum, [pod, count]) =>
      isSelected({ ip: pod.ips[0] ?? unplaced.v4, pod }, groups, asked.facts) ? sum + count : sum,
    0,
  );
}

function groupsOf(pods: readonly PodFact[]): readonly GroupShown[] {
  const groups = Map.groupBy(pods, (pod) => {
    const { title, kind } = podGroupOf(pod);
    return kind === null ? title : `${title} (${kind})`;
  });
  return Array.from(groups, ([title, own]): GroupShown => {
    const keys = own.map((pod) => podKey(pod.namespace, pod.name)).sort();
    return {
      title,
      pods: excerpt(keys, mostOfGroup),
      exempt: own.filter((pod) => !isOnPodNetwork(pod)).length,
    };
  }).sort((a, b) => (a.title < b.title ? -1 : 1));
}

function serviceShown({ namespace, name, ips, ports }: Service): ServiceShown {
  return {
    ...{ name, end: `${namespace}/svc/${name}`, ips: ips.slice(0, mostOfGroup) },
    ports: ports.slice(0, mostOfGroup).map(({ protocol, port }) => `${protocol} ${port}`),
  };
}
