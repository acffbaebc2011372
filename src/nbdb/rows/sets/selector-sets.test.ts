// The shared sets of a selector: what their names follow from, what people see of them, and which kinds have them.

import { describe, expect, test } from "@jest/globals";
import type { Peer, PeerGroup, Policy } from "../../../policy/ir.ts";
import { groupKey } from "../../../policy/ir.ts";
import { allOf, anyOf, everything, negated, requirements } from "../../../model/selector.ts";
import { hostNamesLike } from "../../../model/selectors/host-names.ts";
import { namespacesNamed } from "../../../model/selectable.ts";
import { podGroup, withLabels } from "../../../../test/support/facts.ts";
import { irPolicy, network } from "../../../../test/support/ir.ts";
import { groupText } from "../match/group-text.ts";
import { hashedName, keys } from "../names.ts";
import { everyDialect } from "../../../dialects.ts";
import { rowOwners } from "../owners.ts";
import type { RenderOptions } from "../render-mode.ts";
import { renderPolicy } from "../render.ts";
import { selectorSets } from "./selector-sets.ts";
import type { DesiredAddressSet } from "../unit.ts";

const nowhere = { tier: 0, priority: 0 };
const options: RenderOptions = {
  ...{ families: ["v4", "v6"], zone: null, namedPorts: "list" },
  places: { place: () => nowhere, end: () => nowhere, isOpenEnd: () => false },
};
const web = podGroup(everything, withLabels({ app: "web" }));
const db = podGroup(withLabels({ tenant: "a" }), withLabels({ app: "db" }));
const hosts: PeerGroup = { kind: "hostNames", names: hostNamesLike("*.example.org") ?? everything };
const nodes: PeerGroup = { kind: "nodes", nodes: withLabels({ pool: "edge" }) };

function setsOf(group: PeerGroup, given = options): readonly DesiredAddressSet[] {
  const rows = selectorSets(group).render(given, null);
  return [...rows.parts.values()].flatMap(({ addressSets }) => addressSets);
}

describe("the sets of a selector", () => {
  const unitOf = rowOwners(everyDialect.owners).get("NorthgateSelector") ?? (() => null);

  test("are one for each family, with ids in the documented form", () => {
    const ids = setsOf(web).map(({ externalIds }) => Object.fromEntries(externalIds));
    const name = ids[0]?.[keys.name] ?? "";
    expect(name).toMatch(/^[0-9a-f]{32}$/);
    const idsIn = (family: string) => ({
      "k8s.ovn.org/id": `default-network-controller:NorthgateSelector:${name}:${family}`,
      "k8s.ovn.org/name": name,
      "k8s.ovn.org/owner-controller": "default-network-controller",
      "k8s.ovn.org/owner-type": "NorthgateSelector",
      "ip-family": family,
      selector: "namespaces; pods app=web",
    });
    expect(ids).toEqual([idsIn("v4"), idsIn("v6")]);
  });

  test("are named in matches as they are, and found again as rows of their unit", () => {
    const sets = selectorSets(web);
    for (const { name, externalIds, family } of setsOf(web)) {
      expect([name, sets.setName(family)]).toEqual(Array(2).fill(hashedName(externalIds)));
      expect(unitOf(externalIds)).toBe(sets.unit);
    }
    expect(new Set(setsOf(web).map(({ name }) => name)).size).toBe(2);
    expect(unitOf(new Map())).toBeNull();
  });

  test("are the same for equal selectors, others for others, and the same objects while families are", () => {
    const again = podGroup(requirements([]), withLabels({ app: "web" }));
    expect(setsOf(again)).toEqual(setsOf(web));
    const core: PeerGroup = { kind: "nodes", nodes: withLabels({ pool: "core" }) };
    const names = [web, db, nodes, core, podGroup(everything)].map((group) => setsOf(group)[0]?.name);
    expect(new Set(names).size).toBe(5);
    const first = selectorSets(web).render(options, null);
    expect(selectorSets(again).render(options, first)).toBe(first);
    const one = selectorSets(web).render({ ...options, families: ["v6"] }, first);
    expect(
      [...one.parts.values()].flatMap(({ addressSets }) => addressSets.map(({ family }) => family)),
    ).toEqual(["v6"]);
  });
});

