// `--cni` as a user gives it: without it and with `ovn` every command prints the same bytes, and of the clusters of the corpus those
// that the goldens hold; with another plugin there are no rows, what
// is about rows is wrong usage, and Cilium's own kinds are named and leave open what they could concern.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { clusters, commands as goldenCommands, goldenOf, printedNow } from "../corpus/goldens.ts";
import { ranIn } from "../support/in-process.ts";
import { patience } from "../support/patience.ts";
import { northgate, northgateFrom } from "../support/program.ts";

jest.setTimeout(patience(240_000));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-cni-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const ovn = ["--cni", "ovn"];
/** Of kinds that are read with a flag alone. */
const flagsOf: Readonly<Record<string, readonly string[]>> = { calico: ["--policy-model", "calico"] };
const examples = readdirSync("examples").filter((name) => name !== "clusters");

test.each(examples)("ovn is the default, to the byte: examples/%s", async (example) => {
  const world = ["-f", `examples/${example}`, ...(flagsOf[example] ?? [])];
  const old = example === "broken" ? "examples/multi-tenant" : "examples/cluster-control";
  const commands: readonly (readonly string[])[] = [
    ["explain", ...world, "--from", "10.244.2.6", "--to", "192.0.2.1", "--protocol", "icmp"],
    ...["table", "json"].map((output) => ["get", ...world, "-o", output]),
    ["lint", ...world, "-o", "json"],
    ["plan", ...world, "--against", `dir:${old}`, "-o", "json"],
    ["can", "reach", ...world, "--all", "--port", "53"],
    ["matrix", ...world],
  ];
  for (const command of commands) {
    const plain = await ranIn(".", command);
    expect(plain.stdout + plain.stderr).not.toBe("");
    expect([command, await ranIn(".", [...command, ...ovn])]).toEqual([command, plain]);
  }
});

test("ovn is the default, in one process of its own", () => {
  const command = ["get", "-f", "examples/cluster-control", "-o", "json"];
  expect(northgate(...command, ...ovn)).toEqual(northgate(...command));
});

test.each(clusters)("with ovn the answers are the goldens': examples/clusters/%s", async (cluster) => {
  for (const command of goldenCommands)
    expect(await printedNow(cluster, command, ovn)).toBe(goldenOf(cluster, command));
});

test("another plugin has no rows, and no flag of rows", () => {
  const path = "examples/cluster-control";
  const get = (...more: readonly string[]) => northgate("get", "-f", path, "--cni", "antrea", ...more);
  expect(get().stdout).not.toContain("ROWS");
  expect(JSON.parse(get("-o", "json").stdout)).toMatchObject([{ rows: {} }, { rows: {} }]);
  const planned = northgate(
    "plan",
    "-f",
    path,
    "--against",
    "dir:examples/lost-dns",
    "--cni",
    "antrea",
    "-o",
    "json",
  );
  expect(JSON.parse(planned.stdout)).toMatchObject({ cni: "antrea", rows: { changes: [] } });
  for (const [flag, value] of [
    ["nb", "file:rows.json"],
    ["backend", "iptables"],
    ["policy-model", "calico"],
  ] as const) {
    const wrong = get(`--${flag}`, value);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      `northgate: --${flag}: has no meaning with --cni antrea\n`,
    ]);
  }
  const rule = northgate("lint", "-f", path, "--cni", "antrea", "--rule", "NG010");
  expect([rule.code, rule.stderr]).toEqual([2, "northgate: --rule NG010 has no meaning with --cni antrea\n"]);
  const rows = northgate("plan", "-f", path, "--against", `dir:${path}`, "--cni", "antrea", "--rows");
  expect([rows.code, rows.stderr]).toEqual([1, "northgate: --rows has no meaning with --cni antrea\n"]);
});

const world = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {nodeName: n}, status: {phase: Running, podIP: 10.0.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: db, namespace: shop, labels: {app: db}}, spec: {nodeName: n}, status: {phase: Running, podIP: 10.0.0.2}}
---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: own, namespace: shop}
spec: {endpointSelector: {matchLabels: {app: db}}, ingress: [{}]}
`;

test("Cilium's own kinds are unread: they are named, and leave open the ends that they may select", () => {
  const file = join(folder, "world.yaml");
  writeFileSync(file, world);
  writeFileSync(join(folder, ".northgate.yaml"), "cni: cilium\n");
  const ask = (to: string) =>
    northgateFrom(
      folder,
      ...["explain", "-f", file, "--from", to === "shop/db" ? "shop/web" : "192.0.2.1", "--to", to],
      ...["--protocol", "tcp", "--port", "80"],
    );
  const open = ask("shop/db");
  expect(open.stdout).toMatch(/^UNKNOWN/);
  expect(open.stdout).toContain("KindNotRead: CiliumNetworkPolicy.cilium.io shop/own");
  expect(open.stderr).toContain("1 object of CiliumNetworkPolicy.cilium.io");
  expect(ask("shop/web").stdout).toMatch(/^ALLOW/);
});
