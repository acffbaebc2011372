// Staged policies in manifests: without `plan --staged` they have no rows and no verdict, and what is wrong with them is reported as of
// the policies that they would be, where they are written.

import { expect, test } from "@jest/globals";
import type { Manifest } from "../support/manifests.ts";
import { written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";
import { apiVersion, stagedFacts, stagedFolder } from "../support/staged.ts";

const folder = stagedFolder();

const staged = (kind: string, name: string, spec: object): Manifest => ({
  ...{ apiVersion, kind: `Staged${kind}`, spec },
  metadata: kind === "GlobalNetworkPolicy" ? { name } : { name, namespace: "shop" },
});
const wrong = [
  staged("GlobalNetworkPolicy", "action", { ingress: [{ action: "Drop" }] }),
  staged("NetworkPolicy", "tier", { tier: "nosuch", ingress: [{ action: "Deny" }] }),
  staged("KubernetesNetworkPolicy", "labels", { podSelector: { matchLabels: 5 } }),
  staged("NetworkPolicy", "staging", { stagedAction: "Replace" }),
];
const told = [
  /\.yaml:\d+: error: StagedGlobalNetworkPolicy action: spec\.ingress\[0\]\.action: must be one of/,
  /\.yaml:\d+: error: StagedNetworkPolicy shop\/tier: spec\.tier: there is no tier nosuch/,
  /\.yaml:\d+: error: StagedKubernetesNetworkPolicy shop\/labels: spec\.podSelector\.matchLabels: /,
  /\.yaml:\d+: error: StagedNetworkPolicy shop\/staging: spec\.stagedAction: must be Set, Delete, /,
];

function ran(command: string, manifests: readonly Manifest[], ...flags: readonly string[]) {
  const path = written(folder, "all", ...stagedFacts, ...manifests);
  const against = command === "plan" ? ["--against", `dir:${path}`] : [];
  return northgate(command, "-f", path, "--policy-model", "calico", ...against, ...flags);
}

const asked = ["--from", "shop/web", "--to", "shop/db", "--protocol", "tcp", "--port", "80"];

test.each<readonly [string, ...string[]]>([["render"], ["lint"], ["get"], ["plan"], ["explain", ...asked]])(
  "%s reports mistakes in staged policies, each once",
  (command, ...flags) => {
    const { code, stderr } = ran(command, wrong, ...flags);
    expect(code).toBe(1);
    for (const one of told) expect(stderr.split("\n").filter((line) => one.test(line))).toHaveLength(1);
  },
);

test("NetworkPolicies that another program enforces are not checked by render", () => {
  const { code, stderr } = ran("render", wrong.slice(2, 3), "--enable-network-policy=false");
  expect(code).toBe(0);
  expect(stderr).not.toContain("error");
});

test("lint has them as findings", () => {
  const { stdout } = ran("lint", wrong, "-o", "json");
  const found = (JSON.parse(stdout) as { findings: readonly { id: string; policy: { kind: string } }[] })
    .findings;
  expect(found.flatMap(({ id, policy: { kind } }) => (kind.startsWith("Staged") ? [id] : []))).toEqual(
    wrong.map(() => "NG000"),
  );
});

test("what they say is in no row and no verdict, and a warning fails nothing", () => {
  const walls = [
    staged("GlobalNetworkPolicy", "walls", { ingress: [{ action: "Deny" }], egress: [{ action: "Deny" }] }),
    staged("KubernetesNetworkPolicy", "closed", { podSelector: {} }),
    staged("NetworkPolicy", "log", { ingress: [{ action: "Log" }, { action: "Deny" }, { action: "Log" }] }),
  ];
  const rendered = ran("render", walls, "-o", "json");
  expect(rendered.code).toBe(0);
  expect(rendered.stdout).toBe(ran("render", [], "-o", "json").stdout);
  expect(rendered.stderr).toMatch(/\.yaml:\d+: warning: StagedNetworkPolicy shop\/log: spec\.ingress\[/);
  expect(ran("explain", walls, ...asked, "-o", "json")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"verdict": "allow"'),
  });
});

test("they find no room that they would not have in force", () => {
  const tiers = ["a", "b", "c", "d"].map((name, order) => ({
    ...{ apiVersion, kind: "Tier", metadata: { name }, spec: { order } },
  }));
  const passing = (kind: string, tier: string) => ({
    ...staged(kind, tier, { tier, ingress: [{ action: "Pass", protocol: "TCP" }] }),
    ...(tier === "c" ? {} : { kind }),
  });
  const walls = { ...staged("GlobalNetworkPolicy", "d", { tier: "d", ingress: [{ action: "Deny" }] }) };
  const all = [
    ...tiers,
    ...["a", "b", "c"].map((tier) => passing("GlobalNetworkPolicy", tier)),
    { ...walls, kind: "GlobalNetworkPolicy" },
  ];
  const { code, stderr } = ran("render", all);
  expect(code).toBe(1);
  expect(stderr).toMatch(/error: StagedGlobalNetworkPolicy c: .*OVN has no tier left behind tier c/);
  expect(ran("render", all, "--calico-tier-zero=true").code).toBe(0);
});
