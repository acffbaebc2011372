// `northgate run --backend iptables` on real tools, as the agent of a node: what it writes, that it writes nothing twice, that it
// repairs what others change, that one of two writes, and that its cleanup leaves nothing.

import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { AgentNode } from "./agent.ts";
import { describeWithNetfilter } from "./describe.ts";
import { followsAnEdit } from "./follows-an-edit.ts";
import { flavours } from "./tools.ts";

jest.setTimeout(patience(120_000));

const [port, otherPort] = [19_476, 19_477];

for (const flavour of flavours)
  describeWithNetfilter(`the agent on iptables-${flavour}`, flavour, () => {
    let namespace: NamespaceProcess;
    let node: AgentNode;
    let folder: string;
    let agent: Running | null = null;
    /** The same node, without tools for IPv6. */
    let lacking: AgentNode | null = null;

    beforeAll(async () => {
      namespace = await NamespaceProcess.hold();
      node = new AgentNode(namespace);
      folder = mkdtempSync(join(tmpdir(), "ng-agent-"));
      cpSync("examples/cluster-control", folder, { recursive: true });
      const nodes = join(folder, "cluster", "nodes.yaml");
      const spec = "spec:\n  podCIDRs: [10.244.2.0/24]\n";
      writeFileSync(
        nodes,
        readFileSync(nodes, "utf8").replace(/(?<=name: ovn-worker2\n[^]*)(?=status:)/, spec),
      );
      // Of somebody else, and a sign of the flavour that the node uses.
      for (const tool of [`iptables-${flavour}`, `ip6tables-${flavour}`]) {
        node.inside(tool, "-N", "KUBE-FORWARD");
        node.inside(tool, "-A", "FORWARD", "-j", "KUBE-FORWARD");
      }
      node.inside("ipset", "create", "others", "hash:ip");
    });
    afterAll(async () => {
      node.close();
      lacking?.close();
      rmSync(folder, { recursive: true });
      await namespace.end();
    });

    const start = (at = port) =>
      node.start(
        ...["--backend=iptables", "--zone=ovn-worker", "--node-addresses=flannel", `--source=dir:${folder}`],
        `--metrics-bind-address=127.0.0.1:${at}`,
      );
    const rules = (): readonly string[] =>
      [`iptables-${flavour}-save`, `ip6tables-${flavour}-save`].flatMap((tool) =>
        node
          .inside(tool, "-t", "filter")
          .split("\n")
          .filter((line) => line.startsWith("-A"))
          .map((line) => line.replace(/-p (igmp|gre)/, "-p ?")),
      );
    const sets = (): readonly string[] =>
      node
        .inside("ipset", "save")
        .split("\n")
        .map((line) => line.replaceAll(/ (hashsize|bucketsize|initval) \S+/g, ""))
        .filter((line) => line !== "");
    const everything = () => [...rules(), ...sets()].toSorted();
    const printed = () => {
      const form = [
        "--backend=iptables",
        "--zone=ovn-worker",
        "--node-addresses=flannel",
        "--output=restore",
      ];
      const lines = node.northgate("render", "-f", folder, ...form).split("\n");
      return lines
        .filter((line) => /^(-A|-I|create|add)/.test(line))
        .map((line) => line.replace(/^-I (\S+) 1 /, "-A $1 "))
        .toSorted();
    };
    const isOthers = (line: string) => / (KUBE-FORWARD|others)\b/.test(line);
    const settled = (expected = printed()) =>
      eventually(() => {
        expect(everything().filter((line) => !isOthers(line))).toEqual(expected);
      }, 20_000);
    const isReady = (at = port) =>
      eventually(() => {
        expect(node.get(at, "/readyz")).toMatch(/^HTTP\/1.1 200/);
      }, 20_000);

    test("writes nothing while a rule of another program uses its marks, and says so", async () => {
      const mangle = (verb: string) =>
        node.inside(
          ...[`iptables-${flavour}`, "-t", "mangle", verb, "PREROUTING"],
          ...["-j", "MARK", "--set-xmark", "0x1000000/0x1000000"],
        );
      mangle("-A");
      const before = everything();
      const waiting = start();
      try {
        await eventually(() => {
          expect(node.get(port, "/readyz")).toContain(
            "packet filter: a rule of another program uses the bits of --mark: -A PREROUTING -j MARK --set-xmark 0x1000000/0x1000000",
          );
        }, 20_000);
        expect(everything()).toEqual(before);
        mangle("-D");
        await isReady();
      } finally {
        expect(await waiting.end()).toBe(0);
      }
      node.northgate("cleanup", "--backend=iptables", "--yes");
      expect(everything()).toEqual(before);
    });

    test("with IPv4 alone, needs no tool that works for IPv6", async () => {
      const tools = mkdtempSync(join(tmpdir(), "ng-tools-"));
      for (const of of flavours)
        for (const what of ["save", "restore"]) {
          const tool = join(tools, `ip6tables-${of}-${what}`);
          writeFileSync(tool, "#!/bin/sh\necho 'no IPv6 here' >&2\nexit 3\n");
          chmodSync(tool, 0o755);
        }
      lacking = new AgentNode(namespace, tools);
      const args = ["--backend=iptables", "--zone=ovn-worker", `--source=dir:${folder}`];
      const ofBoth = lacking.start(...args, `--metrics-bind-address=127.0.0.1:${otherPort}`);
      await eventually(() => {
        expect(node.get(otherPort, "/readyz")).toContain(`ip6tables-${flavour}-save: no IPv6 here`);
      }, 20_000);
      expect(await ofBoth.end()).toBe(0);
      const ofOne = lacking.start(
        ...[...args, "--ip-families=ipv4", `--metrics-bind-address=127.0.0.1:${otherPort}`],
      );
      await isReady(otherPort);
      expect(everything().filter((line) => line.startsWith("-A NG-")).length).toBeGreaterThan(10);
      expect(await ofOne.end()).toBe(0);
      lacking.northgate("cleanup", "--backend=iptables", "--yes");
      rmSync(tools, { recursive: true });
    });

    test("writes what render prints, of the flavour that the node uses, and is ready then", async () => {
      agent = start();
      await isReady();
      await settled();
      // A worker is a peer, and this is the address of its VXLAN interface.
      expect(sets()).toContainEqual(expect.stringMatching(/^add ng4-g-\S+ 10\.244\.2\.0$/));
      // Our jump comes before what was there.
      expect(rules().filter((line) => line.startsWith("-A FORWARD"))).toEqual([
        ...["-A FORWARD -j NG-FORWARD", "-A FORWARD -j KUBE-FORWARD"],
        ...["-A FORWARD -j NG-FORWARD", "-A FORWARD -j KUBE-FORWARD"],
      ]);
    });

    test("has a note where the node masquerades what pods send to pods, and is ready all the same", async () => {
      await agent?.end();
      const network = ["-s", "10.244.0.0/16", "!", "-d", "224.0.0.0/4", "-j", "MASQUERADE"];
      node.inside(`iptables-${flavour}`, "-t", "nat", "-A", "POSTROUTING", ...network);
      agent = start();
      await isReady();
      await eventually(() => {
        const answer = node.get(port, "/readyz");
        expect(answer).toMatch(/^HTTP\/1.1 200/);
        expect(answer).toContain(
          `packets between pods leave with another source address, which policies see: iptables-${flavour}: -A POSTROUTING -s 10.244.0.0/16 ! -d 224.0.0.0/4 -j MASQUERADE`,
        );
      }, 20_000);
      node.inside(`iptables-${flavour}`, "-t", "nat", "-D", "POSTROUTING", ...network);
      await settled();
    });

    test("follows an edit, and its end", () => followsAnEdit(folder, printed, settled));

    test("writes nothing when it is started again, and nothing is missing meanwhile", async () => {
      const before = everything();
      expect(await agent?.end()).toBe(0);
      expect(everything()).toEqual(before);
      agent = start();
      await isReady();
      expect(node.get(port, "/metrics")).not.toMatch(/tool_runs_total\{tool="[a-z0-9-]+-restore"/);
      expect(everything()).toEqual(before);
    });

    test("repairs what others change, and leaves what is theirs", async () => {
      node.inside("ipset", "flush", "ng4-local");
      if (flavour === "nft") {
        // Of the other flavour only the readings of everything show it, which are rarer.
        node.inside("iptables-nft", "-F", "NG-EGRESS");
        node.inside("iptables-nft", "-D", "FORWARD", "-j", "NG-FORWARD");
        node.inside("ip6tables-nft", "-I", "NG-FORWARD", "-j", "ACCEPT");
      }
      await settled();
    });

    // Of the other flavour nothing reports it.
    if (flavour === "nft")
      test("keeps its jump first, before what others insert", async () => {
        node.inside("iptables-nft", "-I", "FORWARD", "1", "-j", "KUBE-FORWARD");
        const jumps = ["NG-FORWARD", "KUBE-FORWARD", "KUBE-FORWARD"].map((name) => `-A FORWARD -j ${name}`);
        await eventually(() => {
          const forward = rules().filter((line) => line.startsWith("-A FORWARD"));
          expect(forward.slice(0, 3)).toEqual(jumps);
        }, 20_000);
        node.inside("iptables-nft", "-D", "FORWARD", "-j", "KUBE-FORWARD");
      });

    test("of two, one writes: the other stands by, and goes on when it is killed", async () => {
      const other = start(otherPort);
      try {
        await eventually(() => {
          expect(node.get(otherPort, "/readyz")).toContain("standby: another Northgate writes on this node");
        }, 20_000);
        await agent?.end("SIGKILL");
        await followsAnEdit(folder, printed, settled);
      } finally {
        expect(await other.end()).toBe(0);
        agent = null;
      }
    });

    test("its cleanup leaves what was there before", () => {
      expect(node.northgate("cleanup", "--backend=iptables")).toContain("--yes removes them");
      expect(everything().some((line) => line.includes("NG-"))).toBe(true);
      node.northgate("cleanup", "--backend=iptables", "--yes");
      expect(everything()).toEqual([
        ...["-A FORWARD -j KUBE-FORWARD", "-A FORWARD -j KUBE-FORWARD"],
        "create others hash:ip family inet maxelem 65536",
      ]);
    });
  });
