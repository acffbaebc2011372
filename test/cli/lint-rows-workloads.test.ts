// NG018 over manifests of Deployments: rows are those of the pods that are there, as `run` writes them, and a template is no pod. So
// what it declares makes no row missing, and what a row says is compared all the same.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { Report } from "../../src/lint/finding.ts";
import { ranIn } from "../support/in-process.ts";
import { namespaceOf, podOf, written, type Manifest } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(60_000));

const web: Manifest = {
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "shop", name: "web" } },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "c", ports: [{ name: "http", containerPort: 8080 }] }] },
    },
  },
};
const admin: Manifest = {
  ...{
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: "AdminNetworkPolicy",
    metadata: { name: "closed" },
  },
  spec: {
    ...{ priority: 5, subject: { namespaces: {} } },
    ingress: [
      { action: "Allow", from: [{ namespaces: {} }], ports: [{ namedPort: "http" }] },
      { action: "Deny", from: [{ namespaces: {} }] },
    ],
  },
};

interface Rows {
  readonly ACL: readonly { readonly action: string }[];
  readonly Port_Group: readonly object[];
}

let folder: string;
let world: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-lint-"));
  world = written(folder, "world", namespaceOf("shop"), podOf("shop", "db", "10.0.0.1"), web, admin);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function foundIn(rows: Rows): Promise<readonly string[]> {
  const file = join(folder, "rows.json");
  writeFileSync(file, JSON.stringify(rows));
  const args = ["lint", "-f", world, "--rule", "NG018", "--nb", `file:${file}`, "-o", "json"];
  const { stdout } = await ranIn(".", args);
  return (JSON.parse(stdout) as Report).findings.map(({ policy, message }) => `${policy.name}: ${message}`);
}

test("the rows of run are as they should be, and one that is altered is told", async () => {
  const rows = JSON.parse(northgate("render", "-f", world, "-o", "json").stdout) as Rows;
  // The port that only the Deployment declares has no row.
  expect(rows.ACL).toHaveLength(1);
  expect(await foundIn(rows)).toEqual([]);
  const [first] = rows.ACL;
  const altered = { ...rows, ACL: [{ ...first, action: "allow-related" }] };
  expect(await foundIn(altered)).toEqual([expect.stringMatching(/^closed: .*is altered: action is /)]);
  const without = { ...rows, ACL: [], Port_Group: rows.Port_Group.map((row) => ({ ...row, acls: [] })) };
  expect((await foundIn(without)).at(-1)).toMatch(/^closed: .*is missing$/);
});
