// One rule for every setting of every command: the command line, then the environment, then the file, then the default. What
// confirms one run is taken from the command line alone.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import type { CommandName, Setting } from "./setting.ts";
import { variableOf } from "./setting.ts";
import type { FlagOf } from "./settings.ts";
import { settings } from "./settings.ts";
import { valuesOf } from "./values.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-precedence-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const all: readonly Setting[] = settings;
const pairs = all
  .filter(({ flag }) => flag !== "config")
  .flatMap((setting) => setting.commands.map((command) => [command, setting.flag, setting] as const));

/** A value that it takes. */
function valueOf({ choices, argument, fault, fallback }: Setting): string {
  if (argument === "CIDRS") return "10.244.0.0/16";
  if (fault !== undefined && fallback !== null) return fallback;
  return choices?.[0] ?? (argument === null ? "true" : "1");
}

test.each(pairs)("%s --%s", (command: CommandName, flag, setting) => {
  const { onLineOnly, fallback } = setting;
  const text = valueOf(setting);
  const path = join(folder, "config.yaml");
  writeFileSync(path, stringify(onLineOnly === true ? {} : { [flag]: text }));
  const env = { [variableOf(flag)]: text };
  const from = (
    flags: Readonly<Record<string, readonly string[]>>,
    environment: Readonly<Record<string, string>>,
  ) =>
    // A setting that this command takes: the table says so.
    valuesOf(command, { flags, environment }).value(flag as FlagOf<CommandName>);
  const config = { config: [path] };
  expect(from({ ...config, [flag]: [text] }, env)).toMatchObject({ from: `--${flag}`, isDefault: false });
  if (onLineOnly !== true) {
    expect(from(config, env)).toMatchObject({ from: variableOf(flag), isDefault: false });
    expect(from(config, {})).toMatchObject({ from: expect.stringContaining(`: ${flag}`), isDefault: false });
  } else if (fallback !== null) {
    expect(from(config, env)).toMatchObject({ text: fallback, isDefault: true });
  }
  if (fallback === null) expect(() => from({}, {})).toThrow(`--${flag} is needed`);
  else expect(from({}, {})).toMatchObject({ text: fallback, isDefault: true });
});
