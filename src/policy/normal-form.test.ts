// The form of each value of the IR, field by field; that what it means is the rule's meaning is evaluate's test.

import { expect, test } from "@jest/globals";
import { podGroup, withLabels } from "../../test/support/facts.ts";
import { parseCidr } from "../model/ip.ts";
import { everything } from "../model/selector.ts";
import type { Peer, PortMatch, Rule } from "./ir.ts";
import { formOf, noPorts, peerTerms } from "./normal-form.ts";

function cidr(text: string) {
  const parsed = parseCidr(text);
  if (parsed === null) throw new Error(text);
  return parsed;
}

const rule = (peers: readonly Peer[], ports: readonly PortMatch[] | null = null): Rule => ({
  ...{ index: 0, name: "", action: "allow", share: null, subject: null, logging: null },
  ...{ peers, ports },
});
const empty = { everything: false, pods: [], sameNamespaces: [], nodes: [], hostNames: [], networks: [] };
const shop = podGroup(withLabels({ team: "shop" }));
const own: Peer = { kind: "sameNamespaces", keys: ["team"], pods: everything };

test.each<readonly [string, Peer, object]>([
  ["pods", shop, { anyOf: { ...empty, pods: [shop] } }],
  ["pods of the subject's namespaces", own, { anyOf: { ...empty, sameNamespaces: [own] } }],
  [
    "nodes",
    { kind: "nodes", nodes: everything },
    { anyOf: { ...empty, nodes: [{ kind: "nodes", nodes: everything }] } },
  ],
  [
    "host names",
    { kind: "hostNames", names: everything },
    { anyOf: { ...empty, hostNames: [{ kind: "hostNames", names: everything }] } },
  ],
  [
    "a network without parts of it",
    { kind: "network", cidr: cidr("10.0.0.0/8"), except: [cidr("10.1.0.0/16")] },
    { anyOf: { ...empty, networks: ["10.0.0.0/8"] }, noneOf: { ...empty, networks: ["10.1.0.0/16"] } },
  ],
  [
    "pods of a group by some addresses",
    { kind: "narrowed", pods: shop, networks: [cidr("10.0.0.0/8")], except: [cidr("10.1.0.0/16")] },
    {
      anyOf: { ...empty, pods: [shop] },
      noneOf: { ...empty, networks: ["10.1.0.0/16"] },
      within: { ...empty, networks: ["10.0.0.0/8"] },
    },
  ],
  [
    "addresses of no pod of a group",
    { kind: "others", pods: [shop], networks: [cidr("10.0.0.0/8")], except: [cidr("10.1.0.0/16")] },
    {
      anyOf: { ...empty, networks: ["10.0.0.0/8"] },
      noneOf: { ...empty, pods: [shop], networks: ["10.1.0.0/16"] },
    },
  ],
  ["everything", { kind: "everything" }, { anyOf: { ...empty, everything: true } }],
])("a peer: %s", (_, peer, said) => {
  expect(peerTerms(rule([peer]))).toEqual([{ noneOf: empty, within: null, ...said }]);
});

test("peers are the source in ingress and the destination in egress; the other end is the subject", () => {
  const given = rule([shop, own]);
  expect(formOf(given, "ingress")).toMatchObject({ destination: null, isTranslated: false });
  expect(formOf(given, "ingress").source).toHaveLength(2);
  expect(formOf(given, "egress").source).toBeNull();
  expect(formOf(given, "egress").destination).toHaveLength(2);
  expect(formOf(given, "egress")).toBe(formOf(given, "egress"));
});

test("addresses of the rule's own side are the other end's", () => {
  const narrowed = {
    ...rule([shop]),
    own: { networks: [cidr("10.0.0.0/8")], except: [cidr("10.1.0.0/16")] },
  };
  const said = [
    {
      anyOf: { ...empty, networks: ["10.0.0.0/8"] },
      noneOf: { ...empty, networks: ["10.1.0.0/16"] },
      within: null,
    },
  ];
  expect(formOf(narrowed, "ingress")).toMatchObject({ source: peerTerms(narrowed), destination: said });
  expect(formOf(narrowed, "egress")).toMatchObject({ source: said, destination: peerTerms(narrowed) });
});

const any = {
  family: null,
  protocols: null,
  source: null,
  destination: null,
  icmpTypes: null,
  icmpCodes: null,
};
const values = (...list: readonly (readonly [number, number])[]) =>
  list.map(([start, end]) => ({ start, end }));
