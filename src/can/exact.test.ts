// What can says of every connection of a random world, every pair of ends and every border of ports, is what the judge says; and
// where something was not read, what explain says. RUNS gives the number of worlds.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { podGroup, withLabels } from "../../test/support/facts.ts";
import type { Lacking } from "../../test/support/asked-world.ts";
import { askedIn } from "../../test/support/asked-world.ts";
import { groupsIn } from "../../test/support/can.ts";
import { everyConnection } from "../../test/support/ir-brute.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { untilSeen } from "../../test/support/until-seen.ts";
import { byName, contrary, declaring, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { unreadIn } from "../../test/support/labellings.ts";
import { knownSides } from "../explain/sides.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import { everything } from "../model/selector.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import { outcomes } from "../policy/ties.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Policy } from "../policy/ir.ts";
import { policyKey, tiers } from "../policy/ir.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import { everyDialect } from "../dialects.ts";
import { can } from "./can.ts";
import type { CanQuestion, Decider } from "./report.ts";
import type { Side } from "../explain/answer.ts";

const numRuns = Number(process.env["RUNS"] ?? 15);
const all: CanQuestion = { from: null, to: null, protocol: null, port: null };

/** What a load balancer has led is no direct connection. */
function directIn(world: IrWorld, policies: readonly Policy[]): readonly Connection[] {
  return everyConnection(world, policies).filter(
    ({ translated, from, to }) => translated !== true && (from.pod !== null || to.pod !== null),
  );
}

function verdictOf(connection: Connection, { world }: IrWorld, policies: readonly Policy[]): string {
  const { verdicts } = outcomes(connection, world, policies);
  return verdicts.size > 1 ? "unknown" : ([...verdicts][0] ?? "");
}

/** Many at one place of the order, whose order is open. */
const tied = irPolicies.map((policies) =>
  policies.map((policy): Policy => ({
    ...{ ...policy, tier: tiers.admin, priority: 1 },
    subject: [podGroup(everything)],
  })),
);
const somePolicies = fc.oneof(
  { arbitrary: irPolicies, weight: 2 },
  { arbitrary: irPolicies.map(byName), weight: 2 },
  { arbitrary: tied, weight: 2 },
  { arbitrary: contrary, weight: 3 },
);

test("everything: each connection is in one group, which has the judge's verdict", () => {
  const seen: Record<string, number> = { allow: 0, deny: 0, unknown: 0 };
  untilSeen(seen, (times) => {
    fc.assert(
      fc.property(irWorlds.map(declaring), somePolicies, (world, policies) => {
        const groupsOf = groupsIn(can(askedIn(world, policies), all));
        const connections = directIn(world, policies);
        const verdicts = connections.map((connection) => verdictOf(connection, world, policies));
        const held = connections.map((connection) => groupsOf(connection).map(({ verdict }) => verdict));
        expect(held).toEqual(verdicts.map((verdict) => [verdict]));
        for (const verdict of verdicts) seen[verdict] = (seen[verdict] ?? 0) + 1;
      }),
      { numRuns: numRuns * times },
    );
  });
});

test("of one end and one port: the same connections, with the verdicts of all of them", () => {
  const seen: Record<string, number> = { allow: 0, deny: 0, unknown: 0 };
  untilSeen(seen, (times) => {
    fc.assert(
      fc.property(
        irWorlds.map(declaring),
        somePolicies,
        fc.nat(),
        fc.boolean(),
        (world, policies, drawn, isTarget) => {
          const asked = askedIn(world, policies);
          const pods = world.pods.filter(isOnPodNetwork);
          const pod = pods[drawn % Math.max(1, pods.length)];
          if (pod === undefined) return;
          const end = podKey(pod.namespace, pod.name);
          const question = { ...all, [isTarget ? "to" : "from"]: end, protocol: "tcp", port: 80 } as const;
          const groupsOf = groupsIn(can(asked, question));
          const connections = directIn(world, policies);
          const held = connections.map((connection) => groupsOf(connection).map(({ verdict }) => verdict));
          const expected = connections.map((connection) => {
            const own = isTarget ? connection.to : connection.from;
            const isMeant = own.pod === pod && connection.protocol === "tcp" && connection.port === 80;
            return isMeant ? [verdictOf(connection, world, policies)] : [];
          });
          expect(held).toEqual(expected);
          for (const verdict of held.flat()) seen[verdict] = (seen[verdict] ?? 0) + 1;
        },
      ),
      { numRuns: numRuns * times },
    );
  });
});

/** What decides, without what only explain's answer to one connection has. */
function named(side: Decider | Side | null): unknown {
  if (side === null) return null;
  const { verdict, by, policy, rule } = side;
  return { verdict, by, policy: policy ?? null, rule: rule ?? null };
}

test("what decides is what explain says; of a denial it is a side that denies", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(irWorlds.map(declaring), irPolicies, fc.nat(), (world, policies, pick) => {
      const asked = askedIn(world, policies);
      const groupsOf = groupsIn(can(asked, all));
      for (const connection of directIn(world, policies).filter((_, at) => at % 7 === pick % 7)) {
        const [group] = groupsOf(connection);
        const { egress, ingress, verdict } = knownSides(asked, connection, { isDetailed: false });
        if (verdict === "unknown") continue;
        for (const [own, other, explained] of [
          [group?.egress, group?.ingress, egress],
          [group?.ingress, group?.egress, ingress],
        ] as const) {
          if (own === null) expect([verdict, other?.verdict]).toEqual(["deny", "deny"]);
          else expect(named(own ?? null)).toEqual(named(explained));
          seen.add(own === null ? "not given" : (explained?.by ?? ""));
        }
      }
    }),
    { numRuns },
  );
  expect([...seen].sort()).toEqual(["default", "exempt", "isolation", "not given", "rule"]);
});

