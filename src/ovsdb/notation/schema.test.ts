import { describe, expect, test } from "@jest/globals";
import { column, type ColumnDescription } from "./description.ts";
import { SchemaMismatchError } from "./errors.ts";
import { matchSchema, parseSchema } from "./schema.ts";

const schema = parseSchema({
  name: "DB",
  version: "1.2.3",
  tables: {
    T: {
      columns: {
        one: { type: "string" },
        optional: { type: { key: { type: "integer", minInteger: 0 }, min: 0, max: 1 } },
        some: { type: { key: { type: "uuid", refTable: "T" }, min: 0, max: "unlimited" } },
        map: { type: { key: "string", value: "string", min: 0, max: "unlimited" } },
      },
    },
  },
});

function match(wanted: Record<string, ColumnDescription>, table = "T") {
  return matchSchema({ name: "DB", tables: { [table]: wanted } }, schema);
}

test("what a description may lack is passed over, and what needs the rest is named", () => {
  const tables = { T: { tier: column.one("integer") }, U: { name: column.one("string") } };
  const neededBy = { "T.tier": "--flag" };
  const match = (mayLack: readonly string[]) => () =>
    matchSchema({ name: "DB", tables, mayLack, neededBy }, schema);
  expect(match(["T.tier", "U"])).not.toThrow();
  expect(match(["U"])).toThrow("DB 1.2.3 has no column T.tier, which --flag needs");
  expect(match(["T.tier"])).toThrow("DB 1.2.3 has no table U");
});

test.each([
  ["1.2.3", true],
  ["1.2.2", true],
  ["0.99.99", true],
  ["1.2.4", false],
  ["1.10.0", false],
  ["2.0.0", false],
])("a description that wants version %s at least", (version, passes) => {
  const oldest = { version, reason: "--flag" };
  const matching = () => matchSchema({ name: "DB", tables: {}, oldest }, schema);
  if (passes) expect(matching).not.toThrow();
  else expect(matching).toThrow(`DB 1.2.3 is older than ${version}, which --flag needs`);
});

describe("a description held against a schema", () => {
  test("passes when every column fits; a set may hold fewer", () => {
    const codecs = match({
      one: column.optional("string"),
      optional: column.set("integer"),
      map: column.map("string", "string"),
    }).get("T");
    expect(codecs?.get("one")).toMatchObject({ shape: "optional", composite: false });
    expect(codecs?.get("optional")).toMatchObject({ shape: "set", composite: false });
    expect(codecs?.get("some")).toMatchObject({ shape: "set", key: "uuid", composite: true });
    expect(codecs?.get("_uuid")).toMatchObject({ shape: "one", key: "uuid" });
  });

  test.each([
    ["a missing column", { tier: column.one("integer") }, "DB 1.2.3 has no column T.tier"],
    ["another atom", { one: column.one("integer") }, "DB 1.2.3 has T.one as one string, not as one integer"],
    ["an optional taken for certain", { optional: column.one("integer") }, "as optional integer, not as one"],
    ["a set taken for one", { some: column.optional("uuid") }, "as set uuid, not as optional uuid"],
    ["a map of other values", { map: column.map("string", "uuid") }, "not as map string to uuid"],
    ["a map taken for a set", { map: column.set("string") }, "as map string to string, not as set string"],
  ])("refuses %s by name", (_title, wanted: Record<string, ColumnDescription>, message) => {
    expect(() => match(wanted)).toThrow(SchemaMismatchError);
    expect(() => match(wanted)).toThrow(message);
  });

  test("refuses a missing table by name", () => {
    expect(() => match({}, "Nope")).toThrow("DB 1.2.3 has no table Nope");
  });
});
