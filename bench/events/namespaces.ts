// Events of namespaces: one relabelled, with 20 pods and with 1,000, and the churn of a large cluster: 20 namespaces
// deleted with all their pods and made anew.

import { namespace } from "../../test/support/facts.ts";
import { largeNamespace } from "../workloads/churn.ts";
import { gone, made, tenantLabel } from "../workloads/world.ts";
import { type Scenario, step } from "./step.ts";

export function namespaceRelabelled(size: number): Scenario {
  return function* ({ workload, repetitions, largest }) {
    if (size > largest) return;
    const { namespace: large, pods } = largeNamespace(size, workload);
    const objects = [large, ...pods];
    yield step(null, objects.map(made), { before: pods });
    const rounds = Math.max(2, Math.ceil(repetitions / (size > 500 ? 10 : 5)));
    for (let round = 0; round < rounds; round++) {
      const tenant = tenantLabel(round + 1, workload.tenants);
      yield step(`namespace of ${size} pods relabelled`, [made(namespace(large.name, { tenant }))]);
    }
    yield step(null, objects.map(gone), { after: pods });
  };
}

const churned = 20;

export const namespaceChurn: Scenario = function* ({ world, repetitions }) {
  const rounds = Math.max(1, Math.ceil(repetitions / 10));
  for (let round = 0; round < rounds; round++) {
    const first = (round * churned) % Math.max(1, world.namespaces.length - churned);
    const namespaces = world.namespaces.slice(first, first + churned);
    const names = new Set(namespaces.map((each) => each.name));
    const objects = [...namespaces, ...world.pods.filter((pod) => names.has(pod.namespace))];
    yield step(`${churned} namespaces deleted`, objects.map(gone));
    yield step(`${churned} namespaces created`, objects.map(made));
  }
};

/** One at a time with 20 pods, of a tenant that there is: under Self a value of its own. */
export const oneNamespace: Scenario = function* ({ workload, repetitions }) {
  const { namespace: added, pods } = largeNamespace(20, workload);
  const objects = [added, ...pods];
  const rounds = Math.max(2, Math.ceil(repetitions / 5));
  for (let round = 0; round < rounds; round++) {
    yield step("namespace of 20 pods added", objects.map(made), { before: pods });
    yield step("namespace of 20 pods deleted", objects.map(gone), { after: pods });
  }
};
