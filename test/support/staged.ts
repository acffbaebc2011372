// What tests of staged policies start from: a small cluster, and a folder for its manifests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "@jest/globals";
import type { Manifest } from "./manifests.ts";
import { namespaceOf, nodeOf, podOf } from "./manifests.ts";

export const apiVersion = "projectcalico.org/v3";

export const stagedFacts: readonly Manifest[] = [
  ...[namespaceOf("shop"), nodeOf("n"), podOf("shop", "web", "10.0.0.1"), podOf("shop", "db", "10.0.0.2")],
];

/** An empty folder, which is removed after the tests of the file. */
export function stagedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ng-staged-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}
