// NG019: what lets something through behind the rows of another program, for pods that these isolate.

import { expect, test } from "@jest/globals";
import { calicoTier, gnp } from "../../../test/support/calico.ts";
import { namespace, pod, workload } from "../../../test/support/facts.ts";
import { found } from "../../../test/support/linted.ts";
import { np } from "../../../test/support/policies.ts";
import { everyKind, installed } from "../../dialects.ts";
import { kindText } from "../../model/object.ts";
import type { WorldObject } from "../../model/object.ts";

const { dialects } = installed({ ...everyKind, "policy-model": "calico" });
const beside = {
  around: { tier: { name: "default", order: 1_000_000 }, priority: 1_000 },
  kinds: new Set([kindText({ group: "networking.k8s.io", kind: "NetworkPolicy" })]),
};
const facts = [
  ...[namespace("shop"), namespace("open"), calicoTier("early", { order: 1 }), calicoTier("late", {})],
  pod("shop", "web", { labels: { app: "web" }, ips: ["10.0.0.1"] }),
  pod("open", "api", { ips: ["10.0.0.2"] }),
];
const isolation = np("np", {
  ...{ podSelector: {}, policyTypes: ["Ingress"] },
  ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }],
});
const tcp = (port: number) => ({ protocol: "TCP", destination: { ports: [port] } });
const shop = "projectcalico.org/namespace == 'shop'";
const late = { order: 1_000.5, selector: "all()" };
const ids = (...objects: readonly WorldObject[]) =>
  found([...facts, ...objects], ["NG019"], { dialects, beside });

test.each<readonly [string, WorldObject, readonly string[]]>([
  [
    "an allow",
    gnp("p", { ...late, ingress: [{ action: "Allow", ...tcp(443) }] }),
    ["NG019 warning p ingress[0]"],
  ],
  [
    "a pass, in the policy of any order",
    gnp("p", { selector: shop, ingress: [{ action: "Pass", ...tcp(443) }] }),
    ["NG019 warning p ingress[0]"],
  ],
  ["a deny", gnp("p", { ...late, ingress: [{ action: "Deny", ...tcp(443) }] }), []],
  [
    "what the isolating policy allows, too",
    gnp("p", { ...late, ingress: [{ action: "Allow", ...tcp(80) }] }),
    [],
  ],
  ["the other direction", gnp("p", { ...late, egress: [{ action: "Allow", ...tcp(443) }] }), []],
  [
    "pods that nothing isolates",
    gnp("p", { ...late, selector: "projectcalico.org/namespace == 'open'", ingress: [{ action: "Allow" }] }),
    [],
  ],
  ["an order in front", gnp("p", { ...late, order: 1_000, ingress: [{ action: "Allow", ...tcp(443) }] }), []],
  ["an earlier tier", gnp("p", { ...late, tier: "early", ingress: [{ action: "Allow", ...tcp(443) }] }), []],
])("%s", (_, policy, expected) => {
  expect(ids(isolation, policy)).toEqual(expected);
});

test("pods of a workload that are not there yet are isolated, too", () => {
  const policy = gnp("p", { ...late, ingress: [{ action: "Allow", ...tcp(443) }] });
  const objects = [...facts.filter((one) => one.kind !== "Pod"), isolation, policy];
  const ofHome = (home: string) =>
    found(objects, ["NG019"], {
      dialects,
      beside,
      workloads: [workload(home, "web", { labels: { app: "web" } })],
    });
  expect(ofHome("shop")).toEqual(["NG019 warning p ingress[0]"]);
  expect(ofHome("open")).toEqual([]);
});

test("without another program's rows, nothing is found", () => {
  const policy = gnp("p", { ...late, ingress: [{ action: "Allow", ...tcp(443) }] });
  expect(ids(policy)).toEqual([]);
  expect(found([...facts, isolation, policy], ["NG019"], { dialects })).toEqual([]);
});
