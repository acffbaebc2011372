// A dialect for tests that can say all of the IR, in the fewest words: what the shared code does for a kind that it has
// never heard of. `TrafficPolicy` is the policy; `PodSet` is an object that policies refer to by name.

import type { ObjectKind } from "../../src/model/object.ts";
import type { Dialect } from "../../src/policy/dialect.ts";
import { compile } from "./compile.ts";

export const group = "traffic.test";

export const podSet: ObjectKind = {
  ...{ group, version: "v1", kind: "PodSet", resource: "podsets", namespaced: false },
};

export const trafficPolicy: Dialect = {
  kinds: [
    {
      ...{ group, version: "v1", kind: "TrafficPolicy", resource: "trafficpolicies", namespaced: false },
      ...{ shortKind: "TP", ownerType: "TrafficPolicy", metrics: null, conditions: null },
      actions: [],
      events: { problem: () => null, samePriority: null, unmatchedPort: () => null },
    },
  ],
  references: [podSet],
  compile,
  fieldOf: (part) =>
    part.kind === "rule" ? `spec.${part.direction}[${part.index}].${part.field}` : `spec.${part.kind}`,
};
