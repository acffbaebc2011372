// What a user is told where not everything was read: a namespace without its object, and policies of kinds that Northgate does
// not read, from manifests and from a cluster; the verdict, the words and the exit code.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { stringify } from "yaml";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(120_000));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-not-read-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const pod = (name: string, ip: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { app: name } },
  spec: { nodeName: "n" },
  status: { phase: "Running", podIPs: [{ ip }] },
});
const pods = [pod("web", "10.0.0.1"), pod("db", "10.0.0.2")];
const deny = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "deny", namespace: "shop" },
  spec: { podSelector: {}, policyTypes: ["Ingress"] },
};
const foreign = (apiVersion: string, kind: string, spec: object) => ({
  ...{ apiVersion, kind, metadata: { name: "x", namespace: "shop" }, spec },
});

function fileOf(name: string, objects: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, objects.map((object) => stringify(object)).join("---\n"));
  return path;
}

const question = ["--from", "shop/web", "--to", "shop/db", "--protocol", "tcp", "--port", "80"];

function explained(path: string) {
  const { code, stdout, stderr } = northgate("explain", "-f", path, ...question, "-o", "json");
  const { verdict, caveats } = JSON.parse(stdout) as {
    verdict: string;
    caveats: readonly { code: string; text: string }[];
  };
  return { code, verdict, caveats, stderr };
}

test("pods and a policy prove their namespace: explain denies, get counts, and render stays as it was", () => {
  const path = fileOf("shop.yaml", [...pods, deny]);
  expect(explained(path)).toMatchObject({ code: 0, verdict: "deny", caveats: [] });
  const got = northgate("get", "-f", path);
  expect(got.stdout).toMatch(/NetworkPolicy shop\/deny\s+2 pods .*in force/);
  expect(got.stderr).toBe(
    "warning: Namespace shop was not read: of its labels only kubernetes.io/metadata.name is known, and verdicts that depend on others are unknown\n",
  );
  const rendered = northgate("render", "-f", path, "-o", "json");
  const { Port_Group: groups } = JSON.parse(rendered.stdout) as {
    Port_Group: readonly { ports: readonly unknown[] }[];
  };
  expect(groups.map(({ ports }) => ports.length)).not.toContain(2);
  expect(rendered.stderr).toMatch(/no policy selects its pods/);
});

test("a test of policies fails where a policy of another kind leaves the verdict open", () => {
  const cilium = foreign("cilium.io/v2", "CiliumNetworkPolicy", {
    endpointSelector: { matchLabels: { app: "web" } },
  });
  const path = fileOf("cilium.yaml", [...pods, cilium]);
  const answer = explained(path);
  expect([answer.code, answer.verdict]).toEqual([0, "unknown"]);
  expect(answer.caveats).toEqual([
    {
      code: "KindNotRead",
      text: `CiliumNetworkPolicy.cilium.io shop/x (${path}:29): the kind is not read here, and its rules could apply to these ends`,
    },
  ]);
  expect(answer.stderr).toContain("warning: 1 object of CiliumNetworkPolicy.cilium.io, a kind of policy");
  const expected = join(folder, "expected.json");
  const [, from, , to, , protocol] = question;
  writeFileSync(expected, JSON.stringify([{ from, to, protocol, port: 80, expect: "allow" }]));
  expect(northgate("explain", "-f", path, "--connections", expected).code).toBe(1);
  expect(northgate("get", "-f", path).stdout).toMatch(/CiliumNetworkPolicy shop\/x .*not read/);
});

test("Calico's policies are errors that name the model in which they are read, and the verdict is open", () => {
  const kinds = ["NetworkPolicy", "GlobalNetworkPolicy"].map((kind) =>
    foreign("projectcalico.org/v3", kind, { selector: "all()" }),
  );
  for (const [at, object] of kinds.entries()) {
    const path = fileOf(`calico-${at}.yaml`, [...pods, object]);
    expect(explained(path)).toMatchObject({
      code: 1,
      verdict: "unknown",
      caveats: [{ code: "KindNotRead" }],
    });
    const rendered = northgate("render", "-f", path);
    expect([rendered.code, rendered.stderr]).toEqual([1, expect.stringContaining("--policy-model calico")]);
  }
});

test("a version of the policy API that is not read is an error still, and the verdict is open", () => {
  const path = fileOf("version.yaml", [
    ...pods,
    foreign("policy.networking.k8s.io/v1beta1", "ClusterNetworkPolicy", {}),
  ]);
  expect(explained(path)).toMatchObject({ code: 1, verdict: "unknown", caveats: [{ code: "KindNotRead" }] });
});

test("lint knows what a policy selects in a namespace that pods prove, and its gate fails where a policy was not read", () => {
  const proven = northgate("lint", "-f", fileOf("lint.yaml", [...pods, deny]));
  expect([proven.code, proven.stdout]).toEqual([0, "0 errors, 0 warnings, 0 of information\n"]);
  const firewall = foreign("k8s.ovn.org/v1", "EgressFirewall", {});
  const partial = northgate("lint", "-f", fileOf("firewall.yaml", [...pods, deny, firewall]));
  expect([partial.code, partial.stderr]).toEqual([1, expect.stringContaining("EgressFirewall.k8s.ovn.org")]);
});

test("migrate names policies that it did not read, and compares in a namespace that pods prove", () => {
  const policy = {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
    metadata: { name: "p" },
    spec: {
      priority: 5,
      subject: { namespaces: {} },
      ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
    },
  };
  const calico = foreign("projectcalico.org/v3", "NetworkPolicy", { selector: "all()" });
  const { code, stdout, stderr } = northgate("migrate", "-f", fileOf("old.yaml", [...pods, policy, calico]));
  expect([code, stdout]).toEqual([0, expect.stringContaining("kind: ClusterNetworkPolicy")]);
  expect(stderr).toContain("warning: 1 object of NetworkPolicy.projectcalico.org, a kind of policy");
  expect(stderr).toContain("compared all connections of 2 pods: no verdict changed");
});
