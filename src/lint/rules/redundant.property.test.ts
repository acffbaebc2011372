// NG027 and NG028 against the judge: without all that they report, every connection of the world has its verdict; without what is
// redundant for any objects, every connection of any other world has its own, too.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { namespace, pod } from "../../../test/support/facts.ts";
import { reportOf } from "../../../test/support/linted.ts";
import { np } from "../../../test/support/policies.ts";
import { everyDialect } from "../../dialects.ts";
import type { PolicyObject, WorldObject } from "../../model/object.ts";
import { offlineModel } from "../../nbdb/tools/rendered.ts";
import { outcomes } from "../../policy/ties.ts";
import type { Finding } from "../finding.ts";

const apps = ["a", "b", "c"] as const;
const selector = fc.constantFrom<object>({}, ...apps.map((app) => ({ matchLabels: { app } })), {
  matchExpressions: [{ key: "app", operator: "NotIn", values: ["c"] }],
});
const peer = fc.oneof(
  selector.map((podSelector) => ({ podSelector })),
  selector.map((podSelector) => ({ namespaceSelector: {}, podSelector })),
  fc.constantFrom("10.0.0.0/24", "10.0.0.0/30", "0.0.0.0/0").map((cidr) => ({ ipBlock: { cidr } })),
);
const ports = fc.constantFrom<readonly object[] | undefined>(
  undefined,
  [{ port: 80 }],
  [{ port: 80, endPort: 90 }],
  [{ port: 80 }, { port: 53, protocol: "UDP" }],
);
const rule = fc.record({ from: fc.array(peer, { minLength: 1, maxLength: 2 }), ports });
const spec = fc.record({ podSelector: selector, ingress: fc.array(rule, { maxLength: 3 }) });
const policies = fc
  .array(spec, { minLength: 2, maxLength: 4 })
  .map((specs) => specs.map((one, at) => np(`p${at}`, { ...one, policyTypes: ["Ingress"] })));

const pods = fc.array(fc.tuple(fc.constantFrom("shop", "other"), fc.constantFrom(...apps, "d")), {
  minLength: 2,
  maxLength: 5,
});
const world = pods.map((list): readonly WorldObject[] => [
  ...[namespace("shop"), namespace("other")],
  ...list.map(([space, app], at) => pod(space, `p${at}`, { labels: { app }, ips: [`10.0.0.${at + 1}`] })),
]);

function verdicts(facts: readonly WorldObject[], some: readonly PolicyObject[]): readonly string[] {
  const mode = { zone: null, namedPorts: "list" } as const;
  const objects = [...facts, ...some];
  const model = offlineModel({ objects, dialects: everyDialect.dialects, families: null, mode });
  const ends = [...model.facts.pods.values()].map((one) => ({ ip: one.ips[0], pod: one }));
  const traffic = [
    { protocol: "tcp", port: 80 },
    { protocol: "tcp", port: 85 },
    { protocol: "tcp", port: 443 },
    { protocol: "udp", port: 53 },
  ] as const;
  return ends.flatMap((from) =>
    ends.flatMap((to) => {
      if (from === to || from.ip === undefined || to.ip === undefined) return [];
      const [source, target] = [
        { ip: from.ip, pod: from.pod },
        { ip: to.ip, pod: to.pod },
      ];
      return traffic.map((one) =>
        [...outcomes({ from: source, to: target, ...one }, model.facts, model.policies()).verdicts]
          .sort()
          .join(),
      );
    }),
  );
}

/** Without the policies and rules that the findings are about. */
function without(all: readonly PolicyObject[], findings: readonly Finding[]): readonly PolicyObject[] {
  const policiesOf = new Set(findings.filter((one) => one.rule === null).map(({ policy }) => policy.name));
  return all
    .filter(({ name }) => !policiesOf.has(name))
    .map((object) => {
      const gone = findings.flatMap((one) =>
        one.policy.name === object.name ? (one.rule?.index ?? []) : [],
      );
      const old = object.spec as { readonly ingress: readonly unknown[] };
      return { ...object, spec: { ...old, ingress: old.ingress.filter((_, at) => !gone.includes(at)) } };
    });
}

test("all that is reported can be removed together, and what always holds holds in another world", () => {
  const counts = { policies: 0, rules: 0, always: 0 };
  fc.assert(
    fc.property(world, world, policies, (here, elsewhere, all) => {
      const found = reportOf([...here, ...all]).findings.filter(({ id }) => id === "NG027" || id === "NG028");
      counts.policies += found.filter(({ id }) => id === "NG027").length;
      counts.rules += found.filter(({ id }) => id === "NG028").length;
      expect(verdicts(here, without(all, found))).toEqual(verdicts(here, all));
      const always = found.filter(({ message }) => !message.includes("today's objects"));
      counts.always += always.length;
      expect(verdicts(elsewhere, without(all, always))).toEqual(verdicts(elsewhere, all));
    }),
    { numRuns: 200 },
  );
  expect(Math.min(counts.policies, counts.rules, counts.always)).toBeGreaterThan(10);
});
