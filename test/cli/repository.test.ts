// Manifests as people have them: a repository with other files in it, several folders, standard input, and what Kustomize makes. The
// commands that ask are lenient with folders; run and render are not.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import type { PlanReport } from "../../src/plan/report.ts";
import type { Manifest } from "../support/manifests.ts";
import { isolating, namespaceOf, written } from "../support/manifests.ts";
import { northgate, northgateFed, northgateIn } from "../support/program.ts";

let folder: string;

const web: Manifest = {
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "shop", name: "web" } },
  spec: { template: { metadata: { labels: { app: "web" } } } },
};
const shop = [namespaceOf("shop"), web];
const deny = isolating("shop", "deny", { app: "web" });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-repository-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Names of policies, with how many workloads each is about. */
function listed(stdout: string): readonly string[] {
  const policies = JSON.parse(stdout) as readonly { policy: { name: string }; workloads: number }[];
  return policies.map(({ policy, workloads }) => `${policy.name} ${workloads}`);
}

test("a repository: what is no object is counted, a chart's templates are named, and the rest is an error", () => {
  written(folder, "repo/deploy", ...shop, deny);
  write("repo/package.json", '{"name": "shop"}\n');
  write("repo/docker-compose.yaml", "services: {web: {image: web}}\n---\n- a list\n");
  write("repo/chart/Chart.yaml", "apiVersion: v2\nname: shop\n");
  write("repo/chart/values.yaml", "replicas: 1\n");
  write("repo/chart/templates/web.yaml", "kind: {{ .Values.kind }}\n");
  const repo = join(folder, "repo");
  const whole = northgate("get", "-f", repo, "-o", "json");
  expect(whole.stderr.trimEnd().split("\n")).toEqual([
    `northgate: left out: ${repo}/chart/templates, the templates of a Helm chart: helm template ${repo}/chart makes manifests of them`,
    "northgate: left alone: 4 documents without apiVersion, kind, metadata and spec",
  ]);
  expect([whole.code, listed(whole.stdout)]).toEqual([0, ["deny 1"]]);

  write("repo/ci/half.yaml", "kind: NetworkPolicy\n");
  write("repo/ci/broken.yaml", "a: [\n");
  const broken = northgate("get", "-f", repo, "-o", "json");
  expect([broken.code, listed(broken.stdout)]).toEqual([1, ["deny 1"]]);
  expect(broken.stderr).toContain(
    `${repo}/ci/half.yaml:1: error: apiVersion: the API version of the object is required`,
  );
  expect(broken.stderr).toContain(`${repo}/ci/broken.yaml:2:1: error:`);
  expect(northgate("get", "-f", repo, "--ignore", "ci/**").code).toBe(0);
  // What is left out by a pattern is not named: not a chart either.
  const { stderr } = northgate("get", "-f", repo, "--ignore", "ci/**", "--ignore", "chart/**");
  expect(stderr).not.toContain("chart");

  // A file that is given is meant, and what would be enforced is read strictly.
  expect(northgate("get", "-f", join(repo, "package.json")).code).toBe(1);
  const rendered = northgate("render", "-f", repo, "-o", "json");
  expect(rendered.code).toBe(1);
  expect(rendered.stderr).toContain(
    `${repo}/package.json:1: error: kind: the kind of the object is required`,
  );
});

test("what Helm prints and what kubectl dumps, on standard input", () => {
  const text = [...shop, deny]
    .map((one) => `---\n# Source: chart/templates/x.yaml\n${stringify(one)}`)
    .join("");
  const piped = northgateFed(`${text}---\n`, "get", "-f", "-", "-o", "json");
  expect([piped.code, piped.stderr, listed(piped.stdout)]).toEqual([0, "", ["deny 1"]]);
  const pod: Manifest = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ namespace: "shop", name: "web-5f8c-x", labels: { app: "web", "pod-template-hash": "5f8c" } },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5f8c", controller: true }],
    },
    spec: { nodeName: "n" },
    status: { podIPs: [{ ip: "10.0.0.1" }] },
  };
  const dump = stringify({ apiVersion: "v1", kind: "List", items: [...shop, deny, pod] });
  const dumped = northgateFed(dump, "get", "-f", "-", "-o", "json");
  expect([dumped.code, listed(dumped.stdout)]).toEqual([0, ["deny 0"]]);
  const asked = northgateFed(
    dump,
    "explain",
    "-f",
    "-",
    "--from=198.51.100.1",
    "--to=deploy/web",
    "--namespace=shop",
    "--protocol=tcp",
    "--port=80",
  );
  expect(asked.stdout.split("\n")[0]).toBe("DENY  198.51.100.1 → shop/web-5f8c-x 10.0.0.1  tcp 80");
});

test("both worlds of a plan may be of several folders", () => {
  const [base, policies, next] = [
    written(folder, "base", ...shop),
    written(folder, "policies", deny),
    written(folder, "next", namespaceOf("other")),
  ];
  const args = ["--against", `dir:${base}`, "--against", `dir:${policies}`, "-o", "json"];
  const { code, stdout } = northgate("plan", "-f", base, "-f", next, ...args);
  const report = JSON.parse(stdout) as PlanReport;
  expect(report.against).toBe(`dir:${base}, dir:${policies}`);
  expect(report.objects.removed.map(({ name }) => name)).toEqual(["deny"]);
  expect(report.verdicts.changes.map(({ old, new: is, to }) => [old, is, to.pods, to.workloads])).toEqual([
    ["deny", "allow", [], [{ group: "apps", kind: "Deployment", namespace: "shop", name: "web" }]],
  ]);
  expect(code).toBe(2);
  const mixed = northgate("plan", "-f", base, "--against", "kube", "--against", `dir:${base}`);
  expect([mixed.code, mixed.stderr]).toEqual([
    1,
    "northgate: --against: of several, each is dir:PATH or kustomize:DIR\n",
  ]);
});

test("what Kustomize makes of a folder, by the program that is there", () => {
  const overlay = written(folder, "overlay", ...shop, deny);
  const tool = (name: string, word: string): string => {
    const path = join(folder, `with-${name}`);
    mkdirSync(path);
    writeFileSync(
      join(path, name),
      `#!/bin/sh\n[ "$1" = ${word} ] && exec /bin/cat "$2/all.yaml"\necho "no $1" >&2; exit 3\n`,
    );
    chmodSync(join(path, name), 0o755);
    return path;
  };
  const asks = (path: string, ...args: readonly string[]) =>
    northgateIn({ PATH: path }, "get", "-o", "json", ...args);
  for (const path of [tool("kustomize", "build"), tool("kubectl", "kustomize")]) {
    const { code, stdout } = asks(path, "-k", overlay);
    expect([code, listed(stdout)]).toEqual([0, ["deny 1"]]);
  }
  const failed = asks(tool("kustomize2", "x").replace("kustomize2", "kustomize"), "-k", join(folder, "none"));
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^northgate: -k .*: kustomize build failed: /);
  const none = asks(join(folder, "nowhere"), "-k", overlay);
  expect([none.code, none.stderr]).toEqual([
    1,
    `northgate: -k ${overlay}: neither kustomize nor kubectl is on the PATH; where one is: kustomize build ${overlay} | northgate … -f -\n`,
  ]);
  const both = northgate("get", "-k", overlay, "--source", "kube");
  expect([both.code, both.stderr]).toEqual([
    2,
    expect.stringContaining("--kustomize and --source: use only one of them"),
  ]);
});
