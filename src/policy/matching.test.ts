// What each field of a normal form demands, on forms written by hand: values of the IR do not use all of them yet.

import { describe, expect, test } from "@jest/globals";
import { ip, namespace, node, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import { parseCidr } from "../model/ip.ts";
import { everything } from "../model/selector.ts";
import type { Connection } from "./connection.ts";
import { hasEnds, hasTraffic } from "./matching.ts";
import type { Ends, EndTerm, TrafficTerm } from "./normal-form.ts";
import { noPorts } from "./normal-form.ts";

const web = pod("shop", "web", {
  labels: { app: "web" },
  ips: ["10.0.0.1"],
  ports: [{ name: "metrics", protocol: "tcp", port: 9000 }],
});
const db = pod("shop", "db", { labels: { app: "db" }, ips: ["10.0.1.2"] });
const guest = pod("guests", "web", { labels: { app: "web" }, ips: ["10.0.0.3"] });
const edge = node("edge", { role: "edge" }, ["172.18.0.1"]);
const world = {
  namespaces: new Map(["shop", "guests"].map((name) => [name, namespace(name, { team: name })])),
  ...{ nodes: [edge], hostNames: [] },
};
const ends = {
  ...{ web: { ip: ip("10.0.0.1"), pod: web }, db: { ip: ip("10.0.1.2"), pod: db } },
  guest: { ip: ip("10.0.0.3"), pod: guest },
  edge: { ip: ip("172.18.0.1"), pod: null },
  outside: { ip: ip("198.51.100.7"), pod: null },
} as const;
type Name = keyof typeof ends;
const names: readonly Name[] = ["web", "db", "guest", "edge", "outside"];

function cidr(text: string) {
  const parsed = parseCidr(text);
  if (parsed === null) throw new Error(text);
  return parsed;
}

const connection = (from: Name, to: Name, more: Partial<Connection> = {}): Connection => ({
  ...{ from: ends[from], to: ends[to], protocol: "tcp", port: 80, ...more },
});

const none: Ends = {
  everything: false,
  pods: [],
  sameNamespaces: [],
  nodes: [],
  hostNames: [],
  networks: [],
};
const shop = podGroup(withLabels({ team: "shop" }));
const webs = podGroup(everything, withLabels({ app: "web" }));
const low = cidr("10.0.0.0/24");
const term = (part: Partial<EndTerm>): EndTerm => ({ anyOf: none, noneOf: none, within: null, ...part });

describe("an end", () => {
  test.each<readonly [string, EndTerm, readonly Name[]]>([
    ["of no part", term({}), []],
    ["of everything", term({ anyOf: { ...none, everything: true } }), names],
    [
      "of any of two parts",
      term({ anyOf: { ...none, pods: [webs], networks: [cidr("198.51.100.0/24")] } }),
      ["web", "guest", "outside"],
    ],
    [
      "of pods but those in a network",
      term({ anyOf: { ...none, pods: [shop] }, noneOf: { ...none, networks: [low] } }),
      ["db"],
    ],
    [
      "of everything but pods",
      term({ anyOf: { ...none, everything: true }, noneOf: { ...none, pods: [shop] } }),
      ["guest", "edge", "outside"],
    ],
    [
      "of pods within a network",
      term({ anyOf: { ...none, pods: [shop] }, within: { ...none, networks: [low] } }),
      ["web"],
    ],
    [
      "of a network within pods",
      term({ anyOf: { ...none, networks: [low] }, within: { ...none, pods: [shop] } }),
      ["web"],
    ],
    ["within nothing", term({ anyOf: { ...none, everything: true }, within: none }), []],
    [
      "of nodes",
      term({ anyOf: { ...none, nodes: [{ kind: "nodes", nodes: withLabels({ role: "edge" }) }] } }),
      ["edge"],
    ],
    [
      "of the namespace of the subject, which is db",
      term({ anyOf: { ...none, sameNamespaces: [{ kind: "sameNamespaces", keys: [], pods: everything }] } }),
      ["web", "db"],
    ],
  ])("%s", (_, given, expected) => {
    const isSource = (name: Name) =>
      hasEnds({ source: [given], destination: null }, "ingress", connection(name, "db"), world);
    expect(names.filter(isSource)).toEqual(expected);
  });

  test("of both sides: each is demanded, and any of a side's terms is enough", () => {
    const [inShop, isWeb] = [
      term({ anyOf: { ...none, pods: [shop] } }),
      term({ anyOf: { ...none, pods: [webs] } }),
    ];
    const form = { source: [inShop], destination: [isWeb, term({})] };
    expect(hasEnds(form, "ingress", connection("db", "guest"), world)).toBe(true);
    expect(hasEnds(form, "ingress", connection("db", "outside"), world)).toBe(false);
    expect(hasEnds(form, "egress", connection("guest", "web"), world)).toBe(false);
    expect(hasEnds({ source: [], destination: null }, "ingress", connection("db", "web"), world)).toBe(false);
  });
});

describe("traffic", () => {
  const any: TrafficTerm = {
    ...{ family: null, protocols: null, source: null, destination: null, icmpTypes: null, icmpCodes: null },
  };
  const range = (start: number, end: number) => ({ ranges: [{ start, end }], names: [], except: noPorts });
  const sources = (start: number, end: number, hasUnnamed = false) => ({ ...range(start, end), hasUnnamed });
  const has = (part: Partial<TrafficTerm>, more: Partial<Connection> = {}) =>
    hasTraffic({ traffic: [{ ...any, ...part }] }, connection("web", "db", more), world);

  test.each<readonly [string, Partial<TrafficTerm>, Partial<Connection>, boolean]>([
    ["anything", {}, { protocol: 47 }, true],
    ["of its family", { family: "v4" }, {}, true],
    ["of another family", { family: "v6" }, {}, false],
    ["of any of several protocols", { protocols: [17, 6] }, {}, true],
    ["of another protocol", { protocols: [17, 132] }, {}, false],
    [
      "of any of several ranges",
      {
        destination: { ranges: [...range(1, 2).ranges, ...range(80, 80).ranges], names: [], except: noPorts },
      },
      {},
      true,
    ],
    ["beside the range", { destination: range(81, 90) }, {}, false],
    ["of a source port", { source: sources(4000, 4001) }, { sourcePort: 4001 }, true],
    ["of another source port", { source: sources(4000, 4001) }, { sourcePort: 4002 }, false],
    ["of a source port that no rule names", { source: sources(0, 65535) }, {}, false],
    ["of one, where the rule excepts some", { source: sources(0, 79, true) }, {}, true],
    ["of a source port that the rule excepts", { source: sources(0, 79, true) }, { sourcePort: 80 }, false],
    [
      "of a port that the source declares",
      { source: { ranges: [], names: ["metrics"], except: noPorts, hasUnnamed: false } },
      { sourcePort: 9000 },
      true,
    ],
    [
      "of a port that the other end does not declare",
      { destination: { ranges: [], names: ["metrics"], except: noPorts } },
      { port: 9000 },
      false,
    ],
    [
      "of a port that the source does not declare",
      { source: { ...sources(1, 65535), except: { ranges: [], names: ["metrics"] } } },
      { sourcePort: 9001 },
      true,
    ],
    [
      "of a port that the source declares and must not",
      { source: { ...sources(1, 65535), except: { ranges: [], names: ["metrics"] } } },
      { sourcePort: 9000 },
      false,
    ],
    [
      "of a port that is in the ranges and left out",
      { destination: { ...range(1, 90), except: { ranges: range(80, 80).ranges, names: [] } } },
      {},
      false,
    ],
    [
      "of an ICMP type",
      { protocols: [1], icmpTypes: range(3, 3).ranges },
      { protocol: "icmp", icmp: { type: 3, code: 1 } },
      true,
    ],
    [
      "of another ICMP code",
      { icmpCodes: range(0, 0).ranges },
      { protocol: "icmp", icmp: { type: 3, code: 1 } },
      false,
    ],
    [
      "of any of several ICMP types",
      { icmpTypes: [...range(0, 2).ranges, ...range(4, 9).ranges] },
      { protocol: "icmp", icmp: { type: 4, code: 1 } },
      true,
    ],
    [
      "of the ICMP type between them",
      { icmpTypes: [...range(0, 2).ranges, ...range(4, 9).ranges] },
      { protocol: "icmp", icmp: { type: 3, code: 1 } },
      false,
    ],
    ["of the ports but not the protocol", { protocols: [17], destination: range(80, 80) }, {}, false],
  ])("%s", (_, part, more, expected) => {
    expect(has(part, more)).toBe(expected);
  });

  test("of none of no terms, and of any where there is no list", () => {
    expect(hasTraffic({ traffic: [] }, connection("web", "db"), world)).toBe(false);
    expect(hasTraffic({ traffic: null }, connection("web", "db"), world)).toBe(true);
  });
});
