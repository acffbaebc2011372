// Rules with a subject of their own, on a real ovsdb-server: each has a port group in the policy's unit, with its ACLs in it;
// those with one share and one subject have one together. Compared with a fresh rendering after every step; no dialect makes
// such rules yet, so the policy is written by hand.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { Preview } from "../../src/nbdb/desired/preview.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import type { NamedPortForm } from "../../src/nbdb/rows/render-mode.ts";
import { namedPortForms } from "../../src/nbdb/rows/render-mode.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Policy, Rule } from "../../src/policy/ir.ts";
import { groupsOf } from "../support/groups-of.ts";
import { policyKey, tiers } from "../../src/policy/ir.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { openNorthbound, owners } from "../support/controller.ts";
import { namespace, pod, podGroup, withLabels } from "../support/facts.ts";
import { FedGroups } from "../support/fed-groups.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { clearRows } from "../support/ports.ts";

const all = podGroup(withLabels({}));
const red = podGroup(withLabels({ tenant: "red" }));
const blue = podGroup(withLabels({ tenant: "blue" }));
const http = (port: number) => ({ name: "http", protocol: "tcp", port }) as const;
const facts = [
  pod("red", "web", { ips: ["10.0.0.1"], ports: [http(80)] }),
  pod("blue", "web", { ips: ["10.0.1.1"], ports: [http(81)] }),
];

const rule = (index: number, more: Partial<Rule> = {}): Rule => ({
  ...{ index, name: "", action: "allow", share: null, subject: null },
  ...{ peers: [all], ports: null, logging: null },
  ...more,
});
const named = [{ kind: "named", name: "http" }] as const;
const shareOf = (group: typeof red, share: string) => ({ share, subject: [group], peers: [group] });

const kind = "AdminNetworkPolicy";
const ref = { group: "policy.networking.k8s.io", kind, namespace: null, name: "split" };
const key = policyKey(ref);
const policy = (ingress: readonly Rule[], egress: readonly Rule[] = []): Policy => ({
  ...{ key, ref, ownerType: kind, shortKind: "ANP", rowForm: { sets: "rule" } },
  ...{ tier: tiers.admin, priority: 7, subject: [all], rules: { ingress, egress } },
  unmatched: { ingress: "next", egress: "next" },
  logging: { allow: null, deny: null, pass: null, reject: null },
});

