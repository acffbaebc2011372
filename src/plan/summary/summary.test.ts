// What a reviewer reads of known edits, line by line: ends, causes, what is lost. Worlds of NetworkPolicies as IR, with nodes that reach
// their own pods.

import { expect, test } from "@jest/globals";
import { namedPort, namespace, node, pod, podGroup, withLabels } from "../../../test/support/facts.ts";
import { irPolicy, network, sameNamespaces } from "../../../test/support/ir.ts";
import { usualNeeds } from "../../analysis/needs.ts";
import { FactStore } from "../../model/fact-store.ts";
import type { Fact } from "../../model/object.ts";
import type { Peer, Policy, PortMatch } from "../../policy/ir.ts";
import { tiers } from "../../policy/ir.ts";
import { ownNodePolicy } from "../../policy/own-node.ts";
import { judged } from "../judged.ts";
import type { ObjectChanges, SummaryLine } from "../report.ts";
import type { RuleNamer } from "../deciders.ts";
import { causesText, lineTrafficText } from "../words.ts";
import { Edits } from "./edits.ts";
import { summaryOf } from "./summary.ts";

const homes = ["shop", "bank", "post", "mail"];
const nodes = [
  node("n0", { "node-role.kubernetes.io/control-plane": "" }, ["172.18.0.2"]),
  ...["n1", "n2"].map((name, at) => node(name, {}, [`172.18.0.${at + 3}`])),
];
const apps = homes.flatMap((home, number) =>
  ["web", "web2", "api", "db"].map((name, at) => {
    const app = name.replace("2", "");
    return pod(home, name, {
      ...{ labels: { app }, ips: [`10.0.${number}.${at + 1}`], node: `n${(number + at) % 3}` },
      ports: [namedPort("http", 8080)],
    });
  }),
);
const dns = pod("kube-system", "coredns", {
  ...{ labels: { "k8s-app": "kube-dns" }, ips: ["10.1.0.1"], node: "n0" },
  ports: [{ name: "dns", protocol: "udp", port: 53 }, namedPort("dns-tcp", 53)],
});
const facts: readonly Fact[] = [
  ...[...homes, "kube-system"].map((name) => namespace(name, { "kubernetes.io/metadata.name": name })),
  ...nodes,
  ...apps,
  dns,
];

const inHome = (home: string, labels: Readonly<Record<string, string>> = {}) =>
  podGroup(withLabels({ "kubernetes.io/metadata.name": home }), withLabels(labels));
const isolated = (name: string, home: string, side: "ingress" | "egress", labels = {}) => ({
  ...irPolicy(name, {
    subject: [inHome(home, labels)],
    tier: tiers.namespaced,
    unmatched: { ingress: side === "ingress" ? "deny" : "next", egress: side === "egress" ? "deny" : "next" },
  }),
});
const everyone: readonly Peer[] = [{ kind: "everything" }];

/** The IR is of policies that no object says: the edits are those of the policies. */
function read(old: readonly Policy[], next: readonly Policy[]): readonly SummaryLine[] {
  const store = new FactStore();
  for (const fact of facts) store.put(fact);
  const own = nodes.map((one) => ownNodePolicy(one, "namespaced"));
  const worlds = {
    old: { facts: store, policies: [...own, ...old] },
    new: { facts: store, policies: [...own, ...next] },
  };
  const only = (some: readonly Policy[], others: readonly Policy[]) =>
    some.filter(({ key }) => !others.some((one) => one.key === key)).map(({ ref }) => ref);
  const both = next.filter((one) => old.some((other) => other.key === one.key && other !== one));
  const changes: ObjectChanges = {
    ...{ added: only(next, old), removed: only(old, next) },
    changed: both.map(({ ref }) => ({ ...ref, fields: [{ field: "spec", old: 1, new: 2 }] })),
  };
  const namer: RuleNamer = (_, direction, { index, name, action }) => {
    return { direction, index, name, action, word: action, place: null };
  };
  const made = judged(worlds, { old: namer, new: namer });
  const placeOf = { old: () => "old.yaml:1", new: () => "new.yaml:2" };
  return summaryOf(made, { worlds, facts: store, edits: new Edits(changes, placeOf), needs: usualNeeds });
}

function texts(lines: readonly SummaryLine[]): readonly string[] {
  return lines.map((line) => `${line.change}: ${line.from} → ${line.to}, ${lineTrafficText(line)}`);
}

