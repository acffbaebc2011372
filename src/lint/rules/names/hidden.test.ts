// NG001 and NG002 of rules of names to which no answers are recorded: case by case, and against the judge with any answers.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { hostName, namespace, pod } from "../../../../test/support/facts.ts";
import { reportOf } from "../../../../test/support/linted.ts";
import { cnp, namespacesWith } from "../../../../test/support/policies.ts";
import { everyKind, installed } from "../../../dialects.ts";
import type { IpAddress } from "../../../model/ip.ts";
import { parseIp } from "../../../model/ip.ts";
import type { WorldObject } from "../../../model/object.ts";
import { offlineModel } from "../../../nbdb/tools/rendered.ts";
import { namesFlag } from "../../../policy/contracts/names.ts";
import { judge } from "../../../policy/evaluate.ts";

const dialectsWith = (names: string) => installed({ ...everyKind, [namesFlag]: names }).dialects;
const dialects = dialectsWith("dnstap");
const shop = { namespaces: { matchLabels: { "kubernetes.io/metadata.name": "shop" } } };
const web = pod("shop", "web", { ips: ["10.0.0.1", "fd00::1"] });
const facts: readonly WorldObject[] = [
  namespace("shop", { "kubernetes.io/metadata.name": "shop" }),
  namespace("office", { "kubernetes.io/metadata.name": "office" }),
  web,
];
const https = [{ tcp: { destinationPort: { number: 443 } } }];
const accept = (...domainNames: readonly string[]) => ({ action: "Accept", to: [{ domainNames }] });
const deny = (...networks: readonly string[]) => ({ action: "Deny", to: [{ networks }] });
const www = accept("www.example.org");

const hidden = (objects: readonly WorldObject[], names = "dnstap"): readonly string[] =>
  reportOf([...facts, ...objects], { dialects: dialectsWith(names) })
    .findings.filter(({ id }) => id === "NG001" || id === "NG002")
    .map(({ id, policy, rule, message }) => `${id} ${policy.name} ${rule?.index ?? ""} ${message}`);
const inOne = (...egress: readonly object[]) => [cnp("p", { subject: shop, egress })];
const never = (index: number, by: string) => [
  `NG001 p ${index} never decides: earlier rules of the policy match everything that it matches (${by})`,
];

describe("a rule of names without recorded answers", () => {
  test.each<[string, readonly WorldObject[], readonly string[]]>([
    ["behind the same name", inOne(www, accept("WWW.example.org.")), never(1, "egress[0]")],
    ["behind a name with a *", inOne(accept("*.example.org"), www), never(1, "egress[0]")],
    [
      "behind two rules that have a name each",
      inOne(www, accept("a.example.org"), accept("www.example.org", "a.example.org")),
      never(2, "egress[0], egress[1]"),
    ],
    ["behind all addresses", inOne(deny("0.0.0.0/0", "::/0"), www), never(1, "egress[0]")],
    [
      "behind halves of all addresses",
      inOne(deny("0.0.0.0/1", "::/0"), deny("128.0.0.0/1"), www),
      never(2, "egress[0], egress[1]"),
    ],
    ["of a port, behind all ports", inOne(www, { ...www, protocols: https }), never(1, "egress[0]")],
    ["behind a port", inOne({ ...www, protocols: https }, www), []],
    ["behind another name", inOne(accept("a.example.org"), www), []],
    ["behind a name that it has", inOne(www, accept("www.example.org", "a.example.org")), []],
    ["with a *, behind a name below", inOne(www, accept("*.example.org")), []],
    ["behind all addresses of IPv4", inOne(deny("0.0.0.0/0"), www), []],
  ])("%s", (_, objects, expected) => {
    expect(hidden(objects)).toEqual(expected);
  });

  const later = (subject: object) => cnp("later", { priority: 2, subject, egress: [www] });
  test("is behind another policy's where that is about its pods", () => {
    const first = cnp("first", { priority: 1, subject: shop, egress: [www] });
    expect(hidden([first, later(shop)])).toEqual([
      "NG002 later 0 never decides: policies before this one decide everything that it matches (ClusterNetworkPolicy first egress[0])",
    ]);
    expect(hidden([first, later({ namespaces: {} })])).toEqual([]);
    const other = cnp("first", { priority: 1, subject: namespacesWith({ a: "b" }), egress: [www] });
    expect(hidden([other, later(shop)])).toEqual([]);
  });

  test("is not reported where some of its names are not learned", () => {
    expect(hidden(inOne(www, www), "off")).toEqual([]);
    expect(hidden(inOne(www, www), "poll")).toEqual(never(1, "egress[0]"));
    const both = accept("www.example.org", "*.example.org");
    expect(hidden(inOne(both, both), "poll")).toEqual([]);
    expect(hidden(inOne(both, www), "poll")).toEqual([]);
  });

  test("with answers to some of its names, is behind all rules that it needs", () => {
    const objects = [
      hostName("www.example.org", "192.0.2.1"),
      ...inOne(www, accept("a.example.org"), accept("www.example.org", "a.example.org")),
    ];
    expect(hidden(objects)).toEqual(never(2, "egress[0], egress[1]"));
  });
});

