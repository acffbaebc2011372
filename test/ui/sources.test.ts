// The page over each form of input that the commands take: a folder of which paths are left out and which is followed, what Kustomize
// makes of a folder, and standard input.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { PoliciesShown, StateShown } from "../../src/ui/shown.ts";
import { eventually } from "../support/eventually.ts";
import { mainFile } from "../support/main-file.ts";
import { isolating, namespaceOf, writeJson } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import { startUi, type RunningUi } from "../support/ui.ts";

jest.setTimeout(patience(120_000));

let folder: string;
let followed: string;
const path = process.env["PATH"];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "northgate-ui-from-"));
  followed = join(folder, "repository");
  const [tools, overlay] = ["bin", "overlay"].map((name) => join(folder, name));
  if (tools === undefined || overlay === undefined) throw new Error("two folders");
  for (const one of [followed, join(followed, "ci"), tools, overlay]) mkdirSync(one);
  writeJson(join(followed, "own.json"), [namespaceOf("shop"), isolating("shop", "own")]);
  writeJson(join(followed, "second.json"), [isolating("shop", "second")]);
  writeJson(join(followed, "ci", "left.json"), [isolating("shop", "left")]);
  writeJson(join(overlay, "made.json"), [isolating("shop", "made")]);
  const kustomize = join(tools, "kustomize");
  writeFileSync(kustomize, `#!/bin/sh\ncat "$2/made.json"\n`);
  chmodSync(kustomize, 0o755);
  process.env["PATH"] = [tools, path].join(delimiter);
});
afterAll(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

async function namesIn({ address }: RunningUi): Promise<readonly string[]> {
  const { policies } = (await (await fetch(`${address}/api/policies`)).json()) as PoliciesShown;
  return policies.map(({ policy }) => policy.name).sort();
}

test("-f with --ignore, and -k: what is left out is not there, what Kustomize makes is, and files are followed", async () => {
  const overlay = join(folder, "overlay");
  const ui = await startUi("-f", followed, "--ignore", "ci/**", "-k", overlay);
  try {
    expect(await namesIn(ui)).toEqual(["made", "own", "second"]);
    const state = (await (await fetch(`${ui.address}/api/state`)).json()) as StateShown;
    expect(state.from).toBe(`${followed}, -k ${overlay}`);
    unlinkSync(join(followed, "second.json"));
    await eventually(async () => {
      expect(await namesIn(ui)).toEqual(["made", "own"]);
    });
    expect(state.problems.shown).toEqual([]);
  } finally {
    expect(await ui.end()).toBe(0);
  }
});

test("-k alone", async () => {
  const ui = await startUi("-k", join(folder, "overlay"));
  try {
    expect(await namesIn(ui)).toEqual(["made"]);
  } finally {
    await ui.end();
  }
});

test("a folder of which Kustomize makes nothing, and no Kustomize at all, end the program with one line", () => {
  const run = (tools: string) =>
    spawnSync(process.execPath, [mainFile, "ui", "--listen", "127.0.0.1:0", "-k", join(folder, "none")], {
      env: { ...process.env, PATH: tools, NODE_OPTIONS: "" },
      encoding: "utf8",
    });
  const failed = run([join(folder, "bin"), path].join(delimiter));
  expect([failed.status, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toMatch(/^northgate: -k \S+: kustomize build failed: .*\n$/);
  const none = run(dirname(process.execPath));
  expect(none.stderr).toMatch(/^northgate: -k \S+: neither kustomize nor kubectl is on the PATH; .*\n$/);
  expect(none.status).toBe(1);
});
