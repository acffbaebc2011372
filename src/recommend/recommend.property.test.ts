// Recommendations for random worlds, judged by policy/evaluate: each recorded connection that is allowed stays so, and what is allowed on
// a side of a pod of the namespaces beside them, an existing policy allows.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { ip, namespace, pod } from "../../test/support/facts.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { connectionsIn, factsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { networkPolicy } from "../../test/support/dialects.ts";
import { np, resolvesNothing } from "../../test/support/policies.ts";
import { AskedWorld } from "../explain/asked.ts";
import { FactStore } from "../model/fact-store.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { Flow, FlowRecord } from "../observe/record/record.ts";
import { flowsSchema } from "../observe/record/record.ts";
import type { Connection, Decision, End } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";
import { outcomes } from "../policy/ties.ts";
import { ExistingPolicies } from "./existing.ts";
import type { PolicyManifest } from "./manifest.ts";
import { PodClasses } from "./pod-classes.ts";
import { recommend } from "./recommend.ts";

const runs = Number(process.env["RECOMMEND_RUNS"] ?? 60);

const rollouts = ["pod-template-hash", "batch.kubernetes.io/job-name"];

/** Each namespace is there, with the label of its name; some pods have labels more than others, and some generated ones. */
const worlds: fc.Arbitrary<IrWorld> = irWorlds.map((drawn) => {
  const names = new Set([...drawn.world.namespaces.keys(), ...drawn.pods.map((one) => one.namespace)]);
  const namespaces = Array.from(names, (name) => {
    const labels = Object.fromEntries(drawn.world.namespaces.get(name)?.labels ?? []);
    return namespace(name, { ...labels, "kubernetes.io/metadata.name": name });
  });
  const pods = drawn.pods.map((one, at) => {
    const { namespace: home, name, labels, ips, hostNetwork, serviceAccount } = one;
    const more = at % 3 === 0 ? { tier: "t" } : at % 3 === 1 ? { [rollouts[at % 2] ?? ""]: `h${at}` } : {};
    const options = { ips, hostNetwork, serviceAccount, labels: { ...Object.fromEntries(labels), ...more } };
    return pod(home, name, options);
  });
  return { world: { ...drawn.world, namespaces: new Map(namespaces.map((one) => [one.name, one])) }, pods };
});

function askedOf({ world, pods }: IrWorld, policies: readonly Policy[]): AskedWorld {
  const facts = new FactStore();
  for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
  const model = { facts, records: () => [], policies: () => policies };
  return new AskedWorld(model, { dialects: [], placeOf: () => null });
}

interface Drawn {
  readonly connection: Connection;
  readonly protocol: "tcp" | "udp";
}

/** Those that a NetworkPolicy can say, between pods, or a pod and an address that is nobody's. */
function askable(drawn: IrWorld): readonly Drawn[] {
  const taken = new Set(drawn.pods.flatMap(({ ips }) => ips));
  return connectionsIn(drawn, ip).flatMap((connection) => {
    const { from, to, protocol } = connection;
    if (protocol !== "tcp" && protocol !== "udp") return [];
    if (from.pod === null && to.pod === null) return [];
    if ([from, to].some((end) => end.pod === null && taken.has(end.ip))) return [];
    if (connection.sourcePort !== undefined || connection.translated === true) return [];
    return [{ connection, protocol }];
  });
}

const time = "2026-11-28T05:00:00.000Z";

function flowOf({ connection: { from, to, port }, protocol }: Drawn): Flow {
  const end = ({ ip: address, pod: own }: End) => ({
    ip: address,
    pod: own === null ? null : { namespace: own.namespace, name: own.name },
  });
  const times = { first: time, last: time };
  return { from: end(from), to: end(to), protocol, port, connections: 1, verdict: "allow", ...times };
}

function recordOf(connections: readonly Flow[]): FlowRecord {
  const missed = { lost: 0, undirected: 0, beyondLimit: 0 };
  return { schema: flowsSchema, since: time, until: time, notes: [], missed, connections };
}

