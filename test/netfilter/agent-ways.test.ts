// Packets on a node whose filter `northgate run` keeps: between isolated pods, to a pod itself through a Service, from
// the node to its pods and back, and past a DROP of somebody else before and behind the rules of the agent.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { stringify } from "yaml";
import type { IpAddress } from "../../src/model/ip.ts";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { AgentNode } from "./agent.ts";
import { describeWithNetfilter } from "./describe.ts";
import type { Stack } from "./node.ts";
import { TestNode } from "./node.ts";
import { serve, virtual } from "./services.ts";
import { backendFlags, RealFilter, variants } from "./tools.ts";

jest.setTimeout(patience(60_000));

const port = 19_478;
const own = "node-1";
const addresses = {
  [own]: ["172.18.0.2", "fd18::2"],
  a: ["10.0.0.1", "fd00::1"],
  b: ["10.0.0.2", "fd00::2"],
} as const;

function podNamed(name: "a" | "b") {
  const podIPs = addresses[name].map((ip) => ({ ip }));
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "x", labels: { app: name } } },
    spec: { nodeName: own, containers: [{ name: "c", image: "c" }] },
    status: { phase: "Running", podIP: podIPs[0]?.ip, podIPs },
  };
}

/** Isolates every pod; `a` may ask `b`. */
const manifests = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } },
  {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: own } },
    status: { addresses: addresses[own].map((address) => ({ type: "InternalIP", address })) },
  },
  podNamed("a"),
  podNamed("b"),
  {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "p", namespace: "x" } },
    spec: {
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [{ podSelector: { matchLabels: { app: "a" } } }], ports: [{ port: 80 }] }],
      egress: [{ to: [{ podSelector: { matchLabels: { app: "b" } } }], ports: [{ port: 80 }] }],
    },
  },
];

const stackOf = (name: keyof typeof addresses): Stack => {
  const ips = addresses[name] as readonly string[] as readonly IpAddress[];
  const listens = ips.flatMap((ip) => [80, 81].map((at) => ({ protocol: "tcp", ip, port: at }) as const));
  return { name, ips, listens, isBridged: false };
};

for (const variant of variants)
  describeWithNetfilter(`packets and the agent, ${variant.name}`, variant.flavour, () => {
    const { flavour } = variant;
    const folder = mkdtempSync(join(tmpdir(), "ng-ways-"));
    let node: TestNode;
    let host: AgentNode;
    let agent: Running;

    beforeAll(async () => {
      node = await TestNode.open(stackOf(own), [stackOf("a"), stackOf("b")]);
      host = new AgentNode(node.namespace);
      writeFileSync(join(folder, "world.yaml"), manifests.map((one) => stringify(one)).join("---\n"));
      await start();
    });
    afterAll(async () => {
      expect(await agent.end()).toBe(0);
      host.close();
      await node.close();
      rmSync(folder, { recursive: true });
    });

    const start = async (...more: readonly string[]) => {
      agent = host.start(
        ...[...backendFlags(variant), `--zone=${own}`, `--source=dir:${folder}`, ...more],
        ...["--enable-network-policy=true", `--metrics-bind-address=127.0.0.1:${port}`],
      );
      await eventually(() => {
        expect(host.get(port, "/readyz")).toMatch(/^HTTP\/1.1 200/);
      }, 20_000);
    };
    const sees = (from: string, address: string, at = 80, waitMs = 5000) =>
      node.of(from).ask("probe", "tcp", address, at, patience(waitMs));

    test("isolated pods, the node to its pods, and a pod to its node", async () => {
      for (const family of [0, 1] as const) {
        expect(await sees("a", addresses.b[family])).toBe("allow");
        expect(await sees("a", addresses.b[family], 81)).toBe("ECONNREFUSED");
        expect(await sees("b", addresses.a[family])).toBe("ECONNREFUSED");
        expect(await sees(own, addresses.b[family], 81)).toBe("allow");
        expect(await sees("a", addresses[own][family])).toBe("ECONNREFUSED");
      }
    });

    test("a pod reaches itself through a Service", async () => {
      serve(new RealFilter(node.namespace, flavour), 1);
      for (const address of [virtual.v4, virtual.v6]) {
        expect(await sees("a", address, 81)).toBe("allow");
        expect(await sees("b", address)).toBe("ECONNREFUSED");
      }
    });

    test.each([
      ["behind", ["-A", "FORWARD"]],
      ["before", ["-I", "FORWARD", "1"]],
    ])("a DROP of somebody else %s the agent's rules still counts", async (_, place) => {
      const [tool, dropped] = [`iptables-${flavour}`, ["-p", "tcp", "--dport", "80", "-j", "DROP"]];
      host.inside(tool, ...place, ...dropped);
      expect(await sees("a", addresses.b[0], 80, 500)).toBe("drop");
      expect(await sees("a", addresses.b[0], 81)).toBe("ECONNREFUSED");
      expect(await sees("a", addresses.b[1])).toBe("allow");
      host.inside(tool, "-D", "FORWARD", ...dropped);
      expect(await sees("a", addresses.b[0])).toBe("allow");
    });

    test("what is outside --ip-range passes, and what is inside does not", async () => {
      expect(await agent.end()).toBe(0);
      await start("--ip-range=10.0.0.0/24,fd00::/64");
      for (const family of [0, 1] as const) {
        expect(await sees("a", addresses[own][family])).toBe("allow");
        expect(await sees("a", addresses.b[family], 81)).toBe("ECONNREFUSED");
        expect(await sees("a", addresses.b[family])).toBe("allow");
      }
      // Without the flag nothing is left of it.
      expect(await agent.end()).toBe(0);
      await start();
      for (const address of addresses[own]) expect(await sees("a", address)).toBe("ECONNREFUSED");
    });
  });
