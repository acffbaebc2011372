// The files that `--nb file:` takes, and every file that is none: an error names what is wrong and where.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { evaluateRows, readRecords, RowsError, databaseRows } from "../../src/nbdb/audit/index.ts";
import { ip } from "../support/facts.ts";

const acl = {
  ...{
    name: "x",
    action: "drop",
    direction: "to-lport",
    priority: 5,
    tier: 1,
    match: "outport == @g && ip4",
  },
  ...{ log: false, severity: null, meter: null, label: 0, options: {} },
  external_ids: { "k8s.ovn.org/id": "one" },
};
const rendered = {
  Port_Group: [{ name: "g", external_ids: {}, ports: ["red_a"], acls: ["one"] }],
  Address_Set: [{ name: "s", addresses: ["10.0.0.1"], external_ids: {} }],
  ACL: [acl],
};

/** As `ovsdb-client -f json dump` prints tables. */
const uuid = (last: number) => ["uuid", `00000000-0000-4000-8000-00000000000${last}`];
const aclHeadings = ["_uuid", "action", "direction", "priority", "tier", "match", "name", "options"];
const dumpedIds = ["map", [["k8s.ovn.org/id", "one"]]];
const dumpedAcl: readonly unknown[] = [
  ...[uuid(1), "drop", "to-lport", 5, 1, "outport == @g && ip4", ["set", []], ["map", []], dumpedIds],
];
const dumped = [
  { caption: "ACL table", headings: [...aclHeadings, "external_ids"], data: [dumpedAcl] },
  {
    caption: "Address_Set table",
    headings: ["_uuid", "name", "addresses"],
    data: [[uuid(2), "s", "10.0.0.1"]],
  },
  {
    caption: "Port_Group table",
    headings: ["_uuid", "name", "ports", "acls"],
    data: [[uuid(3), "g", uuid(4), ["set", [uuid(1)]]]],
  },
  { caption: "Logical_Switch table", headings: ["_uuid", "name", "ports"], data: [[uuid(5), "sw", uuid(4)]] },
  {
    caption: "Logical_Switch_Port table",
    headings: ["_uuid", "name", "type"],
    data: [[uuid(4), "red_a", ""]],
  },
];
const dumpText = (tables: readonly unknown[]) => tables.map((table) => JSON.stringify(table)).join("\n");

const connection = {
  from: { ip: ip("10.0.0.9"), port: null },
  to: { ip: ip("10.0.0.1"), port: "red_a" },
  protocol: "tcp",
  port: 80,
} as const;

function recordsIn(text: string) {
  const read = readRecords(text);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.records;
}

function wrongs(text: string): readonly string[] {
  const read = readRecords(text);
  return "problems" in read ? read.problems.map(({ field, message }) => `${field}: ${message}`) : [];
}

describe("the rows of", () => {
  test.each([
    ["render -o json", JSON.stringify(rendered, null, 2), null],
    ["ovsdb-client -f json dump", `${dumpText(dumped)}\n`, "00000000-0000-4000-8000-000000000001"],
  ])("%s decide", (_, text, aclUuid) => {
    const { verdict, ingress, caveats } = evaluateRows(databaseRows(recordsIn(text)), connection);
    expect([verdict, caveats]).toEqual(["deny", []]);
    expect(ingress.acls).toMatchObject([{ uuid: aclUuid, id: "one", tier: 1, priority: 5, action: "drop" }]);
  });
});

