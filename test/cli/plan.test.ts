// `northgate plan` as a user runs it: what it prints in each form, where it has the pods from, and exit codes that a script may
// trust.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import type { PlanReport } from "../../src/plan/report.ts";
import { northgate } from "../support/program.ts";

const sample = "examples/cluster-control";
const against = ["--against", `dir:${sample}`];
let folder: string;
let edited: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-plan-"));
  edited = join(folder, "edited");
  cpSync(`${sample}/policies`, edited, { recursive: true });
  const file = join(edited, "cluster-control.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("port: 5353", "port: 53"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const borrowed =
  "northgate: the manifests have no Pod, Namespace or Node: those of the other world are used\n";

const edit =
  "AdminNetworkPolicy cluster-control was edited (spec.egress[0].ports[0].portNumber.port 5353 → 53)";

test("a port edited: what comes to be denied and allowed, by which edit, and what it means; rows where they are asked for", () => {
  const { code, stdout, stderr } = northgate("plan", "-f", edited, ...against);
  expect([code, stderr]).toEqual([2, borrowed]);
  expect(stdout.split("\n")).toEqual([
    "NEWLY DENIED   ingress-nginx app=ingress-nginx → kube-system app=dns   udp 5353",
    `               ${edit}; its egress[5] "default-deny" denies them`,
    "               DNS lost: none of these pods reaches a DNS server over udp 5353",
    "",
    "NEWLY ALLOWED  ingress-nginx app=ingress-nginx → kube-system app=dns   udp 53",
    `               ${edit}; its egress[0] "allow-to-dns" allows them`,
    "",
    "Edited         ~ AdminNetworkPolicy cluster-control   spec.egress[0].ports[0].portNumber.port 5353 → 53",
    "",
  ]);
});

test("--report writes the plan of one run in other forms too, as -o prints them", () => {
  const formats = ["table", "json", "markdown", "github", "sarif", "junit"];
  const files = formats.map((format) => `--report=${format}=${join(folder, `plan.${format}`)}`);
  const { code, stdout } = northgate("plan", "-f", edited, ...against, "-o", "yaml", ...files);
  expect([code, (parse(stdout) as PlanReport).verdicts.summary.length]).toEqual([2, 2]);
  for (const format of formats)
    expect([format, readFileSync(join(folder, `plan.${format}`), "utf8")]).toEqual([
      format,
      northgate("plan", "-f", edited, ...against, "-o", format).stdout,
    ]);
});

test("--report refuses what it cannot write", () => {
  const asked = (...args: readonly string[]) => northgate("plan", "-f", edited, ...against, ...args);
  expect(asked("--report=sarif")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--report: "sarif" is not FORMAT=FILE'),
  });
  expect(asked("--report=html=x")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/--report: "html" /),
  });
  expect(asked("--report=junit=x", "--flows=y")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not by -o junit"),
  });
  const nowhere = join(folder, "none", "plan.sarif");
  const { code, stderr } = asked(`--report=sarif=${nowhere}`);
  expect([code, stderr]).toEqual([1, expect.stringContaining(nowhere)]);
});

test("--rows adds the rows that differ, to tables and to markdown", () => {
  const rows = (...more: readonly string[]) => northgate("plan", "-f", edited, ...against, ...more).stdout;
  expect(rows("--rows")).toContain(
    "\nRows           1 to change: ACL cluster-control:Egress:0:udp (match)\n",
  );
  expect(rows("--rows", "-o", "markdown")).toContain("<details><summary>Rows: 1 to change</summary>");
  expect(rows("-o", "markdown")).not.toMatch(/Rows|ACL/);
});

test("JSON: the schema, who decides with file and line, and an example that explain agrees with", () => {
  const { stdout } = northgate("plan", "-f", edited, ...against, "-o", "json");
  const report = JSON.parse(stdout) as PlanReport;
  expect(report).toMatchObject({
    schema: "northgate.plan/1",
    against: `dir:${sample}`,
    objects: {
      added: [],
      removed: [],
      changed: [{ kind: "AdminNetworkPolicy", group: "policy.networking.k8s.io", namespace: null }],
    },
    pods: { added: [], removed: [] },
    rows: {
      add: 0,
      change: 1,
      delete: 0,
      changes: [{ op: "change", table: "ACL", policy: { name: "cluster-control" } }],
    },
    verdicts: {
      changes: [
        {
          ...{
            families: ["IPv4"],
            old: "allow",
            new: "deny",
            traffic: [{ protocol: "udp", ports: [[5353, 5353]] }],
          },
          by: {
            old: {
              egress: {
                by: "rule",
                tier: "admin",
                rule: { index: 0, place: `${sample}/policies/cluster-control.yaml:45` },
              },
            },
            new: { egress: { verdict: "deny", rule: { index: 5, name: "default-deny" } } },
          },
        },
        { old: "deny", new: "allow" },
      ],
    },
    caveats: [],
  });
  for (const { example, old, new: next } of report.verdicts.changes) {
    const file = join(folder, "connections.json");
    const ask = (...world: readonly string[]) => {
      const answer = northgate("explain", ...world, "--connections", file, "-o", "json");
      const [first] = JSON.parse(answer.stdout) as readonly { readonly verdict: string }[];
      return first?.verdict;
    };
    writeFileSync(file, JSON.stringify([example]));
    expect([ask("-f", sample), ask("-f", edited, "-f", `${sample}/cluster`)]).toEqual([old, next]);
  }
  expect(parse(northgate("plan", "-f", edited, ...against, "-o", "yaml").stdout)).toEqual(report);
});