function compiled({ metadata: { name, namespace: home }, spec }: PolicyManifest): Policy {
  const { policy, problems } = networkPolicy.compile(np(name, spec, home), resolvesNothing);
  expect(problems).toEqual([]);
  if (policy === null) throw new Error(`refused: ${name}`);
  return policy;
}

/** Equal for connections that no NetworkPolicy by labels tells apart. */
function seenKey(classes: PodClasses, { connection: { from, to, port }, protocol }: Drawn): string {
  const end = ({ ip: address, pod: own }: End) => {
    const found = own === null ? null : classes.of(own);
    return found === null ? address : JSON.stringify([found.namespace, found.selector]);
  };
  return JSON.stringify([end(from), end(to), protocol, port]);
}

/** Judges that recorded connections keep their verdict, and that only existing policies allow others; counts what was judged. */
function judgeWorlds(parameters: { readonly numRuns: number; readonly seed?: number }) {
  const counts = { kept: 0, denied: 0, byOthers: 0 };
  const existing = fc.oneof(fc.constant<readonly Policy[]>([]), irPolicies);
  fc.assert(
    fc.property(worlds, existing, fc.nat({ max: 4 }), (drawn, policies, roll) => {
      const all = askable(drawn);
      const isOpen = ({ connection }: Drawn) =>
        [...outcomes(connection, drawn.world, policies).verdicts].join() === "allow";
      const seen = all.filter((one, at) => at % 5 === roll && isOpen(one));
      const asked = askedOf(drawn, policies);
      const { policies: made, coverage } = recommend(
        recordOf(seen.map(flowOf)),
        asked,
        new ExistingPolicies([]),
        [],
      );
      expect(coverage.leftOut).toEqual([]);
      expect(coverage.covered.flows).toBe(seen.length);
      const added = made.map(compiled);
      const next = [...policies, ...added];
      for (const { connection } of seen) {
        counts.kept++;
        expect([...outcomes(connection, drawn.world, next).verdicts]).toEqual(["allow"]);
      }
      const homes = new Set(coverage.namespaces.map(({ name }) => name));
      const classes = new PodClasses(drawn.pods, []);
      const known = new Set(seen.map((one) => seenKey(classes, one)));
      // A policy of the tier of NetworkPolicies that passes out of it decides, too.
      const isPassed = ({ steps }: Decision) =>
        steps.some(({ policy: { tier }, rule }) => tier === tiers.namespaced && rule?.action === "pass");
      const isOwn = (side: Decision) =>
        side.by === null ? !isPassed(side) : added.some(({ key }) => key === side.by?.policy.key);
      for (const one of all) {
        const { from, to } = one.connection;
        if (from.pod === to.pod || known.has(seenKey(classes, one))) continue;
        const judgement = judge(one.connection, drawn.world, next);
        const sides = [
          { end: from, side: judgement.egress },
          { end: to, side: judgement.ingress },
        ].filter(({ end: { pod: own } }) => own && isOnPodNetwork(own) && homes.has(own.namespace));
        const open = sides.filter(({ side }) => side.verdict === "allow");
        expect(open.filter(({ side }) => isOwn(side))).toEqual([]);
        counts.byOthers += open.length;
        if (judgement.verdict === "deny" && policies.length === 0) counts.denied++;
      }
    }),
    parameters,
  );
  return counts;
}

test("recorded connections keep their verdict, and only existing policies allow others", () => {
  judgeWorlds({ numRuns: runs });
});

test("the worlds hold connections that are kept, that are denied, and that existing policies allow", () => {
  // Of one seed: sixty worlds of another may hold none of the last.
  const counts = judgeWorlds({ numRuns: 60, seed: 1 });
  expect(counts.kept).toBeGreaterThan(60);
  expect(counts.denied).toBeGreaterThan(60);
  expect(counts.byOthers).toBeGreaterThan(0);
});
