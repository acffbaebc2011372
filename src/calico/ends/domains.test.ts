// `domains` of a destination, by how names are resolved; and what the judge and the verdicts of whole worlds make of them.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { resolving } from "../../../test/support/antrea.ts";
import { gnp } from "../../../test/support/calico.ts";
import { oneRule, shortRule } from "../../../test/support/calico-compiled.ts";
import { hostName, ip, namespace, pod } from "../../../test/support/facts.ts";
import { everyKind, installed } from "../../dialects.ts";
import { hostNamesLike } from "../../model/selectors/host-names.ts";
import { offlineModel } from "../../nbdb/tools/rendered.ts";
import type { NamesMode } from "../../policy/contracts/names.ts";
import { namesFlag } from "../../policy/contracts/names.ts";
import { modelFlag } from "../../policy/contracts/policy-model.ts";
import { judge } from "../../policy/evaluate.ts";
import { Reach } from "../../verdicts/reach.ts";
import { calicoDialectWith } from "../compile.ts";

const named = (name: string) => ({ kind: "hostNames", names: hostNamesLike(name) });
const https = { protocol: "TCP", destination: { ports: [443] } };

function toldOf(rule: object, mode: NamesMode) {
  const { policy, problems } = calicoDialectWith(mode).compile(oneRule(rule, "egress"), resolving().resolve);
  return {
    rules: policy?.rules.egress.map(shortRule) ?? null,
    told: problems.map(({ field, message }) => `${field}: ${message}`),
  };
}

const peersOf = (domains: readonly string[], mode: NamesMode) =>
  toldOf({ destination: { domains } }, mode).rules?.map((rule) => (rule as { peers: unknown }).peers);
const unresolved = "spec.egress[0].destination.domains: names of domains are not resolved here";

describe("names", () => {
  test("are peers, with the ports of their rule", () => {
    const rule = {
      ...https,
      destination: { ...https.destination, domains: ["API.example.org", "b.example.org"] },
    };
    expect(toldOf(rule, "poll")).toEqual({
      rules: [
        {
          ...{ action: "allow", peers: [named("api.example.org"), named("b.example.org")] },
          ports: [{ kind: "port", protocol: "tcp", port: 443 }],
        },
      ],
      told: [],
    });
  });

  test.each(["*.example.com", "*.a.example.com", "www.*"])(
    "with a *, as %s, need answers that are sent",
    (name) => {
      expect(peersOf(["a.example.org", name], "dnstap")).toEqual([[named("a.example.org"), named(name)]]);
      expect(toldOf({ destination: { domains: ["a.example.org", name] } }, "poll")).toEqual({
        rules: [{ action: "allow", peers: [], ports: null }],
        told: [unresolved],
      });
    },
  );

  test.each(["www.*.com", "*.*.example.com"])("with a * that no selector says, as %s, are closed", (name) => {
    expect(toldOf({ destination: { domains: [name] } }, "dnstap").told).toEqual([unresolved]);
    expect(peersOf([name], "dnstap")).toEqual([[]]);
  });

  test.each(["", "a..b", "*a.example.org", "a b", "-a.example.org"])(
    "that are none are refused: %j",
    (name) => {
      const { rules, told } = toldOf({ destination: { domains: [name] } }, "dnstap");
      expect([rules, told]).toEqual([
        null,
        [`spec.egress[0].destination.domains[0]: ${JSON.stringify(name)} is not a domain name`],
      ]);
    },
  );

  test.each<readonly [string, object]>([
    ["destination.notNets", { destination: { domains: ["a.b"], notNets: ["10.0.0.0/8"] } }],
    ["destination.notSelector", { destination: { domains: ["a.b"], notSelector: "app == 'x'" } }],
    ["destination.namespaceSelector", { destination: { domains: ["a.b"], namespaceSelector: "all()" } }],
    ["ipVersion", { ipVersion: 4, destination: { domains: ["a.b"] } }],
  ])("beside %s close the rule", (field, rule) => {
    const { rules, told } = toldOf(rule, "poll");
    expect(rules).toEqual([{ action: "allow", peers: [], ports: null }]);
    expect(told).toEqual([`spec.egress[0].${field}: cannot restrict names of domains here`]);
  });

  test("are closed where they are not resolved", () => {
    expect(toldOf({ destination: { domains: ["a.b"] } }, "off").told).toEqual([unresolved]);
    expect(peersOf(["a.b"], "off")).toEqual([[]]);
  });
});

test("every verdict of a world is the judge's, whatever DNS has answered", () => {
  const { dialects, tierLayout } = installed({ ...everyKind, [modelFlag]: "calico", [namesFlag]: "dnstap" });
  const addresses = ["198.51.100.1", "198.51.100.2", "203.0.113.1"];
  const names = ["a.example.org", "b.example.org", "a.example.com"];
  const rule = fc.record({
    action: fc.constantFrom("Allow", "Allow", "Deny", "Pass"),
    domains: fc.subarray(["a.example.org", "*.example.org", "*.example.com"], { minLength: 1 }),
    nets: fc.subarray(["198.51.100.0/31", "203.0.113.0/24", "0.0.0.0/0"], { minLength: 1 }),
    isNamed: fc.boolean(),
  });
  const answers = fc.tuple(...names.map(() => fc.subarray(addresses)));
  const web = pod("shop", "web", { ips: ["10.0.0.1"] });
  const seen = { allow: 0, deny: 0, byName: 0 };
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), answers, (rules, answered) => {
      const egress = rules.map(({ action, domains, nets, isNamed }) => ({
        action,
        destination: isNamed && action === "Allow" ? { domains } : { nets },
      }));
      const objects = [
        ...[namespace("shop"), web, gnp("p", { types: ["Egress"], egress })],
        ...names.map((name, at) => hostName(name, ...(answered[at] ?? []))),
      ];
      const mode = { zone: null, namedPorts: "list", tierLayout } as const;
      const model = offlineModel({ objects, dialects, families: null, mode });
      const reach = new Reach(model.policies(), model.facts);
      for (const address of addresses) {
        const connection = { from: { ip: ip("10.0.0.1"), pod: web }, to: { ip: ip(address), pod: null } };
        const judged = judge(
          { ...connection, protocol: "tcp", port: 443 },
          model.facts,
          model.policies(),
        ).egress;
        const { from, to } = connection;
        expect(reach.side("egress", from, to, reach.at("tcp", 443)).verdict).toBe(judged.verdict);
        seen[judged.verdict]++;
        if (judged.by?.rule?.peers.some(({ kind }) => kind === "hostNames") === true) seen.byName++;
      }
    }),
    { numRuns: 200 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});
