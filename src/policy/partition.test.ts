// Plain rules give the same verdict on every connection as the rule about the subject's own namespaces; and parts that
// did not change stay the same objects.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { groupsOf } from "../../test/support/groups-of.ts";
import { ip, namespace, podGroup, withLabels } from "../../test/support/facts.ts";
import {
  connectionsIn,
  irPolicies,
  irPolicy,
  irRule,
  irWorlds,
  sameNamespaces,
} from "../../test/support/ir.ts";
import { valuesAmong } from "../../test/support/values-among.ts";
import type { NamespaceFact } from "../model/facts.ts";
import { namespacesNamed } from "../model/selectable.ts";
import { allOf, everything, requirements } from "../model/selector.ts";
import { judge } from "./evaluate.ts";
import type { Policy } from "./ir.ts";
import { groupChanges } from "./changes.ts";
import { directions, groupKey } from "./ir.ts";
import type { Expansion } from "./partition.ts";
import { expand, partitionBy, partitionsOf, valueOf } from "./partition.ts";

const red = namespace("red", { tenant: "t1", zone: "z" });
const blue = namespace("blue", { tenant: "t1" });
const green = namespace("green", { tenant: "t2", zone: "z" });
const bare = namespace("bare");
const all = [red, blue, green, bare];
const own = sameNamespaces();
const ofTenant = sameNamespaces(["tenant"]);

const shares = (policy: Policy) => policy.rules.ingress.map(({ index, share }) => `${index} ${share ?? "-"}`);

describe("values", () => {
  const of = (keys: readonly string[], fact: NamespaceFact) => valueOf(partitionBy(everything, keys), fact);

  test("without keys are names", () => {
    expect(of([], red)).toEqual({ share: "red", namespaces: namespacesNamed(["red"]) });
  });

  test("of keys have the keys in them, in one order, so that two lists of keys are never taken for one", () => {
    const equal = (key: string, value: string) => ({ operator: "In" as const, key, values: [value] });
    const both = {
      share: '[["tenant","t1"],["zone","z"]]',
      namespaces: requirements([equal("tenant", "t1"), equal("zone", "z")]),
    };
    expect(of(["tenant", "zone"], red)).toEqual(both);
    expect(of(["zone", "tenant", "zone"], red)).toEqual(both);
    expect(of(["tenant"], green)?.share).toBe('[["tenant","t2"]]');
  });

  test("are missing where a key is; an empty value is one", () => {
    expect(of(["tenant", "zone"], blue)).toBeNull();
    expect(of(["tenant"], namespace("odd", { tenant: "" }))?.share).toBe('[["tenant",""]]');
  });
});

describe("a policy", () => {
  test("that is plain is itself", () => {
    const plain = irPolicy("p", { ingress: [{}] });
    expect(expand(plain, valuesAmong(all))).toBe(plain);
    expect(partitionsOf(plain)).toEqual([]);
  });

  test("about its own namespaces has one rule a namespace, with the same place and everything else", () => {
    const rule = irRule(0, { name: "mine", action: "deny", peers: [own], ports: [] });
    const policy = irPolicy("p", {
      subject: [podGroup(withLabels({ tenant: "t1" }), withLabels({ app: "a" }))],
      ingress: [rule, {}],
    });
    const { rules } = expand(policy, valuesAmong(all));
    const tenant = withLabels({ tenant: "t1" });
    expect(rules.ingress).toEqual([
      ...["blue", "red"].map((name) => ({
        ...rule,
        share: name,
        subject: [podGroup(allOf([tenant, namespacesNamed([name])]), withLabels({ app: "a" }))],
        peers: [podGroup(namespacesNamed([name]))],
      })),
      policy.rules.ingress[1],
    ]);
    expect(rules.ingress[2]).toBe(policy.rules.ingress[1]);
  });

  test("of all namespaces shares the value's group between subject and peers", () => {
    const { rules } = expand(irPolicy("p", { ingress: [{ peers: [own] }] }), valuesAmong([red]));
    const groups = groupsOf({ ...irPolicy("p"), rules }).map(groupKey);
    // The policy's own subject is retained too, even if another policy uses it.
    expect(new Set(groups).size).toBe(2);
  });

  test("gets a rule of its own for peers that have nothing to do with the subject", () => {
    const mixed = irPolicy("p", {
      ingress: [
        {
          peers: [
            { kind: "everything" },
            ofTenant,
            own,
            sameNamespaces(["tenant"], withLabels({ app: "a" })),
          ],
        },
      ],
    });
    const { rules } = expand(mixed, valuesAmong([red]));
    expect(rules.ingress.map(({ share, subject, peers }) => [share, subject === null, peers.length])).toEqual(
      [
        [null, true, 1],
        ['[["tenant","t1"]]', false, 2],
        ["red", false, 1],
      ],
    );
  });

  test("with no value left has no rule, and what is not matched is treated as before", () => {
    const closed = irPolicy("p", {
      ingress: [{ peers: [ofTenant] }],
      unmatched: { ingress: "deny", egress: "next" },
    });
    const plain = expand(closed, valuesAmong([bare]));
    expect(plain.rules.ingress).toEqual([]);
    expect(plain.unmatched).toEqual(closed.unmatched);
  });

  test("about several groups has the values of any of them", () => {
    const union = irPolicy("p", {
      subject: [podGroup(namespacesNamed(["green"])), podGroup(namespacesNamed(["blue"]))],
      ingress: [{ peers: [ofTenant] }, { subject: [podGroup(namespacesNamed(["red"]))], peers: [own] }],
    });
    expect(partitionsOf(union)).toHaveLength(3);
    expect(shares(expand(union, valuesAmong(all)))).toEqual([
      '0 [["tenant","t1"]]',
      '0 [["tenant","t2"]]',
      "1 red",
    ]);
  });
});

