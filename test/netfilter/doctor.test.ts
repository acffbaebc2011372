// `northgate doctor` on the node of a packet filter, with real tools: beside an instance that runs nothing fails, and each fault that
// is planted is found by the check that is about it.

import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
      folder = mkdtempSync(join(tmpdir(), "ng-doctor-"));
      cpSync("examples/cluster-control", join(folder, "objects"), { recursive: true });
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
    const broken = (...tools: readonly string[]): AgentNode => {
      const first = mkdtempSync(join(folder, "tools-"));
      for (const tool of tools) {
        writeFileSync(join(first, tool), "#!/bin/sh\necho planted: no such table >&2\nexit 3\n");
        chmodSync(join(first, tool), 0o755);
      }
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
      expect(found().at(-1)).toBe("writer ok: an instance on this node writes");
      expect(found().filter((line) => line.includes("fail"))).toEqual([]);
      expect(node.inside("nft", "-s", "list", "ruleset")).toBe(before);
    });

    test("a bridge whose packets pass no rule is found, and is well when it has no port", () => {
      node.inside("ip", "link", "add", "cni0", "type", "bridge");
      node.inside("ip", "link", "add", "pod0", "type", "dummy");
      node.inside("ip", "link", "set", "pod0", "master", "cni0");
      const [, traffic = ""] = found();
      // Where br_netfilter is loaded, a namespace begins with 1.
      expect(traffic).toMatch(/^traffic (fail: the node has a bridge, cni0, and net\.bridge\.|ok: )/);
      node.inside("ip", "link", "del", "cni0");
      expect(found()[1]).toMatch(/^traffic ok/);
    });

    test("a tool that fails is named with its words", () => {
      const tools = backend === "nftables" ? ["nft"] : ["iptables-save", "ip6tables-save", "ipset"];
      const [filter] = found(broken(...tools));
      expect(filter).toMatch(/^packet-filter fail: .*planted: no such table/);
    });

    test("an instance that was killed is no writer", async () => {
      await agent?.end("SIGKILL");
      await eventually(() => {
        expect(found().at(-1)).toMatch(/^writer fail/);
      });
    });
  });
