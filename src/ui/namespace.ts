// One namespace: its workloads, its Services, and the policies that apply to pods or workloads there. What may reach it is another
// answer (reach.ts), which takes longer.

import { textOfWorkload } from "../analysis/end-query.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import { workloadText } from "../model/workload.ts";
import { excerpt } from "./excerpt.ts";
import { groupsOf, kindsOf, policiesOn, serviceShown } from "./members.ts";
import type { Query } from "./query.ts";
import { NotThere, textOf } from "./query.ts";
import type { NamespaceShown } from "./shown/namespace.ts";
import type { ShownWorld } from "./world.ts";

const most = 100;

/** By `namespace`. Throws NotThere. */
export function namespaceOf(world: ShownWorld, query: Query): NamespaceShown {
  const name = textOf(query, "namespace");
  const { facts, asked } = world;
  const fact = facts.namespaces.get(name);
  const pods = asked.podsIn(name);
  const workloads = asked.workloads.filter(({ namespace }) => namespace === name);
  const services = asked.services.filter(({ namespace }) => namespace === name);
  if (fact === undefined && pods.length + workloads.length + services.length === 0)
    throw new NotThere("there is no such namespace");
  const kinds = kindsOf([...pods.filter(isOnPodNetwork), ...workloads.map(({ template }) => template)]);
  const policies = policiesOn(world, kinds, ({ ref }) => ref.namespace === name);
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
