// `--hits`: what rules have met, beside the rules, as the commands print it.

import { expect, test } from "@jest/globals";
import { ranIn } from "../support/in-process.ts";
import { northgate } from "../support/program.ts";

const files = [1, 2].flatMap((node) => ["--hits", `examples/cluster-control/hits/worker-${node}.prom`]);
const example = ["-f", "examples/cluster-control"];
const run = (...args: readonly string[]) => ranIn(process.cwd(), args);

interface Told {
  readonly policy: { readonly name: string };
  readonly rule: { readonly direction: string; readonly index: number };
  readonly hits?: object;
}

test("get rules has the counts of all nodes, and why a rule has none", async () => {
  const { code, stdout } = await run("get", "rules", ...example, ...files);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ORDER +TIER +POLICY +RULE +ACTION +HITS +SINCE +PEERS/);
  expect(stdout).toMatch(/ingress\[0\] "allow-from-ingress-nginx" +Allow +1204 +2026-11-20T08:00:00Z /);
  expect(stdout).toMatch(/ingress\[2\] "allow-from-open-tenants" +Allow +0 +2026-11-27T16:30:00Z /);
  expect(stdout).toMatch(/egress\[1\] "allow-to-kapi-server" +Allow +- +- /);
  expect(stdout).toMatch(
    /\n\n- of 4 rules: not counted: no packet of the 2 nodes that were read can meet it/,
  );
});

test("get rules -o json has them as fields, and none without --hits", async () => {
  const { stdout } = await run("get", "rules", ...example, ...files, "-o", "json");
  const rules = JSON.parse(stdout) as readonly Told[];
  const of = (direction: string, index: number) =>
    rules.find(
      ({ policy, rule }) =>
        policy.name === "cluster-control" && rule.direction === direction && rule.index === index,
    )?.hits;
  expect(of("ingress", 0)).toEqual({
    ...{ packets: 1204, bytes: 430_073, nodes: 2 },
    ...{ since: "2026-11-20T08:00:00Z", allSince: "2026-11-27T16:30:00Z", until: "2026-11-28T08:00:10Z" },
  });
  expect(of("egress", 1)).toEqual({
    packets: null,
    reason: expect.stringMatching(/^no packet of the 2 nodes/),
  });
  const without = await run("get", "rules", ...example, "-o", "json");
  expect((JSON.parse(without.stdout) as readonly Told[]).some(({ hits }) => hits !== undefined)).toBe(false);
});

test("get pod has them too", async () => {
  const { stdout } = await run("get", "pod", "kube-system/coredns-76f75df574-5sn7h", ...example, ...files);
  expect(stdout).toMatch(/TIER +POLICY +RULE +ACTION +HITS +SINCE +PEERS/);
});

test.each([
  [["get", ...files], 2, /get policies: --hits needs get rules or get pod/],
  [["get", "rules", ...example, "--hits", "README.md"], 1, /--hits README\.md:1?\d+: is no line of metrics/],
  [
    ["get", "rules", ...example, ...files, ...files.slice(0, 2)],
    1,
    /worker-1\.prom: is of node worker-1, as /,
  ],
])("%j", (args, code, message) => {
  const ran = northgate(...args);
  expect(ran.stderr).toMatch(message);
  expect(ran.code).toBe(code);
});
