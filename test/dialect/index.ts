// A dialect for tests that can say all of the IR, in the fewest words: what the shared code does for a kind that it has
// never heard of. `TrafficPolicy` is the policy; `PodSet` is an object that policies refer to by name. It has a tier, a switch and
// an option of its own.

import type { LogSeverity } from "../../src/model/log-severity.ts";
import { logSeverities } from "../../src/model/log-severity.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import { switchedDialect } from "../../src/policy/contracts/switched-dialect.ts";
import { compile } from "./compile.ts";
import { podSetKind, serviceAccountKind, trafficPolicyKind } from "./kinds.ts";

/** `denied`: of denied connections that are logged; null: none is. */
function trafficDialect(denied: LogSeverity | null): Dialect {
  return {
    kinds: [trafficPolicyKind],
    references: [podSetKind, serviceAccountKind],
    compile: (object, resolve) => compile(object, resolve, denied),
    fieldOf: (part) =>
      part.kind === "rule" ? `spec.${part.direction}[${part.index}].${part.field}` : `spec.${part.kind}`,
  };
}

export const traffic = switchedDialect({
  switch: {
    flag: "enable-traffic-policy",
    isOn: false,
    help: "true: TrafficPolicy and PodSet of traffic.test too",
    renderHelp: "false: manifests of traffic.test are not read",
    chartValue: "followTrafficPolicy",
  },
  options: {
    "traffic-log-denied": {
      argument: "SEVERITY",
      help: "of connections that a TrafficPolicy denies, in the log of ovn-controller",
      choices: ["off", ...logSeverities],
      fallback: "off",
    },
  },
  isSpared: true,
  dialects: ({ "traffic-log-denied": denied }) => [trafficDialect(denied === "off" ? null : denied)],
});
