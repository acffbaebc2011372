// The metric families of kinds of policies, in the form that OVN-Kubernetes documents for its own: same names, labels
// and meanings, and computed at every scrape. A kind that OVN-Kubernetes does not have says a prefix of our own.

import type { ReadMetric } from "../metrics/read-metric.ts";
import { alone } from "../metrics/read-metric.ts";
import type { MetricFamily, PolicyKindTraits } from "../policy/contracts/dialect.ts";
import type { Direction, Policy } from "../policy/ir.ts";
import type { ReportedPolicies } from "../status/reported.ts";

interface Parts {
  readonly reported: Pick<ReportedPolicies, "inForce">;
}

const directions: readonly (readonly [label: string, Direction])[] = [
  ["Ingress", "ingress"],
  ["Egress", "egress"],
];
/** Metrics for each kind that has a metric family. */
export function metricsOfKinds(kinds: readonly PolicyKindTraits[]): readonly ReadMetric<Parts>[] {
  return kinds.flatMap(({ metrics, ...kind }) => (metrics === null ? [] : metricsOf(metrics, kind)));
}

function metricsOf(
  { prefix: owner, name }: MetricFamily,
  { ownerType, actions }: Pick<PolicyKindTraits, "ownerType" | "actions">,
): readonly ReadMetric<Parts>[] {
  const words = name.replaceAll("_", " ");
  const prefix = `${owner}_${name}`;
  const policies = ({ reported }: Parts): readonly Policy[] =>
    [...reported.inForce()].filter((policy) => policy.ownerType === ownerType);
  return [
    {
      type: "gauge",
      name: prefix,
      help: `The total number of ${words} in the cluster`,
      labels: [],
      moves: "the database acknowledges a policy's first rows, or the object is deleted",
      series: alone((parts) => policies(parts).length),
    },
    {
      type: "gauge",
      name: `${prefix}_rules`,
      help: `The total number of rules across all ${words} in the cluster grouped by direction and action`,
      labels: ["direction", "action"],
      moves: "as the number of policies; and a policy in force is edited",
      series: directions.flatMap(([directionLabel, direction]) =>
        actions.map(([actionLabel, action]) => ({
          labels: [directionLabel, actionLabel],
          value: (parts: Parts) =>
            policies(parts)
              .flatMap((policy) => policy.rules[direction])
              .filter((rule) => rule.action === action).length,
        })),
      ),
    },
  ];
}