const ranges = (...list: readonly (readonly [number, number])[]) => ({
  ...{ ranges: values(...list), names: [], except: noPorts },
});

test.each<readonly [string, PortMatch, readonly object[]]>([
  [
    "a port, from source ports",
    { kind: "port", protocol: "tcp", port: 80, source: { start: 1, end: 9 } },
    [
      {
        ...{ ...any, protocols: [6], destination: ranges([80, 80]) },
        source: { ...ranges([1, 9]), hasUnnamed: false },
      },
    ],
  ],
  [
    "a range, from what is left of the source ports",
    { kind: "range", protocol: "udp", start: 1, end: 2, source: { start: 10, end: 65535, isRest: true } },
    [
      {
        ...{ ...any, protocols: [17], destination: ranges([1, 2]) },
        source: { ...ranges(), ranges: [{ start: 10, end: 65535, isRest: true }], hasUnnamed: true },
      },
    ],
  ],
  [
    "a range",
    { kind: "range", protocol: "sctp", start: 1, end: 2 },
    [{ ...any, protocols: [132], destination: ranges([1, 2]) }],
  ],
  [
    "a name",
    { kind: "named", name: "web" },
    [{ ...any, destination: { ranges: [], names: ["web"], except: noPorts } }],
  ],
  [
    "a name of one protocol",
    { kind: "named", name: "web", protocol: "udp" },
    [{ ...any, protocols: [17], destination: { ranges: [], names: ["web"], except: noPorts } }],
  ],
  [
    "what both ends declare",
    { kind: "declared", protocol: "tcp", from: ranges([1, 9]), to: { ...ranges(), names: ["web"] } },
    [
      {
        ...{ ...any, protocols: [6] },
        ...{ source: { ...ranges([1, 9]), hasUnnamed: false }, destination: { ...ranges(), names: ["web"] } },
      },
    ],
  ],
  [
    "all source ports but what the source declares",
    {
      ...{ kind: "declared", protocol: "tcp", to: null },
      from: { ...ranges([0, 65535]), except: { ranges: [], names: ["web"] } },
    },
    [
      {
        ...{ ...any, protocols: [6] },
        source: { ...ranges([0, 65535]), except: { ranges: [], names: ["web"] }, hasUnnamed: true },
      },
    ],
  ],
  [
    "what one end does not declare",
    {
      ...{ kind: "declared", protocol: "udp", from: null },
      to: { ...ranges([1, 9]), except: { ranges: [], names: ["web"] } },
    },
    [
      {
        ...{ ...any, protocols: [17] },
        destination: { ...ranges([1, 9]), except: { ranges: [], names: ["web"] } },
      },
    ],
  ],
  ["a protocol", { kind: "protocol", number: 47 }, [{ ...any, protocols: [47] }]],
  [
    "ICMP of one family",
    { kind: "icmp", family: "v6", type: 128, code: 0 },
    [{ ...any, family: "v6", protocols: [58], icmpTypes: values([128, 128]), icmpCodes: values([0, 0]) }],
  ],
  [
    "ICMP of either family",
    { kind: "icmp", family: null, type: 8, code: null },
    [
      { ...any, family: "v4", protocols: [1], icmpTypes: values([8, 8]) },
      { ...any, family: "v6", protocols: [58], icmpTypes: values([8, 8]) },
    ],
  ],
  ["several protocols", { kind: "protocols", numbers: [6, 47] }, [{ ...any, protocols: [6, 47] }]],
  [
    "ICMP but a type",
    { kind: "otherIcmp", family: "v4", type: 8, code: null },
    [{ ...any, family: "v4", protocols: [1], icmpTypes: values([0, 7], [9, 255]) }],
  ],
  [
    "ICMP but a code of a type",
    { kind: "otherIcmp", family: "v6", type: 0, code: 255 },
    [
      { ...any, family: "v6", protocols: [58], icmpTypes: values([1, 255]) },
      { ...any, family: "v6", protocols: [58], icmpTypes: values([0, 0]), icmpCodes: values([0, 254]) },
    ],
  ],
])("traffic: %s", (_, port, said) => {
  expect(formOf(rule([], [port]), "ingress").traffic).toEqual(said);
});

test("no ports is any traffic, and an empty list none", () => {
  expect(formOf(rule([]), "ingress").traffic).toBeNull();
  expect(formOf(rule([], []), "ingress").traffic).toEqual([]);
});
