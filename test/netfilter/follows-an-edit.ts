// What an agent does when a policy comes and is removed again, whatever its tool.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { denyAllManifest } from "../support/deny-all.ts";

/** `printed`: what the manifests of the folder ask for; `settled`: the node has it. */
export async function followsAnEdit<T>(
  folder: string,
  printed: () => T,
  settled: (expected: T) => Promise<void>,
): Promise<void> {
  const before = printed();
  const file = join(folder, "second.yaml");
  writeFileSync(file, denyAllManifest);
  const after = printed();
  expect(after).not.toEqual(before);
  await settled(after);
  rmSync(file);
  await settled(before);
}
