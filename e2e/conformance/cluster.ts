// A cluster for the suites of others on this machine: a real API server with its controllers, a network of one of the backends, the
// node agent for nodes, and `northgate run` as a user would have it. Which parts are replaced: docs/conformance.md. When
// starting fails, and after `stop`, no process, namespace or interface of it is left.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Guard } from "../../tools/sandbox/guard.ts";
import { type ControlPlane, startControlPlane } from "../../test/kube/control-plane.ts";
import { type Ends, startedWithEnds } from "./ends.ts";
import { type ConformanceBackend, type Ground, grounds } from "./grounds.ts";
import { type Families, Nodes } from "./nodes.ts";
import type { Northgate } from "./northgate.ts";
import { installUpstream, startControllers } from "./plane-parts.ts";
import { Process } from "./processes.ts";
import { pathOf } from "./programs.ts";
import { makeRoot } from "./root.ts";

export interface ClusterOptions {
  readonly nodes?: number;
  /** Of pods, nodes and services; ipv4 unless given. */
  readonly families?: Families;
  /** What enforces the policies; ovn unless given. */
  readonly backend?: ConformanceBackend;
  readonly northgate?: Northgate | null;
  /** More arguments for the API server, which may name files of the cluster's folder. */
  readonly apiServerArgs?: (dir: string) => readonly string[];
}

const repository = fileURLToPath(new URL("../../", import.meta.url));
const namespace = "northgate-system";
const serviceNetworks: Readonly<Record<Families, string>> = {
  ipv4: "10.96.0.0/16",
  ipv6: "fd00:10:96::/112",
  dual: "10.96.0.0/16,fd00:10:96::/112",
};
const controllers = [
  ...["statefulset", "namespace", "serviceaccount", "root-ca-certificate-publisher"],
  ...["endpointslice", "endpoints", "garbage-collector"],
].map((name) => `${name}-controller`);
export interface Cluster {
  readonly dir: string;
  /** The administrator's. */
  readonly kubeconfig: string;
  readonly plane: ControlPlane;
  readonly ground: Ground;
  readonly agent: () => Process;
  /** One, or one on each node; none when none was asked for. */
  readonly northgate: () => readonly Process[];
  /** Ends the northgate that runs, and starts this one; it is ready when this resolves. */
  runNorthgate(northgate: Northgate | null): Promise<void>;
  /** The agent ends, by the signal, and another one begins. */
  restartAgent(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

export function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return startedWithEnds((ends) => start(options, ends));
}

/** What is to be ended goes to `ends`, in the order in which it was started. */
async function start(
  { nodes: count = 2, families = "ipv4", northgate = {}, backend = "ovn", apiServerArgs }: ClusterOptions,
  ends: Ends,
): Promise<Omit<Cluster, "stop">> {
  const dir = mkdtempSync("/tmp/ng-conf-");
  const guard = new Guard(dir);
  ends.push(async () => {
    await guard.dismiss();
    rmSync(dir, { recursive: true, force: true });
  });
  const plane = await startControlPlane({
    apiServerArgs: [
      "--kubelet-preferred-address-types=InternalDNS", // exec goes to the agent, not to the address of the node
      `--service-cluster-ip-range=${serviceNetworks[families]}`,
      ...(apiServerArgs?.(dir) ?? []),
    ],
  });
  ends.push(() => plane.stop());
  await Promise.all([installUpstream(plane), startControllers(plane, controllers)]);
  const nodes = await Nodes.open(count, families);
  ends.push(() => nodes.close());
  const ground = await grounds[backend]({ dir, plane, nodes, ends });
  const root = join(dir, "root");
  await makeRoot(root, pathOf("agnhost"));
  mkdirSync(join(dir, "logs"));
  writeFileSync(join(dir, "nodes.json"), JSON.stringify(nodes.specs));
  let agent = await startAgent(dir, plane, ground.socket);
  ends.push(() => agent.end());
  let programs: readonly Process[] = [];
  const end = () => Promise.all(programs.map(endNorthgate));
  ends.push(end);
  const account = await prepareAccount(plane);
  const runNorthgate = async (next: Northgate | null): Promise<void> => {
    await end();
    programs = next === null ? [] : await ground.start(next, account);
  };
  await runNorthgate(northgate);
  return {
    ...{ dir, plane, ground, kubeconfig: plane.kubeconfig, runNorthgate },
    agent: () => agent,
    northgate: () => programs,
    restartAgent: async (signal) => {
      await agent.end(signal);
      agent = await startAgent(dir, plane, ground.socket);
    },
  };
}

async function startAgent(dir: string, plane: ControlPlane, socket: string): Promise<Process> {
  const agent = new Process(dir, {
    name: "node-agent",
    program: pathOf("node-agent"),
    args: [
      `-kubeconfig=${plane.kubeconfig}`,
      `-root=${join(dir, "root")}`,
      `-logs=${join(dir, "logs")}`,
      `-nodes=${join(dir, "nodes.json")}`,
      `-network=${socket}`,
    ],
  });
  await agent.ready(() => agent.says("ready"));
  return agent;
}

/** The program's rights are those that its manifests give it; the flag names who it is. */
async function prepareAccount(plane: ControlPlane): Promise<string> {
  await plane.kubectl(["create", "namespace", namespace]);
  for (const folder of ["base", "components/network-policy"])
    await plane.kubectl(["apply", "-f", join(repository, "manifests", folder, "rbac.yaml")]);
  return `--kubeconfig=${await plane.account(namespace, "northgate")}`;
}

/** A stopped process must go on to end. */
async function endNorthgate(northgate: Process): Promise<void> {
  northgate.signal("SIGCONT");
  await northgate.end();
}
