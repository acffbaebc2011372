// lint of a cluster with a network plugin: what it reports holds in every cluster that the plugin's documented answers allow, by the judge
// of test/support/plugin-judge.ts; and where policies leave the plugin nothing to answer, the findings are those without it.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  coveringPolicies,
  plainPolicies,
  smallWorlds,
  without,
} from "../../test/support/covering-policies.ts";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { briefOf, reportOf } from "../../test/support/linted.ts";
import { givenBy } from "../../test/support/plugin-judge.ts";
import type { Cni } from "../cni/answers.ts";
import { cnis } from "../cni/answers.ts";
import { everyDialect } from "../dialects.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { offlineModel } from "../nbdb/tools/rendered.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import { isOwnNode } from "../policy/own-node.ts";
import { catalogue } from "./catalogue.ts";

const port = { name: "dns", protocol: "udp", port: 53 } as const;
const cluster = [
  ...[namespace("kube-system"), node("m", {}, ["172.18.0.2"])],
  pod("kube-system", "dns", { node: "m", ips: ["10.0.0.9"], ports: [port] }),
];
const plugins = cnis.map((cni) => [cni.name, cni] as const);
const ofRows = new Set(catalogue.filter((rule) => rule.ofRows === true).map(({ id }) => id));

function modelOf(objects: readonly WorldObject[]) {
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects, dialects: everyDialect.dialects, families: null, mode });
  return { facts: model.facts, policies: model.policies().filter(({ key }) => !isOwnNode(key)) };
}

type Model = ReturnType<typeof modelOf>;

const traffic = [
  { protocol: "tcp", port: 80 },
  { protocol: "tcp", port: 85 },
  { protocol: "udp", port: 53 },
  { protocol: "sctp", port: 80 },
  { protocol: "icmp", port: 0 },
] as const;

function podsOf({ facts }: Model): readonly End[] {
  return [...facts.pods.values()].flatMap((one) => one.ips.map((ip) => ({ ip, pod: one })));
}

/** In some clusters of the plugin, which need not be all, in an order. */
function verdictsOf(cni: Cni, connection: Connection, { facts, policies }: Model): readonly string[] {
  return givenBy(cni, connection, facts, policies);
}

function everyVerdict(cni: Cni, objects: readonly WorldObject[]): readonly string[] {
  const model = modelOf(objects);
  const ends = podsOf(model);
  return ends.flatMap((from) =>
    ends
      .filter((to) => to !== from)
      .flatMap((to) => traffic.map((one) => verdictsOf(cni, { from, to, ...one }, model).join())),
  );
}

/** Whether DNS is denied to some pod in each of these clusters. */
function isWithoutDns(cni: Cni, objects: readonly WorldObject[]): boolean {
  const model = modelOf(objects);
  const ends = podsOf(model);
  const dns = ends.find(({ pod: one }) => one?.name === "dns");
  if (dns === undefined) return false;
  return ends.some((from) => {
    const verdicts = verdictsOf(cni, { from, to: dns, protocol: "udp", port: 53 }, model);
    return from !== dns && verdicts.every((one) => one === "deny");
  });
}

const groups = [
  ["NG001", "NG002"],
  ["NG027", "NG028"],
] as const;

test.each(plugins)("%s: what is reported holds in every cluster with the plugin", (_, cni) => {
  const seen = { removed: 0, lost: 0 };
  fc.assert(
    fc.property(smallWorlds, coveringPolicies, fc.boolean(), (pods, drawn, closesDns) => {
      const here = [...cluster, ...pods];
      const home = closesDns ? "kube-system" : "shop";
      const all = drawn.map((one): PolicyObject => ({ ...one, namespace: home }));
      const { findings } = reportOf([...here, ...all], { cni });
      for (const ids of groups) {
        const own = findings.filter(({ id }) => ids.some((one) => one === id));
        if (own.length === 0) continue;
        seen.removed += own.length;
        expect(everyVerdict(cni, [...here, ...without(all, own)])).toEqual(
          everyVerdict(cni, [...here, ...all]),
        );
      }
      if (!findings.some(({ id, severity }) => id === "NG008" && severity === "error")) return;
      seen.lost += 1;
      expect(isWithoutDns(cni, [...here, ...all])).toBe(true);
    }),
    { numRuns: 100 },
  );
  expect(seen.removed).toBeGreaterThan(5);
  expect(seen.lost).toBeGreaterThan(2);
});

test("where no rule has a network or a range of ports, every plugin has the findings that are there without it", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(smallWorlds, plainPolicies, (pods, all) => {
      const objects = [...cluster, ...pods, ...all];
      const found = (cni: Cni | null) =>
        reportOf(objects, { cni })
          .findings.filter(({ id }) => !ofRows.has(id))
          .map(briefOf);
      const plain = found(null);
      for (const text of plain) seen.add(text.slice(0, 5));
      for (const cni of cnis) expect([cni.name, found(cni)]).toEqual([cni.name, plain]);
    }),
    { numRuns: 40 },
  );
  expect(seen.size).toBeGreaterThan(3);
});
