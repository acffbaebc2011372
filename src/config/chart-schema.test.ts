// The chart's schema of `settings` is that of the table, and the program takes what it allows.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { chartKeyOf, settingsSchema } from "./chart-schema.ts";
import { readRunConfig } from "./config.ts";
import { variableOf } from "./setting.ts";
import { settingsOf } from "./settings.ts";
import { shapeOf } from "./shapes.ts";
import { UsageError } from "./values.ts";

const file = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../manifests/chart/${path}`, import.meta.url), "utf8"));
const schema = file("values.schema.json") as { readonly properties: Readonly<Record<string, unknown>> };

/** Whether the program takes the text itself; that another setting lacks beside it is another matter. */
function isTaken(flag: string, text: string): boolean {
  const variable = variableOf(flag);
  try {
    readRunConfig({ flags: { nb: ["unix:/nb"] }, environment: { [variable]: text } });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return !error.message.startsWith(`${variable}: ${JSON.stringify(text)} is not `);
  }
  return true;
}

test("values.schema.json is of the present settings: otherwise `node scripts/chart-schema.ts`", () => {
  expect(schema.properties["settings"]).toEqual(settingsSchema());
});

test("a setting that the chart sets by a value of its own, a file and a confirmation are no keys of settings", () => {
  const { properties } = settingsSchema();
  for (const setting of settingsOf("run")) {
    const isKey = chartKeyOf(setting) === `settings.${setting.flag}`;
    expect([setting.flag, setting.flag in properties]).toEqual([setting.flag, isKey]);
    if (setting.onLineOnly === true || setting.argument === "FILE") expect(isKey).toBe(false);
    const value = setting.chartValue?.split(".") ?? [];
    // A value that is named is one that the chart has.
    let at: unknown = schema;
    for (const name of value) at = (at as typeof schema).properties[name];
    expect(at).toBeDefined();
  }
  for (const flag of [
    "nb",
    "zone",
    "source",
    "metrics-auth",
    "enable-network-policy",
    "kubeconfig",
    "allow-empty",
  ])
    expect(properties).not.toHaveProperty(flag);
  expect(properties).toHaveProperty("log-level");
});

const keys = settingsOf("run").filter((one) => chartKeyOf(one) === `settings.${one.flag}`);

test.each(keys.map((setting) => [setting.flag, setting] as const))(
  "the program takes what the schema allows of %s, and refuses what it refuses",
  (flag, setting) => {
    const { enum: values, pattern, minimum, maximum } = shapeOf(setting);
    for (const value of values ?? []) expect([value, isTaken(flag, String(value))]).toEqual([value, true]);
    if (values !== undefined) expect(isTaken(flag, "neither")).toBe(false);
    if (minimum !== undefined && maximum !== undefined)
      for (const [number, taken] of [
        [minimum - 1, false],
        [minimum, true],
        [maximum, true],
        [maximum + 1, false],
      ] as const)
        expect([number, isTaken(flag, String(number))]).toEqual([number, taken]);
    if (pattern === undefined) return;
    const samples = [
      "1",
      "99999",
      "0",
      "100000",
      "1s",
      "off",
      "127.0.0.1:0",
      "[::1]:65535",
      ":1",
      "a:65536",
      "[",
      "10.244.0.0/16",
      "10.244.0.0/16,fd00::/48",
      "10.244.0.0/16,",
    ];
    const allowed = samples.filter((text) => new RegExp(pattern).test(text));
    expect(samples.filter((text) => isTaken(flag, text))).toEqual(allowed);
    expect(allowed.length).toBeGreaterThan(0);
  },
);