const foreign = fc
  .array(
    fc.record({
      directions: fc.constantFrom<ForeignPolicy["directions"]>(
        ["ingress"],
        ["egress"],
        ["ingress", "egress"],
      ),
      effect: fc.constantFrom("any" as const, "deny" as const),
      reach: fc.constantFrom(null, "red"),
      selectors: fc.constantFrom([everything], [withLabels({ app: "x" })], []),
      isAboutNodes: fc.boolean(),
    }),
    { maxLength: 2 },
  )
  .map((drawn) =>
    drawn.map((one, at): ForeignPolicy => ({
      ...{
        group: "cilium.io",
        kind: "CiliumNetworkPolicy",
        namespace: null,
        name: `f${at}`,
        place: null,
        spec: {},
      },
      ...one,
    })),
  );
const unreadNames = fc.subarray(["red", "blue"]);
/** A refused policy, about some pods, of some tier. */
const refused = fc.option(
  irPolicies.map(([policy]) => policy),
  { nil: null, freq: 2 },
);

test("where something was not read: the verdicts of explain, and why they are unknown", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      irWorlds.map(declaring),
      somePolicies,
      fc.record({ foreign, names: unreadNames, refused, isShared: fc.boolean() }),
      fc.nat(),
      (drawn, policies, lacks, pick) => {
        // Pods prove their namespaces.
        const missing = drawn.pods
          .map((pod) => pod.namespace)
          .filter((name) => !drawn.world.namespaces.has(name));
        const world = unreadIn(lacks.isShared ? withShared(drawn) : drawn, [...lacks.names, ...missing]);
        const options = {
          ...lackingOne(lacks.refused ?? null),
          notRead: { policies: lacks.foreign, sentences: [] },
        };
        const asked = askedIn(world, policies, options);
        const groupsOf = groupsIn(can(asked, all));
        for (const connection of directIn(world, policies).filter((_, at) => at % 5 === pick % 5)) {
          const { verdict } = knownSides(asked, connection, { isDetailed: false });
          const held = groupsOf(connection);
          expect(held.map((group) => group.verdict)).toEqual([verdict]);
          if (verdict === "unknown") expect(held[0]?.why).not.toEqual([]);
          for (const { code } of held[0]?.why ?? []) seen.add(code);
        }
      },
    ),
    { numRuns: 2 * numRuns },
  );
  expect(seen.size).toBeGreaterThan(2);
});

/** A policy that is refused, of which its dialect could read the subject and the place. */
function lackingOne(outline: Policy | null): Lacking {
  const [dialect] = everyDialect.dialects;
  if (outline === null || dialect === undefined) return {};
  const ref = { ...outline.ref, name: "refused" };
  const key = policyKey(ref);
  const [kind] = dialect.kinds;
  const compiling: Dialect = {
    ...dialect,
    kinds: kind === undefined ? [] : [{ ...kind, group: ref.group, kind: ref.kind }],
    compile: () => ({ policy: null, problems: [], outline: { ...outline, ref, key } }),
  };
  const object = { kind: ref.kind, apiVersion: "test/v1", namespace: null, name: ref.name, spec: {} };
  const known = { ...object, uid: null, generation: null, annotations: new Map<string, string>() };
  return {
    dialects: [compiling],
    records: [{ key, object: known, policy: null, problems: [], rejected: true }],
  };
}

/** The first two pods have one address. */
function withShared({ world, pods }: IrWorld): IrWorld {
  const [first] = pods;
  return {
    world,
    pods: pods.map((pod, at) => (at === 1 && first !== undefined ? { ...pod, ips: first.ips } : pod)),
  };
}
