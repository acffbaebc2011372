// What a rule's traffic and a port of a Service's endpoints have in common.

import type { EndpointPort } from "../../model/objects/endpoint-slice.ts";
import { protocolNumbers } from "../../model/protocols.ts";
import type { EndPorts, PortMatch } from "../../policy/ir.ts";
import { noPorts, trafficOf } from "../../policy/normal-form.ts";
import { isInRange } from "../../policy/ports/port-ranges.ts";

/** Whether its ranges say all of it. */
function isOfAll({ names, except }: EndPorts): boolean {
  return names.length + except.names.length + except.ranges.length === 0;
}

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
      if (source === null) return whole;
      const { ranges, names, except, hasUnnamed } = source;
      const [range] = ranges;
      if (range !== undefined && ranges.length === 1 && isOfAll(source))
        return { ...whole, source: hasUnnamed ? { ...range, isRest: true } : range };
      const to = { ranges: [{ start: port, end: port }], names: [], except: noPorts };
      return { kind: "declared", protocol, from: { ranges, names, except }, to };
    });
}