test("all of one namespace is isolated: the nodes' ways to their own pods make no hole and no class of their own", () => {
  const lines = read([], [isolated("deny", "shop", "ingress")]);
  expect(texts(lines)).toEqual(["denied: everything → all 4 pods of shop, all traffic"]);
  expect(lines[0]?.dividedByNodes.length).toBeGreaterThan(1);
  expect(lines.flatMap(causesText)).toEqual(["Policy deny was added; it isolates them"]);
  expect(lines[0]?.edits).toMatchObject([{ op: "added", place: "new.yaml:2" }]);
});

test("everything outside a namespace, and outside each of several", () => {
  const closed = (home: string, name = home) => ({
    ...isolated(name, home, "ingress"),
    rules: irPolicy("x", { ingress: [{ action: "allow", peers: [sameNamespaces()] }] }).rules,
  });
  expect(texts(read([], [closed("shop")]))).toEqual([
    "denied: everything outside shop → all 4 pods of shop, all traffic",
  ]);
  const all = homes.map((home) => closed(home));
  expect(texts(read([], all))).toEqual([
    "denied: everything outside their namespace → all 16 pods of 4 namespaces, all traffic",
  ]);
  expect(texts(read(all, []))).toEqual([
    "allowed: everything outside their namespace → all 16 pods of 4 namespaces, all traffic",
  ]);
  const none = homes.map((home) => isolated(home, home, "ingress"));
  expect(texts(read(all, none))).toEqual([
    "denied: all 16 pods of 4 namespaces → pods of the same namespace, all traffic",
  ]);
});

test("an allowance in each namespace: what it leaves out, and what it still denies", () => {
  const ports = [{ kind: "port", protocol: "tcp", port: 5432 }] as const;
  const db = (home: string) => ({
    ...isolated(home, home, "ingress", { app: "db" }),
    rules: irPolicy("x", { ingress: [{ action: "allow", peers: [inHome(home, { app: "api" })], ports }] })
      .rules,
  });
  expect(texts(read([], homes.map(db)))).toEqual([
    "denied: everything but app=api of their namespace → all 4 pods app=db of 4 namespaces, all traffic",
    "denied: all 4 pods app=api of 4 namespaces → app=db of the same namespace, all traffic but tcp 5432",
  ]);
});

test("a network is a network, though a node is in it: holes are closed only where all else is whole", () => {
  const peers: readonly Peer[] = [{ kind: "network", cidr: network("203.0.113.0/24"), except: [] }];
  const deny = irPolicy("p", { subject: [inHome("shop")], ingress: [{ action: "deny", peers }] });
  expect(texts(read([], [deny]))).toEqual(["denied: 203.0.113.0/24 → all 4 pods of shop, all traffic"]);
  const around: readonly Peer[] = [{ kind: "network", cidr: network("172.18.0.0/16"), except: [] }];
  const tier = { tier: tiers.baseline, subject: [inHome("shop")] };
  const behind = irPolicy("p", { ...tier, ingress: [{ action: "deny", peers: around }] });
  expect(texts(read([], [behind]))).toEqual(["denied: 172.18.0.0/16 → all 4 pods of shop, all traffic"]);
});

test("egress that is closed loses DNS and the API server; what still reaches one of several servers loses nothing", () => {
  const closed = isolated("closed", "shop", "egress");
  const [line] = read([], [closed]);
  expect(line?.effects.map(({ text }) => text)).toEqual([
    "DNS lost: none of these pods reaches a DNS server over udp 53 or tcp 53",
    "API server lost: none of these pods reaches it over tcp 6443",
  ]);
  const ports = [{ kind: "port", protocol: "udp", port: 53 }] as const;
  const toDns = irPolicy("x", { egress: [{ action: "allow", peers: [inHome("kube-system")], ports }] }).rules;
  const effects = read([], [{ ...closed, rules: toDns }]).flatMap((one) =>
    one.effects.map(({ text }) => text),
  );
  expect(effects).toContain("DNS lost: none of these pods reaches a DNS server over tcp 53");
  expect(effects.join()).not.toContain("udp 53");
  // They were denied before: nothing is lost.
  expect(read([closed], [{ ...closed, priority: 7 }])).toEqual([]);
});

test("probes are lost where an administrator denies what the nodes send", () => {
  const deny = irPolicy("p", { subject: [inHome("shop")], ingress: [{ action: "deny", peers: everyone }] });
  const lines = read([], [deny]);
  expect(texts(lines)).toEqual(["denied: everything → all 4 pods of shop, all traffic"]);
  expect(lines[0]?.effects).toEqual([
    { code: "Probes", text: "probes lost: the nodes do not reach ports of these pods" },
  ]);
});

