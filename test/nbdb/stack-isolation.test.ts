// The isolation of a namespace where tiers are one stack: a deny of IP alone at the end of its policies' tier, which follows that end,
// and which an open end has not.

import { describe, expect, test } from "@jest/globals";
import { Groups } from "../../src/groups/index.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import type { ExistingAcls } from "../../src/nbdb/rows/unit.ts";
import { Preview } from "../../src/nbdb/desired/preview.ts";
import type { AclRecord } from "../../src/nbdb/rows/records.ts";
import type { TierLayout } from "../../src/policy/contracts/tier-layout.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import { groupChanges } from "../../src/policy/changes.ts";
import type { Direction, Policy } from "../../src/policy/ir.ts";
import { policyKey } from "../../src/policy/ir.ts";
import type { RuleText } from "../support/ir.ts";
import { irPolicy } from "../support/ir.ts";

const base = { name: "default", order: 1_000_000 };
const isolating = { ingress: "deny", egress: "next" } as const;

/** As a NetworkPolicy, without rules unless they are given. */
function isolation(name: string, ingress: readonly RuleText[] = []): Policy {
  const ref = { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "shop", name };
  return {
    ...irPolicy(name, { tier: base, priority: 1000, tie: name, unmatched: isolating, ingress }),
    ...{ ref, key: policyKey(ref), ownerType: "NetworkPolicy", shortKind: "NP" },
    rowForm: { sets: "networkPolicy" },
  };
}

const everyone: RuleText = { action: "pass", peers: [{ kind: "everything" }] };
const passing = irPolicy("passing", { tier: { name: "first", order: 1 }, ingress: [{ action: "pass" }] });
const open = irPolicy("open", { tier: base, priority: Infinity, tie: "z", ingress: [everyone] });

function preview(tierLayout: TierLayout, ...policies: readonly Policy[]): Preview {
  const groups = new Groups(new FactStore());
  for (const policy of [...policies, passing, open, isolation("a")])
    for (const group of groupChanges(null, policy).added) groups.retain(group);
  const rows = new Preview(groups, { zone: null, namedPorts: "list", tierLayout });
  rows.serve(["v4"]);
  for (const policy of policies) rows.upsert(policy);
  return rows;
}

/** Without a place given, all places follow from the policies. */
const nowhere: ExistingAcls = new Map();
const aclsOf = (rows: Preview): readonly AclRecord[] =>
  rows
    .tables(nowhere)
    .ACL.filter(({ external_ids }) => external_ids["k8s.ovn.org/owner-type"] === "NetpolNamespace");
const shown = (rows: Preview) =>
  aclsOf(rows).map(({ direction, tier, action, match }) => [direction, tier, action, match]);

describe("the isolation", () => {
  test("denies IP alone, and allows nothing at the place before", () => {
    const rows = preview(stack, isolation("a"));
    const match = expect.stringMatching(/^outport == @a\d+ && \(ip4 \|\| ip6\)$/) as unknown;
    const egress = expect.stringMatching(/^inport == @a\d+ && \(ip4 \|\| ip6\)$/) as unknown;
    expect(shown(rows).sort()).toEqual([
      ["from-lport", 1, "drop", egress],
      ["to-lport", 1, "drop", match],
    ]);
    expect(shown(preview("threeTiers", isolation("a")))).toHaveLength(4);
  });

  test("follows the end of its tier, also of policies without rules alone", () => {
    const rows = preview(stack, isolation("a"), isolation("b"));
    expect(aclsOf(rows).map(({ tier }) => tier)).toEqual([1, 1]);
    rows.upsert(passing);
    expect(aclsOf(rows)).toEqual(aclsOf(preview(stack, passing, isolation("a"), isolation("b"))));
    expect(aclsOf(rows).map(({ tier }) => tier)).toEqual([2, 2]);
    rows.remove(passing.key);
    expect(aclsOf(rows).map(({ tier }) => tier)).toEqual([1, 1]);
  });

  test("follows the tier's end also in a direction in which its policies isolate nothing", () => {
    const passes = irPolicy("open", { tier: base, priority: Infinity, tie: "z", egress: [everyone] });
    const last = (rules: Partial<Record<Direction, readonly RuleText[]>>) =>
      irPolicy("last", { tier: base, priority: Infinity, tie: "zz", ...rules });
    const rows = preview(
      stack,
      isolation("a", [{ action: "allow" }]),
      passes,
      last({ egress: [{ action: "allow" }] }),
    );
    expect(shown(rows)).toHaveLength(2);
    // No place of a rule and no end moves.
    rows.upsert(last({ ingress: [{ action: "allow" }] }));
    expect(shown(rows).map(([direction]) => direction)).toEqual(["to-lport"]);
    rows.upsert(last({ egress: [{ action: "allow" }] }));
    expect(shown(rows)).toHaveLength(2);
  });

  test("is not written in a direction in which the tier's end is open, and comes back", () => {
    const rows = preview(stack, isolation("a"));
    rows.upsert(open);
    expect(shown(rows).map(([direction]) => direction)).toEqual(["from-lport"]);
    const rules = rows.tables(nowhere).ACL.filter(({ action }) => action === "pass");
    expect(rules).toEqual([]);
    rows.remove(open.key);
    expect(shown(rows)).toHaveLength(2);
    // A policy behind it: its pass has a row.
    rows.upsert(open);
    rows.upsert(
      irPolicy("last", { tier: base, priority: Infinity, tie: "zz", ingress: [{ action: "allow" }] }),
    );
    expect(rows.tables(nowhere).ACL.filter(({ action }) => action === "pass")).toHaveLength(1);
    expect(shown(rows)).toHaveLength(2);
  });
});
