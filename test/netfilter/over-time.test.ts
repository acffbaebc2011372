// Connections while the filter changes: policies and pods come and go, one after the other, and the program is killed and started again.
// What is allowed is never lost, and what is denied never passes. EDITS and KILLS say how many, for longer runs.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, jest, test } from "@jest/globals";
import type { IpAddress } from "../../src/model/ip.ts";
import { contractPolicy, rulesOf } from "../backend/policies.ts";
import { eventually } from "../support/eventually.ts";
import { tries } from "../support/length.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { patience } from "../support/patience.ts";
import { AgentNode } from "./agent.ts";
import { describeWithNetfilter } from "./describe.ts";
import { drivenBackend } from "./driven.ts";
import type { TestNode } from "./node.ts";
import { Stream } from "./stream.ts";
import { ipsOf, isolation, openNode, own, podNames, podsOf } from "./three-pods.ts";
import { backendFlags, variants } from "./tools.ts";

const edits = Number(process.env["EDITS"] ?? tries(60, 30));
const kills = Number(process.env["KILLS"] ?? tries(3, 2));
jest.setTimeout(patience(120_000 + 200 * edits + 5_000 * kills));

const streamed = [
  { from: "a", to: "b", isAllowed: true },
  { from: "c", to: "b", isAllowed: false },
  { from: "b", to: "a", isAllowed: true },
] as const;

for (const variant of variants)
  describeWithNetfilter(`connections while ${variant.name} changes`, variant.flavour, () => {
    const { name: shown, tool: backend, flavour } = variant;
    let opened: TestNode | null = null;
    let stream: Stream | null = null;
    afterEach(async () => {
      await stream?.stop();
      await opened?.close();
      [stream, opened] = [null, null];
    });
    const open = async () => {
      opened = await openNode();
      return opened;
    };

    test("by edits of policies and events of pods", async () => {
      const routed = await open();
      const { driver, stop } = await drivenBackend(routed.namespace, variant, own);
      const place = (name: string, ips = ipsOf(name)) =>
        pod("x", name, { node: own, labels: { app: name }, ips });
      driver.see(namespace("x"), node(own, {}, ipsOf(own)), ...podNames.map((name) => place(name)));
      driver.apply(isolation("a"));
      expect((await driver.commit()).interrupted).toBeNull();
      stream = new Stream(routed, ipsOf, streamed);
      for (let at = 0; at < edits; at++) {
        const other = contractPolicy({
          ...{ name: `other${at % 7}`, priority: at % 11, subject: [podsOf(["b", "a", "d"][at % 3] ?? "")] },
          rules: { ingress: rulesOf({ peers: [podsOf(`e${at % 5}`)] }) },
        });
        if (at % 2 === 0) driver.apply(other);
        else driver.remove(other.key);
        driver.apply(isolation("a", ...(at % 4 === 0 ? [`e${at % 3}`] : [])));
        const extra = place(`e${at % 5}`, [`10.0.1.${(at % 200) + 1}` as IpAddress]);
        if (at % 3 === 0) driver.see(extra);
        // A pod that is replaced keeps neither its address nor its label.
        driver.see(
          pod("x", "d", { node: own, labels: { app: `d${at}` }, ips: [`10.0.2.${(at % 200) + 1}`] }),
        );
        expect((await driver.commit()).interrupted).toBeNull();
      }
      await stream.stop();
      stop();
      process.stderr.write(`  ${shown}: ${edits} edits, ${stream.tried} connections\n`);
      expect(stream.wrong).toEqual([]);
      expect(stream.tried).toBeGreaterThan(edits);
    });

    test("by a program that is killed and started again", async () => {
      const routed = await open();
      const agentNode = new AgentNode(routed.namespace);
      const folder = mkdtempSync(join(tmpdir(), "ng-kills-"));
      cpSync("test/netfilter/over-time", folder, { recursive: true });
      const args = [
        ...backendFlags(variant),
        `--zone=${own}`,
        `--source=dir:${folder}`,
        "--enable-network-policy=true",
      ];
      const saves =
        backend === "nftables"
          ? [["nft", "list", "table", "inet", "northgate"]]
          : ["iptables", "ip6tables"].map((tool) => [`${tool}-${flavour}-save`, "-t", "filter"]);
      const isWritten = (port: number) =>
        eventually(() => {
          for (const save of saves) expect(agentNode.inside(...save)).toMatch(new RegExp(`dport ${port} `));
        }, 20_000);
      const edit = (port: number) => {
        const text = readFileSync("test/netfilter/over-time/policies.yaml", "utf8");
        writeFileSync(join(folder, "policies.yaml"), text.replaceAll("8080", String(port)));
      };
      try {
        let agent = agentNode.start(...args, "--metrics-bind-address=off");
        await isWritten(8080);
        stream = new Stream(routed, ipsOf, streamed);
        for (let at = 0; at < kills; at++) {
          edit(9000 + at);
          await new Promise((resolve) => setTimeout(resolve, (at * 37) % 400));
          await agent.end("SIGKILL");
          agent = agentNode.start(...args, "--metrics-bind-address=off");
          await isWritten(9000 + at);
        }
        await stream.stop();
        expect(await agent.end()).toBe(0);
        process.stderr.write(`  ${shown}: ${kills} kills, ${stream.tried} connections\n`);
        expect(stream.wrong).toEqual([]);
        expect(stream.tried).toBeGreaterThan(kills);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