test.each<readonly [string, PeerGroup]>([
  ["namespaces tenant=a; pods app=db", db],
  ["nodes pool=edge", nodes],
  ['host names #hostName ends with ".example.org"', hosts],
  ["namespaces #name in (a,b); pods", podGroup(namespacesNamed(["a", "b"]))],
  [
    "namespaces; pods !gone,app!=db,here,tier notin (x,y)",
    podGroup(
      everything,
      requirements([
        { operator: "NotIn", key: "tier", values: ["x", "y"] },
        { operator: "NotIn", key: "app", values: ["db"] },
        { operator: "Exists", key: "here" },
        { operator: "DoesNotExist", key: "gone" },
      ]),
    ),
  ],
  [
    'namespaces; pods app contains "a",app ends with "c",app starts with "b"',
    podGroup(
      everything,
      requirements([
        { operator: "Contains", key: "app", text: "a" },
        { operator: "StartsWith", key: "app", text: "b" },
        { operator: "EndsWith", key: "app", text: "c" },
      ]),
    ),
  ],
  [
    "namespaces (a=1 or b=1); pods not ((a=1 and b=1))",
    podGroup(
      anyOf([withLabels({ a: "1" }), withLabels({ b: "1" })]),
      negated(allOf([withLabels({ a: "1" }), withLabels({ b: "1" })])),
    ),
  ],
  ["namespaces; pods app=\\u{1b}[2J\\u{202e}", podGroup(everything, withLabels({ app: "\u001b[2J\u202e" }))],
])("people see %s", (shown, group) => {
  const text = groupText(group);
  // The order of requirements is that of the canonical text.
  const parts = (of: string) => of.split(/[ ,;]+/).sort();
  expect(parts(text)).toEqual(parts(shown));
});

test("a long selector is cut, and a letter of two units is not cut in half", () => {
  for (const lead of ["", "x"]) {
    const text = groupText(podGroup(everything, withLabels({ app: `${lead}${"\u{1f600}".repeat(300)}` })));
    expect(text.length).toBeLessThan(220);
    expect(text.endsWith("...")).toBe(true);
    expect(text.isWellFormed()).toBe(true);
  }
});

