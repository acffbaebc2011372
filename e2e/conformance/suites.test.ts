// What is said of the suites before they run is so: their versions and how many tests they have, asked of upstream's own
// modules and of the program that was built.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import { upstreamOrSkip } from "../../test/support/upstream.ts";
import { testWithPrograms } from "./describe.ts";
import { parseGinkgo } from "./ginkgo.ts";
import { pathOf } from "./programs.ts";
import { suiteFacts } from "./suites.ts";

const e2e = fileURLToPath(new URL("../", import.meta.url));
const goMod = (...path: readonly string[]) => readFileSync(join(e2e, ...path, "go.mod"), "utf8");
const version = (text: string, module: string) =>
  new RegExp(`^(?:require )?\\s*${module} (v\\S+)`, "m").exec(text)?.[1];

test("the versions are those that are built, and Kubernetes' is the control plane's", () => {
  const api = "sigs\\.k8s\\.io/network-policy-api";
  expect(suiteFacts.anp.source).toBe(
    `sigs.k8s.io/network-policy-api ${version(goMod("suites", "anp"), api)}`,
  );
  expect(suiteFacts.cnp.source).toBe(
    `sigs.k8s.io/network-policy-api ${version(goMod("suites", "cnp"), api)}`,
  );
  const kubernetes = version(goMod("suites", "kubernetes"), "k8s\\.io/kubernetes");
  expect(kubernetes).toBe(version(goMod("controlplane"), "k8s\\.io/kubernetes"));
  expect(suiteFacts.netpol.source).toContain(`k8s.io/kubernetes ${kubernetes},`);
});

test("the version of Cyclonus is the one that is built", () => {
  const module = "github\\.com/mattfenwick/cyclonus";
  expect(suiteFacts.cyclonus.source).toBe(
    `github.com/mattfenwick/cyclonus ${version(goMod("suites", "cyclonus"), module)}`,
  );
});

const upstream = await upstreamOrSkip();
(upstream === null ? test.skip : test)("the policy API's suites have as many tests as are expected", () => {
  for (const [suite, api] of [
    ["anp", "v1alpha1"],
    ["cnp", "v1alpha2"],
  ] as const) {
    const folder = join(upstream?.[api] ?? "", "conformance", "tests");
    const tests = readdirSync(folder).flatMap(
      (file) => readFileSync(join(folder, file), "utf8").match(/^\s*ShortName:/gm) ?? [],
    );
    expect(tests).toHaveLength(suiteFacts[suite].tests);
    expect(suiteFacts[suite].source).toContain(/@(v[\d.]+)/.exec(folder)?.[1]);
  }
});

testWithPrograms(["netpol"])("Kubernetes' suite has as many specs as are expected", () => {
  const folder = mkdtempSync("/tmp/ng-netpol-");
  try {
    const report = join(folder, "dry.json");
    const flags = ["--ginkgo.dry-run", "--ginkgo.focus=Netpol", `--ginkgo.json-report=${report}`];
    const { status } = spawnSync(
      pathOf("netpol.test"),
      ["--provider=skeleton", "--kubeconfig=/nowhere", ...flags],
      {
        cwd: folder,
        timeout: patience(30_000),
      },
    );
    expect(status).toBe(0);
    const { tests, broken } = parseGinkgo(readFileSync(report, "utf8"));
    expect(broken).toBeNull();
    expect(tests).toHaveLength(suiteFacts.netpol.tests);
    expect(tests.filter(({ name }) => !name.startsWith("[sig-network] Netpol"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
