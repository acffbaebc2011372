// What a node must be like for the rules to see the traffic of its pods, by what the kernel shows in /proc and /sys.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the kernel shows them; another folder in tests. */
export interface KernelFiles {
  readonly proc: string;
  readonly sys: string;
}

export const kernelFiles: KernelFiles = { proc: "/proc", sys: "/sys" };

/** Why traffic of pods passes no rule, one sentence each; none: nothing says so. */
export async function bypasses(files: KernelFiles): Promise<readonly string[]> {
  return [...(await bridges(files)), ...(await virtualServers(files))];
}

const bridgeSettings = ["bridge-nf-call-iptables", "bridge-nf-call-ip6tables"] as const;

/** Packets between two ports of a bridge are seen only where the bridge asks. */
async function bridges({ proc, sys }: KernelFiles): Promise<readonly string[]> {
  const net = join(sys, "class", "net");
  const names = await namesIn(net);
  const ports = await Promise.all(names.map((name) => namesIn(join(net, name, "brif"))));
  const [bridge] = names.filter((_, at) => (ports[at]?.length ?? 0) > 0);
  if (bridge === undefined) return [];
  const values = await Promise.all(
    bridgeSettings.map((setting) => textOf(join(proc, "sys", "net", "bridge", setting))),
  );
  return bridgeSettings.flatMap((setting, at) => {
    const value = values[at]?.trim() ?? "";
    if (value === "1") return [];
    const is = value === "" ? "does not exist: the module br_netfilter is not loaded" : `is ${value}, not 1`;
    return [`the node has a bridge, ${bridge}, and net.bridge.${setting} ${is}`];
  });
}

/** A service's line begins with its protocol. */
const service = /^(?:TCP|UDP|SCTP|FWM) /m;

/** With kube-proxy in IPVS mode, what pods send to a Service passes INPUT and OUTPUT, and never FORWARD. */
async function virtualServers({ proc }: KernelFiles): Promise<readonly string[]> {
  const text = (await textOf(join(proc, "net", "ip_vs"))) ?? "";
  return service.test(text) ? ["kube-proxy is in IPVS mode, whose connections pass no rule of FORWARD"] : [];
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return null;
  }
}
