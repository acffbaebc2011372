// `northgate explain` and `northgate get` as a user runs them: what is printed of the sample, tests of policies by a file, what
// cannot be answered, and exit codes.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { parse } from "yaml";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";
import { mainFile } from "../support/main-file.ts";

// Some tests start a dozen processes, one after another.
jest.setTimeout(patience(120_000));

const sample = "examples/cluster-control";
const [splunk, dns] = ["splunk/splunk-5f8c6d9f7b-7jx2p", "kube-system/coredns-76f75df574-5sn7h"];
const question = ["--from", splunk, "--to", dns, "--protocol", "udp", "--port", "5353"];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-explain-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileOf(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("one connection of the sample", () => {
  test("as a tree", () => {
    const { code, stdout, stderr } = northgate("explain", "-f", sample, ...question);
    expect([code, stderr]).toEqual([0, ""]);
    const policies = `${sample}/policies/cluster-control.yaml`;
    expect(stdout.split("\n")).toEqual([
      `DENY  ${splunk} 10.244.2.6 → ${dns} 10.244.2.3  udp 5353`,
      "",
      "egress (source): allowed",
      `  admin     cluster-control (34)  egress[0] "allow-to-dns"  Allow  ◀ decides  ${policies}:45`,
      '            cluster-control (34)  egress[5] "default-deny"  Deny   matches too, but egress[0] is before it',
      '  baseline  default               egress[0] "default-deny"  Deny   matches too, but the admin tier has decided',
      "ingress (destination): denied",
      `  admin     cluster-control (34)  ingress[4] "default-deny"  Deny  ◀ decides  ${policies}:40`,
      '  baseline  default               ingress[0] "default-deny"  Deny  matches too, but the admin tier has decided',
      '  nearly    cluster-control (34) ingress[0] "allow-from-ingress-nginx": wants namespace kubernetes.io/metadata.name=ingress-nginx, has splunk',
      '  nearly    cluster-control (34) ingress[2] "allow-from-open-tenants": wants namespace tenant=open, has splunk',
      '  nearly    cluster-control (34) ingress[3] "pass-from-restricted-tenants": wants namespace tenant=restricted, has splunk',
      "  evaluated as a new connection; replies are allowed with it",
      "",
    ]);
  });

  test("as JSON, and as the same YAML", () => {
    const { code, stdout } = northgate("explain", "--source", `dir:${sample}`, ...question, "-o", "json");
    expect(code).toBe(0);
    const answer: unknown = JSON.parse(stdout);
    const policy = {
      group: "policy.networking.k8s.io",
      kind: "AdminNetworkPolicy",
      namespace: null,
      name: "cluster-control",
    };
    expect(answer).toMatchObject({
      from: { text: splunk, ip: "10.244.2.6", pod: splunk, node: "ovn-worker2", kind: "pod" },
      to: { text: dns, ip: "10.244.2.3", pod: dns, kind: "pod" },
      ...{ protocol: "udp", port: 5353, verdict: "deny", caveats: [] },
      egress: { verdict: "allow", by: "rule", tier: "admin", policy, rule: { index: 0, action: "allow" } },
      ingress: {
        ...{ verdict: "deny", by: "rule", tier: "admin", policy, steps: [] },
        rule: {
          ...{ direction: "ingress", index: 4, name: "default-deny", action: "deny" },
          place: `${sample}/policies/cluster-control.yaml:40`,
        },
        lost: [{ tier: "baseline", because: "tier-before" }],
        near: [{ part: "peer", has: "splunk" }, {}, {}],
      },
    });
    expect(parse(northgate("explain", "-f", sample, ...question, "-o", "yaml").stdout)).toEqual(answer);
  });
});

describe("many connections", () => {
  const sent = { from: splunk, to: dns, protocol: "UDP", port: 5353 };

  test("as expected, in their order", () => {
    const path = fileOf("good.json", [
      { ...sent, expect: "deny" },
      { from: dns, to: "172.18.0.2", protocol: "icmp", expect: "ALLOW" },
      sent,
    ]);
    const { code, stdout } = northgate("explain", "-f", sample, "--connections", path, "-o", "json");
    const answers: unknown = JSON.parse(stdout);
    expect([code, answers]).toEqual([
      0,
      [
        expect.objectContaining({ verdict: "deny", expected: "deny", met: true }),
        expect.objectContaining({
          verdict: "allow",
          protocol: "icmp",
          port: null,
          expected: "allow",
          met: true,
        }),
        expect.not.objectContaining({ met: expect.anything() }),
      ],
    ]);
    // Losers are told of one connection, or when they are asked for.
    expect(stdout).not.toContain('"lost"');
    expect(northgate("explain", "-f", sample, "--connections", path, "--all").stdout).toContain("nearly");
  });

  test("one is not as expected, and what cannot be asked does not hold up the others", () => {
    const bad = [
      { ...sent, expect: "allow" },
      { ...sent, from: "splunk/splunk" },
      { ...sent, port: 70000 },
      { ...sent, expects: "deny" },
      { ...sent, protocol: "icmp" },
      { ...sent, expect: "maybe" },
      7,
      { ...sent, expect: "deny" },
    ];
    const { code, stdout, stderr } = northgate(
      "explain",
      "-f",
      sample,
      "--connections",
      fileOf("bad.json", bad),
    );
    expect(code).toBe(1);
    const between = `${splunk} → ${dns}  udp 5353`;
    const decided = 'cluster-control egress[0] "allow-to-dns"; cluster-control ingress[4] "default-deny"';
    expect(stdout.split("\n")).toEqual([
      `DENY  ${between}  ${decided}  ✗ expected allow`,
      `DENY  ${between}  ${decided}  as expected`,
      "",
      "2 answered, 1 as expected, 1 not, 6 could not be asked",
      "",
    ]);
    const findings = stderr.split("\n").filter((line) => line !== "");
    expect(findings).toEqual([
      `northgate: there is no pod "splunk/splunk"; did you mean "${splunk}"?`,
      "northgate: [2].port: must be an integer from 1 to 65535, not 70000",
      "northgate: [3].expects: is none of from, to, protocol, port, expect",
      "northgate: [4].port: icmp has no ports",
      'northgate: [5].expect: must be one of allow, deny, unknown, not "maybe"',
      "northgate: [6]: must be an object, not 7",
    ]);
  });

  test("from standard input", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [mainFile, "explain", "-f", sample, "--connections", "-", "-o", "json"],
      { encoding: "utf8", input: JSON.stringify([{ ...sent, expect: "allow" }]), timeout: patience(30_000) },
    );
    expect([status, JSON.parse(stdout)]).toEqual([1, [expect.objectContaining({ met: false })]]);
  });
});

