// What a rule's traffic and a port of a Service's endpoints have in common.

import type { EndpointPort } from "../../model/endpoint-slice.ts";
import { protocolNumbers } from "../../model/protocols.ts";
import type { PortMatch } from "../../policy/ir.ts";
import { trafficOf } from "../../policy/normal-form.ts";
import { isInRange } from "../../policy/port-ranges.ts";

/**
 * `ports`: of a rule whose destination has no ports of its own, which the API does not let stand beside a Service. An empty list
 * matches nothing.
 */
export function arrivingAt(
  { protocol, port }: EndpointPort,
  ports: readonly PortMatch[] | null,
): readonly PortMatch[] {
  const whole = { kind: "port", protocol, port } as const;
  if (ports === null) return [whole];
  const number = protocolNumbers[protocol];
  return ports
    .flatMap(trafficOf)
    .filter(({ protocols }) => protocols === null || protocols.includes(number))
    .filter(({ destination }) => destination === null || isInRange(port, destination.ranges))
    .map(({ source }) => {
      const [range] = source?.ranges ?? [];
      if (range === undefined) return whole;
      return { ...whole, source: source?.hasUnnamed === true ? { ...range, isRest: true } : range };
    });
}
