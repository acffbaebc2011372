// `northgate lint` as a user runs it: what it finds in the published sample, what its exit code says, what each output is, and
// that nothing a user wrote reaches the terminal as an instruction.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { catalogue } from "../../src/lint/catalogue.ts";
import type { Report } from "../../src/lint/finding.ts";
import { readJunit } from "../support/junit.ts";
import { patience } from "../support/patience.ts";
import { northgate, northgateFrom } from "../support/program.ts";
import { sarifFaults } from "../support/sarif.ts";

// A test starts up to half a dozen processes.
jest.setTimeout(patience(120_000));

const sample = "examples/cluster-control";
const policy = `${sample}/policies/cluster-control.yaml`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-lint-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function reportOf(...args: readonly string[]): Report {
  return JSON.parse(northgate("lint", ...args, "-o", "json").stdout) as Report;
}

test.each(Object.entries(fingerprints()))("fingerprints stay as in version 1: %s", (examples, expected) => {
  const { findings } = reportOf("-f", examples);
  expect(findings.map(({ fingerprint }) => fingerprint).sort()).toEqual(expected);
});

/** By folder of examples, as an earlier build gave them: a message that is worded otherwise changes none. */
function fingerprints(): Readonly<Record<string, readonly string[]>> {
  const file = new URL("lint-fingerprints.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, readonly string[]>>;
}

describe("of the documentation's sample", () => {
  test("finds what is there, and nothing else", () => {
    const { findings, counts, schema } = reportOf("-f", sample);
    expect(schema).toBe("northgate.lint/1");
    expect(
      findings.map(({ id, severity, policy: { name }, rule, place }) => [
        ...[id, severity, name, rule === null ? null : `${rule.direction}[${rule.index}]`, place],
      ]),
    ).toEqual([
      ["NG004", "info", "cluster-control", "ingress[2]", `${policy}:30`],
      ["NG008", "error", "cluster-control", "ingress[4]", `${policy}:40`],
      ["NG015", "info", "cluster-control", "egress[3]", `${policy}:92`],
      ["NG015", "info", "cluster-control", "egress[3]", `${policy}:93`],
      ["NG007", "warning", "cluster-control", "egress[5]", `${policy}:106`],
      ["NG008", "warning", "cluster-control", "egress[5]", `${policy}:104`],
      ["NG008", "error", "default", "ingress[0]", `${sample}/policies/default-baseline.yaml:10`],
    ]);
    expect(counts).toEqual({ error: 2, warning: 2, info: 3, suppressed: 0 });
    const dns = findings.filter(({ id }) => id === "NG008").map(({ message }) => message);
    expect(dns[0]).toMatch(/^5 of 8 pods cannot reach DNS over udp 5353 \(in all, 7 of 8 cannot\)/);
    expect(dns[1]).toMatch(/^8 of 8 pods cannot reach DNS over tcp 5353/);
    expect(dns[2]).toMatch(/^2 of 8 pods .* restricted\/restricted-65948898b-b2hhj/);
  });

  // prettier-ignore
  const codes: [number, string[]][] = [
    [1, []],
    [0, ["--skip", "NG008"]],
    [1, ["--skip", "NG008", "--fail-on", "warning"]],
    [0, ["--rule", "NG015"]],
    [1, ["--rule", "NG015", "--fail-on", "info"]],
    [0, ["--rule", "NG008", "--dns", "monitoring"]],
    [2, ["--rule", "NG999"]],
    [2, ["--rule", "NG018"]],
    [2, ["--severity", "NG999=off"]],
    [2, ["--severity", "NG008=loud"]],
    [0, ["--severity", "NG008=warning"]],
    [0, ["--severity", "NG008=off"]],
    [1, ["--severity", "NG008=warning", "--severity", "NG015=error"]],
    [2, ["--fail-on", "nothing"]],
    [2, ["--dns", "10.0.0.1:0"]],
    [2, ["--api-server", "kubernetes"]],
    [2, ["--monitoring", "No_Namespace"]],
    [2, ["-o", "yaml"]],
  ];
  test.each(codes)("exit code %i with %j", (code, args) => {
    const ran = northgate("lint", "-f", sample, ...args);
    expect([ran.code, ran.stderr === ""]).toEqual([code, code !== 2]);
  });

  test("prints nothing with --quiet when nothing is at or above --fail-on, otherwise all", () => {
    const quiet = (...args: readonly string[]) => northgate("lint", "-f", sample, "--quiet", ...args);
    const { code, stdout, stderr } = quiet("--skip", "NG008");
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    expect(quiet().stdout).toBe(northgate("lint", "-f", sample).stdout);
  });

  test("is judged as the repository's .northgate.yaml says, which names a mistake of its own", () => {
    const at = (text: string, ...args: readonly string[]) => {
      fileOf(".northgate.yaml", text);
      const { code, stdout, stderr } = northgateFrom(folder, "lint", "-f", resolve(sample), ...args);
      return [code, /\d+ errors?, .*/.exec(stdout)?.[0] ?? stderr];
    };
    const off = "lint: { severity: { NG008: off, NG007: info } }";
    expect(at(off)).toEqual([0, "0 errors, 0 warnings, 4 of information"]);
    expect(at("lint: { failOn: info, severity: { NG008: off } }")).toEqual([
      1,
      "0 errors, 1 warning, 3 of information",
    ]);
    expect(at(off, "--severity", "NG007=error")).toEqual([1, "1 error, 0 warnings, 3 of information"]);
    expect(at(off, "--rule", "NG008")).toEqual([1, "2 errors, 1 warning, 0 of information"]);
    const [code, text] = at("lint: { severity: { NG999: off } }");
    expect([code, text]).toEqual([
      2,
      expect.stringContaining(
        '.northgate.yaml: lint.severity: "NG999" is not in the catalogue, NG000 to NG034',
      ),
    ]);
    rmSync(join(folder, ".northgate.yaml"));
  });

  test("is SARIF, JUnit and Markdown when it is asked to be", () => {
    const [sarif, junit, markdown] = ["sarif", "junit", "markdown"].map((format) =>
      northgate("lint", "-f", sample, "-o", format),
    );
    const log: unknown = JSON.parse(sarif?.stdout ?? "");
    expect(sarifFaults(log)).toEqual([]);
    expect(log).toMatchObject({ runs: [{ results: { length: 7 } }] });
    const suites = readJunit(junit?.stdout ?? "").children.map(({ attributes }) => [
      attributes.get("name"),
      attributes.get("failures"),
    ]);
    expect(suites).toEqual([
      ["AdminNetworkPolicy cluster-control", "1"],
      ["BaselineAdminNetworkPolicy default", "1"],
    ]);
    expect(markdown?.stdout).toMatch(/^\*\*northgate lint:\*\* 2 errors, 2 warnings, 3 of information\n/);
    expect([sarif, junit, markdown].map((ran) => ran?.code)).toEqual([1, 1, 1]);
  });
});

test("help shows every rule of the catalogue", () => {
  const { code, stdout } = northgate("lint", "--help");
  expect(code).toBe(0);
  for (const { id, name } of catalogue) expect(stdout).toMatch(new RegExp(`${id} .*${name}`));
});

test("what cannot be read is named, and the rest is looked at", () => {
  const broken = fileOf("broken.yaml", "apiVersion: v1\nkind: Pod\nmetadata: 7\n");
  const { code, stdout, stderr } = northgate("lint", "-f", sample, "-f", broken, "--rule", "NG015");
  expect([code, stderr.includes("broken.yaml:")]).toEqual([1, true]);
  expect(stdout).toContain("2 of information");
});

describe("what is not understood", () => {
  // A policy with a misspelled action, one with a misspelled field, an object without a version, and no YAML at all.
  const files = () => {
    const head = { apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" };
    const subject = { namespaces: {} };
    const rule = { action: "Deny", from: [{ namespaces: {} }] };
    const objects = [
      {
        ...head,
        metadata: { name: "refused" },
        spec: { priority: 1, subject, ingress: [{ ...rule, action: "Drop" }] },
      },
      { ...head, metadata: { name: "unknown" }, spec: { priority: 2, subject, igress: [rule], egress: [] } },
      { kind: "AdminNetworkPolicy" },
    ];
    const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
    return [
      "-f",
      fileOf("mistakes.yaml", text),
      "-f",
      fileOf("torn.yaml", "a: [b\n"),
      "-f",
      join(folder, "nowhere"),
    ];
  };

  test("is found in every output, and fails", () => {
    const ran = (format: string, ...args: string[]) => northgate("lint", ...files(), "-o", format, ...args);
    const { findings } = JSON.parse(ran("json", "--rule", "NG000").stdout) as Report;
    expect(
      findings.map(({ id, severity, policy: { kind, name }, place }) => [id, severity, kind, name, place]),
    ).toEqual([
      ["NG000", "error", "AdminNetworkPolicy", "unknown", `${join(folder, "mistakes.yaml")}:3`],
      ["NG000", "error", "AdminNetworkPolicy", "refused", `${join(folder, "mistakes.yaml")}:1`],
      ["NG000", "error", "File", join(folder, "nowhere"), null],
      ["NG000", "error", "File", join(folder, "mistakes.yaml"), `${join(folder, "mistakes.yaml")}:5`],
      ["NG000", "error", "File", join(folder, "torn.yaml"), `${join(folder, "torn.yaml")}:2`],
    ]);
    const sarif: unknown = JSON.parse(ran("sarif", "--rule", "NG000").stdout);
    expect(sarifFaults(sarif)).toEqual([]);
    expect(sarif).toMatchObject({
      runs: [{ results: findings.map(({ id }) => ({ ruleId: id, level: "error" })) }],
    });
    const junit = readJunit(ran("junit", "--rule", "NG000").stdout);
    expect([junit.attributes.get("tests"), junit.attributes.get("failures")]).toEqual(["5", "5"]);
    const [table, markdown] = [ran("table").stdout, ran("markdown").stdout];
    for (const text of ["spec.igress", "nowhere", "torn.yaml", "refused"])
      expect([table.includes(text), markdown.includes(text)]).toEqual([true, true]);
    for (const args of [
      [],
      ["--fail-on", "info"],
      ["--rule", "NG015"],
      ["--rule", "NG015", "--skip", "NG000"],
    ])
      expect(ran("table", ...args).code).toBe(1);
    expect(ran("json", "--rule", "NG015").stdout).toContain("NG000");
  });
});

test("a default deny is no error: that pods cannot reach the API server is a warning for those with a token", () => {
  const of = (name: string, address: string, spec: object) => ({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name } },
    ...{ spec: { nodeName: "node-1", ...spec }, status: { podIPs: [{ ip: address }] } },
  });
  const volumes = [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }];
  const labels = { "node-role.kubernetes.io/control-plane": "" };
  const addresses = [{ type: "InternalIP", address: "172.18.0.2" }];
  const items = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", labels }, status: { addresses } },
    of("operator", "10.0.0.1", { volumes }),
    of("web", "10.0.0.2", {}),
    {
      ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
      metadata: { namespace: "shop", name: "default-deny" },
      spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
    },
  ];
  const file = fileOf("deny.yaml", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const { code, stdout } = northgate("lint", "-f", file, "-o", "json");
  const { findings } = JSON.parse(stdout) as Report;
  expect([code, findings.map(({ id, severity }) => [id, severity])]).toEqual([
    0,
    [
      ["NG009", "warning"],
      ["NG009", "info"],
    ],
  ]);
  expect(findings[0]?.message).toContain("shop/operator");
});

