// Services and DNS on nodes with kubelets: OVN's load balancers take a pod to a Service's endpoints on any node, CoreDNS gives it their
// names, and a policy that forgets DNS breaks that. `plan` and `lint` say so of the cluster itself.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { patience } from "../../../test/support/patience.ts";
import { asShipped } from "../../conformance/northgate.ts";
import type { Cluster } from "../cluster.ts";
import { applyPod, connecting } from "../stream.ts";

const slow = patience(240_000);
const waitMs = 60_000;
const port = 8080;
const policy = "asker-egress";
const names = ["web-1", "web-2", "asker"];
const web = "web.default.svc.cluster.local";

export function testServices(cluster: () => Cluster): void {
  const kubectl = (args: readonly string[], input?: object) =>
    cluster().plane.kubectl(args, {
      timeoutMs: patience(120_000),
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    });
  const connectsTo = (target: string) => connecting(cluster(), "asker", target);
  /** What the server that answers calls itself: the name of its pod. */
  const answerer = (host: string) => {
    const ask = `exec 3<> /dev/tcp/${host}/${port}; printf 'GET /hostname HTTP/1.0\\r\\n\\r\\n' >&3
while IFS= read -r line <&3 || [ -n "$line" ]; do last=$line; line=; done; printf '%s' "$last"`;
    return kubectl(["exec", "asker", "--", "/bin/bash", "-c", ask]);
  };

  beforeAll(async () => {
    const serve = ["/agnhost", "netexec", `--http-port=${port}`, "--udp-port=-1"];
    for (const [name, node] of [
      ["web-1", "node-1"],
      ["web-2", "node-2"],
    ] as const)
      await applyPod(cluster(), { name, node, command: serve, port, labels: { tier: "web" } });
    await applyPod(cluster(), { name: "asker", node: "node-1", command: ["/agnhost", "pause"] });
    await kubectl(["apply", "-f", "-"], {
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web" } },
      spec: { selector: { tier: "web" }, ports: [{ port }] },
    });
    await kubectl(["wait", "--for=condition=Ready", ...names.map((name) => `pod/${name}`), "--timeout=60s"]);
    await kubectl(["-n", "kube-system", "rollout", "status", "deployment/coredns", "--timeout=60s"]);
  }, slow);
  afterAll(async () => {
    await kubectl(["delete", "networkpolicy", policy, "--ignore-not-found"]);
    await kubectl(["delete", "service", "web", "--ignore-not-found"]);
    await kubectl(["delete", "pod", ...names, "--ignore-not-found", "--wait=true"]);
  }, slow);

  test(
    "a pod reaches the API server by the name of its Service, and by no other port and name",
    async () => {
      await eventually(async () => {
        expect(await connectsTo("kubernetes.default.svc.cluster.local:443")).toBe("");
      }, waitMs);
      // No load balancer has it, and the network no route to it.
      expect(await connectsTo("kubernetes.default.svc.cluster.local:444")).toBe("OTHER");
      expect(await connectsTo("nobody.default.svc.cluster.local.:443")).toBe("DNS");
    },
    slow,
  );

  test(
    "a pod reaches the pods of a Service on both nodes by its name, and those alone that are left",
    async () => {
      const seen = new Set<string>();
      await eventually(async () => {
        seen.add(await answerer("web"));
        expect([...seen].sort()).toEqual(["web-1", "web-2"]);
      }, waitMs);
      await kubectl(["label", "pod", "web-2", "tier-"]);
      await eventually(async () => {
        const answers = [];
        for (let count = 0; count < 6; count += 1) answers.push(await answerer(web));
        expect(new Set(answers)).toEqual(new Set(["web-1"]));
      }, waitMs);
      await kubectl(["label", "pod", "web-2", "tier=web"]);
    },
    slow,
  );

  test(
    "a NetworkPolicy that forgets DNS breaks names and not addresses; plan says so before, and lint after",
    async () => {
      const ip = await kubectl(["get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"]);
      const file = join(cluster().dir, "forgets-dns.json");
      const northgate = (...args: readonly string[]) =>
        answerOf([...args, `--kubeconfig=${cluster().plane.kubeconfig}`]);
      const lost = /DNS lost: /;

      writeFileSync(file, JSON.stringify(egressOf([toWeb])));
      expect(await northgate("plan", "-f", file)).toMatch(lost);
      expect(await northgate("lint", "--rule=NG008")).not.toContain(policy);
      await kubectl(["apply", "-f", file]);
      await eventually(async () => {
        expect(await connectsTo(`${web}.:${port}`)).toBe("DNS");
      }, waitMs);
      expect(await connectsTo(`${ip}:${port}`)).toBe("");
      const found = await northgate("lint", "--rule=NG008");
      expect(found).toMatch(/error +NG008 +no DNS/);
      expect(found).toContain(policy);

      writeFileSync(file, JSON.stringify(egressOf([toWeb, toDns])));
      const mended = await northgate("plan", "-f", file);
      expect(mended).toMatch(/NEWLY ALLOWED/);
      expect(mended).not.toMatch(lost);
      await kubectl(["apply", "-f", file]);
      await eventually(async () => {
        expect(await connectsTo(`${web}.:${port}`)).toBe("");
      }, waitMs);
      expect(await northgate("lint", "--rule=NG008")).not.toContain(policy);
    },
    slow,
  );
}

const toWeb = {
  to: [{ podSelector: { matchLabels: { tier: "web" } } }],
  ports: [{ protocol: "TCP", port }],
};
const toDns = {
  to: [{ namespaceSelector: {}, podSelector: { matchLabels: { "k8s-app": "kube-dns" } } }],
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};

/** A NetworkPolicy: the pod `asker` reaches nothing else. */
function egressOf(egress: readonly object[]): object {
  return {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
    metadata: { name: policy, namespace: "default" },
    spec: { podSelector: { matchLabels: { app: "asker" } }, policyTypes: ["Egress"], egress },
  };
}

/** What the program prints, whatever its exit code. The tests' own servers go on meanwhile. */
function answerOf(args: readonly string[]): Promise<string> {
  const [program = "", ...command] = asShipped;
  return new Promise((resolve) => {
    execFile(program, [...command, ...args], { encoding: "utf8" }, (_, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}