describe("a rule", () => {
  const kinds: readonly (readonly [string, boolean])[] = [
    ["AdminNetworkPolicy", false],
    ["BaselineAdminNetworkPolicy", false],
    ["ClusterNetworkPolicy", true],
    ["TrafficPolicy", true],
  ];
  const of = (ownerType: string, policy: Policy) => {
    const form = everyDialect.owners.get(ownerType)?.rowForm;
    return renderPolicy({ ...policy, ownerType, ...(form && { rowForm: form }) }, options);
  };

  test.each(kinds)("of %s shares its sets: %s", (ownerType, shares) => {
    const rows = of(ownerType, irPolicy("p", { ingress: [{ peers: [web, db, web] }] }));
    const own = [...rows.parts.values()].flatMap(({ addressSets }) => addressSets);
    expect([own.length, rows.shared.size]).toEqual(shares ? [0, 2] : [2, 0]);
    const acls = [...rows.parts.values()][0]?.acls ?? [];
    const sets = acls.map(({ row }) => row.match.split("$").length - 1);
    // One ACL names the rule's own sets of both families, or each family has one with the sets of two selectors.
    expect(sets).toEqual(shares ? [2, 2] : [2]);
    const families = acls.map(({ row }) => row.external_ids.get(keys.family));
    expect(families).toEqual(shares ? ["v4", "v6"] : [undefined]);
    for (const { row } of shares ? acls : []) expect(row.match).not.toMatch(/ip4.*ip6/);
    expect(new Set(acls.map(({ id }) => id)).size).toBe(acls.length);
  });

  test.each(kinds)(
    "of %s shares the sets of host names with every other rule of the pattern",
    (ownerType) => {
      const [one, other] = ["p", "q"].map((name) =>
        of(ownerType, irPolicy(name, { egress: [{ peers: [hosts] }, { peers: [hosts, web] }] })),
      );
      const own = [...(one?.parts.values() ?? [])].flatMap(({ addressSets }) => addressSets);
      expect([own.length, one?.shared.size]).toEqual([0, 2]);
      expect([...(other?.shared.keys() ?? [])]).toEqual([...(one?.shared.keys() ?? [])]);
    },
  );

  test("without a peer in any family has no ACL, and one of every address names no set", () => {
    const policy = irPolicy("p", {
      ingress: [{ peers: [] }, { peers: [{ kind: "everything" }] }],
      egress: [
        {
          peers: [
            { kind: "network", cidr: network("10.0.0.0/8"), except: [network("10.0.0.0/9")] },
            { kind: "network", cidr: network("fd00::/8"), except: [] },
          ],
        },
      ],
    });
    const rows = of("ClusterNetworkPolicy", policy);
    const matches = [...rows.parts.values()].map(({ acls }) => acls.map(({ row }) => row.match));
    const { name } = rows.portGroup;
    expect(matches).toEqual([
      [],
      [`outport == @${name} && (ip4 || ip6)`],
      [`inport == @${name} && (ip4.dst == {10.128.0.0/9} || ip6.dst == {fd00::/8})`],
    ]);
    expect(rows.shared.size).toBe(0);
  });

  test("about all but some pods names a set of what is outside, beside the networks that it is within", () => {
    const outside = (networks: readonly string[], except: readonly string[] = []): Peer => ({
      ...{ kind: "others", pods: [web, db, web] },
      ...{ networks: networks.map(network), except: except.map(network) },
    });
    const policy = irPolicy("p", {
      ingress: [{ peers: [outside(["0.0.0.0/0", "::/0"])] }, { peers: [outside(["0.0.0.0/0"]), nodes] }],
      egress: [{ peers: [outside(["10.0.0.0/8", "fd00::/8"], ["10.1.0.0/16"])] }],
    });
    const rows = of("AdminNetworkPolicy", policy);
    const matches = [...rows.parts.values()].map(({ acls }) => acls.map(({ row }) => row.match));
    const units = [...rows.shared.values()].map((unit) => ({ unit, rows: unit.render(options, null) }));
    const sets = units.flatMap(({ rows: own }) =>
      [...own.parts.values()].flatMap((part) => part.addressSets),
    );
    const named = (text: string, family: string) =>
      sets.find((one) => one.externalIds.get("selector") === text && one.family === family)?.name;
    const all =
      "all but namespaces; pods app=web or namespaces tenant=a; pods app=db or namespaces; pods app=web";
    const { name } = rows.portGroup;
    expect(matches).toEqual([
      [
        `outport == @${name} && ip4.src == {$${named(all, "v4")}}`,
        `outport == @${name} && ip6.src == {$${named(all, "v6")}}`,
      ],
      [
        `outport == @${name} && (ip4.src == {$${named("nodes pool=edge", "v4")}} || ip4.src == {$${named(all, "v4")}})`,
        `outport == @${name} && ip6.src == {$${named("nodes pool=edge", "v6")}}`,
      ],
      [
        `inport == @${name} && ip4.dst == {$${named(`${all} or 10.1.0.0/16`, "v4")}} && ip4.dst == {10.0.0.0/8}`,
        `inport == @${name} && ip6.dst == {$${named(`${all} or 10.1.0.0/16`, "v6")}} && ip6.dst == {fd00::/8}`,
      ],
    ]);
    const contents = sets
      .filter(({ isComplement }) => isComplement)
      .map(({ groups, networks }) => [groups, [...networks]]);
    const keysOf = [web, db].map(groupKey);
    expect(contents).toEqual([
      [keysOf, []],
      [keysOf, []],
      [keysOf, ["10.1.0.0/16"]],
      [keysOf, []],
    ]);
  });

  test("that is edited keeps what stands for its peers", () => {
    const policy = { ...irPolicy("p", { ingress: [{ peers: [web] }] }), ownerType: "ClusterNetworkPolicy" };
    const before = renderPolicy(policy, options);
    const [rule] = policy.rules.ingress;
    if (rule === undefined) throw new Error("no rule");
    const edited: Policy = { ...policy, rules: { ingress: [{ ...rule, action: "deny" }], egress: [] } };
    const after = renderPolicy(edited, options, { policy, rows: before });
    expect([...after.shared.values()][0]).toBe([...before.shared.values()][0]);
    expect([...after.parts.values()][0]?.acls[0]?.row.action).toBe("drop");
  });
});