describe("expanded again", () => {
  const rule = irRule(0, { peers: [own, { kind: "everything" }] });
  const policy = irPolicy("p", { ingress: [rule] });
  const expansion = (
    of: Policy,
    facts: readonly NamespaceFact[],
    before: Expansion | null = null,
  ): Expansion => ({
    policy: of,
    expanded: expand(of, valuesAmong(facts), before),
  });
  const before = expansion(policy, [red, green]);
  const kept = (after: Policy) =>
    after.rules.ingress.filter((one) => before.expanded.rules.ingress.includes(one));

  test("with the same values it is the same object", () => {
    expect(expand(policy, valuesAmong([green, red]), before)).toBe(before.expanded);
  });

  test("a new value makes its own rule alone, one that is gone takes its own alone", () => {
    const more = expand(policy, valuesAmong(all), before);
    expect(more.rules.ingress).toHaveLength(5);
    expect(kept(more)).toEqual(before.expanded.rules.ingress);
    const less = expand(policy, valuesAmong([green]), before);
    expect(less.rules.ingress).toHaveLength(2);
    expect(kept(less)).toHaveLength(2);
  });

  test("many values at once come and go beside those that stay", () => {
    const spaces = Array.from({ length: 40 }, (_, at) => namespace(`n${at}`));
    const some = expansion(
      policy,
      spaces.filter((_, at) => at % 3 > 0),
    );
    const others = spaces.filter((_, at) => at % 3 < 2);
    const after = expand(policy, valuesAmong(others), some);
    expect(after).toEqual(expand(policy, valuesAmong(others)));
    const both = after.rules.ingress.filter((one) => some.expanded.rules.ingress.includes(one));
    // Those of every third namespace, and that of all.
    expect(both).toHaveLength(14);
  });

  test("a rule that is another object is made anew, and so is one whose subject is", () => {
    const edited = { ...policy, rules: { ...policy.rules, ingress: [{ ...rule }] } };
    expect(kept(expand(edited, valuesAmong([red, green]), before))).toEqual([]);
    const moved = { ...policy, subject: [podGroup(everything, withLabels({ app: "a" }))] };
    expect(kept(expand(moved, valuesAmong([red, green]), before))).toEqual([]);
    const elsewhere = { ...policy, priority: 11 };
    expect(kept(expand(elsewhere, valuesAmong([red, green]), before))).toHaveLength(3);
  });

  test("what the one policy needs beyond the other is the new value's, wherever its rules stand", () => {
    const first = namespace("amber");
    const after = expand(policy, valuesAmong([red, green, first]), before);
    const { removed, added } = groupChanges(before.expanded, after);
    const news = added.map(groupKey);
    expect(new Set(news)).toEqual(new Set([groupKey(podGroup(namespacesNamed(["amber"])))]));
    expect(removed).toEqual([]);
  });
});

describe("any policies in any world", () => {
  test("expanded again are as expanded for the first time, and keep the rules that come out as before", () => {
    fc.assert(
      fc.property(irWorlds, irWorlds, irPolicies, (first, second, policies) => {
        for (const policy of policies) {
          const before = { policy, expanded: expand(policy, valuesAmong(first.world.namespaces.values())) };
          const values = valuesAmong(second.world.namespaces.values());
          const after = expand(policy, values, before);
          expect(after).toEqual(expand(policy, values));
          for (const direction of directions) {
            const known = new Map(
              before.expanded.rules[direction].map((rule) => [JSON.stringify(rule), rule]),
            );
            for (const rule of after.rules[direction])
              expect(known.get(JSON.stringify(rule)) ?? rule).toBe(rule);
          }
        }
      }),
    );
  });

  test("mean the same in plain rules", () => {
    fc.assert(
      fc.property(irWorlds, irPolicies, (drawn, policies) => {
        const plain = policies.map((policy) => expand(policy, valuesAmong(drawn.world.namespaces.values())));
        for (const policy of plain)
          for (const direction of directions)
            for (const { peers } of policy.rules[direction])
              expect(peers.some(({ kind }) => kind === "sameNamespaces")).toBe(false);
        const connections = connectionsIn(drawn, ip);
        const judged = (some: readonly Policy[]) =>
          connections.map((connection) => {
            const judgement = judge(connection, drawn.world, some);
            const sides = directions.map((direction) => judgement[direction]);
            return sides.flatMap(({ steps, verdict }) => [
              verdict,
              ...steps.map(({ policy, rule }) => `${policy.key} ${rule?.index ?? "unmatched"}`),
            ]);
          });
        expect(judged(plain)).toEqual(judged(policies));
      }),
      { numRuns: 150 },
    );
  });

  test("never have two rules of one key in a direction", () => {
    fc.assert(
      fc.property(irWorlds, irPolicies, ({ world }, policies) => {
        for (const policy of policies) {
          const plain = expand(policy, valuesAmong(world.namespaces.values()));
          const keys = shares(plain);
          expect(new Set(keys).size).toBe(keys.length);
        }
      }),
    );
  });
});
