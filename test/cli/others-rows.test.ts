// Calico's policies around NetworkPolicies that OVN-Kubernetes enforces: the commands that judge read these as ever, and compare rows with
// those of `run --enable-network-policy=false`. OVN-Kubernetes' own rows, as documented, are in the database beside them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Answer } from "../../src/explain/answer.ts";
import type { PlanReport } from "../../src/plan/report.ts";
import type { Manifest } from "../support/manifests.ts";
import { namespaceOf, nodeOf, podOf, written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";

const facts = [
  ...[namespaceOf("shop"), namespaceOf("open"), nodeOf("n")],
  ...[podOf("shop", "web", "10.0.0.1"), podOf("shop", "db", "10.0.0.2"), podOf("open", "api", "10.0.0.3")],
];
const isolation: Manifest = {
  ...{
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "np", namespace: "shop" },
  },
  spec: {
    podSelector: {},
    policyTypes: ["Ingress"],
    ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }],
  },
};
const global = (name: string, spec: object): Manifest => ({
  ...{ apiVersion: "projectcalico.org/v3", kind: "GlobalNetworkPolicy", metadata: { name }, spec },
});
const early = global("early", {
  ...{ order: 5, selector: "projectcalico.org/namespace == 'shop'" },
  ingress: [{ action: "Deny", protocol: "TCP", destination: { ports: [22] } }],
});
/** Behind the isolation, where OVN-Kubernetes has it. */
const late = global("late", {
  ...{ order: 2000, selector: "all()" },
  ingress: [{ action: "Allow", protocol: "TCP", destination: { ports: [443] } }],
});
const calico = ["--policy-model", "calico"];
const theirs = [...calico, "--enable-network-policy=false"];

let folder: string;
let path: string;
let database: string;

type Tables = Readonly<Record<string, readonly object[]>>;
const rendered = (manifests: readonly Manifest[], ...flags: readonly string[]) =>
  JSON.parse(
    northgate("render", "-f", written(folder, "rendered", ...facts, ...manifests), "-o", "json", ...flags)
      .stdout,
  ) as Tables;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-others-"));
  const [own, documented] = [rendered([isolation, early, late], ...theirs), rendered([isolation])];
  const rows = Object.fromEntries(
    Object.entries(own).map(([table, list]) => [
      table,
      [...list, ...(documented[table] ?? []).filter((row) => !JSON.stringify(row).includes("NorthgateNode"))],
    ]),
  );
  database = join(folder, "rows.json");
  writeFileSync(database, JSON.stringify(rows));
  path = written(folder, "all", ...facts, isolation, early, late);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function answered(to: string, port: number, ...flags: readonly string[]) {
  const given = ["--from", "open/api", "--to", to, "--protocol", "tcp", "--port", `${port}`];
  const { stdout } = northgate("explain", "-f", path, ...given, "-o", "json", ...flags);
  return JSON.parse(stdout) as Answer & {
    readonly rows?: { readonly verdict: string; readonly agrees: boolean };
  };
}

describe("explain", () => {
  const cases = [
    ["what a policy before them denies", "shop/web", 22, "deny"],
    ["what a NetworkPolicy allows", "shop/web", 80, "allow"],
    ["what its isolation denies", "shop/web", 81, "deny"],
    ["what a policy behind them allows, where nothing isolates", "open/api", 443, "allow"],
  ] as const;

  test.each(cases)(
    "judges as with true, and finds the rows as they should be: %s",
    (_, to, port, verdict) => {
      const from = to === "open/api" ? "shop/db" : "open/api";
      const given = ["--from", from, "--to", to, "--protocol", "tcp", "--port", `${port}`, "-o", "json"];
      const ran = northgate("explain", "-f", path, ...given, ...theirs, "--nb", `file:${database}`);
      const answer = JSON.parse(ran.stdout) as ReturnType<typeof answered>;
      expect([ran.code, answer.verdict]).toEqual([0, verdict]);
      expect(answer.rows).toMatchObject({ verdict, agrees: true });
    },
  );

  test("says where the rows are stricter", () => {
    expect(answered("shop/web", 443, ...theirs).verdict).toBe("allow");
    expect(answered("shop/web", 443, ...calico).verdict).toBe("allow");
    expect(answered("shop/web", 443, ...theirs, "--nb", `file:${database}`).rows).toMatchObject({
      ...{ verdict: "deny", agrees: false },
    });
  });

  test("without the flag, the rows would be those of true", () => {
    expect(answered("shop/web", 22, ...calico, "--nb", `file:${database}`)).toMatchObject({
      verdict: "deny",
    });
    const { stdout } = northgate("get", "policies", "-f", path, ...calico, "--nb", `file:${database}`);
    expect(stdout).toContain("rows differ");
  });
});

test("get lists NetworkPolicies, and no rows differ", () => {
  const { code, stdout } = northgate("get", "policies", "-f", path, ...theirs, "--nb", `file:${database}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(/NetworkPolicy +shop\/np/);
  expect(stdout).not.toContain("rows differ");
});

describe("lint", () => {
  const found = (...flags: readonly string[]) => {
    const { stdout } = northgate("lint", "-f", path, ...flags, "-o", "json");
    const { findings } = JSON.parse(stdout) as {
      readonly findings: readonly {
        id: string;
        severity: string;
        policy: { name: string };
        message: string;
      }[];
    };
    return findings.map(
      ({ id, severity, policy: { name }, message }) => `${id} ${severity} ${name}: ${message}`,
    );
  };

  test("warns of what their isolation takes away, and of nothing else", () => {
    expect(found(...theirs, "--rule", "NG019")).toEqual([
      "NG019 warning late: allows nothing for pods that NetworkPolicy shop/np isolates: another program's rows deny that " +
        "before the policy's are asked",
    ]);
    expect(found(...calico, "--rule", "NG019")).toEqual([]);
  });

  test("finds no row missing, and reads NetworkPolicies", () => {
    expect(found(...theirs, "--rule", "NG018", "--nb", `file:${database}`)).toEqual([]);
    expect(found(...calico, "--rule", "NG018", "--nb", `file:${database}`)).not.toEqual([]);
  });
});

test("render leaves NetworkPolicies alone", () => {
  const { code, stderr } = northgate("render", "-f", path, ...theirs);
  expect(code).toBe(0);
  expect(stderr).toMatch(/left alone: .*1 NetworkPolicy\.networking\.k8s\.io/);
});

describe("plan", () => {
  test("against the rows: nothing is missing, and nothing is to be removed", () => {
    const ran = northgate("plan", "-f", path, "--against", `nb:file:${database}`, ...theirs, "-o", "json");
    expect([ran.code, (JSON.parse(ran.stdout) as PlanReport).rows.changes]).toEqual([0, []]);
  });

  test("a NetworkPolicy that goes changes verdicts, and no row of ours", () => {
    const next = written(folder, "next", ...facts, early, late);
    const ran = northgate("plan", "-f", next, "--against", `dir:${path}`, ...theirs, "-o", "json");
    const { rows, verdicts } = JSON.parse(ran.stdout) as PlanReport;
    expect(rows.changes).toEqual([]);
    expect(verdicts.changes.map((one) => `${one.old} ${one.new}`)).toContain("allow deny");
    const other = northgate("plan", "-f", next, "--against", `dir:${path}`, ...calico, "-o", "json");
    expect((JSON.parse(other.stdout) as PlanReport).rows.changes).not.toEqual([]);
  });
});
