// Every command reads its settings by the same rule: a flag wins over the environment, the environment over the file,
// the file over the default.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readCleanupConfig, readRenderConfig, readRunConfig } from "./config.ts";
import { readPlanConfig } from "./answers/plan.ts";
import { readExplainConfig } from "./answers/questions.ts";
import { variableOf } from "./setting.ts";
import { settings, settingsOf } from "./settings.ts";
import type { ConfigInput } from "./values.ts";
import { UsageError } from "./values.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-config-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const fileOf = (text: string): readonly string[] => {
  const path = join(folder, "config.yaml");
  writeFileSync(path, text);
  return [path];
};
const needed = { filename: ["manifests"], nb: ["unix:/nb"] };
const readers = { run: readRunConfig, render: readRenderConfig, cleanup: readCleanupConfig } as const;
type Name = keyof typeof readers;
const zoneOf = (name: Name, input: Partial<ConfigInput>): string | null =>
  readers[name]({ environment: {}, ...input, flags: { ...needed, ...input.flags } }).zone;

describe.each(["run", "render", "cleanup"] as const)("%s", (name) => {
  const environment = { NORTHGATE_ZONE: "from-environment" };

  test("takes a flag, then the environment, then the file, then the default", () => {
    const config = fileOf("zone: from-file\n");
    expect(zoneOf(name, { flags: { zone: ["from-line"], config }, environment })).toBe("from-line");
    expect(zoneOf(name, { flags: { config }, environment })).toBe("from-environment");
    expect(zoneOf(name, { flags: { config }, environment: { NORTHGATE_ZONE: "" } })).toBe("from-file");
    expect(zoneOf(name, {})).toBeNull();
  });

  test("takes the last of a flag that is given twice", () => {
    expect(zoneOf(name, { flags: { zone: ["a", "b"] } })).toBe("b");
  });

  test("refuses a zone that is said to be empty, and says where", () => {
    expect(() => zoneOf(name, { flags: { zone: [""] } })).toThrow("--zone: a node's name is needed");
    expect(() => zoneOf(name, { flags: { config: fileOf('zone: ""\n') } })).toThrow(/config\.yaml: zone/);
  });

  test("reads a file with what other commands take, and refuses one with what no command takes", () => {
    expect(zoneOf(name, { flags: { config: fileOf("zone: n\nlog-level: debug\nsource: kube\n") } })).toBe(
      "n",
    );
    expect(() => zoneOf(name, { flags: { config: fileOf("zoen: n\n") } })).toThrow('unknown setting "zoen"');
  });

  test("refuses what is none of a flag's choices", () => {
    for (const { flag, choices } of settingsOf(name)) {
      if (choices === undefined) continue;
      const read = () => zoneOf(name, { flags: { [flag]: ["neither"] } });
      expect(read).toThrow(UsageError);
      expect(read).toThrow(`--${flag}: "neither" is not ${choices.join(", ")}`);
    }
  });

  test("knows each flag once, and no two by one letter", () => {
    const taken = settingsOf(name);
    const letters = taken.flatMap(({ short }) => short ?? []);
    expect(new Set(taken.map(({ flag }) => flag)).size).toBe(taken.length);
    expect(new Set(letters).size).toBe(letters.length);
  });
});

test("render serves the families that the facts show, as run does, unless told", () => {
  expect(readRenderConfig({ flags: needed, environment: {} }).families).toBeNull();
  expect(readRunConfig({ flags: needed, environment: {} }).families).toBeNull();
  expect(
    readRenderConfig({ flags: needed, environment: { NORTHGATE_IP_FAMILIES: "ipv6,ipv4" } }),
  ).toMatchObject({ families: ["v4", "v6"], paths: ["manifests"], output: "table" });
});

test("every command that makes rows or verdicts takes the families from the facts unless it is told", () => {
  for (const command of ["run", "render", "plan", "explain", "get", "lint"] as const) {
    const found = settingsOf(command).find(({ flag }) => flag === "ip-families");
    expect([command, found?.fallback]).toEqual([command, "auto"]);
  }
});

