// `northgate doctor` on the node of a packet filter, with real tools: beside an instance that runs nothing fails, and each fault that
// is planted is found by the check that is about it.

import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { DoctorReport } from "../../src/doctor/report.ts";
import { eventually } from "../support/eventually.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { AgentNode } from "./agent.ts";
import { describeWithNetfilter } from "./describe.ts";

jest.setTimeout(patience(120_000));

const checks = ["packet-filter", "traffic", "writer"];
const port = 19_478;

for (const backend of ["iptables", "nftables"] as const)
  describeWithNetfilter(`doctor on a node with ${backend}`, "nft", () => {
    let namespace: NamespaceProcess;
    let node: AgentNode;
    let folder: string;
    let agent: Running | null = null;
    const others: AgentNode[] = [];
    beforeAll(async () => {
      namespace = await NamespaceProcess.hold();
      node = new AgentNode(namespace);
      // A sign of the flavour that the node uses.
      if (backend === "iptables")
        for (const tool of ["iptables-nft", "ip6tables-nft"]) {
          node.inside(tool, "-N", "KUBE-FORWARD");
          node.inside(tool, "-A", "FORWARD", "-j", "KUBE-FORWARD");
        }
      folder = mkdtempSync(join(tmpdir(), "ng-doctor-"));
      cpSync("examples/cluster-control", join(folder, "objects"), { recursive: true });
      // With flannel, a node's pods have the addresses of its pod CIDR.
      const nodes = join(folder, "objects", "cluster", "nodes.yaml");
      const spec = "spec:\n  podCIDRs: [10.244.2.0/24]\n";
      const text = readFileSync(nodes, "utf8");
      writeFileSync(nodes, text.replace(/(?<=name: ovn-worker2\n[^]*)(?=status:)/, spec));
    });
    afterAll(async () => {
      for (const one of [node, ...others]) one.close();
      rmSync(folder, { recursive: true });
      await namespace.end();
    });

    /** `check state text` of what is about the node. The API server is another matter. */
    const found = (on = node): readonly string[] => {
      const { checks: all } = JSON.parse(
        on.failing(
          "doctor",
          "--kubeconfig=/nonexistent",
          `--backend=${backend}`,
          "--zone=ovn-worker",
          "-o",
          "json",
        ),
      ) as DoctorReport;
      return all
        .filter(({ check }) => checks.includes(check))
        .map(({ check, state, text }) => `${check} ${state}: ${text}`);
    };
    /** The node with a tool that fails. */
    const broken = (tool: string): AgentNode => {
      const first = mkdtempSync(join(folder, "tools-"));
      writeFileSync(join(first, tool), "#!/bin/sh\necho planted: no such table >&2\nexit 3\n");
      chmodSync(join(first, tool), 0o755);
      const other = new AgentNode(namespace, first);
      others.push(other);
      return other;
    };

    test("before an instance runs, the missing writer is found", () => {
      expect(found()).toEqual([
        "packet-filter ok: the node's packet filter can be read",
        "traffic ok: nothing on the node leads the traffic of pods past the rules",
        "writer fail: no instance on this node writes: its rules follow nothing",
      ]);
    });

    test("beside an instance nothing fails, and doctor changes no rule", async () => {
      agent = node.start(
        ...[`--backend=${backend}`, "--zone=ovn-worker", "--node-addresses=flannel"],
        ...[`--source=dir:${join(folder, "objects")}`, `--metrics-bind-address=127.0.0.1:${port}`],
      );
      await eventually(() => {
        expect(node.get(port, "/readyz")).toContain("200 OK");
      }, 60_000);
      const before = node.inside("nft", "-s", "list", "ruleset");
      const [filter, traffic, writer] = found();
      expect(filter).toMatch(/^packet-filter ok/);
      expect(traffic).toMatch(/^traffic ok/);
      expect(writer).toBe("writer ok: an instance on this node writes");
      expect(node.inside("nft", "-s", "list", "ruleset")).toBe(before);
    });

    test("a tool that fails is named with its words", () => {
      const [filter] = found(broken(backend === "nftables" ? "nft" : "ipset"));
      expect(filter).toMatch(/^packet-filter fail: .*planted: no such table/);
    });

    test("an instance that was killed is no writer", async () => {
      await agent?.end("SIGKILL");
      await eventually(() => {
        expect(found().at(-1)).toMatch(/^writer fail/);
      });
    });
  });
