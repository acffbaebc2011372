// The schema of log lines in JSON (docs/log-line.schema.json), held against the code and against what real runs write.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { LogFields } from "../../src/lib/logger.ts";
import { logLevels } from "../../src/log.ts";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";
import { startNorthgate } from "../support/program.ts";

/** The keywords of JSON Schema that the schema uses; another one is an error here. */
interface Schema {
  readonly type?: "object" | "array" | "string" | "number" | "boolean" | "null";
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
const words = ["$schema", "$id", "title", "description", "type", "enum", "pattern"];
const known = new Set([...words, "required", "properties", "additionalProperties", "items", "anyOf"]);

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function isValid(schema: Schema, value: unknown): boolean {
  const unknown = Object.keys(schema).filter((word) => !known.has(word));
  if (unknown.length > 0) throw new Error(`keywords that this test does not know: ${unknown.join(", ")}`);
  if (schema.type !== undefined && typeOf(value) !== schema.type) return false;
  if (schema.enum !== undefined && !schema.enum.some((one) => one === value)) return false;
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(String(value))) return false;
  if (schema.anyOf !== undefined && !schema.anyOf.some((one) => isValid(one, value))) return false;
  const { items } = schema;
  if (Array.isArray(value)) return items === undefined || value.every((one) => isValid(items, one));
  return typeof value !== "object" || value === null || hasValidFields(schema, value);
}

function hasValidFields(
  { required = [], properties = {}, additionalProperties }: Schema,
  value: object,
): boolean {
  const fields = Object.entries(value);
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return fields.every(([name, inner]) => {
    const schema = properties[name] ?? additionalProperties;
    return schema === undefined || isValid(schema, inner);
  });
}

const schema = JSON.parse(readFileSync("docs/log-line.schema.json", "utf8")) as Schema;
const line = { time: "2026-11-27T10:00:00.000Z", level: "info", message: "a pass is complete" };

test("the schema takes what the logger's interface takes, and nothing else", () => {
  // A type that is added to the interface is a type error here.
  const everyType: Exclude<
    LogFields[string],
    string | number | boolean | null | readonly string[]
  > extends never
    ? true
    : never = true;
  expect(everyType).toBe(true);
  for (const value of ["a", 1, true, null, ["a"], []])
    expect(isValid(schema, { ...line, field: value })).toBe(true);
  for (const value of [{}, [1], [["a"]]]) expect(isValid(schema, { ...line, field: value })).toBe(false);
  expect(schema.properties?.["level"]?.enum).toEqual(logLevels);
  for (const name of ["time", "level", "message"]) {
    const others = Object.fromEntries(Object.entries(line).filter(([field]) => field !== name));
    expect([name, isValid(schema, others)]).toEqual([name, false]);
  }
  for (const wrong of [{ level: "fatal" }, { time: "now" }, { message: 1 }])
    expect(isValid(schema, { ...line, ...wrong })).toBe(false);
});

test(
  "every line of a run at debug is as the schema says",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "ng-lines-"));
    writeFileSync(
      join(folder, "a.yaml"),
      "apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n---\nkind: Pod\n",
    );
    writeFileSync(join(folder, "b.yaml"), "a: [\n");
    const running = startNorthgate([
      ...[
        `--source=dir:${folder}`,
        `--nb=unix:${folder}/none.sock`,
        "--log-level=debug",
        "--metrics-bind-address=127.0.0.1:0",
      ],
    ]);
    try {
      await eventually(() => {
        const said = running.log().map(({ message }) => message);
        expect(said).toEqual(
          expect.arrayContaining([
            "Northgate starts",
            "metrics are served",
            "an object was refused",
            "the database connection failed",
          ]),
        );
      }, 60_000);
      await running.end();
      const lines = running.text().trimEnd().split("\n");
      for (const text of lines) expect([text, isValid(schema, JSON.parse(text))]).toEqual([text, true]);
    } finally {
      await running.end("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
  patience(120_000),
);