describe("what is not answered", () => {
  test("a pod that is not there", () => {
    const { code, stdout, stderr } = northgate(
      "explain",
      "-f",
      sample,
      "--from",
      "a/b",
      ...question.slice(2),
      "-o",
      "json",
    );
    expect([code, JSON.parse(stdout)]).toEqual([1, { error: 'there is no pod "a/b"' }]);
    expect(stderr).toBe('northgate: there is no pod "a/b"\n');
  });

  test("a refused policy: it is named, the others are judged, and nothing is claimed that it may change", () => {
    const broken = {
      ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
      metadata: { name: "broken" },
      spec: {
        priority: 1,
        subject: { namespaces: {} },
        ingress: [{ action: "Nonsense", from: [{ namespaces: {} }] }],
      },
    };
    const { code, stdout, stderr } = northgate(
      "explain",
      "-f",
      sample,
      "-f",
      fileOf("broken.yaml", broken),
      ...question,
    );
    expect(code).toBe(1);
    expect(stderr).toContain("AdminNetworkPolicy broken: spec.ingress[0].action: must be one of");
    expect(stdout).toMatch(/^UNKNOWN {2}/);
    expect(stdout).toContain("note      NotRead: AdminNetworkPolicy broken is refused");
  });

  test.each([
    [["explain", "-f", sample], "--from is needed, or --connections with a file of connections"],
    [["explain", "-f", sample, ...question.slice(0, 4)], "--protocol is needed"],
    [["explain", "-f", sample, ...question.slice(0, 6)], "--port is needed"],
    [["explain", "-f", sample, ...question.slice(0, 7), "0"], '--port: "0" is not a port, 1 to 65535'],
    [
      ["explain", "-f", sample, ...question, "--protocol", "gre"],
      '--protocol: "gre" is not tcp, udp, sctp, icmp',
    ],
    [["explain", "-f", sample, ...question, "--protocol", "icmp"], "--port: icmp has no ports"],
    [
      ["explain", "-f", sample, ...question, "--source", "kube"],
      "--filename and --source: use only one of them",
    ],
    [["explain", "-f", sample, ...question, "--connections", "x"], "--connections and --from"],
    [["explain", "-f", sample, "--connections", "/none"], "--connections /none: ENOENT"],
    [
      ["explain", "-f", sample, "--connections", "package.json"],
      "--connections package.json: not a list of connections",
    ],
    [["explain", "-f", sample, "--connections", "README.md"], "--connections README.md: not JSON"],
    [
      ["explain", "-f", sample, ...question, "--service-cidr", "10.0.0.1"],
      '--service-cidr: "10.0.0.1" is not a network',
    ],
    [["get", "-f", sample, "pods"], "is invalid for argument 'what'"],
    [["get", "-f", sample, "pod"], "get pod: NAMESPACE/NAME is needed"],
    [["get", "-f", sample, "rules", "x"], "get rules: takes no name"],
  ])("%j is wrong usage", (args, message) => {
    const { code, stdout, stderr } = northgate(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("a cluster that is not there", () => {
    const { code, stdout, stderr } = northgate("explain", "--kubeconfig", "/none/config", ...question);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^northgate: .*\/none\/config/);
  });
});

test("no user's text is an instruction to a terminal", () => {
  const evil = "x\u001b[31m\u009b2J\u202ey";
  const policy = {
    ...{
      apiVersion: "policy.networking.k8s.io/v1alpha1",
      kind: "AdminNetworkPolicy",
      metadata: { name: "evil" },
    },
    spec: {
      priority: 1,
      subject: { namespaces: {} },
      ingress: [{ name: evil, action: "Deny", from: [{ namespaces: {} }] }],
    },
  };
  const path = fileOf("evil.json", policy);
  for (const args of [
    ["explain", ...question],
    ["get", "rules"],
    ["get", "pod", dns],
  ]) {
    const [table, json, yaml] = ["table", "json", "yaml"].map((output) => {
      const { stdout, stderr } = northgate(...args, "-f", sample, "-f", path, "-o", output);
      expect(stdout).toContain("evil");
      expect(stdout + stderr).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u);
      return stdout;
    });
    expect(table).toMatch(/\\u(001b|\{1b\})/);
    // The data are the same all the same.
    expect(parse(yaml ?? "")).toEqual(JSON.parse(json ?? ""));
    expect(JSON.stringify(JSON.parse(json ?? ""))).toContain(JSON.stringify(evil));
  }
  expect(northgate("explain", "-f", sample, ...question.slice(2), "--from", evil).stderr).not.toMatch(
    /[^\n\P{Cc}]/u,
  );
});

describe("get", () => {
  test("policies of every kind in the order of evaluation, with what is refused and inert", () => {
    const policy = (name: string, spec: object) => ({
      ...{
        apiVersion: "policy.networking.k8s.io/v1alpha2",
        kind: "ClusterNetworkPolicy",
        metadata: { name },
      },
      spec: { priority: 3, ...spec },
    });
    const objects = [
      policy("nobody", {
        tier: "Admin",
        subject: { namespaces: { matchLabels: { a: "none" } } },
        ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
      }),
      policy("wrong", {
        tier: "Baseline",
        subject: { namespaces: {} },
        ingress: [{ action: "Nonsense", from: [{ namespaces: {} }] }],
      }),
      policy("empty", { tier: "Baseline", priority: 9, subject: { namespaces: {} } }),
    ];
    const path = fileOf("more.yaml", objects.map((one) => JSON.stringify(one)).join("\n---\n"));
    const { code, stdout } = northgate("get", "-f", sample, "-f", path, "-f", "examples/network-policy");
    expect(code).toBe(1);
    expect(stdout.trimEnd().split("\n")).toEqual([
      "ORDER  TIER        PRIORITY  POLICY                              SUBJECTS  INGRESS  EGRESS  ROWS     STATE",
      "1      admin       34        AdminNetworkPolicy cluster-control  8 pods    5        6       1+11+12  in force",
      "2      admin       3         ClusterNetworkPolicy nobody         0 pods    1        0       1+0+1    inert",
      "3      namespaced  -         NetworkPolicy blue/isolated         0 pods    0        1       1+0+2    inert",
      "4      namespaced  -         NetworkPolicy blue/web              0 pods    2        1       1+0+3    inert",
      "5      baseline    3         ClusterNetworkPolicy wrong          ?         0        0       0+0+0    refused",
      "6      baseline    9         ClusterNetworkPolicy empty          8 pods    0        0       1+0+0    inert",
      "7      baseline    -         BaselineAdminNetworkPolicy default  8 pods    1        1       1+2+2    in force",
    ]);
    const names = (by: string) =>
      northgate("get", "-f", sample, "-f", path, "--sort-by", by)
        .stdout.split("\n")
        .map((line) => line.split(/ {2,}/)[3]?.split(" ")[1]);
    expect(names("name").slice(1, -1)).toEqual(["cluster-control", "default", "empty", "nobody", "wrong"]);
    expect(names("subjects").slice(1, -1)).toEqual([
      "cluster-control",
      "empty",
      "default",
      "nobody",
      "wrong",
    ]);
  });

  test("the rules of a pod, as JSON", () => {
    const { code, stdout } = northgate("get", "pod", dns, "-f", sample, "-o", "json");
    expect(code).toBe(0);
    const told = JSON.parse(stdout) as { egress: { rule: { index: number; place: string } }[] };
    expect(told).toMatchObject({ pod: dns, ips: ["10.244.2.3"], exempt: false });
    expect(told.egress.map(({ rule }) => rule.index)).toEqual([0, 1, 2, 3, 4, 5, 0]);
    expect(told.egress[0]).toMatchObject({
      order: 1,
      ports: ["udp 5353"],
      rule: { place: `${sample}/policies/cluster-control.yaml:45` },
    });
    expect(northgate("get", "pod", "a/b", "-f", sample)).toMatchObject({
      code: 1,
      stderr: 'northgate: there is no pod "a/b"\n',
    });
  });
});