test("standard input is the manifests or the connections, and not both", () => {
  const read = (connections: string) =>
    readExplainConfig({ flags: { filename: ["-"], connections: [connections] }, environment: {} });
  expect(read("file.json").world.source).toEqual({ kind: "files", paths: ["-"] });
  expect(() => read("-")).toThrow("--connections and --filename: only one of them can be -, standard input");
});

test("who runs and who renders obeys the annotation for rules that follow no connections when told to, and not otherwise", () => {
  for (const read of [readRunConfig, readRenderConfig]) {
    const stateless = (flags: ConfigInput["flags"]) =>
      read({ flags: { ...needed, ...flags }, environment: {} }).kinds["stateless-network-policy"];
    expect(stateless({})).toBe("false");
    expect(stateless({ "enable-network-policy": ["true"] })).toBe("false");
    expect(stateless({ "stateless-network-policy": ["true"] })).toBe("true");
  }
});

test("every command that makes rows gives Antrea's logged verdicts the severity it is told, info otherwise, and persistence when asked", () => {
  for (const read of [readRunConfig, readRenderConfig]) {
    const severity = (flags: ConfigInput["flags"]) =>
      read({ flags: { ...needed, ...flags }, environment: {} }).kinds["antrea-log-severity"];
    const isPersistent = (flags: ConfigInput["flags"]) =>
      read({ flags: { ...needed, ...flags }, environment: {} }).kinds["antrea-persist-established"];
    expect(isPersistent({})).toBe("false");
    expect(isPersistent({ "antrea-persist-established": ["true"] })).toBe("true");
    expect(severity({})).toBe("info");
    expect(severity({ "antrea-log-severity": ["alert"] })).toBe("alert");
    expect(() => severity({ "antrea-log-severity": ["loud"] })).toThrow(
      '--antrea-log-severity: "loud" is not alert, warning, notice, info, debug',
    );
  }
  const { kinds } = readPlanConfig({
    flags: { filename: ["x"], "antrea-log-severity": ["debug"] },
    environment: {},
  });
  expect(kinds["antrea-log-severity"]).toBe("debug");
});

test("what is done now is said on the command line: neither the environment nor a file removes a row", () => {
  const environment = Object.fromEntries(settings.map(({ flag }) => [variableOf(flag), "true"]));
  const { NORTHGATE_YES, NORTHGATE_NO_CONDITIONS } = environment;
  const read = (flags: ConfigInput["flags"]) =>
    readCleanupConfig({
      flags: { ...needed, ...flags },
      environment: { NORTHGATE_YES, NORTHGATE_NO_CONDITIONS },
    });
  expect(NORTHGATE_YES).toBe("true");
  expect(read({})).toMatchObject({ yes: false, conditions: true });
  expect(read({ yes: ["true"], "no-conditions": ["true"] })).toMatchObject({ yes: true, conditions: false });
  expect(() => read({ config: fileOf("yes: true\n") })).toThrow('unknown setting "yes"');
});

test("that an empty source is meant is said on the command line alone", () => {
  const read = (flags: ConfigInput["flags"], environment = {}) =>
    readRunConfig({ flags: { ...needed, ...flags }, environment });
  expect(() => read({}, { NORTHGATE_ALLOW_EMPTY: "true" })).toThrow(
    "NORTHGATE_ALLOW_EMPTY: --allow-empty is taken from the command line alone",
  );
  expect(read({}).allowEmpty).toBe(false);
  expect(read({ "allow-empty": ["true"] }).allowEmpty).toBe(true);
  expect(() => read({ config: fileOf("allow-empty: true\n") })).toThrow('unknown setting "allow-empty"');
});

test("what is needed is asked for by every name it has", () => {
  expect(() => readCleanupConfig({ flags: {}, environment: {} })).toThrow(
    "--nb is needed (or NORTHGATE_NB, or nb: in a config file)",
  );
  expect(() => readRenderConfig({ flags: {}, environment: {} })).toThrow(/^--filename is needed$/);
});
