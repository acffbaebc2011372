// What the kernel shows of a node, in a folder of its own.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { bypasses } from "./node-checks.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-node-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(path: string, text: string | null): void {
  mkdirSync(join(folder, path, text === null ? "" : ".."), { recursive: true });
  if (text !== null) writeFileSync(join(folder, path), text);
}
const found = () => bypasses({ proc: join(folder, "proc"), sys: join(folder, "sys") });
const setting = (name: string, value: string) => {
  put(`proc/sys/net/bridge/${name}`, `${value}\n`);
};

test("a node without bridges and virtual servers has nothing to say", async () => {
  put("sys/class/net/eth0", null);
  put(
    "proc/net/ip_vs",
    "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n",
  );
  expect(await found()).toEqual([]);
});

test("a bridge without ports needs no setting", async () => {
  put("sys/class/net/docker0/brif", null);
  expect(await found()).toEqual([]);
});

test("a bridge with ports needs both settings", async () => {
  put("sys/class/net/cni0/brif/veth1", null);
  expect(await found()).toEqual(
    ["iptables", "ip6tables"].map(
      (tool) =>
        `the node has a bridge, cni0, and net.bridge.bridge-nf-call-${tool} does not exist: the module br_netfilter is not loaded`,
    ),
  );
  setting("bridge-nf-call-iptables", "0");
  setting("bridge-nf-call-ip6tables", "1");
  expect(await found()).toEqual([
    "the node has a bridge, cni0, and net.bridge.bridge-nf-call-iptables is 0, not 1",
  ]);
  setting("bridge-nf-call-iptables", "1");
  expect(await found()).toEqual([]);
});

test.each(["TCP  0A600001:01BB rr", "UDP  0A60000A:0035 rr", "FWM  00000001 rr"])(
  "a virtual server means kube-proxy in IPVS mode: %s",
  async (line) => {
    put("proc/net/ip_vs", `IP Virtual Server version 1.2.1 (size=4096)\n${line}\n`);
    expect(await found()).toEqual(["kube-proxy is in IPVS mode, whose connections pass no rule of FORWARD"]);
  },
);
