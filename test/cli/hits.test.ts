// `--hits`: what rules have met, beside the rules, as the commands print it.

import { expect, test } from "@jest/globals";
import { ranIn } from "../support/in-process.ts";
import { northgate } from "../support/program.ts";

const files = ["ovn-worker", "ovn-worker2"].flatMap((node) => [
  "--hits",
  `examples/cluster-control/hits/${node}.prom`,
]);
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
    /ovn-worker\.prom: is of node ovn-worker, as /,
  ],
])("%j", (args, code, message) => {
  const ran = northgate(...args);
  expect(ran.stderr).toMatch(message);
  expect(ran.code).toBe(code);
});

const asked = [
  "--from",
  "ingress-nginx/ingress-nginx-controller-cvb8h",
  "--to",
  "kube-system/coredns-76f75df574-5sn7h",
];
const traffic = ["--protocol", "tcp", "--port", "53"];

test("explain has the hits of what decides on each side, and the same verdict", async () => {
  const [plain, { code, stdout }] = [
    await run("explain", ...example, ...asked, ...traffic),
    await run("explain", ...example, ...asked, ...traffic, ...files),
  ];
  expect(code).toBe(plain.code);
  const hits = (line: string) => line.startsWith("  hits ");
  expect(stdout.split("\n").filter(hits)).toEqual([
    "  hits      egress[5]: 9 packets since 2026-11-20T08:00:00Z on 2 nodes",
    "  hits      ingress[0]: 1,204 packets since 2026-11-20T08:00:00Z on 2 nodes",
  ]);
  expect(
    stdout
      .split("\n")
      .filter((line) => !hits(line))
      .join("\n"),
  ).toBe(plain.stdout);
});

test("explain about many ends has them in each group, and as data", async () => {
  const ends = ["--from", "ingress-nginx/*", "--to", "kube-system/*"];
  const { stdout } = await run("explain", ...example, ...ends, ...traffic, ...files);
  expect(stdout).toMatch(/ingress\[0\].* \(1,204 packets since 2026-11-20T08:00:00Z on 2 nodes\)/);
  const data: unknown = JSON.parse(
    (await run("explain", ...example, ...ends, ...traffic, ...files, "-o", "json")).stdout,
  );
  expect(data).toMatchObject({
    groups: expect.arrayContaining([
      expect.objectContaining({
        ingress: expect.objectContaining({ hits: expect.objectContaining({ packets: 1204, nodes: 2 }) }),
      }),
    ]),
  });
});

test("lint reports what was never hit, and says what it does not judge", async () => {
  const { code, stdout, stderr } = await run(
    "lint",
    ...example,
    "--rule",
    "NG030",
    ...files,
    "--fail-on",
    "info",
    "-o",
    "json",
  );
  expect(code).toBe(1);
  expect(stderr).toBe("northgate: 4 rules not counted: NG030 does not judge them\n");
  const { findings } = JSON.parse(stdout) as {
    readonly findings: readonly { readonly message: string; readonly rule: Told["rule"] }[];
  };
  const since = (time: string, nodes: string) =>
    `no packet has met it since ${time}, on ${nodes} it; the counts of 1 node were not given`;
  expect(findings.map(({ rule: { direction, index }, message }) => [direction, index, message])).toEqual([
    ["ingress", 2, since("2026-11-27T16:30:00Z", "2 nodes that count")],
    ["egress", 2, since("2026-11-20T08:00:00Z", "1 node that counts")],
  ]);
});

test("lint --rule NG030 needs the counts", () => {
  const { code, stderr } = northgate("lint", ...example, "--rule", "NG030");
  expect([code, stderr]).toEqual([2, expect.stringContaining("--rule NG030 needs --hits")]);
});
