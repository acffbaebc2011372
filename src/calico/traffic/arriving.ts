// What a rule's traffic and a port of a Service's endpoints have in common.

import type { EndpointPort } from "../../model/endpoint-slice.ts";
import { protocolNumbers } from "../../model/protocols.ts";
import type { PortMatch } from "../../policy/ir.ts";

/**
 * `ports`: of a rule whose destination has no ports of its own, which the API does not let stand beside a Service. An empty list
 * matches nothing.
 */
export function arrivingAt(
  { protocol, port }: EndpointPort,
  ports: readonly PortMatch[] | null,
): readonly PortMatch[] {
  const whole: PortMatch = { kind: "port", protocol, port };
  if (ports === null) return [whole];
  const number = protocolNumbers[protocol];
  return ports.flatMap((match): readonly PortMatch[] => {
    switch (match.kind) {
      case "protocol":
        return match.number === number ? [whole] : [];
      case "protocols":
        return match.numbers.includes(number) ? [whole] : [];
      case "range":
        return match.protocol === protocol && match.start <= port && port <= match.end
          ? [{ ...whole, ...(match.source === undefined ? {} : { source: match.source }) }]
          : [];
      default:
        return [];
    }
  });
}
