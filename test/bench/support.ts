// Workloads that are small enough to be rendered anew after every step, and have every kind of rule.

import { workloadOf, type Workload } from "../../bench/workloads/catalogue.ts";

export const small = smallOf("W2");
/** Of Calico's policies. */
export const smallCalico = smallOf("W1-calico");

function smallOf(name: string): Workload {
  const base = workloadOf(name);
  if (base === null) throw new Error(`there is no ${name}`);
  return {
    ...base,
    ...{ namespaces: 26, podsPerNamespace: 5, podCount: 130, nodes: 10, tenants: 5 },
    ...{ policies: 6, rules: 10, ends: null },
  };
}