const names = ["www.example.org", "a.www.example.org", "example.org", "*.example.org", "*.org"];
const rules = fc.record({
  action: fc.constantFrom("Accept", "Deny", "Pass"),
  networks: fc.subarray(["0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1"]),
  domainNames: fc.subarray(names, { maxLength: 2 }),
  protocols: fc.constantFrom(undefined, undefined, https),
});
const written = ({
  action,
  networks,
  domainNames,
  protocols,
}: typeof rules extends fc.Arbitrary<infer T> ? T : never) => {
  const named = action === "Accept" && domainNames.length > 0 ? [{ domainNames }] : [];
  const to = [
    ...named,
    ...(named.length === 0 || networks.length > 2 ? [{ networks: ["9.0.0.0/8", ...networks] }] : []),
  ];
  return { action, to, protocols };
};
const addresses = ["9.9.9.9", "192.0.2.1", "10.0.0.9", "2001:db8::1"];
const answers = fc.record({
  "www.example.org": fc.subarray(addresses),
  "a.www.example.org": fc.subarray(addresses),
  "example.org": fc.subarray(addresses),
});

function ip(text: string): IpAddress {
  const parsed = parseIp(text);
  if (parsed === null) throw new Error(text);
  return parsed;
}

test("what is said to never decide can be left out, whatever DNS answers", () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(rules, { minLength: 1, maxLength: 4 }),
      fc.array(rules, { maxLength: 2 }),
      answers,
      (first, second, answered) => {
        const policies = { first: first.map(written), second: second.map(written) };
        const objectsOf = ({ first: one, second: two }: typeof policies) => [
          ...facts,
          cnp("first", { priority: 1, egress: one }),
          cnp("second", { priority: 2, egress: two }),
        ];
        const told = reportOf(objectsOf(policies), { dialects }).findings.filter(
          ({ id, message }) => ["NG001", "NG002"].includes(id) && message.startsWith("never"),
        );
        const hosts = Object.entries(answered).map(([name, some]) => hostName(name, ...some));
        const verdicts = (all: typeof policies) => {
          const objects = [...objectsOf(all), ...hosts];
          const model = offlineModel({
            objects,
            dialects,
            families: null,
            mode: { zone: null, namedPorts: "list" },
          });
          return addresses.flatMap((address) =>
            [443, 80].map((port) => {
              const from = { ip: ip(address.includes(":") ? "fd00::1" : "10.0.0.1"), pod: web };
              const connection = { from, to: { ip: ip(address), pod: null }, protocol: "tcp", port } as const;
              return judge(connection, model.facts, model.policies()).verdict;
            }),
          );
        };
        const before = verdicts(policies);
        for (const { policy, rule } of told) {
          const name = policy.name === "first" ? "first" : "second";
          const isNamed = policies[name][rule?.index ?? -1]?.to.some((peer) => "domainNames" in peer);
          if (isNamed === true) found += 1;
          const without = policies[name].filter((_, index) => index !== rule?.index);
          expect(verdicts({ ...policies, [name]: without })).toEqual(before);
        }
      },
    ),
    { numRuns: 100 },
  );
  expect(found).toBeGreaterThan(8);
});
