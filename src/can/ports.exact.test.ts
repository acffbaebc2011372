// What can says where each destination has ports of its own, on random worlds with workloads: a name that leads to other numbers on
// other pods, and the ports that a Service leads to. Each such connection is in exactly one group with the judge's verdict, and no
// other connection is in any. RUNS gives the number of worlds.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { service } from "../../test/support/antrea.ts";
import { askedIn } from "../../test/support/asked-world.ts";
import { groupsIn } from "../../test/support/can.ts";
import { byName, contrary, declaring, irPolicies, irWorlds } from "../../test/support/ir.ts";
import type { WorkloadWorld } from "../../test/support/workload-worlds.ts";
import { everyConnectionWith, verdictAnywhere, withWorkloads } from "../../test/support/workload-worlds.ts";
import { untilSeen } from "../../test/support/until-seen.ts";
import { NoSuchEnd } from "../analysis/end-query.ts";
import type { AskedOptions } from "../explain/asked.ts";
import type { IpFamily } from "../model/ip.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import { can } from "./can.ts";
import type { CanQuestion, CanReport } from "./report.ts";

const numRuns = Number(process.env["RUNS"] ?? 15);
const families: readonly IpFamily[] = ["v4", "v6"];
const everything: CanQuestion = { from: null, to: null, protocol: null, port: null };
const worlds = irWorlds.map(declaring).map(withWorkloads);

/** Every third rule is about what a load balancer has led. */
function led(policies: readonly Policy[]): readonly Policy[] {
  const some = (rules: readonly Rule[]) =>
    rules.map((rule, at): Rule => (at % 3 === 0 ? { ...rule, translated: true } : rule));
  return policies.map((policy) => ({
    ...policy,
    rules: { ingress: some(policy.rules.ingress), egress: some(policy.rules.egress) },
  }));
}
const somePolicies = fc.oneof(
  { arbitrary: irPolicies, weight: 2 },
  { arbitrary: irPolicies.map(byName), weight: 1 },
  { arbitrary: irPolicies.map(led), weight: 2 },
  { arbitrary: contrary, weight: 2 },
);

/** null: there is no such end or port. */
function answered(
  world: WorkloadWorld,
  policies: readonly Policy[],
  question: Partial<CanQuestion>,
  options: Partial<AskedOptions> = {},
): CanReport | null {
  const asked = askedIn(world, policies, { workloads: world.workloads, families, ...options });
  try {
    return can(asked, { ...everything, ...question });
  } catch (error) {
    if (error instanceof NoSuchEnd) return null;
    throw error;
  }
}

function connectionsOf(world: WorkloadWorld, policies: readonly Policy[]): readonly Connection[] {
  return everyConnectionWith(world, policies, new Set(families)).filter(
    ({ from, to }) => from.pod !== null || to.pod !== null,
  );
}

test("a port by name: at each destination its own number", () => {
  const seen = { allow: 0, deny: 0, unknown: 0, "": 0 };
  untilSeen(seen, (times) => {
    fc.assert(
      fc.property(worlds, somePolicies, fc.nat(), (world, policies, pick) => {
        const report = answered(world, policies, { protocol: "tcp", port: "web" });
        if (report === null) return;
        const groupsOf = groupsIn(report);
        const direct = connectionsOf(world, policies).filter(({ translated }) => translated !== true);
        for (const connection of direct.filter((_, at) => at % 7 === pick % 7)) {
          const { to, protocol, port } = connection;
          const isMeant =
            protocol === "tcp" &&
            to.pod?.ports.some((one) => one.name === "web" && one.protocol === "tcp" && one.port === port) ===
              true;
          // A pod on its node's network declares ports of the node's address.
          if (to.pod === null) continue;
          const verdict = isMeant ? verdictAnywhere(connection, world, policies) : "";
          expect(groupsOf(connection).map((group) => group.verdict)).toEqual(verdict === "" ? [] : [verdict]);
          seen[verdict]++;
        }
      }),
      { numRuns: times * 2 * numRuns },
    );
  });
});

test("a Service: the pods behind it, each at the ports that the Service leads to, as a load balancer leads there", () => {
  const seen = { allow: 0, deny: 0, unknown: 0, "": 0 };
  untilSeen(seen, (times) => {
    fc.assert(
      fc.property(
        worlds,
        somePolicies,
        fc.record({
          home: fc.constantFrom("red", "blue", "green"),
          isHeadless: fc.boolean(),
          pick: fc.nat(),
          port: fc.constantFrom(null, "named", 443),
        }),
        (world, policies, { home, isHeadless, pick, port }) => {
          const front = service(
            "front",
            {
              ...(isHeadless ? { clusterIP: "None" } : { clusterIP: "10.96.0.1" }),
              selector: { app: "x" },
              ports: [
                { name: "named", port: 1000, targetPort: "web" },
                { name: "other", port: 443, targetPort: 81 },
              ],
            },
            home,
          );
          const to = `${home}/svc/front${port === null ? "" : `:${port}`}`;
          const report = answered(world, policies, { to }, { services: [front] });
          if (report === null) return;
          const groupsOf = groupsIn(report);
          const all = connectionsOf(world, policies);
          const isAsked = all.some(({ translated }) => translated === true);
          const meant = all.filter(({ translated }) => !isAsked || (translated === true) === !isHeadless);
          for (const connection of meant.filter((_, at) => at % 7 === pick % 7)) {
            const { pod } = connection.to;
            // A pod on its node's network is an address.
            if (pod === null) continue;
            const targets = [
              ...(port === 443
                ? []
                : pod.ports.filter((one) => one.name === "web" && one.protocol === "tcp")),
              ...(port === "named" ? [] : [{ port: 81 }]),
            ];
            const isBehind = pod.namespace === home && pod.labels.get("app") === "x";
            const isMeant =
              isBehind &&
              connection.protocol === "tcp" &&
              targets.some((one) => one.port === connection.port);
            const verdict = isMeant ? verdictAnywhere(connection, world, policies) : "";
            expect(groupsOf(connection).map((group) => group.verdict)).toEqual(
              verdict === "" ? [] : [verdict],
            );
            seen[verdict]++;
          }
        },
      ),
      { numRuns: times * 8 * numRuns },
    );
  });
});
