// The ports of a rule that depend on what pods declare, in the order in which a match lists where they lead.

import type { WantedPort } from "../../../contents/named-ports.ts";
import type { PortMatch } from "../../../policy/ir.ts";
import type { DeclaredPort } from "../unit.ts";

/** In the rule's order. */
export function declaredPorts(ports: readonly PortMatch[]): readonly DeclaredPort[] {
  return ports.filter((port) => port.kind === "declared");
}

/** Sorted by the bytes of the name, each once. */
export function wantedPorts(ports: readonly PortMatch[]): readonly WantedPort[] {
  const distinct = new Map<string, WantedPort>();
  for (const port of ports) {
    if (port.kind !== "named") continue;
    const source = port.source === undefined ? null : { start: port.source.start, end: port.source.end };
    const wanted = { name: port.name, protocol: port.protocol ?? null, source };
    distinct.set(JSON.stringify([wanted.name, wanted.protocol, wanted.source]), wanted);
  }
  return [...distinct.values()].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}
