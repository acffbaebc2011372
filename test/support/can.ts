// What an answer of can says of one connection: the groups that hold it, found from the report alone, as a reader would.

import { podGroupOf } from "../../src/analysis/pod-groups.ts";
import type { CanGroup, CanReport, Members } from "../../src/can/report.ts";
import { contains } from "../../src/model/cidr.ts";
import { podKey } from "../../src/model/facts.ts";
import { familyNames, familyOf } from "../../src/model/ip.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Traffic } from "../../src/verdicts/traffic-words.ts";

/** Finds the groups that hold a connection; of one report. */
export function groupsIn({
  groups,
}: Pick<CanReport, "groups">): (connection: Connection) => readonly CanGroup[] {
  const known = new Map<string, ReadonlySet<CanGroup>>();
  const groupsOf = (role: "from" | "to", end: End): ReadonlySet<CanGroup> => {
    const key = `${role} ${end.ip} ${end.pod === null ? "" : podKey(end.pod.namespace, end.pod.name)}`;
    const family = familyNames[familyOf(end.ip)];
    const found =
      known.get(key) ??
      new Set(groups.filter((group) => group.families.includes(family) && isMember(group[role], end)));
    known.set(key, found);
    return found;
  };
  return (connection) =>
    [...groupsOf("from", connection.from).intersection(groupsOf("to", connection.to))].filter(({ traffic }) =>
      traffic.some((one) => isTraffic(one, connection)),
    );
}

/** Whether the end is one of them. */
export function isMember({ workloads, addresses }: Members, { ip, pod }: End): boolean {
  if (pod === null)
    return addresses.some((network) => familyOf(network) === familyOf(ip) && contains(network, ip));
  if (pod.isTemplate === true)
    return workloads.some(
      ({ of, namespace, kind, name }) =>
        of === 0 && namespace === pod.namespace && `${kind ?? ""}:${name ?? ""}` === pod.name,
    );
  const key = podKey(pod.namespace, pod.name);
  const { title, kind } = podGroupOf(pod);
  return workloads.some(
    (part) => part.title === title && part.kind === kind && (part.names?.includes(key) ?? true),
  );
}

/** A source port that no rule names. */
export const unnamedPort = 61_235;

/** What a connection carries. */
export type Carried = Pick<Connection, "protocol" | "port" | "sourcePort" | "icmp">;

export function isTraffic(traffic: Traffic, { from, icmp, ...carried }: Connection): boolean {
  const echo = { type: familyOf(from.ip) === "v4" ? 8 : 128, code: 0 };
  return isCarried(traffic, { ...carried, icmp: icmp ?? echo });
}

/** Without a type, ICMP is an echo request of IPv4. */
export function isCarried(
  traffic: Traffic,
  { protocol, port, sourcePort = unnamedPort, icmp = { type: 8, code: 0 } }: Carried,
): boolean {
  const within = (ranges: Traffic["ports"], number: number): boolean =>
    ranges?.some(([first, last]) => first <= number && number <= last) ?? true;
  if (traffic.protocol !== (typeof protocol === "number" ? "other" : protocol)) return false;
  if (typeof protocol === "number") return within(traffic.numbers, protocol);
  if (protocol === "icmp") return within(traffic.types, 256 * icmp.type + icmp.code);
  return within(traffic.ports, port) && within(traffic.sourcePorts, sourcePort);
}