describe("what was not read", () => {
  const pod = {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "web" } },
    ...{ spec: { nodeName: "n" }, status: { podIPs: [{ ip: "10.0.0.1" }] } },
  };
  const closed = {
    ...{
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { namespace: "shop", name: "deny" },
    },
    spec: { podSelector: {}, policyTypes: ["Ingress"] },
  };
  const listed = (name: string, ...items: object[]) =>
    northgate(
      "lint",
      "-f",
      fileOf(name, JSON.stringify({ apiVersion: "v1", kind: "List", items })),
      "-o",
      "json",
    );
  const idsOf = ({ stdout }: { readonly stdout: string }) =>
    (JSON.parse(stdout) as Report).findings.map(({ id, policy: { kind } }) => [id, kind].join(" "));

  test("a default deny is none that does nothing where its Namespace was not read", () => {
    const ran = listed("no-namespace.yaml", pod, closed);
    expect([ran.code, idsOf(ran)]).toEqual([0, []]);
    expect(ran.stderr).toContain("Namespace shop was not read");
  });

  test("labels that decide, and policies of kinds that are not read, are findings, and fail", () => {
    const byLabel = {
      ...{
        apiVersion: "policy.networking.k8s.io/v1alpha1",
        kind: "AdminNetworkPolicy",
        metadata: { name: "p" },
      },
      spec: {
        ...{ priority: 1, subject: { namespaces: { matchLabels: { tenant: "x" } } } },
        ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
      },
    };
    const cilium = {
      ...{
        apiVersion: "cilium.io/v2",
        kind: "CiliumNetworkPolicy",
        metadata: { namespace: "shop", name: "c" },
      },
      spec: { endpointSelector: {} },
    };
    const labelled = listed("labels.yaml", pod, byLabel);
    expect([labelled.code, idsOf(labelled)]).toEqual([1, ["NG000 AdminNetworkPolicy"]]);
    const foreign = listed("foreign.yaml", pod, closed, cilium);
    expect([foreign.code, idsOf(foreign)]).toEqual([1, ["NG000 CiliumNetworkPolicy"]]);
  });
});

