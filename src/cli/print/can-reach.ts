// What ends have with a set that was asked about, for people: those that reach all of it, some and none, before the groups by their
// rules.

import type { CanReport, Members, SetReach } from "../../can/report.ts";
import type { Reach } from "../../crossings/reach.ts";
import { ownWayNetworks } from "../../policy/own-node.ts";
import { trafficText } from "../../verdicts/traffic-words.ts";
import { countedText, membersLines, withoutPods } from "./can-members.ts";

const shownWorkloads = 12;
const shownGroups = 12;
const words: Readonly<Record<Reach, string>> = {
  all: "ALL",
  some: "SOME",
  none: "NONE",
  unknown: "CANNOT TELL",
};
const order: readonly Reach[] = ["all", "some", "unknown", "none"];

/** None where no set was asked about. */
export function reachLines({ reach = [], question, from, to }: CanReport): readonly string[] {
  const set = to?.members ?? from?.members;
  if (set === undefined) return [];
  const isTarget = to?.members !== undefined;
  const verb = isTarget ? "REACH" : "REACHED BY";
  const hasPorts = typeof question.port !== "number" || to?.service !== undefined;
  return order.flatMap((word) => {
    const groups = reach.filter((one) => one.reach === word && !isOwnWay(one.ends));
    if (groups.length === 0) return [];
    const head = word === "unknown" ? words[word] : `${verb} ${words[word]}`;
    const more = groups.length - shownGroups;
    return [
      "",
      `${head}  ${totalOf(groups)}`,
      ...groups.slice(0, shownGroups).flatMap((one) => groupLines(one, set, hasPorts)),
      ...(more > 0 ? [`  … and ${more} more; -o json has all`] : []),
    ];
  });
}

const ownWays: ReadonlySet<string> = new Set(ownWayNetworks);

/** By which a pod reaches itself through a Service: nobody wrote a rule about that. */
function isOwnWay({ workloads, addresses }: Members): boolean {
  return workloads.length === 0 && addresses.length > 0 && addresses.every((one) => ownWays.has(one));
}

function totalOf(groups: readonly SetReach[]): string {
  const ends = groups.map((one) => one.ends);
  const isOutside = ends.some(({ addresses }) => addresses.length > 0);
  return [countedText(ends), ...(isOutside ? ["addresses that no pod has"] : [])]
    .filter((text) => text !== "")
    .join(", ");
}

function groupLines(
  { ends, traffic, families, allowed, unknown }: SetReach,
  set: Members,
  hasPorts: boolean,
): readonly string[] {
  const family = families.length === 1 && families[0] === "IPv6" ? " (IPv6)" : "";
  return [
    ...membersLines(ends, shownWorkloads, "  ").map((line) => `${line}${family}`),
    ...(hasPorts ? [`    traffic   ${trafficText(traffic)}`] : []),
    ...partLines("allowed", allowed, set),
    ...partLines("unknown", unknown, set),
  ];
}

function partLines(word: string, part: Members | undefined, set: Members): readonly string[] {
  if (part === undefined || part.workloads.length + part.addresses.length === 0) return [];
  const counts = [
    ...(part.pods > 0 ? [`${part.pods} of ${set.pods} pods`] : []),
    ...(withoutPods(part) > 0 ? [`${withoutPods(part)} of ${withoutPods(set)} workloads without pods`] : []),
    ...(part.addresses.length > 0 ? ["addresses that no pod has"] : []),
  ];
  return [`    ${word}   ${counts.join(", ")}`, ...membersLines(part, shownWorkloads, "              ")];
}
