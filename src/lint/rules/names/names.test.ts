// NG029 and NG031 to NG034, case by case, and the first two against the judge.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { acnp } from "../../../../test/support/antrea.ts";
import { hostName, namespace, pod } from "../../../../test/support/facts.ts";
import type { LintTask } from "../../../../test/support/linted.ts";
import { reportOf } from "../../../../test/support/linted.ts";
import { anp, banp, cnp, namespacesWith, np } from "../../../../test/support/policies.ts";
import { everyKind, installed } from "../../../dialects.ts";
import { parseIp } from "../../../model/ip.ts";
import type { IpAddress } from "../../../model/ip.ts";
import type { ReferencedObject, WorldObject } from "../../../model/object.ts";
import { offlineModel } from "../../../nbdb/tools/rendered.ts";
import { judge } from "../../../policy/evaluate.ts";
import { namesFlag } from "../../../policy/contracts/names.ts";

const dialectsWith = (names: string) => installed({ ...everyKind, [namesFlag]: names }).dialects;
const dialects = dialectsWith("dnstap");
const shop = namespacesWith({ "kubernetes.io/metadata.name": "shop" });
const web = pod("shop", "web", { ips: ["10.0.0.1"] });
const facts: readonly WorldObject[] = [
  namespace("shop", { "kubernetes.io/metadata.name": "shop" }),
  namespace("kube-system", { "kubernetes.io/metadata.name": "kube-system" }),
  web,
];
const ports = [{ portNumber: { protocol: "TCP", port: 443 } }];
const names = { action: "Allow", to: [{ domainNames: ["api.example.org"] }], ports };
const dns = {
  ...{ action: "Allow", to: [{ namespaces: { matchLabels: { a: "b" } } }] },
  ports: [{ portNumber: { protocol: "UDP", port: 53 } }],
};
const everywhere = { networks: ["0.0.0.0/0", "::/0"] };
const deny = { action: "Deny", to: [everywhere] };
const of = (...egress: readonly object[]) => anp("p", { subject: shop, egress });

const told = (id: string, objects: readonly WorldObject[], task: LintTask = {}): readonly string[] =>
  reportOf([...facts, ...objects], { dialects, ...task })
    .findings.filter((one) => one.id === id)
    .map(({ severity, field, message }) => `${severity} ${field} ${message}`);

describe("NG029 names without DNS", () => {
  const ask = (policy: WorldObject, more: readonly WorldObject[] = [], task: LintTask = {}) =>
    told("NG029", [policy, ...more], task);

  test("is a rule whose pods may ask no server", () => {
    expect(ask(of(names, deny))).toEqual([
      "warning spec.egress[0].to 1 of 1 pod that it is about cannot ask DNS for its names: egress[1] denies udp 53, for shop/web",
    ]);
    const all = { action: "Allow", to: names.to };
    expect(ask(of(all, deny))).toHaveLength(1);
    expect(ask(of(names, { ...deny, ports }))).toEqual([]);
  });

  const isolation = np("i", { podSelector: {}, policyTypes: ["Egress"] });
  test("also by the isolation of another policy, or by one of several rules that deny", () => {
    expect(ask(of(names), [isolation])).toEqual([
      expect.stringContaining("the isolation by NetworkPolicy shop/i denies"),
    ]);
    const half = (network: string) => ({ action: "Deny", to: [{ networks: [network] }] });
    expect(ask(of(names, half("0.0.0.0/1"), half("128.0.0.0/1")))).toHaveLength(1);
    expect(ask(of(names, half("0.0.0.0/1")))).toEqual([]);
  });

  test.each([
    ["a rule for the port", of(dns, names, deny)],
    ["a rule behind it", of(names, dns, deny)],
    [
      "the port of OpenShift's servers",
      of({ ...dns, ports: [{ portNumber: { protocol: "UDP", port: 5353 } }] }, names, deny),
    ],
    ["a rule without ports", of({ action: "Allow", to: dns.to }, names, deny)],
    ["a named port", of({ ...dns, ports: [{ namedPort: "dns" }] }, names, deny)],
    ["a pass", of({ ...dns, action: "Pass" }, names, deny)],
    ["nothing denied", of(names)],
  ])("not with %s", (_, policy) => {
    expect(ask(policy)).toEqual([]);
  });

  test("not where the servers are known, of which NG008 speaks", () => {
    const server = pod("kube-system", "dns", {
      ips: ["10.0.0.2"],
      ports: [{ name: "dns", protocol: "udp", port: 53 }],
    });
    expect(ask(of(names, deny), [server])).toEqual([]);
    expect(told("NG008", [of(names, deny), server])).toHaveLength(1);
    expect(ask(of(names, deny), [], { needs: { dns: [{ ip: ip("192.0.2.1"), port: 53 }] } })).toEqual([]);
  });

  test("not of names that are not learned, nor of pods that no rule of names is about", () => {
    expect(ask(of(names, deny), [], { dialects: dialectsWith("off") })).toEqual([]);
    const other = anp("other", { subject: namespacesWith({ none: "no" }), egress: [names, deny] });
    expect(ask(other)).toEqual([]);
  });
});