await describeWithOvn("rules with subjects of their own", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    const ports = ["red_web", "blue_web", "red_late"].flatMap((name) => ["--", "lsp-add", "sw", name]);
    await ovn.nbctl("ls-add", "sw", ...ports);
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterEach(async () => {
    await session.close();
  });

  function world(namedPorts: NamedPortForm) {
    const groups = new FedGroups();
    for (const tenant of ["red", "blue"]) groups.setNamespace(namespace(tenant, { tenant }));
    for (const fact of facts) groups.setPod(fact);
    const mode = { zone: null, namedPorts };
    const backend = new NorthboundBackend({
      ...{ ...mode, session, membership: groups, owners, logger: silentLogger, clock: systemClock },
      writer: new NorthboundWriter({ session }),
      mayExist: () => false,
    });
    backend.serve(["v4"]);
    /** Writes what is desired now and compares the database with a fresh rendering. */
    const commit = async (desired: Policy | null): Promise<void> => {
      backend.touch(groups.drain());
      const { operations } = session.stats;
      const { settled, refused, interrupted } = await backend.commit();
      expect([refused.size, interrupted]).toEqual([0, null]);
      if (session.stats.operations > operations) expect(settled).toEqual([key]);
      const preview = new Preview(groups, mode);
      preview.serve(["v4"]);
      if (desired !== null) preview.upsert(desired);
      expect(actualTables(session.cache)).toEqual(preview.tables());
    };
    const become = async (desired: Policy): Promise<void> => {
      for (const group of groupsOf(desired)) groups.retain(group);
      backend.upsert(desired);
      await commit(desired);
    };
    return { groups, backend, become, commit };
  }

  const portGroups = () => actualTables(session.cache).Port_Group;

  describe.each(namedPortForms)("named ports as %s", (form) => {
    const mixed = policy(
      [
        rule(0),
        rule(1, { ...shareOf(red, "red"), ports: named }),
        rule(1, { ...shareOf(blue, "blue"), ports: named }),
        rule(2, { subject: [blue], action: "deny" }),
      ],
      [rule(0, { subject: [red, blue], ports: named })],
    );

    test("each has a port group with its pods and its ACLs, and a restart writes nothing", async () => {
      await world(form).become(mixed);
      const ids = portGroups().map((row) => (row.external_ids[keys.id] ?? "").split(":").slice(2));
      // A share and a subject go hashed.
      const shown = ids.map((parts) => parts.join(":").replace(/:\d{10,}:[0-9a-f]{32}$/, ":a share"));
      expect(shown.sort()).toEqual(
        ["split", "split:a share", "split:a share", "split:Ingress:2", "split:Egress:0"].sort(),
      );
      expect(portGroups()).toHaveLength(5);
      // No share's text is shown.
      expect(JSON.stringify(ids)).not.toMatch(/red|blue/);
      const references = portGroups().flatMap(({ acls }) => acls);
      expect(references.sort()).toEqual(
        actualTables(session.cache)
          .ACL.map((row) => row.external_ids[keys.id])
          .sort(),
      );
      const places = actualTables(session.cache).ACL.map(({ tier, priority }) => `${tier} ${priority}`);
      // The two shares of a rule have its place.
      expect(new Set(places).size).toBe(3);
      const { operations } = session.stats;
      await world(form).become(mixed);
      expect(session.stats.operations).toBe(operations);
    });

    test("a pod joins the groups whose subject it is, and no other row changes", async () => {
      const { groups, become, commit } = world(form);
      await become(mixed);
      const { operations } = session.stats;
      groups.setPod(pod("red", "late", { ips: [] }));
      await commit(mixed);
      const withPod = portGroups().filter(({ ports }) => ports.includes("red_late"));
      expect(withPod).toHaveLength(3);
      expect(session.stats.operations - operations).toBe(3);
    });

    test("edits that give, take and change subjects leave the rows of a fresh rendering", async () => {
      const { become, backend, commit } = world(form);
      for (const ingress of [
        [rule(0), rule(1)],
        [rule(0, { subject: [red] }), rule(1)],
        [rule(0, { subject: [blue], ports: named }), rule(1)],
        [rule(0, { subject: [blue, red], ports: named }), rule(1, { subject: [red] })],
        [rule(0, shareOf(red, "r")), rule(0, shareOf(blue, "b")), rule(1, { ports: named })],
        [rule(0, shareOf(blue, "b")), rule(0, shareOf(red, "r")), rule(0), rule(1, { ports: named })],
        [rule(0, { ...shareOf(blue, "b"), ports: named }), rule(1, { subject: [], ports: named })],
        [rule(0)],
      ])
        await become(policy(ingress));
      backend.remove(key);
      await commit(null);
      expect(actualTables(session.cache)).toEqual({ Port_Group: [], Address_Set: [], ACL: [] });
    });

    test("what someone does to a rule's port group is put right", async () => {
      const { become, commit } = world(form);
      await become(mixed);
      const group = portGroups().find((row) => row.external_ids["gress-index"] === "2");
      for (const edit of [
        ["clear", "Port_Group", group?.name ?? "", "acls"],
        ["clear", "Port_Group", group?.name ?? "", "ports"],
        ["destroy", "Port_Group", group?.name ?? ""],
      ]) {
        const { rowChanges } = session.stats;
        await ovn.nbctl(...edit);
        while (session.stats.rowChanges === rowChanges)
          await new Promise((resolve) => setTimeout(resolve, 5));
        await commit(mixed);
      }
    });
  });

  test("rules with one share and one subject have one group, and each that goes leaves it to the others", async () => {
    const { groups, become, commit } = world("list");
    const reds = shareOf(red, "one");
    const ofBoth = { ...reds, subject: [red, blue] };
    const [first, second, third] = [rule(0, reds), rule(1, { ...reds, action: "deny" }), rule(2, reds)];
    await become(policy([first, second], [third, rule(3, ofBoth), rule(4, shareOf(red, "two"))]));
    const shared = portGroups().filter(({ acls }) => acls.length === 3);
    // The policy's own; one of three rules, one of another subject, one of another share.
    expect([portGroups().length, shared.length]).toEqual([4, 1]);
    expect(shared[0]?.ports).toEqual(["red_web"]);
    groups.setPod(pod("red", "late", { ips: [] }));
    const { operations } = session.stats;
    await commit(policy([first, second], [third, rule(3, ofBoth), rule(4, shareOf(red, "two"))]));
    expect(session.stats.operations - operations).toBe(4);
    for (const [ingress, egress, acls] of [
      [[second], [third], 2],
      [[], [third], 1],
      [[first, second], [], 2],
    ] as const) {
      await become(policy(ingress, egress));
      expect(portGroups().map((row) => [row.name === shared[0]?.name, row.acls.length])).toContainEqual([
        true,
        acls,
      ]);
      expect(portGroups()).toHaveLength(2);
    }
  });

  test("a rule that keeps its place among shares keeps its rows as they are", async () => {
    const { become } = world("list");
    const [own, other] = [rule(0, shareOf(red, "r")), rule(0, shareOf(blue, "b"))];
    await become(policy([own, other]));
    const { operations } = session.stats;
    await become(policy([other, own]));
    expect(session.stats.operations).toBe(operations);
  });
});
