// What can says of sets of ends, on random worlds with workloads: each connection with an end of the set is in exactly one group, with
// the judge's verdict, and the word of each other end, with the ends of the set that it reaches, follows from the verdicts of all
// of its connections with the set. RUNS gives the number of worlds.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { askedIn } from "../../test/support/asked-world.ts";
import { groupsIn, isMember, isTraffic } from "../../test/support/can.ts";
import { byName, contrary, declaring, irPolicies, irWorlds } from "../../test/support/ir.ts";
import type { WorkloadWorld } from "../../test/support/workload-worlds.ts";
import { everyConnectionWith, verdictAnywhere, withWorkloads } from "../../test/support/workload-worlds.ts";
import { NoSuchEnd } from "../analysis/end-query.ts";
import type { Reach } from "../crossings/reach.ts";
import { reaches } from "../crossings/reach.ts";
import { contains } from "../model/cidr.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import { familyNames, familyOf, parseCidr } from "../model/ip.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import { can } from "./can.ts";
import type { CanReport, SetReach } from "./report.ts";

const numRuns = Number(process.env["RUNS"] ?? 15);

interface AskedSet {
  readonly text: string;
  readonly isIn: (end: End, world: WorkloadWorld) => boolean;
}

/** An address of a pod on its node's network is that pod. */
function podsAt({ ip, pod }: End, { pods }: WorkloadWorld) {
  return pod === null ? pods.filter((one) => !isOnPodNetwork(one) && one.ips.includes(ip)) : [pod];
}

const sets: readonly AskedSet[] = [
  ...["red", "blue"].map((name): AskedSet => ({
    text: `${name}/*`,
    isIn: (end, world) => podsAt(end, world).some(({ namespace }) => namespace === name),
  })),
  {
    text: "*/[app=x]",
    isIn: (end, world) => podsAt(end, world).some(({ labels }) => labels.get("app") === "x"),
  },
  ...["10.0.0.0/29", "fd00::/126"].map((text): AskedSet => ({
    text,
    isIn: ({ ip, pod }) => {
      const network = parseCidr(text);
      return pod?.isTemplate !== true && network !== null && contains(network, ip);
    },
  })),
];

function textOf({ ip, pod }: End): string {
  return pod === null ? ip : `${pod.namespace}/${pod.name}@${ip}`;
}

/** One before two that tie. */
const mixed = fc.tuple(irPolicies, contrary).map(([first, ties]) => [...first.slice(0, 1), ...ties]);

function wordOf(verdicts: readonly string[]): Reach {
  const seen = new Set(verdicts);
  if (seen.has("allow") && seen.has("deny")) return "some";
  if (seen.has("unknown")) return "unknown";
  return seen.has("allow") ? "all" : "none";
}

test("of a set: the groups of its connections, and what each other end has with it", () => {
  const counts = new Map<Reach, number>();
  fc.assert(
    fc.property(
      irWorlds.map(declaring).map(withWorkloads),
      fc.oneof(irPolicies, irPolicies.map(byName), mixed),
      fc.record({ asked: fc.constantFrom(...sets), isTarget: fc.boolean(), pick: fc.nat() }),
      (world, policies, { asked, isTarget, pick }) => {
        const role = isTarget ? "to" : "from";
        const report = answered(world, policies, { [role]: asked.text });
        if (report === null) return;
        const groupsOf = groupsIn(report);
        const connections = everyConnectionWith(world, policies, new Set(["v4", "v6"])).filter(
          ({ translated, from, to }) => translated !== true && (from.pod !== null || to.pod !== null),
        );
        const byOther = Map.groupBy(connections, (one) => {
          const { protocol, port, sourcePort, icmp } = one;
          return JSON.stringify([textOf(one[isTarget ? "from" : "to"]), protocol, port, sourcePort, icmp]);
        });
        for (const some of [...byOther.values()].filter((_, at) => at % 7 === pick % 7)) {
          const meant = some.filter((one) => asked.isIn(one[role], world));
          const verdicts = meant.map((one) => verdictAnywhere(one, world, policies));
          for (const one of some) {
            const at = meant.indexOf(one);
            expect(groupsOf(one).map(({ verdict }) => verdict)).toEqual(at < 0 ? [] : [verdicts[at]]);
          }
          const reach = expectReach(report, role, { meant, verdicts });
          if (reach !== null) counts.set(reach, (counts.get(reach) ?? 0) + 1);
        }
      },
    ),
    { numRuns: 3 * numRuns },
  );
  for (const reach of reaches) expect(counts.get(reach)).toBeGreaterThan(0);
});

interface Meant {
  /** Connections of one end with all of the set, on one part of the traffic. */
  readonly meant: readonly Connection[];
  readonly verdicts: readonly string[];
}

/** null: there is no connection, or the set is one end. */
function expectReach(report: CanReport, role: "from" | "to", { meant, verdicts }: Meant): Reach | null {
  const [first] = meant;
  if (first === undefined || report.reach === undefined) return null;
  const other = first[role === "to" ? "from" : "to"];
  const held = report.reach.filter((entry) => isHeld(entry, other, first));
  const reach = wordOf(verdicts);
  expect(held.map((entry) => entry.reach)).toEqual([reach]);
  const [entry] = held;
  if (entry?.allowed !== undefined && entry.unknown !== undefined)
    for (const [at, one] of meant.entries()) {
      const own = [isMember(entry.allowed, one[role]), isMember(entry.unknown, one[role])];
      expect(own).toEqual([verdicts[at] === "allow", verdicts[at] === "unknown"]);
    }
  return reach;
}

function isHeld({ ends, families, traffic }: SetReach, end: End, connection: Connection): boolean {
  return (
    families.includes(familyNames[familyOf(end.ip)]) &&
    isMember(ends, end) &&
    traffic.some((one) => isTraffic(one, connection))
  );
}

/** null: there is no such end. */
function answered(
  world: WorkloadWorld,
  policies: Parameters<typeof askedIn>[1],
  ends: Partial<Record<"from" | "to", string>>,
): CanReport | null {
  const asked = askedIn(world, policies, { workloads: world.workloads, families: ["v4", "v6"] });
  try {
    return can(asked, { from: null, to: null, protocol: null, port: null, ...ends });
  } catch (error) {
    if (error instanceof NoSuchEnd) return null;
    throw error;
  }
}