test("probes go over TCP, to the ports that pods declare", () => {
  const losing = (port: PortMatch) => {
    const rule = { action: "deny" as const, peers: everyone, ports: [port] };
    const lines = read([], [irPolicy("p", { subject: [inHome("shop")], ingress: [rule] })]);
    return lines.flatMap(({ effects }) => effects.map(({ code }) => code));
  };
  expect(losing({ kind: "port", protocol: "tcp", port: 8080 })).toEqual(["Probes"]);
  expect(losing({ kind: "port", protocol: "udp", port: 8080 })).toEqual([]);
  expect(losing({ kind: "port", protocol: "tcp", port: 8081 })).toEqual([]);
});

test("policies that disagree leave it unknown, last, and what was allowed before is said", () => {
  const subject = [inHome("shop", { app: "db" })];
  const allow = irPolicy("a", { subject, ingress: [{ action: "allow", peers: everyone }] });
  const deny = irPolicy("b", { subject, ingress: [{ action: "deny", peers: everyone }] });
  const lines = read([allow], [allow, deny, isolated("deny", "bank", "ingress")]);
  expect(lines.map(({ change }) => change)).toEqual(["denied", "unknown"]);
  expect(lines.slice(1).flatMap(causesText)).toEqual([
    "Policy b was added; Policy a, Policy b have equal priority and disagree",
    "it was allowed before",
  ]);
});

test("every class is in a line, in each of these", () => {
  const closed = homes.map((home) => isolated(home, home, "ingress"));
  for (const [old, next] of [
    [[], closed],
    [closed, closed.slice(1)],
  ] as const) {
    const lines = read(old, next);
    const at = lines.flatMap(({ classes }) => classes);
    expect(new Set(at)).toEqual(new Set(Array.from({ length: Math.max(...at) + 1 }, (_, index) => index)));
    expect(lines.length).toBeGreaterThan(0);
  }
});

test("several edits that decide different ports of one change are each a cause", () => {
  const subject = [inHome("shop", { app: "db" })];
  const deny = (name: string, port: number) =>
    irPolicy(name, {
      ...{ subject, priority: port },
      ingress: [{ action: "deny", peers: everyone, ports: [{ kind: "port", protocol: "tcp", port }] }],
    });
  const lines = read([], [deny("a", 80), deny("b", 81)]);
  expect(texts(lines)).toEqual(["denied: everything → shop app=db, tcp 80-81"]);
  expect(lines[0]?.causes).toEqual([
    "Policy a was added; its ingress[0] denies them",
    "Policy b was added; its ingress[0] denies them",
  ]);
  expect(lines[0]?.isExcerpt).toBe(false);
});

test("a rule that passed is the cause, and a policy that was edited elsewhere is none", () => {
  const ofShop = { subject: [inHome("shop")], tier: tiers.admin };
  const pass = irPolicy("pass", { ...ofShop, priority: 1, ingress: [{ action: "pass", peers: everyone }] });
  const deny = { ...ofShop, priority: 2, ingress: [{ action: "deny" as const, peers: everyone }] };
  const edited = irPolicy("deny", { ...deny, egress: [{ action: "allow", peers: [inHome("shop")] }] });
  const lines = read([pass, irPolicy("deny", deny)], [edited]);
  expect(lines.flatMap(causesText)).toEqual(["Policy pass was removed; Policy deny ingress[0] denies them"]);
});

test("other labels in another namespace are another line", () => {
  const closed = (home: string, app: string) =>
    irPolicy(home, {
      subject: [inHome(home, { app: "db" })],
      ingress: [{ action: "deny", peers: [inHome(home, { app })] }],
    });
  const lines = read([], [closed("shop", "web"), closed("bank", "web"), closed("post", "api")]);
  expect(texts(lines)).toEqual([
    "denied: all 4 pods app=web of bank and shop → app=db of the same namespace, all traffic",
    "denied: post app=api → post app=db, all traffic",
  ]);
});

test("nothing is lost where the order of policies leaves it open", () => {
  const ofShop = { subject: [inHome("shop")], tier: tiers.admin, priority: 1 };
  const says = (action: "allow" | "deny") =>
    irPolicy(action, { ...ofShop, egress: [{ action, peers: everyone }] });
  const [line] = read([says("allow")], [says("allow"), says("deny")]);
  expect(line).toMatchObject({ change: "unknown", effects: [] });
});
