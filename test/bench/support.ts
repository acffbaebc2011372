// A workload that is small enough to be rendered anew after every step, and has every kind of rule.

import { workloadOf, type Workload } from "../../bench/workloads/catalogue.ts";

const base = workloadOf("W2");
if (base === null) throw new Error("there is no W2");

export const small: Workload = {
  ...base,
  ...{ namespaces: 26, podsPerNamespace: 5, podCount: 130, nodes: 10, tenants: 5 },
  ...{ policies: 6, rules: 10, ends: null },
};