describe("NG031 names without a deny", () => {
  const ask = (objects: readonly WorldObject[], task: LintTask = {}) => told("NG031", objects, task);

  test("is a rule beside which all else outside is allowed", () => {
    expect(ask([of(names)])).toEqual([
      "warning spec.egress[0].to restricts nothing: nothing denies what it does not name, so every address outside is allowed",
    ]);
    expect(ask([of(names, { ...deny, ports: dns.ports })])).toHaveLength(1);
    expect(ask([of(names), hostName("api.example.org", "192.0.2.1")])).toHaveLength(1);
  });

  test.each([
    ["a deny behind it", [of(names, deny)]],
    ["a deny of some addresses", [of(names, { action: "Deny", to: [{ networks: ["192.0.2.0/24"] }] })]],
    ["a baseline", [of(names), banp({ egress: [deny] })]],
    ["an isolation", [of(names), np("i", { podSelector: {}, policyTypes: ["Egress"] })]],
    ["a policy that is refused", [of(names), anp("q", { priority: -1 })]],
    ["no pod that it is about", [anp("p", { subject: namespacesWith({ none: "no" }), egress: [names] })]],
  ])("not with %s", (_, objects) => {
    expect(ask(objects)).toEqual([]);
  });
});

describe("NG032 names before a reject", () => {
  const of = (...egress: readonly object[]) =>
    acnp("p", { priority: 5, tier: "application", appliedTo: [{ namespaceSelector: {} }], egress });
  const allow = { action: "Allow", to: [{ fqdn: "api.example.org" }] };
  const to = [{ ipBlock: { cidr: "0.0.0.0/0" } }];

  test("is a rule before one that rejects what it does not name", () => {
    expect(told("NG032", [of(allow, { action: "Reject", to })])).toEqual([
      expect.stringMatching(/^warning spec\.egress\[0\]\.to egress\[1\] rejects what it does not name: /),
    ]);
    expect(told("NG032", [of(allow, { action: "Drop", to })])).toEqual([]);
    const first = { action: "Drop", to: [{ ipBlock: { cidr: "0.0.0.0/0" } }] };
    expect(told("NG032", [of(allow, first, { action: "Reject", to })])).toEqual([]);
  });
});

describe("NG033 name of a Service", () => {
  const service = (name: string, spec: object): ReferencedObject => ({
    ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name, uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map(), spec },
  });
  const services = [
    service("api", { clusterIP: "10.96.0.10" }),
    service("db", { clusterIP: "None" }),
    service("mail", { type: "ExternalName", externalName: "mail.example.org" }),
  ];
  const named = (...domainNames: readonly string[]) =>
    told("NG033", [of({ action: "Allow", to: [{ domainNames }] }, deny)], { services });

  test("that has an address of its own", () => {
    expect(named("API.shop.svc.cluster.local.")).toEqual([
      "warning spec.egress[0].to[0].domainNames[0] Service shop/api is not headless: its name leads to its own address, which no rule of names allows",
    ]);
  });

  test("without the cluster's domain", () => {
    expect(named("www.example.org", "db.shop.svc")).toEqual([
      "warning spec.egress[0].to[0].domainNames[1] DNS has no name db.shop.svc: it is asked for as it is written, without a search list",
    ]);
  });

  test.each([
    "db.shop.svc.cluster.local",
    "mail.shop.svc.cluster.local",
    "other.shop.svc.cluster.local",
    "api.office.svc.cluster.local",
    "*.shop.svc.cluster.local",
    "0.api.shop.svc.cluster.local",
    "svc.example.org",
  ])("not %s", (name) => {
    expect(named(name)).toEqual([]);
  });
});

