// `northgate migrate` as a user runs it: manifests that another program reads again, what is said, and exit codes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { northgate } from "../support/program.ts";

const sample = "examples/cluster-control";
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-migrate-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("the sample: manifests of both tiers, the one change, and the proof", () => {
  const { code, stdout, stderr } = northgate("migrate", "-f", sample);
  expect(code).toBe(0);
  expect(stderr.trim().split("\n")).toEqual([
    ...["1", "3"].map((index): unknown =>
      expect.stringContaining(
        `spec.egress[${index}].to[0].nodes: needs the definition of ClusterNetworkPolicy of the experimental channel`,
      ),
    ),
    "examples/cluster-control/policies/default-baseline.yaml:6: BaselineAdminNetworkPolicy default: spec: becomes priority 1000 of tier Baseline",
    "comments in the manifests are not carried over",
    expect.stringMatching(/^compared all connections of \d+ pods: no verdict changed$/),
  ]);
  const items = stdout.split("---\n").map((text): unknown => parse(text));
  expect(items).toEqual([
    expect.objectContaining({
      apiVersion: "policy.networking.k8s.io/v1alpha2",
      kind: "ClusterNetworkPolicy",
    }),
    expect.objectContaining({ metadata: expect.objectContaining({ name: "default" }) }),
  ]);
  const json = northgate("migrate", "-f", sample, "-o", "json");
  expect(JSON.parse(json.stdout)).toEqual({ apiVersion: "v1", kind: "List", items });
});

test("what it prints can be rendered, and migrated again without a change", () => {
  const path = join(folder, "migrated.yaml");
  writeFileSync(path, northgate("migrate", "-f", sample).stdout);
  const again = northgate("migrate", "-f", path, "-f", `${sample}/cluster`);
  expect([again.code, again.stdout]).toEqual([0, ""]);
  const rendered = northgate("render", "-f", path, "-f", `${sample}/cluster`, "-o", "json");
  expect([rendered.code, rendered.stderr]).toEqual([0, ""]);
});

test("without pods it says that there was nothing to compare", () => {
  const { code, stdout, stderr } = northgate("migrate", "-f", `${sample}/policies`);
  expect(code).toBe(0);
  expect(stdout).toContain("kind: ClusterNetworkPolicy");
  expect(stderr).toContain("no pod with an address is among the manifests: there was nothing to compare");
});

test("one policy that cannot be migrated: its file, object and field, and no manifests", () => {
  const path = join(folder, "odd.yaml");
  writeFileSync(
    path,
    [
      "apiVersion: policy.networking.k8s.io/v1alpha1",
      "kind: AdminNetworkPolicy",
      "metadata: {name: odd}",
      "spec:",
      "  priority: 3",
      "  subject: {namespaces: {}}",
      "  ingress:",
      "    - action: Allow",
      "      from:",
      "        - galaxies: {}",
      "",
    ].join("\n"),
  );
  const { code, stdout, stderr } = northgate("migrate", "-f", path, "-f", sample);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    `${path}:10: error: AdminNetworkPolicy odd: spec.ingress[0].from[0]: is of no kind that v1alpha2 has`,
  );
  expect(stderr).toContain(
    "nothing is printed: a policy that is left out would change the verdict of others",
  );
});

test("a file that cannot be read: nothing is printed", () => {
  const { code, stdout, stderr } = northgate("migrate", "-f", sample, "-f", join(folder, "missing.yaml"));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("no such file or directory");
});

test("wrong usage is 2, and the help says what to do", () => {
  expect(northgate("migrate").code).toBe(2);
  expect(northgate("migrate", "-f", sample, "-o", "table").code).toBe(2);
  const { code, stdout } = northgate("migrate", "--help");
  expect(code).toBe(0);
  expect(stdout).toContain("kubectl get anp,banp,cnp,ns,pods,nodes -A -o yaml");
});

test("labels and annotations are kept, also of a ClusterNetworkPolicy that stays with another priority", () => {
  const metadata = (name: string) => ({
    name,
    labels: { "app.kubernetes.io/part-of": "platform", team: "net" },
    annotations: { "k8s.ovn.org/acl-logging": '{"deny":"alert"}' },
  });
  const remembered = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
  const common = { subject: { namespaces: {} }, ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] };
  const items = [
    {
      ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
      ...{ metadata: metadata("old"), spec: { priority: 5, ...common } },
    },
    {
      ...{ apiVersion: "policy.networking.k8s.io/v1alpha2", kind: "ClusterNetworkPolicy" },
      metadata: { ...metadata("stays"), annotations: { ...metadata("stays").annotations, ...remembered } },
      spec: { tier: "Admin", priority: 5, ...common },
    },
  ];
  const path = join(folder, "labelled.json");
  writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const { code, stdout, stderr } = northgate("migrate", "-f", path, "-o", "json");
  expect(code).toBe(0);
  expect(stderr).toContain("5 becomes 6");
  const printed = (JSON.parse(stdout) as { items: { metadata: { name: string } }[] }).items;
  expect(printed.map((item) => item.metadata)).toEqual([metadata("stays"), metadata("old")]);
});
