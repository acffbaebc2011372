// What `explain --nb` and `get --nb` say of rows beside policies, in random worlds and without a database: of the rows that
// the policies ask for, that they agree; of rows that somebody changed, which ones.

import { describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { AskedRows } from "../../src/nbdb/tools/answers.ts";
import { differingPolicies } from "../../src/nbdb/tools/differing.ts";
import { everyDialect } from "../../src/dialects.ts";
import { AskedWorld } from "../../src/explain/asked.ts";
import type { Question } from "../../src/explain/question.ts";
import { explain } from "../../src/explain/explain.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { AclRecord, Tables } from "../../src/nbdb/rows/records.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { readRecords, databaseRows } from "../../src/nbdb/audit/index.ts";
import { withOwnNetworkPolicies } from "../proof/own-network-policies.ts";
import { probesOf } from "../proof/packets.ts";
import type { ProofWorld } from "../proof/worlds.ts";
import { proofWorld } from "../proof/worlds.ts";
import type { TierLayout } from "../../src/policy/contracts/tier-layout.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import { gnp } from "../support/calico.ts";
import { namespace, pod } from "../support/facts.ts";
import { patience } from "../support/patience.ts";
import { questionOf } from "./question-of.ts";
import { anp, banp, cnp } from "../support/policies.ts";

jest.setTimeout(patience(120_000));

const mode = { zone: null, namedPorts: "list", anpPriorities: "documented" } as const;
const modelOf = (objects: readonly WorldObject[], tierLayout: TierLayout = "threeTiers") =>
  offlineModel({ objects, dialects: everyDialect.dialects, families: null, mode: { ...mode, tierLayout } });
type Model = ReturnType<typeof modelOf>;

/** As `--nb file:` reads them. */
function existing(tables: Tables) {
  const read = readRecords(JSON.stringify(tables));
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return databaseRows(read.records);
}

const worldOf = (model: Model) =>
  new AskedWorld(model, { dialects: everyDialect.dialects, placeOf: () => null });

const worlds = fc.oneof(proofWorld, withOwnNetworkPolicies(proofWorld));

describe.each<readonly [string, TierLayout]>([
  ["three tiers", "threeTiers"],
  ["one stack", stack],
  ["one stack from OVN tier 0", { ...stack, beforeIsolation: true }],
])("rows that are as the policies ask: %s", (_, tierLayout) => {
  test("agree with them on every connection, and differ nowhere", () => {
    let decided = 0;
    fc.assert(
      fc.property(worlds, (world: ProofWorld) => {
        const model = modelOf(world.objects, tierLayout);
        const rows = new AskedRows(existing(model.tables()), model);
        const asked = worldOf(model);
        expect(rows.differences).toEqual([]);
        for (const probe of probesOf(world, 150)) {
          const question = questionOf(probe);
          if (question === null) continue;
          const answer = explain(asked, question, { isDetailed: false });
          const { verdict, agrees, differences } = rows.answer(answer);
          expect({ question, agrees, differences }).toEqual({ question, agrees: true, differences: [] });
          if (answer.verdict !== "unknown")
            expect({ question, verdict }).toEqual({ question, verdict: answer.verdict });
          if ([answer.egress, answer.ingress].some((side) => side?.by === "rule" || side?.by === "isolation"))
            decided++;
        }
      }),
      { numRuns: 25, includeErrorInReport: true },
    );
    expect(decided).toBeGreaterThan(250);
  });
});

test("rows at the places that history gave them are as the policies ask", () => {
  const ranked = ["one", "two", "three"].map((name, at) =>
    cnp(name, { priority: 10 * at, ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }),
  );
  const model = modelOf([...objects, ...ranked]);
  const tables = model.tables();
  const isRanked = (acl: AclRecord) => idOf(acl).includes("ClusterNetworkPolicy");
  expect(tables.ACL.filter(isRanked)).toHaveLength(3);
  const moved = tables.ACL.map((acl) => (isRanked(acl) ? { ...acl, priority: acl.priority - 7 } : acl));
  const rows = new AskedRows(existing({ ...tables, ACL: moved }), model);
  expect(rows.differences).toEqual([]);
  // In another order they are others.
  const [first] = moved.filter(isRanked);
  const behind = moved.map((acl) => (acl === first ? { ...acl, priority: 5 } : acl));
  expect(new AskedRows(existing({ ...tables, ACL: behind }), model).differences).not.toEqual([]);
});

test.each([
  ["which a rule excepts a few of", { notPorts: [22, "1000:1999"] }, "deny"],
  ["which a rule means a few of", { ports: [22, "1000:1999"] }, "allow"],
])("source ports, %s: the connection has another one, in the rows too", (_, source, verdict) => {
  const rule = { action: "Deny", protocol: "TCP", source, destination: { ports: [80] } };
  const world = [...objects, gnp("ports", { selector: "all()", ingress: [rule, { action: "Allow" }] })];
  const model = modelOf(world, stack);
  const question: Question = { from: "blue/web", to: "red/web", protocol: "tcp", port: 80 };
  const answer = explain(worldOf(model), question, { isDetailed: true });
  expect(answer).toMatchObject({ verdict, ingress: { by: "rule" } });
  const rows = new AskedRows(existing(model.tables()), model).answer(answer);
  expect(rows).toMatchObject({ verdict, agrees: true, differences: [] });
});

const red = pod("red", "web", { ips: ["10.0.0.1"] });
const blue = pod("blue", "web", { ips: ["10.0.0.2"] });
const homes = [namespace("red", { tenant: "red" }), namespace("blue", { tenant: "blue" })];
const from = [{ namespaces: { matchLabels: { tenant: "red" } } }];
const objects = [
  ...[red, blue, ...homes],
  anp("first", {
    priority: 1,
    ingress: [
      { action: "Allow", from, ports: [{ portNumber: { port: 80, protocol: "TCP" } }] },
      { action: "Deny", from },
    ],
  }),
  anp("second", { priority: 2, ingress: [{ action: "Deny", from }] }),
  banp({ egress: [{ action: "Deny", to: [{ namespaces: { matchLabels: { tenant: "green" } } }] }] }),
];
const question: Question = { from: "red/web", to: "blue/web", protocol: "tcp", port: 80 };
const idOf = ({ external_ids }: Pick<AclRecord, "external_ids">) => external_ids["k8s.ovn.org/id"] ?? "";
const controller = "default-network-controller:AdminNetworkPolicy";

function asked(change: (tables: Tables) => Tables) {
  const model = modelOf(objects);
  const changed = existing(change(model.tables()));
  const rows = new AskedRows(changed, model);
  const answer = rows.answer(explain(worldOf(model), question, { isDetailed: false }));
  const differs = differingPolicies(changed, model, rows.differences);
  return {
    answer,
    differing: model
      .policies()
      .filter(({ ref }) => differs(ref))
      .map(({ ref }) => ref.name),
  };
}

const withoutAcl =
  (end: string) =>
  (tables: Tables): Tables => ({
    ...tables,
    ACL: tables.ACL.filter((acl) => !idOf(acl).endsWith(end)),
    Port_Group: tables.Port_Group.map((group) => ({
      ...group,
      acls: group.acls.filter((id) => !id.endsWith(end)),
    })),
  });
const withAcl =
  (end: string, columns: Partial<AclRecord>) =>
  (tables: Tables): Tables => ({
    ...tables,
    ACL: tables.ACL.map((acl) => (idOf(acl).endsWith(end) ? { ...acl, ...columns } : acl)),
  });

describe("rows that somebody changed", () => {
  test("of which one is missing: another decides, and the missing one is named", () => {
    const { answer, differing } = asked(withoutAcl("first:Ingress:0:tcp"));
    expect(answer).toMatchObject({ verdict: "deny", agrees: false });
    expect(answer.differences).toEqual([
      `ingress: the policies say allow (AdminNetworkPolicy first ingress[0]), the rows deny (ACL ${controller}:first:Ingress:1:None, tier 1, priority 29899, drop)`,
      `Port_Group ${controller}:first is altered: acls lacks "${controller}:first:Ingress:0:tcp"`,
      `ACL ${controller}:first:Ingress:0:tcp is missing`,
    ]);
    expect(differing).toEqual(["first"]);
  });

  test("of which one is altered", () => {
    const { answer, differing } = asked(withAcl("first:Ingress:0:tcp", { action: "drop" }));
    expect(answer).toMatchObject({ verdict: "deny", agrees: false });
    expect(answer.differences.at(-1)).toBe(
      `ACL ${controller}:first:Ingress:0:tcp is altered: action is "drop", not "allow-related"`,
    );
    expect(differing).toEqual(["first"]);
  });

  test("so that the verdict is the same and another row decides", () => {
    const { answer } = asked(withAcl("second:Ingress:0:None", { action: "allow", priority: 32_000 }));
    expect(answer).toMatchObject({ verdict: "allow", agrees: false });
    expect(answer.differences[0]).toContain(
      "the policies say allow (AdminNetworkPolicy first ingress[0]), the rows allow (ACL",
    );
  });

  test("where it makes no difference to the connection, which agrees", () => {
    const { answer, differing } = asked(withAcl("default:Egress:0:None", { priority: 7 }));
    expect(answer).toMatchObject({ verdict: "allow", agrees: true, differences: [] });
    expect(differing).toEqual(["default"]);
  });

  test("of which one is extra", () => {
    const extra = (tables: Tables): Tables => {
      const [acl] = tables.ACL.filter((one) => idOf(one).endsWith("first:Ingress:0:tcp"));
      const [group] = tables.Port_Group;
      if (acl === undefined || group === undefined) throw new Error("there are rows");
      const ids = { ...acl.external_ids, "k8s.ovn.org/id": "old", "k8s.ovn.org/name": "gone" };
      return {
        ...tables,
        ACL: [...tables.ACL, { ...acl, action: "drop", priority: 32_000, external_ids: ids }],
        Port_Group: tables.Port_Group.map((one) =>
          one === group ? { ...one, acls: [...one.acls, "old"] } : one,
        ),
      };
    };
    const { answer } = asked(extra);
    expect(answer).toMatchObject({ verdict: "deny", agrees: false });
    expect(answer.differences).toContain("ACL old is extra: no policy asks for it");
  });

  test("in a set that a rule names", () => {
    const { answer } = asked((tables) => ({
      ...tables,
      Address_Set: tables.Address_Set.map((set) => ({
        ...set,
        addresses: set.addresses.filter((one) => one !== "10.0.0.1"),
      })),
    }));
    expect(answer).toMatchObject({ verdict: "allow", agrees: false });
    expect(answer.differences.join("\n")).toContain(
      'first:Ingress:0:v4 is altered: addresses lacks "10.0.0.1"',
    );
  });
});

test("a foreign ACL that decides is named, and one that nobody can read leaves the rows' verdict open", () => {
  const foreign =
    (columns: Partial<AclRecord>) =>
    (tables: Tables): Tables => {
      const [acl] = tables.ACL;
      const [group] = tables.Port_Group.filter(({ ports }) => ports.includes("blue_web"));
      if (acl === undefined || group === undefined) throw new Error("there are rows");
      const row = {
        ...acl,
        tier: 0,
        match: `outport == @${group.name}`,
        external_ids: { "k8s.ovn.org/id": "theirs" },
        direction: "to-lport",
        options: {},
        ...columns,
      };
      return {
        ...tables,
        ACL: [...tables.ACL, row],
        Port_Group: tables.Port_Group.map((one) =>
          one === group ? { ...one, acls: [...one.acls, "theirs"] } : one,
        ),
      };
    };
  const dropped = asked(foreign({ action: "drop" })).answer;
  expect(dropped).toMatchObject({ verdict: "deny", agrees: false });
  expect(dropped.differences[0]).toContain("the rows deny (ACL theirs, tier 0");
  const open = asked(foreign({ action: "drop", match: "outport != @nowhere" })).answer;
  expect(open).toMatchObject({ verdict: "unknown", agrees: false });
  expect(open.notes.join()).toContain("Match: ACL theirs");
});

describe("a pod whose port no group has", () => {
  const model = modelOf(objects);
  const tables = model.tables();
  const isOther = (port: string) => port !== "blue_web";
  const read = existing({
    ...tables,
    Port_Group: tables.Port_Group.map((group) => ({ ...group, ports: group.ports.filter(isOther) })),
  });
  const answerFrom = (rows: ReturnType<typeof existing>) =>
    new AskedRows(rows, model).answer(
      explain(worldOf(model), { ...question, port: 81 }, { isDetailed: false }),
    );

  test("is let through, and its groups are named", () => {
    const answer = answerFrom(read);
    expect(answer).toMatchObject({ verdict: "allow", agrees: false, notes: [] });
    expect(answer.differences.join("\n")).toContain('first is altered: ports lacks "blue_web"');
  });

  test("is another database's where it has no port at all, and is not compared", () => {
    const here = { uuid: null, name: "node-1", ports: [], acls: [] };
    const answer = answerFrom(databaseRows({ ...read.records, Logical_Switch: [here] }));
    const notes = ["red/web has no port in these rows", "blue/web has no port in these rows"];
    expect(answer).toMatchObject({ agrees: true, differences: [], notes });
  });
});