test("two whole worlds: pods of one world only are listed and not judged", () => {
  const world = join(folder, "world");
  cpSync(sample, world, { recursive: true });
  const file = join(world, "cluster", "pods.yaml");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replaceAll("name: splunk-5f8c6d9f7b-7jx2p", "name: another"),
  );
  const { code, stdout, stderr } = northgate("plan", "-f", world, ...against, "-o", "json");
  expect([code, stderr]).toEqual([2, ""]);
  const { pods, objects, verdicts } = JSON.parse(stdout) as PlanReport;
  expect(pods).toEqual({ added: ["splunk/another"], removed: ["splunk/splunk-5f8c6d9f7b-7jx2p"] });
  expect(objects.added).toEqual([{ group: "", kind: "Pod", namespace: "splunk", name: "another" }]);
  expect(verdicts.changes).toEqual([]);
});

test("exit codes: 0 nothing differs, 2 something does, with --fail-on exactly such a class", () => {
  const code = (...args: readonly string[]) => northgate("plan", ...args).code;
  expect(code("-f", sample, ...against)).toBe(0);
  expect(code("-f", edited, ...against, "--fail-on", "allow-to-deny")).toBe(2);
  expect(code("-f", edited, ...against, "--fail-on", "unknown")).toBe(0);
  expect(code("-f", edited, ...against, "--fail-on", "unknown", "--fail-on", "deny-to-allow")).toBe(2);
});

describe("against the rows of a database", () => {
  const existing = (edit: (tables: Tables) => void) => {
    const { stdout } = northgate("render", "-f", sample, "-o", "json");
    const tables = JSON.parse(stdout) as Tables;
    edit(tables);
    const file = join(folder, "rows.json");
    writeFileSync(file, JSON.stringify(tables));
    return ["--against", `nb:file:${file}`];
  };
  interface Tables {
    readonly ACL: { match: string; readonly external_ids: Record<string, string> }[];
    readonly Address_Set: { readonly name: string; addresses: string[] }[];
  }

  test("those that are as the manifests say", () => {
    const { code, stdout, stderr } = northgate("plan", "-f", sample, ...existing(() => undefined));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Rows {11}no row differs\nCaveats {8}RowsOnly: /);
  });

  test("an altered match and a missing address are each named, with what would stand; no verdict is claimed", () => {
    let row = "";
    const rows = existing(({ ACL, Address_Set }) => {
      const [acl] = ACL;
      row = acl?.external_ids["k8s.ovn.org/id"] ?? "";
      if (acl !== undefined) acl.match = "ip4";
      Address_Set.find(({ addresses }) => addresses.length > 1)?.addresses.pop();
    });
    const { code, stdout } = northgate("plan", "-f", sample, ...rows, "-o", "json");
    const report = JSON.parse(stdout) as PlanReport;
    expect([code, report.compared, report.verdicts.changes]).toEqual([2, "rows", []]);
    expect(report.rows).toMatchObject({ add: 0, change: 2, delete: 0 });
    const [set, acl] = report.rows.changes;
    expect([set?.table, Object.keys(set?.columns ?? {})]).toEqual(["Address_Set", ["addresses"]]);
    expect([acl?.table, acl?.row, acl?.columns["match"]?.old]).toEqual(["ACL", row, "ip4"]);
    expect(northgate("plan", "-f", sample, ...rows, "-o", "markdown").stdout).toMatch(
      /^### Network policy plan: rows: 2 to change\n/,
    );
  });

  test("exit code 1: verdicts are asked for, and a file that is not there", () => {
    const rows = existing(() => undefined);
    const asked = northgate("plan", "-f", sample, ...rows, "--fail-on", "unknown");
    expect(asked).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("--fail-on") });
    const gone = northgate("plan", "-f", sample, "--against", `nb:file:${join(folder, "nowhere")}`);
    expect(gone).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("nowhere") });
  });
});

test("exit code 1: wrong usage, a file that is not there, a policy that is refused; the rest is still said", () => {
  const ran = (...args: readonly string[]) => northgate("plan", ...args);
  expect(ran("-f", edited, "--against", "moon").code).toBe(1);
  expect(ran(...against).code).toBe(1);
  expect(ran("-f", edited, ...against, "--nonsense").code).toBe(1);
  expect(ran("-f", edited, ...against, "--prune").code).toBe(1);
  expect(ran("-f", edited, ...against, "--fail-on", "moon").code).toBe(1);
  expect(ran("-f", join(folder, "nowhere"), ...against).code).toBe(1);
  expect(ran("-f", edited, "--against", "kube", "--kubeconfig", join(folder, "nowhere"))).toMatchObject({
    ...{ code: 1, stdout: "" },
    stderr: expect.stringMatching(/^northgate: .*nowhere/),
  });
  const broken = join(folder, "broken");
  mkdirSync(broken);
  cpSync(edited, broken, { recursive: true });
  writeFileSync(
    join(broken, "more.yaml"),
    "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: odd}\nspec: {priority: -1}\n",
  );
  const { code, stdout, stderr } = ran("-f", broken, ...against);
  expect(code).toBe(1);
  expect(stderr).toContain("AdminNetworkPolicy odd");
  expect(stdout).toContain("udp 5353");
});

test("markdown: the summary, the table with denials first, the details folded", () => {
  const { stdout } = northgate("plan", "-f", edited, ...against, "-o", "markdown");
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("### Network policy plan: 1 newly denied, DNS lost, 1 newly allowed");
  expect(lines[4]).toMatch(
    /^\| \*\*NEWLY DENIED\*\* \| ingress-nginx app=ingress-nginx \| kube-system app=dns \| udp 5353 \|/,
  );
  expect(stdout).toContain("<details><summary>Edited objects</summary>");
  expect(stdout).toContain("<details><summary>Examples</summary>");
});
