// Edits whose effect is known, each held against the judge on every connection of a small world too: what a plan must not
// overlook, and what it must not take for a change.

import { describe, expect, test } from "@jest/globals";
import { namedPort, namespace, node, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import { irPolicy, network, sameNamespaces } from "../../test/support/ir.ts";
import { checked } from "../../test/plan/two-judges.ts";
import { FactStore } from "../model/fact-store.ts";
import type { Fact } from "../model/object.ts";
import { everything } from "../model/selector.ts";
import type { EndPorts, Peer, Policy, PortMatch } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";
import { noPorts } from "../policy/normal-form.ts";
import { trafficText } from "../verdicts/traffic-words.ts";
import type { PlanWorld } from "./world.ts";

const app = (name: string) => podGroup(everything, withLabels({ app: name }));
const web = pod("one", "web", { labels: { app: "web" }, ips: ["10.0.0.1"], ports: [namedPort("http", 80)] });
const api = pod("one", "api", {
  labels: { app: "api" },
  ips: ["10.0.0.2"],
  ports: [namedPort("http", 8080)],
});
const db = pod("two", "db", { labels: { app: "db" }, ips: ["10.0.0.3"], ports: [namedPort("sql", 5432)] });
const facts: readonly Fact[] = [
  ...[namespace("one", { team: "x" }), namespace("two", { team: "y" }), node("n", {}, ["172.18.0.1"])],
  ...[web, api, db],
];
const everyone: readonly Peer[] = [{ kind: "everything" }];
const tcp = (port: number): readonly PortMatch[] => [{ kind: "port", protocol: "tcp", port }];
const deny = { action: "deny", peers: everyone } as const;
const allow = { action: "allow", peers: everyone } as const;
const pass = { action: "pass", peers: everyone } as const;

function worldOf(policies: readonly Policy[], objects: readonly Fact[] = facts): PlanWorld {
  const store = new FactStore();
  for (const fact of objects) store.put(fact);
  return { facts: store, policies };
}

/** "old→new source → destination traffic", in the order of the plan. */
function planned(old: PlanWorld, next: PlanWorld): readonly string[] {
  const { plan, faults } = checked({ old, new: next });
  expect(faults).toEqual([]);
  return plan.classes.map((one) => {
    const traffic = one.traffic.map(({ protocol, ports, sourcePorts }) => {
      const sources = sourcePorts === undefined ? [] : ["from", ...sourcePorts.map(String)];
      return [protocol, ...(ports ?? []).map(String), ...sources].join(" ");
    });
    const ends = ({ pods, addresses }: typeof one.from) => [...pods, ...addresses].join(" ");
    const shown = traffic.length === 5 ? "all" : traffic.join(", ");
    return `${one.old}→${one.new} ${ends(one.from)} → ${ends(one.to)} ${shown}`;
  });
}

function sourced(start: number, end: number): PortMatch {
  return { kind: "port", protocol: "tcp", port: 80, source: { start, end } };
}

const baseline = irPolicy("base", { tier: tiers.baseline, subject: [app("web")], egress: [deny] });
const subject = [app("web")];

describe("order", () => {
  test("a rule that passes leaves the verdict to the next tiers", () => {
    const first = irPolicy("p", {
      subject,
      egress: [
        { ...pass, ports: tcp(80) },
        { ...allow, ports: null },
      ],
    });
    const whole = irPolicy("p", { subject, egress: [pass, { ...allow, ports: tcp(1) }] });
    const open = irPolicy("base", { tier: tiers.baseline, subject });
    expect(planned(worldOf([whole, baseline]), worldOf([whole, open]))).toEqual([
      "deny→allow one/web → one/api two/db 0.0.0.0/0 all",
    ]);
    expect(planned(worldOf([first, baseline]), worldOf([first, open]))).toEqual([
      "deny→allow one/web → one/api two/db 0.0.0.0/0 tcp 80,80",
    ]);
  });

  test("policies of one priority that disagree leave it open", () => {
    const [a, b] = [irPolicy("a", { subject, egress: [allow] }), irPolicy("b", { subject, egress: [deny] })];
    expect(planned(worldOf([a, b]), worldOf([a, { ...b, priority: 20 }]))).toEqual([
      "unknown→allow one/web → one/api two/db 0.0.0.0/0 all",
    ]);
    expect(planned(worldOf([a]), worldOf([a, b]))).toEqual([
      "allow→unknown one/web → one/api two/db 0.0.0.0/0 all",
    ]);
  });

  test("a policy that moves before another", () => {
    const [a, b] = [irPolicy("a", { subject, egress: [allow] }), irPolicy("b", { subject, egress: [deny] })];
    expect(planned(worldOf([a, { ...b, priority: 20 }]), worldOf([a, { ...b, priority: 5 }]))).toEqual([
      "allow→deny one/web → one/api two/db 0.0.0.0/0 all",
    ]);
  });

  test("isolation comes behind every rule of its tier", () => {
    const isolated = {
      subject,
      tier: tiers.namespaced,
      unmatched: { egress: "deny", ingress: "next" },
    } as const;
    const some = irPolicy("np", { ...isolated, egress: [{ ...allow, ports: tcp(80) }] });
    const none = irPolicy("np", { ...isolated, egress: [{ ...allow, ports: tcp(81) }] });
    expect(planned(worldOf([some]), worldOf([none]))).toEqual([
      "allow→deny one/web → one/api two/db 0.0.0.0/0 tcp 80,80",
      "deny→allow one/web → one/api two/db 0.0.0.0/0 tcp 81,81",
    ]);
  });

  test("what one side denies stays denied whatever the other does", () => {
    const out = irPolicy("out", { subject, egress: [deny] });
    const into = irPolicy("into", { subject: [app("api")], ingress: [{ ...deny, peers: [app("web")] }] });
    expect(planned(worldOf([out]), worldOf([out, into]))).toEqual([]);
    expect(planned(worldOf([out, into]), worldOf([into]))).toEqual([
      "deny→allow one/web → two/db 0.0.0.0/0 all",
    ]);
  });
});

describe("what is looked at", () => {
  test("a rule that goes, with nothing in its place", () => {
    const rules = [
      { ...deny, ports: tcp(80) },
      { ...deny, ports: tcp(81) },
    ];
    const [two, one] = [rules, rules.slice(0, 1)].map((egress) => irPolicy("p", { subject, egress }));
    if (two === undefined || one === undefined) throw new Error("two policies");
    expect(planned(worldOf([two]), worldOf([one]))).toEqual([
      "deny→allow one/web → one/api two/db 0.0.0.0/0 tcp 81,81",
    ]);
    // The rule put in at the front is the only one that differs, and it says nothing new.
    const more = irPolicy("p", { subject, egress: [{ ...deny, ports: tcp(80) }, ...rules] });
    expect(planned(worldOf([two]), worldOf([more]))).toEqual([]);
  });

  test("a rule of the destination's side alone, that comes and that goes", () => {
    const policy = irPolicy("p", { subject, ingress: [{ ...deny, peers: [app("db")] }] });
    expect(planned(worldOf([]), worldOf([policy]))).toEqual(["allow→deny two/db → one/web all"]);
    expect(planned(worldOf([policy]), worldOf([]))).toEqual(["deny→allow two/db → one/web all"]);
  });

  test("a destination that is relabelled, while no policy is edited", () => {
    const policy = irPolicy("p", { subject, egress: [{ ...deny, peers: [app("db")] }] });
    const other = facts.map((fact) => (fact === api ? { ...api, labels: db.labels } : fact));
    expect(planned(worldOf([policy]), worldOf([policy], other))).toEqual([
      "allow→deny one/web → one/api all",
    ]);
  });

  test("a source that is relabelled, while no policy is edited", () => {
    const policy = irPolicy("p", { subject: [app("db")], ingress: [{ ...deny, peers: [app("web")] }] });
    const other = facts.map((fact) => (fact === api ? { ...api, labels: web.labels } : fact));
    expect(planned(worldOf([policy]), worldOf([policy], other))).toEqual(["allow→deny one/api → two/db all"]);
  });

  test("a source's named port that moves, and one that the destination may not declare", () => {
    const from: EndPorts = { ranges: [], names: ["http"], except: noPorts };
    const to: EndPorts = {
      ranges: [{ start: 5430, end: 5440 }],
      names: [],
      except: { ranges: [], names: ["sql"] },
    };
    const ports: readonly PortMatch[] = [{ kind: "declared", protocol: "tcp", from, to }];
    const policy = irPolicy("p", { subject: [app("api")], egress: [{ ...deny, peers: [app("db")], ports }] });
    expect(planned(worldOf([]), worldOf([policy]))).toEqual([
      "allow→deny one/api → two/db tcp 5430,5431 5433,5440 from 8080,8080",
    ]);
    const moved = facts.map((fact) => (fact === api ? { ...api, ports: [namedPort("http", 81)] } : fact));
    expect(planned(worldOf([policy]), worldOf([policy], moved))).toEqual([
      "allow→deny one/api → two/db tcp 5430,5431 5433,5440 from 81,81",
      "deny→allow one/api → two/db tcp 5430,5431 5433,5440 from 8080,8080",
    ]);
    const other = facts.map((fact) => (fact === db ? { ...db, ports: [namedPort("sql", 5430)] } : fact));
    expect(planned(worldOf([policy]), worldOf([policy], other))).toEqual([
      "allow→deny one/api → two/db tcp 5432,5432 from 8080,8080",
      "deny→allow one/api → two/db tcp 5430,5430 from 8080,8080",
    ]);
  });

  test("a named port that moves, and what names lead to", () => {
    const named: readonly PortMatch[] = [{ kind: "named", name: "http" }];
    const policy = irPolicy("p", { subject, egress: [{ ...deny, ports: named }] });
    expect(planned(worldOf([]), worldOf([policy]))).toEqual(["allow→deny one/web → one/api tcp 8080,8080"]);
    const other = facts.map((fact) => (fact === api ? { ...api, ports: [namedPort("http", 9090)] } : fact));
    expect(planned(worldOf([policy]), worldOf([policy], other))).toEqual([
      "allow→deny one/web → one/api tcp 9090,9090",
      "deny→allow one/web → one/api tcp 8080,8080",
    ]);
  });
});

describe("ends", () => {
  test("a network without its exceptions, to its last address, and the pods in it", () => {
    const peers: readonly Peer[] = [
      { kind: "network", cidr: network("10.0.0.0/24"), except: [network("10.0.0.128/25")] },
    ];
    const policy = irPolicy("p", { subject, egress: [{ action: "deny", peers }] });
    expect(planned(worldOf([]), worldOf([policy]))).toEqual([
      "allow→deny one/web → one/api two/db 10.0.0.0/25 all",
    ]);
  });

  test("a network ends at its last address", () => {
    const peers: readonly Peer[] = [{ kind: "network", cidr: network("192.0.2.0/28"), except: [] }];
    const policy = irPolicy("p", { subject, egress: [{ action: "deny", peers }] });
    expect(planned(worldOf([]), worldOf([policy]))).toEqual(["allow→deny one/web → 192.0.2.0/28 all"]);
  });

  test("a peer in the subject's own namespace", () => {
    const policy = irPolicy("p", {
      subject: [app("web"), app("db")],
      egress: [{ action: "deny", peers: [sameNamespaces()] }],
    });
    expect(planned(worldOf([]), worldOf([policy]))).toEqual(["allow→deny one/web → one/api all"]);
  });

  test("what comes to be denied and what comes to be allowed between the same ends are two classes", () => {
    const [before, after] = [80, 81].map((port) =>
      irPolicy("p", { subject, egress: [{ ...deny, peers: [app("db")], ports: tcp(port) }] }),
    );
    if (before === undefined || after === undefined) throw new Error("two policies");
    expect(planned(worldOf([before]), worldOf([after]))).toEqual([
      "allow→deny one/web → two/db tcp 81,81",
      "deny→allow one/web → two/db tcp 80,80",
    ]);
  });

  test("of rules about source ports, what comes from these", () => {
    const from = (start: number, end: number) =>
      irPolicy("p", { subject, egress: [{ ...deny, peers: [app("db")], ports: [sourced(start, end)] }] });
    expect(planned(worldOf([]), worldOf([from(1000, 2000)]))).toEqual([
      "allow→deny one/web → two/db tcp 80,80 from 1000,2000",
    ]);
    expect(planned(worldOf([from(1000, 2000)]), worldOf([from(1500, 2500)]))).toEqual([
      "allow→deny one/web → two/db tcp 80,80 from 2001,2500",
      "deny→allow one/web → two/db tcp 80,80 from 1000,1499",
    ]);
    const { plan } = checked({ old: worldOf([]), new: worldOf([from(1000, 2000)]) });
    expect(plan.classes.map(({ example }) => [example.port, example.sourcePort])).toEqual([[80, 1000]]);
    expect(plan.classes.map(({ traffic }) => trafficText(traffic))).toEqual(["tcp 80 from port 1000-2000"]);
    // From every port: no restriction at all.
    const { classes } = checked({ old: worldOf([]), new: worldOf([from(1, 65_535)]) }).plan;
    expect(classes[0]?.traffic).toEqual([{ protocol: "tcp", ports: [[80, 80]] }]);
  });

  test("both families, where they are alike, are one class", () => {
    const dual = [web, db].map((one, at) => ({
      ...one,
      ips: [...one.ips, ...pod("", "", { ips: [`fd00::${at + 1}`] }).ips],
    }));
    const policy = irPolicy("p", { subject, egress: [{ ...deny, peers: [app("db")] }] });
    const world = (policies: readonly Policy[]) => worldOf(policies, [...facts.slice(0, 3), ...dual]);
    const { plan, faults } = checked({ old: world([]), new: world([policy]) });
    expect(faults).toEqual([]);
    expect(plan.classes.map(({ families }) => families)).toEqual([["IPv4", "IPv6"]]);
  });
});

describe("rules about connections through Services", () => {
  const through = { translated: true } as const;
  const of = (...egress: readonly object[]) => ({
    ...irPolicy("p", { subject, egress: egress.map(() => deny) }),
    rules: {
      ingress: [],
      egress: irPolicy("p", { subject, egress: egress.map(() => deny) }).rules.egress.map((rule, at) => ({
        ...rule,
        ...egress[at],
      })),
    },
  });
  const caveatsOf = (old: PlanWorld, next: PlanWorld) =>
    checked({ old, new: next }).plan.caveats.map(({ code }) => code);

  test("decide nothing of what goes straight to its destination, and that they are there is told", () => {
    const [none, only, both] = [worldOf([]), worldOf([of(through)]), worldOf([of({}, through)])];
    expect([planned(none, only), caveatsOf(none, only)]).toEqual([[], ["Service"]]);
    expect(planned(only, both)).toEqual(["allow→deny one/web → one/api two/db 0.0.0.0/0 all"]);
    expect(caveatsOf(worldOf([of({})]), none)).toEqual([]);
  });

  test("are other rules than those about all connections", () => {
    expect(planned(worldOf([of({})]), worldOf([of(through)]))).toEqual([
      "deny→allow one/web → one/api two/db 0.0.0.0/0 all",
    ]);
  });
});
