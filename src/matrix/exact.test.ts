// What a cell says of every part of the traffic is what follows from the judge's verdicts on all connections between its places, in
// random worlds. RUNS gives the number of worlds.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { isTraffic } from "../../test/support/can.ts";
import { everyConnection } from "../../test/support/ir-brute.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { byName, contrary, declaring, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { untilSeen } from "../../test/support/until-seen.ts";
import { everyConnectionWith, verdictAnywhere, withWorkloads } from "../../test/support/workload-worlds.ts";
import { askedIn } from "../../test/support/asked-world.ts";
import type { Connection } from "../policy/evaluate.ts";
import { outcomes } from "../policy/ties.ts";
import { matrix, outsidePlace } from "./matrix.ts";
import type { Cell } from "./report.ts";
import type { Reach } from "../crossings/reach.ts";
import { reaches } from "../crossings/reach.ts";

const numRuns = Number(process.env["RUNS"] ?? 15);

const somePolicies = fc.oneof(
  { arbitrary: irPolicies, weight: 3 },
  { arbitrary: irPolicies.map(byName), weight: 2 },
  { arbitrary: contrary, weight: 2 },
);

type Verdict = "allow" | "deny" | "unknown";

/** By pair of places and by what is carried, the verdicts of all connections, and one of them. */
function verdictsIn(connections: readonly Connection[], verdictOf: (connection: Connection) => Verdict) {
  const found = new Map<string, { one: Connection; from: string; to: string; seen: Set<Verdict> }>();
  for (const connection of connections) {
    const { from, to, protocol, port, sourcePort, icmp, translated } = connection;
    if (translated === true || (from.pod === null && to.pod === null)) continue;
    const places = [from, to].map(({ pod }) => pod?.namespace ?? outsidePlace);
    const key = JSON.stringify([places, protocol, port, sourcePort, icmp]);
    const entry = found.get(key) ?? {
      one: connection,
      from: places[0] ?? "",
      to: places[1] ?? "",
      seen: new Set(),
    };
    entry.seen.add(verdictOf(connection));
    found.set(key, entry);
  }
  return [...found.values()];
}

function expected(seen: ReadonlySet<Verdict>): Reach {
  if (seen.has("allow") && seen.has("deny")) return "some";
  if (seen.has("unknown")) return "unknown";
  return seen.has("allow") ? "all" : "none";
}

/** Of an icmp type of the other family the cell says what that family's connections have. */
function reachesOf({ traffic }: Cell, connection: Connection): readonly Reach[] {
  return reaches.filter((reach) => traffic[reach]?.some((one) => isTraffic(one, connection)));
}

test("every cell, on every part of the traffic", () => {
  const counts: Record<Reach, number> = { all: 0, some: 0, none: 0, unknown: 0 };
  untilSeen(counts, (times) => {
    fc.assert(
      fc.property(irWorlds.map(declaring).map(inOneFamily), somePolicies, (world, policies) => {
        const { cells } = matrix(askedIn(world, policies), { namespace: null, protocol: null, port: null });
        const found = verdictsIn(everyConnection(world, policies), (connection) => {
          const { verdicts } = outcomes(connection, world.world, policies);
          const [verdict, ...others] = verdicts;
          return verdict === undefined || others.length > 0 ? "unknown" : verdict;
        });
        expectCells(cells, found, counts);
      }),
      { numRuns: times * numRuns },
    );
  });
});

test("every cell of workloads without pods, wherever these may be", () => {
  const counts: Record<Reach, number> = { all: 0, some: 0, none: 0, unknown: 0 };
  untilSeen(counts, (times) => {
    fc.assert(
      fc.property(
        irWorlds.map(declaring).map(inOneFamily).map(withWorkloads),
        fc.oneof(irPolicies, irPolicies.map(byName)),
        (world, policies) => {
          const asked = askedIn(world, policies, { workloads: world.workloads, families: ["v4"] });
          const { cells } = matrix(asked, { namespace: null, protocol: null, port: null });
          const connections = everyConnectionWith(world, policies, new Set(["v4"]));
          const found = verdictsIn(connections, (one) => verdictAnywhere(one, world, policies));
          expectCells(cells, found, counts);
        },
      ),
      { numRuns: times * numRuns },
    );
  });
});

function expectCells(
  cells: readonly Cell[],
  found: ReturnType<typeof verdictsIn>,
  counts: Record<Reach, number>,
): void {
  const byPair = new Map(cells.map((cell) => [JSON.stringify([cell.from, cell.to]), cell]));
  expect(new Set(byPair.keys())).toEqual(new Set(found.map(({ from, to }) => JSON.stringify([from, to]))));
  for (const { one, from, to, seen } of found) {
    const cell = byPair.get(JSON.stringify([from, to]));
    const reach = expected(seen);
    expect(cell && reachesOf(cell, one)).toEqual([reach]);
    counts[reach]++;
  }
}

/** Types of ICMP are others in the other family, and cells are of both. */
function inOneFamily({ world, pods }: IrWorld): IrWorld {
  return { world, pods: pods.map((pod) => ({ ...pod, ips: pod.ips.filter((ip) => !ip.includes(":")) })) };
}
