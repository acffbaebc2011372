// `northgate run --backend nftables` with the real nft, as the agent of a node: what it writes, that it writes nothing twice, that it
// repairs what others change, that one of two writes, whatever its tool, and that its cleanup leaves nothing.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { stringify } from "yaml";
import { eventually } from "../support/eventually.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { AgentNode } from "./agent.ts";
import { describeWithNetfilter } from "./describe.ts";
import { followsAnEdit } from "./follows-an-edit.ts";
import { readNftText } from "./nft-text.ts";

jest.setTimeout(patience(120_000));

const [port, otherPort] = [19_482, 19_483];
const ofNode = ["--zone=ovn-worker", "--node-addresses=flannel", "--enable-network-policy=true"];
const removal = "table inet northgate\ndelete table inet northgate\n";

const isolated = {
  ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
  metadata: { name: "isolated", namespace: "restricted" },
  spec: { podSelector: {}, policyTypes: ["Ingress"] },
};

describeWithNetfilter("the agent on nftables", "nft", () => {
  let namespace: NamespaceProcess;
  let node: AgentNode;
  let folder: string;
  let agent: Running | null = null;
  let before: string;

  beforeAll(async () => {
    namespace = await NamespaceProcess.hold();
    node = new AgentNode(namespace);
    folder = mkdtempSync(join(tmpdir(), "ng-agent-"));
    cpSync("examples/cluster-control", folder, { recursive: true });
    writeFileSync(join(folder, "isolated.yaml"), stringify(isolated));
    // Of somebody else.
    nft("add table inet others; add chain inet others NG-FORWARD; add rule inet others NG-FORWARD accept");
    before = ruleset();
  });
  afterAll(async () => {
    node.close();
    rmSync(folder, { recursive: true });
    await namespace.end();
  });

  const nft = (...commands: readonly string[]) => node.inside("nft", commands.join("; "));
  const ruleset = () => node.inside("nft", "-n", "list", "ruleset");
  const table = () => {
    const listed = ruleset()
      .split(/^(?=table )/m)
      .filter((one) => one.startsWith("table inet northgate "));
    return readNftText(`${removal}${listed.join("")}`);
  };
  /** Of the NetworkPolicies: the first that has elements. */
  const mapName = () => [...table().maps].find(([, { verdicts }]) => verdicts.size > 0)?.[0] ?? "";
  const start = (at = port, backend = "nftables") =>
    node.start(
      ...[`--backend=${backend}`, ...ofNode, `--source=dir:${folder}`],
      `--metrics-bind-address=127.0.0.1:${at}`,
    );
  const printed = () => {
    const form = ["--backend=nftables", ...ofNode, "--output=restore"];
    return readNftText(node.northgate("render", "-f", folder, ...form));
  };
  const settled = (expected = printed()) =>
    eventually(() => {
      expect(table()).toEqual(expected);
    }, 20_000);
  const isReady = (at = port) =>
    eventually(() => {
      expect(node.get(at, "/readyz")).toMatch(/^HTTP\/1.1 200/);
    }, 20_000);
  const runsOf = (tool: string) =>
    Number(
      new RegExp(`tool_runs_total\\{tool="${tool}",outcome="ok"\\} (\\d+)`).exec(
        node.get(port, "/metrics"),
      )?.[1] ?? 0,
    );

  test("writes what render prints, in one transaction, and is ready then", async () => {
    agent = start();
    await isReady();
    await settled();
    expect(runsOf("nft")).toBe(1);
  });

  test("follows an edit, and its end", () => followsAnEdit(folder, printed, settled));

  test("writes nothing when it is started again, and nothing is missing meanwhile", async () => {
    const first = ruleset();
    expect(await agent?.end()).toBe(0);
    expect(ruleset()).toBe(first);
    agent = start();
    await isReady();
    expect(runsOf("nft-list")).toBeGreaterThan(0);
    expect(runsOf("nft")).toBe(0);
    expect(ruleset()).toBe(first);
  });

  test.each<readonly [string, () => void]>([
    ["a rule that is removed", () => nft("flush chain inet northgate NG-EGRESS")],
    ["a rule that is added", () => nft("insert rule inet northgate NG-INPUT accept")],
    ["an element that is removed", () => nft("flush set inet northgate ng4-local")],
    ["an element that is added", () => nft("add element inet northgate ng4-local { 192.0.2.77 }")],
    ["a map that is emptied", () => nft(`flush map inet northgate ${mapName()}`)],
    [
      "a chain of somebody else",
      () => nft("add chain inet northgate zz { type filter hook forward priority -5; }"),
    ],
    ["a set of somebody else", () => nft("add set inet northgate zz { type ipv4_addr; flags interval; }")],
    ["a table that sleeps", () => nft("add table inet northgate { flags dormant; }")],
    ["the table", () => nft("delete table inet northgate")],
    [
      "a chain without its hook",
      () => nft("delete chain inet northgate NG-INPUT", "add chain inet northgate NG-INPUT"),
    ],
  ])("repairs %s", async (_, change) => {
    const first = ruleset();
    const written = runsOf("nft");
    change();
    await eventually(() => {
      expect(runsOf("nft")).toBeGreaterThan(written);
      expect(sorted(ruleset())).toEqual(sorted(first));
    }, 20_000);
  });

  test("of two, one writes, whatever its tool: the other stands by, and goes on when it is killed", async () => {
    const other = start(otherPort);
    const ofIptables = start(otherPort + 1, "iptables");
    try {
      for (const at of [otherPort, otherPort + 1])
        await eventually(() => {
          expect(node.get(at, "/readyz")).toContain("standby: another Northgate writes on this node");
        }, 20_000);
      expect(await ofIptables.end()).toBe(0);
      await agent?.end("SIGKILL");
      await followsAnEdit(folder, printed, settled);
    } finally {
      expect(await other.end()).toBe(0);
      agent = null;
    }
  });

  test("each tool has a note about what the other has left", async () => {
    const ofIptables = start(port, "iptables");
    try {
      await isReady();
      expect(node.get(port, "/readyz")).toContain(
        "nftables has a table of Northgate's too, which is in force: northgate cleanup --backend nftables --yes removes it",
      );
    } finally {
      expect(await ofIptables.end()).toBe(0);
    }
    agent = start();
    await isReady();
    expect(node.get(port, "/readyz")).toContain(
      "iptables-nft has chains of Northgate's too, which are in force: northgate cleanup --backend iptables --yes removes them",
    );
    expect(await agent.end()).toBe(0);
    node.northgate("cleanup", "--backend=iptables", "--yes");
    await settled();
  });

  test("its cleanup leaves what was there before", () => {
    const said = node.northgate("cleanup", "--backend=nftables");
    expect(said).toContain("--yes removes them");
    expect(said).toContain("cluster-control");
    expect(table().chains.size).toBeGreaterThan(5);
    node.northgate("cleanup", "--backend=nftables", "--yes");
    const left = ruleset().split(/^(?=table )/m);
    // The tables that iptables has made stay, and are empty.
    expect(left.filter((one) => !/^(#.*\n)*table ip6? filter /.test(one)).join("")).toBe(before);
    expect(node.northgate("cleanup", "--backend=nftables", "--yes")).toContain(
      "no rules or sets of Northgate's are on the node",
    );
  });
});

function sorted(text: string): readonly string[] {
  return text.split("\n").toSorted();
}
