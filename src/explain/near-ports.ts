// Which of a rule's ports is nearest to a connection's, in words: of the same protocol the nearest number; otherwise the
// first port, and then it is the protocol that is wrong.

import { portText } from "../analysis/words.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { EndPorts, PortMatch } from "../policy/ir.ts";
import { protocolNumber } from "../policy/matching.ts";
import { trafficOf } from "../policy/normal-form.ts";
import type { NearMiss } from "./answer.ts";
import type { MatchedRule } from "../analysis/parts.ts";

/** Null: the rule names no port. */
export function missedPort({
  rule,
  connection,
}: MatchedRule): Pick<NearMiss, "part" | "wanted" | "has"> | null {
  const ports = rule.ports ?? [];
  const has = connectionText(connection);
  const alike = ports
    .flatMap((port) => {
      const destinations = destinationsOf(port, connection);
      return destinations.length === 0 ? [] : [{ port, far: distance(destinations, connection) }];
    })
    .sort((a, b) => a.far - b.far);
  const [nearest] = alike;
  if (nearest !== undefined) return { part: "port", wanted: wantedText(nearest.port, connection), has };
  const [first] = ports;
  return first === undefined ? null : { part: "protocol", wanted: wantedText(first, connection), has };
}

/** The destination ports that it names of the connection's protocol. */
function destinationsOf(port: PortMatch, connection: Connection): readonly EndPorts[] {
  const number = protocolNumber(connection);
  return trafficOf(port).flatMap(({ protocols, destination }) =>
    destination !== null && (protocols === null || protocols.includes(number)) ? [destination] : [],
  );
}

/** To the nearest number; a name has none. */
function distance(destinations: readonly EndPorts[], { port }: Connection): number {
  const ranges = destinations.flatMap((one) => one.ranges);
  return Math.min(Infinity, ...ranges.map(({ start, end }) => Math.max(start - port, port - end, 0)));
}

/** A name says nothing without the number behind it. */
function wantedText(port: PortMatch, connection: Connection): string {
  const names = trafficOf(port).flatMap(({ destination }) => destination?.names ?? []);
  return [portText(port), ...names.map((name) => declaredText(name, connection))].join(", ");
}

/** The number that the name has at the destination. */
function declaredText(name: string, { to }: Connection): string {
  const declared = (to.pod?.ports ?? []).filter((one) => one.name === name);
  if (declared.length === 0) return "which the destination does not declare";
  return `which is ${declared.map(({ protocol, port }) => `${protocol} ${port}`).join(", ")} there`;
}

function connectionText({ protocol, port }: Connection): string {
  return protocol === "icmp" || typeof protocol === "number" ? String(protocol) : `${protocol} ${port}`;
}