describe("NG034 repeated name", () => {
  const named = (...domainNames: readonly string[]) =>
    reportOf(
      [...facts, of({ action: "Allow", to: [{ domainNames }, { domainNames: ["z.example.net"] }] }, deny)],
      { dialects },
    )
      .findings.filter(({ id }) => id === "NG034")
      .map(({ field, edit }) => [field, edit]);
  const edit = (from: string) => ({ op: "removeItem", from, beside: [] });

  test("in other letters, or below a name with a *", () => {
    expect(named("a.example.org", "A.example.ORG.")).toEqual([
      ["spec.egress[0].to[0].domainNames[1]", edit("A.example.ORG.")],
    ]);
    expect(named("a.b.example.org", "*.example.org", "example.org")).toEqual([
      ["spec.egress[0].to[0].domainNames[0]", edit("a.b.example.org")],
    ]);
    expect(named("*.a.example.org", "*.example.org")).toHaveLength(1);
    expect(named("*.example.net", "*.example.org")).toEqual([
      ["spec.egress[0].to[1].domainNames[0]", edit("z.example.net")],
    ]);
  });

  test("not of names that differ, nor of another rule", () => {
    expect(named("a.example.org", "b.example.org", "example.org", "*.c.example.org")).toEqual([]);
    const one = { action: "Allow", to: [{ domainNames: ["a.example.org"] }], ports };
    expect(told("NG034", [of(one, { ...one, ports: dns.ports }, deny)])).toEqual([]);
  });
});

function ip(text: string): IpAddress {
  const parsed = parseIp(text);
  if (parsed === null) throw new Error(text);
  return parsed;
}

const networks = ["0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "192.0.2.0/24", "10.0.0.0/8"];
const rules = fc.record({
  action: fc.constantFrom("Accept", "Deny", "Deny", "Pass"),
  to: fc.oneof(
    fc.subarray(networks, { minLength: 1 }).map((some) => [{ networks: some }]),
    fc.constant([{ namespaces: {} }]),
  ),
  protocols: fc.constantFrom(
    undefined,
    [{ tcp: { destinationPort: { number: 443 } } }],
    [{ udp: { destinationPort: { number: 53 } } }],
    [{ udp: { destinationPort: { range: { start: 53, end: 6000 } } } }],
  ),
});
/** In each of the parts into which the networks divide the addresses. */
const outside = ["8.8.8.8", "192.0.2.9", "203.0.113.9", "10.9.9.9"].map(ip);

test("as the judge says of addresses in each part of the networks", () => {
  const seen = { NG029: 0, NG031: 0, neither: 0 };
  fc.assert(
    fc.property(
      fc.array(rules, { maxLength: 4 }),
      fc.array(rules, { maxLength: 2 }),
      fc.constantFrom(undefined, [{ tcp: { destinationPort: { number: 443 } } }]),
      fc.nat(4),
      (own, base, protocols, at) => {
        const egress: object[] = [...own];
        egress.splice(at, 0, { action: "Accept", to: names.to, protocols });
        const policies = [cnp("p", { egress }), cnp("b", { tier: "Baseline", egress: base })];
        const objects = [...facts, ...policies];
        const model = offlineModel({
          objects,
          dialects,
          families: null,
          mode: { zone: null, namedPorts: "list" },
        });
        const isDenied = (protocol: "tcp" | "udp", port: number) => (to: IpAddress) =>
          judge(
            { from: { ip: ip("10.0.0.1"), pod: web }, to: { ip: to, pod: null }, protocol, port },
            model.facts,
            model.policies(),
          ).verdict === "deny";
        const ids = new Set(reportOf(objects, { dialects }).findings.map(({ id }) => id));
        const asked =
          protocols === undefined
            ? ([
                ["tcp", 443],
                ["udp", 53],
                ["udp", 5353],
                ["udp", 7000],
              ] as const)
            : ([["tcp", 443]] as const);
        expect(ids.has("NG031")).toBe(
          !asked.some(([protocol, port]) => outside.some(isDenied(protocol, port))),
        );
        if (ids.has("NG029"))
          expect([outside.every(isDenied("udp", 53)), outside.every(isDenied("udp", 5353))]).toEqual([
            true,
            true,
          ]);
        for (const id of ["NG029", "NG031"] as const) if (ids.has(id)) seen[id] += 1;
        if (!ids.has("NG029") && !ids.has("NG031")) seen.neither += 1;
      },
    ),
    { numRuns: 200 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(8);
});
