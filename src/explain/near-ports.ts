// Which of a rule's ports comes nearest to a connection's, in words: of the same protocol the nearest number; otherwise the
// first port, and then it is the protocol that is wrong.

import { unreachable } from "../lib/invariant.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { PortMatch } from "../policy/ir.ts";
import type { Near } from "./answer.ts";
import type { Met } from "./parts.ts";

/** Null: the rule names no port. */
export function missedPort({ rule, connection }: Met): Pick<Near, "part" | "wanted" | "has"> | null {
  const ports = rule.ports ?? [];
  const has = connectionText(connection);
  const alike = ports
    .filter((port) => protocolOf(port) === connection.protocol || isNameOfAny(port))
    .map((port) => ({ port, far: distance(port, connection) }))
    .sort((a, b) => a.far - b.far);
  const [nearest] = alike;
  if (nearest !== undefined) return { part: "port", wanted: portText(nearest.port, connection), has };
  const [first] = ports;
  return first === undefined ? null : { part: "protocol", wanted: portText(first, connection), has };
}

function isNameOfAny(port: PortMatch): boolean {
  return port.kind === "named" && port.protocol === undefined;
}

function protocolOf(port: PortMatch): string | null {
  switch (port.kind) {
    case "port":
    case "range":
      return port.protocol;
    case "named":
      return port.protocol ?? null;
    case "protocol":
    case "icmp":
      return null;
    default:
      return unreachable(port);
  }
}

function distance(match: PortMatch, { port }: Connection): number {
  if (match.kind === "port") return Math.abs(match.port - port);
  if (match.kind === "range") return Math.max(match.start - port, port - match.end, 0);
  return Infinity;
}

function portText(port: PortMatch, connection: Connection): string {
  switch (port.kind) {
    case "port":
      return `${port.protocol} ${port.port}${sourceText(port)}`;
    case "range":
      return `${port.protocol} ${port.start}-${port.end}${sourceText(port)}`;
    case "named":
      return `${port.protocol === undefined ? "" : `${port.protocol} `}port "${port.name}", ${declaredText(port.name, connection)}`;
    case "protocol":
      return `IP protocol ${port.number}`;
    case "icmp":
      return "icmp";
    default:
      return unreachable(port);
  }
}

function sourceText({ source }: Extract<PortMatch, { kind: "port" | "range" }>): string {
  return source === undefined ? "" : ` from source ports ${source.start}-${source.end}`;
}

/** What the name stands for at the destination. */
function declaredText(name: string, { to }: Connection): string {
  const declared = (to.pod?.ports ?? []).filter((one) => one.name === name);
  if (declared.length === 0) return "which the destination does not declare";
  return `which is ${declared.map(({ protocol, port }) => `${protocol} ${port}`).join(", ")} there`;
}

function connectionText({ protocol, port }: Connection): string {
  return protocol === "icmp" || typeof protocol === "number" ? String(protocol) : `${protocol} ${port}`;
}
