// Which of a rule's ports comes nearest to a connection's, in words: of the same protocol the nearest number; otherwise the
// first port, and then it is the protocol that is wrong.

import { portText } from "../analysis/words.ts";
import { unreachable } from "../lib/invariant.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { PortMatch } from "../policy/ir.ts";
import type { Near } from "./answer.ts";
import type { Met } from "../analysis/parts.ts";

/** Null: the rule names no port. */
export function missedPort({ rule, connection }: Met): Pick<Near, "part" | "wanted" | "has"> | null {
  const ports = rule.ports ?? [];
  const has = connectionText(connection);
  const alike = ports
    .filter((port) => protocolOf(port) === connection.protocol || isNameOfAny(port))
    .map((port) => ({ port, far: distance(port, connection) }))
    .sort((a, b) => a.far - b.far);
  const [nearest] = alike;
  if (nearest !== undefined) return { part: "port", wanted: wantedText(nearest.port, connection), has };
  const [first] = ports;
  return first === undefined ? null : { part: "protocol", wanted: wantedText(first, connection), has };
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

/** A name says nothing without what it stands for. */
function wantedText(port: PortMatch, connection: Connection): string {
  return port.kind === "named" ? `${portText(port)}, ${declaredText(port.name, connection)}` : portText(port);
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