test("an annotation suppresses, and no text of a user's is an instruction", () => {
  const hostile = fileOf(
    "hostile.yaml",
    JSON.stringify({
      apiVersion: "policy.networking.k8s.io/v1alpha1",
      kind: "AdminNetworkPolicy",
      metadata: { name: "p", annotations: { "northgate/lint-ignore": "NG016: \u001b[2Jwhy; \u001b[31mbad" } },
      spec: {
        priority: 1,
        subject: { namespaces: {} },
        ingress: [0, 1].map(() => ({ name: "\u001b[31m\u202e", action: "Deny", from: [{ namespaces: {} }] })),
      },
    }),
  );
  for (const format of ["table", "json", "sarif", "junit", "markdown"]) {
    const { stdout, stderr } = northgate("lint", "-f", hostile, "-o", format);
    expect(stdout.length).toBeGreaterThan(10);
    expect(`${stdout}${stderr}`.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(reportOf("-f", hostile).findings.map(({ id, suppressed }) => [id, suppressed !== null])).toEqual([
    ["NG017", false],
    ["NG017", false],
    ["NG001", false],
  ]);
});

describe("with rows", () => {
  const rows = () =>
    JSON.parse(northgate("render", "-f", sample, "-o", "json").stdout) as Record<
      string,
      Record<string, unknown>[]
    >;
  const asked = (name: string, tables: unknown) =>
    northgate(
      "lint",
      "-f",
      sample,
      "--rule",
      "NG018",
      "--nb",
      `file:${fileOf(name, JSON.stringify(tables))}`,
    );

  test("that are as they should be, nothing is found", () => {
    const { code, stdout } = asked("rows.json", rows());
    expect([code, stdout]).toEqual([0, "0 errors, 0 warnings, 0 of information\n"]);
  });

  test("one that is altered is told under its policy", () => {
    const tables = rows();
    const [first] = tables["ACL"] ?? [];
    if (first === undefined) throw new Error("no ACL");
    first["action"] = "drop";
    const { code, stdout } = asked("altered.json", tables);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^AdminNetworkPolicy cluster-control\n {2}error {4}NG018 {2}rows disagree .*\n.*is altered: action is "drop", not "allow-related"/,
    );
  });

  test("that cannot be read, the exit code is 1 and the rest is said", () => {
    const { code, stdout, stderr } = northgate(
      "lint",
      "-f",
      sample,
      "--skip",
      "NG008",
      "--nb",
      "file:/nowhere",
    );
    expect([code, stderr.includes("--nb file:/nowhere"), stdout.includes("NG015")]).toEqual([1, true, true]);
  });
});
