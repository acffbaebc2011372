// Recorded connections of random worlds against two runs of the judge: each connection whose verdict differs is among the changes,
// with the verdicts of both worlds, and no other is; what a world does not have is not judged.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { ip } from "../../test/support/facts.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { connectionsIn, factsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { AskedWorld } from "../explain/asked.ts";
import { FactStore } from "../model/fact-store.ts";
import type { PodFact } from "../model/facts.ts";
import { askedProtocols } from "../model/protocols.ts";
import type { SeenEnd } from "../observe/decode/event.ts";
import type { Flow, FlowRecord } from "../observe/record/record.ts";
import { flowsSchema } from "../observe/record/record.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import type { Policy } from "../policy/ir.ts";
import { outcomes } from "../policy/ties.ts";
import { flowsReport } from "./changes.ts";
import type { FlowsReport } from "./report.ts";

const runs = Number(process.env["PLAN_RUNS"] ?? 60);

function askedOf({ world, pods }: IrWorld, policies: readonly Policy[]): AskedWorld {
  const facts = new FactStore();
  for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
  return new AskedWorld(
    { facts, records: () => [], policies: () => policies },
    { dialects: [], placeOf: () => null },
  );
}

/** Between a pod and a pod or an address; those of nodes and host networks are the tests' of explain. */
function seenIn(drawn: IrWorld): readonly (readonly [Connection, Flow])[] {
  const hosts = new Set(drawn.pods.filter(({ hostNetwork }) => hostNetwork).flatMap(({ ips }) => ips));
  const ofPods = new Set(drawn.pods.flatMap(({ ips }) => ips));
  return connectionsIn(drawn, ip).flatMap((connection, at) => {
    const { from, to, protocol, port, icmp } = connection;
    const asked = askedProtocols.find((one) => one === protocol);
    const isOutside = from.pod === null && to.pod === null;
    if (asked === undefined || icmp !== undefined || isOutside || at % 3 !== 0) return [];
    if (hosts.has(from.ip) || hosts.has(to.ip)) return [];
    // An address that a pod has is the pod's where it is asked about.
    if ([from, to].some((end) => end.pod === null && ofPods.has(end.ip))) return [];
    return [[connection, flowOf(from, to, asked, asked === "icmp" ? null : port, at)]];
  });
}

function flowOf(from: End, to: End, protocol: Flow["protocol"], port: number | null, at: number): Flow {
  const end = ({ ip: address, pod }: End): SeenEnd => ({
    ip: address,
    pod: pod === null ? null : { namespace: pod.namespace, name: pod.name },
  });
  const time = "2026-11-28T05:00:00.000Z";
  const times = { first: time, last: time };
  return { from: end(from), to: end(to), protocol, port, connections: at % 7, verdict: "unknown", ...times };
}

function recordOf(connections: readonly Flow[]): FlowRecord {
  const time = "2026-11-28T05:00:00.000Z";
  const missed = { lost: 0, undirected: 0, beyondLimit: 0 };
  return { schema: flowsSchema, since: time, until: time, notes: [], missed, connections };
}

function possible(connection: Connection, { world }: IrWorld, policies: readonly Policy[]): string {
  const [verdict, ...others] = outcomes(connection, world, policies).verdicts;
  return verdict === undefined || others.length > 0 ? "unknown" : verdict;
}

const textOf = ({ from, to, protocol, port }: Flow): string => JSON.stringify([from, to, protocol, port]);
const turns = ({ changes }: FlowsReport): readonly string[] =>
  changes.map((one) => `${textOf(one)} ${one.old} → ${one.new}`).sort();

test("the changes are the judge's", () => {
  const counts = { changed: 0, same: 0, ties: 0 };
  fc.assert(
    fc.property(irWorlds, irPolicies, irPolicies, (drawn, old, next) => {
      const seen = seenIn(drawn);
      const wanted = seen.flatMap(([connection, flow]) => {
        const [before, after] = [possible(connection, drawn, old), possible(connection, drawn, next)];
        if (before === "unknown" || after === "unknown") counts.ties++;
        if (before === after) counts.same++;
        return before === after ? [] : [`${textOf(flow)} ${before} → ${after}`];
      });
      const worlds = { old: askedOf(drawn, old), new: askedOf(drawn, next) };
      const report = flowsReport(recordOf(seen.map(([, flow]) => flow)), worlds);
      counts.changed += wanted.length;
      expect(report.unjudged).toEqual([]);
      expect(turns(report)).toEqual(wanted.sort());
      expect(report.changed.flows).toBe(wanted.length);
    }),
    { numRuns: runs },
  );
  expect(counts.changed).toBeGreaterThan(runs);
  expect(counts.same).toBeGreaterThan(runs);
});

test("a pod that one of the worlds lacks is not judged, and the others are", () => {
  let judged = 0;
  fc.assert(
    fc.property(irWorlds, irPolicies, irPolicies, fc.nat(), (drawn, old, next, roll) => {
      const seen = seenIn(drawn);
      const lacking = drawn.pods[roll % drawn.pods.length];
      if (lacking === undefined) return;
      const left = { ...drawn, pods: drawn.pods.filter((one) => one !== lacking) };
      const worlds = { old: askedOf(drawn, old), new: askedOf(left, next) };
      const report = flowsReport(recordOf(seen.map(([, flow]) => flow)), worlds);
      const isOf = (flow: Flow) => isPod(flow.from, lacking) || isPod(flow.to, lacking);
      const flows = seen.map(([, flow]) => flow);
      expect(report.unjudged.map(textOf).sort()).toEqual(flows.filter(isOf).map(textOf).sort());
      expect(report.changes.filter(isOf)).toEqual([]);
      judged += report.changes.length;
    }),
    { numRuns: runs / 3 },
  );
  expect(judged).toBeGreaterThan(runs / 10);
});

function isPod({ pod }: SeenEnd, { namespace, name }: PodFact): boolean {
  return pod?.namespace === namespace && pod.name === name;
}
