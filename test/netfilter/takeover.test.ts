// The commands of docs/netfilter-takeover.md on real tools: the rules and sets of enn-policy and kube-router, in their forms, are removed,
// and everything else stays.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { commandsOf } from "../../e2e/install/documented.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { patience } from "../support/patience.ts";
import { AgentNode } from "./agent.ts";
import { describeWithNetfilter } from "./describe.ts";
import { flavours } from "./tools.ts";

/** Stays: of Northgate, and chains whose names only look alike. */
const ofOthers = {
  sets: ["create ng4-local hash:ip", "create KUBE-LOOP-BACK hash:ip", "create pods hash:ip"],
  rules: `:NG-FORWARD - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-ROUTER-SERVICES - [0:0]
-A FORWARD -j NG-FORWARD
-A FORWARD -m comment --comment "not to ENN-FORWARD" -j KUBE-FORWARD
-A INPUT -j KUBE-ROUTER-SERVICES
-A NG-FORWARD -m set --match-set {set} src -j RETURN
`,
};

const others = {
  "enn-policy": {
    sets: ["create ENN-NS-AAAAAAAAAAAAAAAA hash:ip", "create ENN-PODSET-BBBBBBBBBBBBBBBB hash:ip"],
    rules: `:ENN-INPUT - [0:0]
:ENN-OUTPUT - [0:0]
:ENN-FORWARD - [0:0]
:ENN-INGRESS-AAAAAAAAAAAAAAAA - [0:0]
:ENN-PLY-IN-AAAAAAAAAAAAAAAA - [0:0]
:ENN-DPATCH-AAAAAAAAAAAAAAAA - [0:0]
-I INPUT -j ENN-INPUT
-I OUTPUT -j ENN-OUTPUT
-I FORWARD -j ENN-FORWARD
-A ENN-FORWARD -m set --match-set ENN-NS-AAAAAAAAAAAAAAAA dst -m comment --comment "ingress entry for namespace/x" -j ENN-INGRESS-AAAAAAAAAAAAAAAA
-A ENN-INGRESS-AAAAAAAAAAAAAAAA -j ENN-PLY-IN-AAAAAAAAAAAAAAAA
-A ENN-PLY-IN-AAAAAAAAAAAAAAAA -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A ENN-PLY-IN-AAAAAAAAAAAAAAAA -j ENN-DPATCH-AAAAAAAAAAAAAAAA
-A ENN-PLY-IN-AAAAAAAAAAAAAAAA -j REJECT
-A ENN-DPATCH-AAAAAAAAAAAAAAAA -m set --match-set ENN-PODSET-BBBBBBBBBBBBBBBB src -p tcp -m tcp --dport 80 -j ACCEPT
`,
  },
  "kube-router": {
    sets: [
      "create KUBE-SRC-AAAAAAAAAAAAAAAA hash:ip",
      "create inet6:KUBE-DST-AAAAAAAAAAAAAA hash:ip family inet6",
    ],
    rules: `:KUBE-ROUTER-INPUT - [0:0]
:KUBE-ROUTER-OUTPUT - [0:0]
:KUBE-ROUTER-FORWARD - [0:0]
:KUBE-NWPLCY-DEFAULT - [0:0]
:KUBE-NWPLCY-AAAAAAAAAAAAAAAA - [0:0]
:KUBE-POD-FW-AAAAAAAAAAAAAAAA - [0:0]
-I INPUT -m comment --comment "kube-router netpol - 4IA2OSFRMVNDXBVV" -j KUBE-ROUTER-INPUT
-I OUTPUT -m comment --comment "kube-router netpol - VEAAIY32XVBHCSCY" -j KUBE-ROUTER-OUTPUT
-I FORWARD -m comment --comment "kube-router netpol - TEMCG2JMHZYE7H7T" -j KUBE-ROUTER-FORWARD
-A KUBE-ROUTER-FORWARD -m comment --comment "rule to jump traffic from POD" -j KUBE-POD-FW-AAAAAAAAAAAAAAAA
-A KUBE-ROUTER-FORWARD -m mark --mark 0x20000/0x20000 -j ACCEPT
-A KUBE-POD-FW-AAAAAAAAAAAAAAAA -j KUBE-NWPLCY-AAAAAAAAAAAAAAAA
-A KUBE-POD-FW-AAAAAAAAAAAAAAAA -m mark ! --mark 0x10000/0x10000 -j REJECT
-A KUBE-NWPLCY-AAAAAAAAAAAAAAAA -m set --match-set {set} src -j MARK --set-xmark 0x10000/0x10000
-A KUBE-NWPLCY-DEFAULT -j MARK --set-xmark 0x10000/0x10000
`,
  },
} as const;