describe("a file is refused", () => {
  const without = (name: string) =>
    JSON.stringify(Object.fromEntries(Object.entries(rendered).filter(([key]) => key !== name)));
  const changed = (change: object) => JSON.stringify({ ...rendered, ACL: [{ ...acl, ...change }] });
  const table = (change: object) => dumpText([{ ...dumped[0], ...change }, ...dumped.slice(1)]);
  test.each([
    ["empty", "", "the file is empty"],
    ["no JSON", "{", "line 1: not JSON"],
    ["YAML", "ACL:\n  - name: x\n", "line 1: not JSON"],
    ["JSON of something else", "[1]", "line 1: not a table of a dump"],
    ["a list of manifests", '{"kind":"List","items":[]}', "no table ACL, Port_Group, Address_Set"],
    ["a table missing", without("ACL"), "no table ACL"],
    ["a table that is no list", JSON.stringify({ ...rendered, ACL: {} }), "ACL: must be a list"],
    ["a row that is no object", JSON.stringify({ ...rendered, ACL: [1] }), "ACL[0]: must be an object"],
    ["an action nobody knows", changed({ action: "deny" }), "ACL[0].action: must be allow,"],
    [
      "a direction nobody knows",
      changed({ direction: "in" }),
      "ACL[0].direction: must be from-lport, to-lport",
    ],
    ["a tier that is none", changed({ tier: 4 }), "ACL[0].tier: must be an integer from 0 to 3, not 4"],
    ["a priority that is text", changed({ priority: "5" }), "ACL[0].priority: must be an integer"],
    ["a match missing", changed({ match: undefined }), "ACL[0].match: this field is required"],
    ["ids that are no texts", changed({ external_ids: { a: 1 } }), "ACL[0].external_ids.a: must be a string"],
    [
      "a short row of a dump",
      table({ data: [[uuid(1)]] }),
      "line 1: ACL[0] has not one value for each heading",
    ],
    ["a table twice", dumpText([dumped[0], dumped[0]]), 'line 2: table "ACL" is there twice'],
    ["headings that are no texts", table({ headings: [1] }), "line 1: not a table of a dump"],
    ["a value that only looks tagged", table({ data: [dumpedAcl.with(4, ["set", 1])] }), "ACL[0].tier"],
  ])("%s", (_, text, error) => {
    expect(wrongs(text).join("\n")).toContain(error);
  });

  test.each([
    ["an ACL that is not there", { ACL: [] }, "Port_Group g refers to the ACL one, which is not there"],
    ["two ACLs of one id", { ACL: [acl, acl] }, "ACL one is there twice"],
    [
      "an ACL without any name",
      { ACL: [{ ...acl, external_ids: {} }] },
      "neither a uuid nor a k8s.ovn.org/id",
    ],
    [
      "two groups of one name",
      { Port_Group: [rendered.Port_Group[0], rendered.Port_Group[0]] },
      "Port_Group g",
    ],
    [
      "two sets of one name",
      { Address_Set: [rendered.Address_Set[0], rendered.Address_Set[0]] },
      "Address_Set s",
    ],
  ])("for %s", (_, change, error) => {
    const records = recordsIn(JSON.stringify({ ...rendered, ...change }));
    expect(() => databaseRows(records)).toThrow(RowsError);
    expect(() => databaseRows(records)).toThrow(error);
  });

  test("or read, whatever it holds", () => {
    const holding = fc.record({
      ACL: fc.jsonValue(),
      Port_Group: fc.array(fc.record({ name: fc.string(), ports: fc.jsonValue(), acls: fc.jsonValue() })),
      Address_Set: fc.array(fc.record({ name: fc.jsonValue(), addresses: fc.jsonValue() })),
    });
    const line = fc.record({
      caption: fc.constant("ACL table"),
      headings: fc.jsonValue(),
      data: fc.jsonValue(),
    });
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      holding.map((value) => JSON.stringify(value)),
      line.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, (whole) => {
        const read = readRecords(whole);
        if ("problems" in read) expect(read.problems.length).toBeGreaterThan(0);
        else expect(() => databaseRows(read.records)).not.toThrow(TypeError);
      }),
    );
  });
});

test("a match that nobody can read leaves open what it may decide, and nothing else", () => {
  const broken = { ...acl, match: "outport != @g", priority: 9, external_ids: { "k8s.ovn.org/id": "two" } };
  const verdictWith = (more: object) => {
    const group = { ...rendered.Port_Group[0], acls: ["one", "two"] };
    const rows = { ...rendered, Port_Group: [group], ACL: [acl, { ...broken, ...more }] };
    return evaluateRows(databaseRows(recordsIn(JSON.stringify(rows))), connection);
  };
  const open = verdictWith({ action: "allow" });
  expect(open.verdict).toBe("unknown");
  expect(open.caveats).toEqual([
    {
      code: "Match",
      text: "ACL two (tier 1, priority 9, allow) cannot be judged: outport may only be tested for equality",
    },
  ]);
  // Dropped either way; behind the ACL that decides; of the other direction.
  expect(verdictWith({}).verdict).toBe("deny");
  expect(verdictWith({ action: "allow", priority: 1 })).toMatchObject({ verdict: "deny", caveats: [] });
  expect(verdictWith({ action: "allow", direction: "from-lport", options: {} }).verdict).toBe("deny");
});
