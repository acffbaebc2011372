// What each network plugin answers where the policy APIs leave a connection open: one row for each question, one column for each
// plugin; and that every answer that is not the policies' alone names its page.

import { describe, expect, test } from "@jest/globals";
import { worldOf } from "../../test/support/asked-world.ts";
import { node, pod } from "../../test/support/facts.ts";
import { np } from "../../test/support/policies.ts";
import { cnis } from "../cni/answers.ts";
import { everyKind, installed } from "../dialects.ts";
import { cniFlag } from "../cni/answers.ts";
import { modelFlag } from "../policy/contracts/policy-model.ts";
import type { ReferencedObject, WorldObject } from "../model/object.ts";
import type { Answer } from "./answer.ts";
import { explain } from "./explain.ts";
import type { Question } from "./question.ts";

const others: readonly WorldObject[] = [
  node("n2", {}, ["172.18.0.3"]),
  pod("blue", "far", { node: "n2", hostNetwork: true, labels: { app: "far" }, ips: ["172.18.0.3"] }),
];
const service: ReferencedObject = {
  ...{ kind: "Service", apiVersion: "v1", namespace: "blue", name: "db", uid: null, generation: null },
  ...{ annotations: new Map(), labels: new Map() },
  spec: {
    clusterIP: "10.96.0.10",
    clusterIPs: ["10.96.0.10"],
    selector: { app: "db" },
    ports: [{ port: 80 }],
  },
};

/** Of pods blue/db-0 and red/web, which are on node n1. */
const db = { podSelector: { matchLabels: { app: "db" } } };
const ingress = (...rules: readonly object[]) =>
  np("db", { ...db, policyTypes: ["Ingress"], ingress: rules }, "blue");
const egress = (...rules: readonly object[]) =>
  np("web", { podSelector: {}, policyTypes: ["Egress"], egress: rules }, "red");
const block = (cidr: string) => ({ ipBlock: { cidr } });

const toDb = { from: "red/web", to: "blue/db-0", protocol: "tcp", port: 80 } as const;
const ping = { ...toDb, protocol: "icmp", port: null } as const;

function askedOf(name: string, objects: readonly WorldObject[], question: Question): Answer {
  const cni = cnis.find((one) => one.name === name) ?? null;
  const model = cni?.model ?? null;
  const kinds = { ...everyKind, [cniFlag]: name, ...(model === null ? {} : { [modelFlag]: model }) };
  const { dialects } = installed(kinds);
  const asked = worldOf([...others, ...objects], { dialects, cni, services: [service] });
  return explain(asked, question, { isDetailed: false });
}

type Row = readonly [string, readonly WorldObject[], Partial<Question>, string];

/** Verdicts of generic, antrea, calico and cilium; what the policies alone say, as with OVN, is first. */
const rows: readonly Row[] = [
  ["a node to its own pod", [ingress()], { from: "node/n1" }, "allow: allow allow allow allow"],
  ["another node to a pod", [ingress()], { from: "node/n2" }, "deny: deny deny deny deny"],
  [
    "another node, by its address",
    [ingress({ from: [block("172.18.0.3/32")] })],
    { from: "node/n2" },
    "allow: allow allow allow deny",
  ],
  ["a pod to its own node", [], { to: "node/n1" }, "allow: allow allow unknown allow"],
  ["a pod to its own node, denied", [egress()], { to: "node/n1" }, "deny: unknown unknown deny unknown"],
  [
    "a pod to its own node, by its address",
    [egress({ to: [block("172.18.0.0/24")] })],
    { to: "node/n1" },
    "allow: allow allow unknown unknown",
  ],
  ["a pod to another node", [egress()], { to: "node/n2" }, "deny: deny deny deny deny"],
  ["ICMP without policies", [], ping, "allow: allow allow allow allow"],
  ["ICMP that nothing allows", [ingress()], ping, "deny: unknown deny unknown deny"],
  ["ICMP and a rule without ports", [ingress({})], ping, "allow: unknown unknown unknown allow"],
  [
    "ICMP and a rule with ports",
    [ingress({ ports: [{ port: 80 }] })],
    ping,
    "deny: unknown deny unknown deny",
  ],
  ["SCTP that nothing allows", [ingress()], { protocol: "sctp" }, "deny: unknown unknown deny unknown"],
  ["a pod to itself", [ingress()], { from: "blue/db-0" }, "allow: allow allow allow allow"],
  [
    "a pod to itself through a Service",
    [ingress()],
    { from: "blue/db-0", to: "10.96.0.10" },
    "allow: unknown unknown unknown unknown",
  ],
  [
    "the same without policies",
    [],
    { from: "blue/db-0", to: "10.96.0.10" },
    "allow: allow allow allow allow",
  ],
  [
    "a pod in an ipBlock",
    [ingress({ from: [block("10.0.0.0/24")] })],
    {},
    "allow: unknown unknown allow deny",
  ],
  ["a pod in none", [ingress({ from: [block("10.1.0.0/24")] })], {}, "deny: deny deny deny deny"],
  [
    "an address outside",
    [ingress({ from: [block("192.0.2.0/24")] })],
    { from: "192.0.2.1" },
    "allow: allow allow allow allow",
  ],
  [
    "a pod of the host network, by its labels",
    [ingress({ from: [{ podSelector: { matchLabels: { app: "far" } } }] })],
    { from: "blue/far" },
    "deny: unknown unknown unknown deny",
  ],
  [
    "a pod of the host network, that nothing allows",
    [ingress()],
    { from: "blue/far" },
    "deny: deny deny deny deny",
  ],
  [
    "TCP that a rule allows",
    [ingress({ from: [{ namespaceSelector: {} }] })],
    {},
    "allow: allow allow allow allow",
  ],
];

test.each(rows)("%s", (_, objects, question, wanted) => {
  const verdicts = ["ovn", ...cnis.map(({ name }) => name)].map(
    (name) => askedOf(name, objects, { ...toDb, ...question }).verdict,
  );
  const [first, ...given] = verdicts;
  expect(`${first ?? ""}: ${given.join(" ")}`).toBe(wanted);
});

describe("every answer that is not the policies' alone", () => {
  test.each(cnis.map(({ name }) => name))("names %s and its page", (name) => {
    const cni = cnis.find((one) => one.name === name);
    for (const [, objects, question] of rows) {
      const whole = { ...toDb, ...question };
      const { verdict, caveats } = askedOf(name, objects, whole);
      const texts = caveats.filter(({ code }) => code === "Plugin").map(({ text }) => text);
      if (verdict === "unknown" || verdict !== askedOf("ovn", objects, whole).verdict)
        expect(texts).not.toEqual([]);
      for (const text of texts) expect(text).toMatch(new RegExp(`^with ${cni?.title ?? ""}, .* \\(https://`));
    }
  });

  test("and the policies' own answers have no such note", () => {
    const through = ingress({ from: [{ namespaceSelector: {} }] });
    for (const { name } of cnis) expect(askedOf(name, [through], toDb).caveats).toEqual([]);
    expect(askedOf("ovn", [ingress()], { ...toDb, from: "node/n1" }).caveats).toEqual([]);
  });
});