const commands = commandsOf("docs/netfilter-takeover.md");
const families = [
  {
    tool: "iptables",
    set: { "enn-policy": "", "kube-router": "KUBE-SRC-AAAAAAAAAAAAAAAA", others: "ng4-local" },
  },
  {
    tool: "ip6tables",
    set: { "enn-policy": "", "kube-router": "inet6:KUBE-DST-AAAAAAAAAAAAAA", others: "ng6-local" },
  },
] as const;

for (const flavour of flavours)
  describeWithNetfilter(`rules of others, iptables-${flavour}`, flavour, () => {
    let namespace: NamespaceProcess;
    let node: AgentNode;
    let folder: string;

    beforeAll(async () => {
      namespace = await NamespaceProcess.hold();
      folder = mkdtempSync(join(tmpdir(), "ng-takeover-"));
      for (const { tool } of families)
        for (const what of ["save", "restore"]) {
          writeFileSync(join(folder, `${tool}-${what}`), `#!/bin/sh\nexec ${tool}-${flavour}-${what} "$@"\n`);
          chmodSync(join(folder, `${tool}-${what}`), 0o755);
        }
      node = new AgentNode(namespace, folder);
    }, patience(60_000));
    afterAll(async () => {
      node.close();
      rmSync(folder, { recursive: true });
      await namespace.end();
    });

    const shell = (text: string) => node.inside("bash", "--norc", "-euo", "pipefail", "-c", text);
    const restore = (tool: string, rules: string, set: string) => {
      shell(`${tool}-restore --noflush <<'EOF'\n*filter\n${rules.replaceAll("{set}", set)}COMMIT\nEOF\n`);
    };
    const everything = () =>
      shell("iptables-save -t filter; ip6tables-save -t filter; ipset save")
        .split("\n")
        .filter((line) => !line.startsWith("#"))
        .map((line) => line.replaceAll(/ \[\d+:\d+\]| (bucketsize|initval|hashsize) \S+/g, ""));

    test.each(["enn-policy", "kube-router"] as const)("%s's are removed, and nothing else", (name) => {
      const { sets, rules } = others[name];
      shell(
        `ipset restore -exist <<'EOF'\n${[...ofOthers.sets, "create ng6-local hash:ip family inet6"].join("\n")}\nEOF\n`,
      );
      for (const { tool, set } of families) {
        shell(`${tool}-restore <<'EOF'\n*filter\nCOMMIT\nEOF\n`);
        restore(tool, ofOthers.rules, set.others);
      }
      const before = everything();
      shell(`ipset restore <<'EOF'\n${sets.join("\n")}\nEOF\n`);
      for (const { tool, set } of families)
        if (name === "kube-router" || tool === "iptables") restore(tool, rules, set[name]);
      expect(everything()).not.toEqual(before);
      const [chosen, remove] = [commands.get(name) ?? "", commands.get("remove") ?? ""];
      shell(`${chosen}\n${remove}`);
      expect(everything()).toEqual(before);
      // A second time there is nothing to do, and no error.
      shell(`${chosen}\n${remove}`);
      expect(everything()).toEqual(before);
    });
  });
