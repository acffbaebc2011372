// The traffic that a user asks about, as ports of a rule.

import type { AskedProtocol } from "../model/protocols.ts";
import { protocolNumbers } from "../model/protocols.ts";
import type { PortMatch } from "../policy/ir.ts";

export interface AskedTraffic {
  /** null: every protocol. */
  readonly protocol: AskedProtocol | null;
  /** null: every port. */
  readonly port: number | null;
}

/** null: all traffic. */
export function portsAsked({ protocol, port }: AskedTraffic): readonly PortMatch[] | null {
  if (protocol === null) return null;
  if (protocol === "icmp") return [{ kind: "icmp", family: null, type: null, code: null }];
  return port === null
    ? [{ kind: "protocol", number: protocolNumbers[protocol] }]
    : [{ kind: "port", protocol, port }];
}
