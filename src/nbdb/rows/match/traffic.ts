// Turns a rule's ports into terms of a match: one for each protocol, in the order of the documented rows (tcp, udp,
// sctp), then ICMP and other IP protocols. Every kind of the IR has its term: a rule without a term would act on
// nothing. Ports by name are not here, since they depend on pods.

import { invariant, unreachable } from "../../../lib/invariant.ts";
import type { Protocol } from "../../../model/facts.ts";
import type { IpFamily } from "../../../model/ip.ts";
import { ipFamilies } from "../../../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../../model/protocols.ts";
import type { PortMatch, PortRange } from "../../../policy/ir.ts";
import type { PortPolicyProtocol } from "../names.ts";
import type { Side } from "./match.ts";

export interface TrafficTerm {
  /** The part of an ACL's id that distinguishes it from the rule's other ACLs. */
  readonly protocol: PortPolicyProtocol;
  readonly term: string;
}

export const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];

const ofTransport: ReadonlySet<PortMatch["kind"]> = new Set(["port", "range", "named", "declared"]);

/** None where the rule has only named ports, or an empty list, which matches nothing. */
export function trafficTerms(ports: readonly PortMatch[]): readonly TrafficTerm[] {
  const terms: TrafficTerm[] = [];
  for (const protocol of protocols) {
    const term = portTerm(protocol, ports);
    if (term !== null) terms.push({ protocol, term });
  }
  if (ports.every(({ kind }) => ofTransport.has(kind))) return terms;
  const icmp = icmpElements(ports);
  if (icmp.length > 0) terms.push({ protocol: "icmp", term: alternatives(icmp) });
  const others = otherProtocols(ports);
  if (others.length > 0) terms.push({ protocol: "ip", term: alternatives(others) });
  return terms;
}

/** Single ports first, then ranges, then ports with a source port, each in the rule's order, repeats included. */
function portTerm(protocol: Protocol, ports: readonly PortMatch[]): string | null {
  const singles: number[] = [];
  const ranges: string[] = [];
  const sourced: string[] = [];
  for (const port of ports) {
    if (port.kind === "protocol" && port.number === protocolNumbers[protocol]) return protocol;
    if (!(port.kind === "port" || port.kind === "range") || port.protocol !== protocol) continue;
    if (port.source !== undefined) sourced.push(fromSource(destinationElement(port), protocol, port.source));
    else if (port.kind === "port") singles.push(port.port);
    else ranges.push(destinationElement(port));
  }
  const elements = [...(singles.length === 0 ? [] : [numbers(protocol, singles)]), ...ranges, ...sourced];
  return elements.length === 0 ? null : `${protocol} && ${alternatives(elements)}`;
}

function numbers(protocol: Protocol, ports: readonly number[]): string {
  return ports.length === 1 ? `${protocol}.dst==${ports.join("")}` : `${protocol}.dst=={${ports.join(",")}}`;
}

function destinationElement(port: Extract<PortMatch, { kind: "port" | "range" }>): string {
  const field = `${port.protocol}.dst`;
  return port.kind === "port" ? `${field}==${port.port}` : `${port.start}<=${field}<=${port.end}`;
}

/** An element of a match, restricted to connections from these source ports; null: from any. */
export function fromSource(element: string, protocol: Protocol, source: PortRange | null): string {
  return source === null ? element : `(${rangeElement(`${protocol}.src`, source)} && ${element})`;
}

export function rangeElement(field: `${Protocol}.${Side}`, { start, end }: PortRange): string {
  return start === end ? `${field}==${start}` : `${start}<=${field}<=${end}`;
}

function icmpElements(ports: readonly PortMatch[]): readonly string[] {
  const elements = ports.flatMap((port): readonly string[] => {
    switch (port.kind) {
      case "icmp":
        return (port.family === null ? ipFamilies : [port.family]).map((family) => icmpElement(family, port));
      case "protocol":
        return ipFamilies
          .filter((family) => icmpNumbers[family] === port.number)
          .map((family) => icmpField[family]);
      case "otherIcmp":
        return [otherIcmpElement(port)];
      case "port":
      case "range":
      case "named":
      case "declared":
      case "protocols":
        return [];
      default:
        return unreachable(port);
    }
  });
  return [...new Set(elements)];
}
const icmpField: Readonly<Record<IpFamily, string>> = { v4: "icmp4", v6: "icmp6" };

function icmpElement(family: IpFamily, { type, code }: Extract<PortMatch, { kind: "icmp" }>): string {
  const field = icmpField[family];
  const parts = [
    ...(type === null ? [] : [`${field}.type == ${type}`]),
    ...(code === null ? [] : [`${field}.code == ${code}`]),
  ];
  if (parts.length === 0) return field;
  return parts.length === 1 ? parts.join("") : `(${parts.join(" && ")})`;
}

/** By equality alone: OVN tests these fields in no other way. */
function otherIcmpElement({ family, type, code }: Extract<PortMatch, { kind: "otherIcmp" }>): string {
  const field = icmpField[family];
  const types = `${field}.type == {${othersThan(type)}}`;
  if (code === null) return types;
  return `(${types} || (${field}.type == ${type} && ${field}.code == {${othersThan(code)}}))`;
}

/** All values of a byte but this one. */
function othersThan(value: number): string {
  return Array.from({ length: 256 }, (_, byte) => byte)
    .filter((byte) => byte !== value)
    .join(", ");
}

/** Those that OVN's expressions have a name for. */
const namedProtocols: ReadonlySet<number> = new Set([
  ...Object.values(protocolNumbers),
  ...Object.values(icmpNumbers),
]);

/** Tests of protocols that OVN's expressions have no name for, each once, and of lists of protocols as they are. */
function otherProtocols(ports: readonly PortMatch[]): readonly string[] {
  const all = ports.flatMap((port): readonly string[] => {
    if (port.kind === "protocols") return port.numbers.length === 0 ? [] : [protocolElement(port.numbers)];
    return port.kind === "protocol" && !namedProtocols.has(port.number)
      ? [protocolElement([port.number])]
      : [];
  });
  return [...new Set(all)];
}

function protocolElement(numbers: readonly number[]): string {
  invariant(
    numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= 255),
    "no number of an IP protocol",
  );
  return `ip.proto == ${numbers.length === 1 ? numbers.join("") : `{${numbers.join(", ")}}`}`;
}

function alternatives(elements: readonly string[]): string {
  return elements.length === 1 ? elements.join("") : `(${elements.join(" || ")})`;
}
