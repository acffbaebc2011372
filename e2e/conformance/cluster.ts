// A cluster for the suites of others on this machine: a real API server with its controllers, a real OVN with a chassis, the
// node agent for nodes, and `northgate run` as a user would have it. What stands in for what: docs/conformance.md. When
// starting fails, and after `stop`, no process, namespace or interface of it is left.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Guard } from "../../src/sandbox/guard.ts";
import { type Ovn, startOvn } from "../../src/sandbox/ovn.ts";
import { startInBackground, steadyPort } from "../../test/kube/background.ts";
import { type ControlPlane, startControlPlane } from "../../test/kube/control-plane.ts";
import { plurals } from "../../test/kube/crds.ts";
import { patience } from "../../test/support/patience.ts";
import { fetchUpstream, type UpstreamApi } from "../../test/support/upstream.ts";
import { Network } from "./network.ts";
import { type Families, Nodes } from "./nodes.ts";
import { Process } from "./processes.ts";
import { pathOf } from "./programs.ts";
import { makeRoot } from "./root.ts";

export interface ClusterOptions {
  readonly nodes?: number;
  /** Of pods, nodes and services; ipv4 unless given. */
  readonly families?: Families;
  /** The command before `run` and its flags; null: no program at all. The sources of this repository unless given. */
  readonly northgate?: readonly string[] | null;
  /** More flags for `northgate run`. */
  readonly args?: readonly string[];
}

const repository = fileURLToPath(new URL("../../", import.meta.url));
/** The program as it is in this repository. */
export const fromSources = [process.execPath, join(repository, "src", "main.ts")];
/** The program as it is shipped; `make build` makes it. */
export const asShipped = [process.execPath, join(repository, "bin", "northgate.js")];

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
const apis: Readonly<Record<(typeof plurals)[number], UpstreamApi>> = {
  adminnetworkpolicies: "v1alpha1",
  baselineadminnetworkpolicies: "v1alpha1",
  clusternetworkpolicies: "v1alpha2",
};

export interface Cluster {
  readonly dir: string;
  /** The administrator's. */
  readonly kubeconfig: string;
  readonly plane: ControlPlane;
  readonly ovn: Ovn;
  readonly network: Network;
  /** Null when none was asked for. */
  readonly northgate: Process | null;
  readonly agent: () => Process;
  /** The agent ends, by the signal, and another one begins. */
  restartAgent(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  try {
    return { ...(await start(options, ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What is to be ended goes to `ends`, in the order in which it was started. */
async function start(
  { nodes: count = 2, families = "ipv4", northgate = fromSources, args = [] }: ClusterOptions,
  ends: (() => Promise<unknown>)[],
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
    ],
  });
  ends.push(() => plane.stop());
  await Promise.all([installUpstream(plane), startControllers(plane)]);
  const ovn = await startOvn({ northd: true });
  ends.push(() => ovn.stop());
  const nodes = await Nodes.open(count, families);
  ends.push(() => nodes.close());
  const network = await Network.open(ovn, nodes);
  ends.push(() => network.close());
  const root = join(dir, "root");
  await makeRoot(root, pathOf("agnhost"));
  mkdirSync(join(dir, "logs"));
  writeFileSync(join(dir, "nodes.json"), JSON.stringify(nodes.specs));
  let agent = await startAgent(dir, plane, network);
  ends.push(() => agent.end());
  let program: Process | null = null;
  if (northgate !== null) {
    program = await startNorthgate(dir, plane, [...northgate, "run", `--nb=${ovn.nb}`, ...args]);
    ends.push(() => endNorthgate(program));
  }
  return {
    ...{ dir, plane, ovn, network, northgate: program, kubeconfig: plane.kubeconfig },
    agent: () => agent,
    restartAgent: async (signal) => {
      await agent.end(signal);
      agent = await startAgent(dir, plane, network);
    },
  };
}

/** The kinds as their own project defines them, experimental fields among them. */
async function installUpstream(plane: ControlPlane): Promise<void> {
  const upstream = await fetchUpstream();
  if (typeof upstream === "string") throw new Error(upstream);
  const files = plurals.flatMap((plural) => [
    "-f",
    join(upstream[apis[plural]], "config", "crd", "experimental", `policy.networking.k8s.io_${plural}.yaml`),
  ]);
  await plane.kubectl(["apply", "--server-side", ...files]);
  const within = `--timeout=${patience(30_000)}ms`;
  await plane.kubectl(["wait", "--for=condition=Established", within, ...files]);
}

/** They end with the control plane: its folder has their pid file. */
async function startControllers(plane: ControlPlane): Promise<void> {
  const port = await steadyPort();
  await startInBackground(plane.dir, {
    name: "kube-controller-manager",
    program: pathOf("kube-controller-manager"),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      `--cert-dir=${join(plane.dir, "kube-controller-manager")}`,
      `--root-ca-file=${join(plane.dir, "pki", "ca.crt")}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      "--leader-elect=false",
      `--controllers=${controllers.join(",")}`,
    ],
    port,
    ready: () => Promise.resolve(true), // it says nothing of use: what it makes is waited for
  });
}

async function startAgent(dir: string, plane: ControlPlane, network: Network): Promise<Process> {
  const agent = new Process(dir, {
    name: "node-agent",
    program: pathOf("node-agent"),
    args: [
      `-kubeconfig=${plane.kubeconfig}`,
      `-root=${join(dir, "root")}`,
      `-logs=${join(dir, "logs")}`,
      `-nodes=${join(dir, "nodes.json")}`,
      `-network=${network.socket}`,
    ],
  });
  await agent.ready(() => agent.says("ready"));
  return agent;
}

async function startNorthgate(
  dir: string,
  plane: ControlPlane,
  [command = "", ...args]: readonly string[],
): Promise<Process> {
  await plane.kubectl(["create", "namespace", namespace]);
  const rights = join(repository, "manifests", "base", "rbac.yaml");
  await plane.kubectl(["apply", "-n", namespace, "-f", rights]);
  const config = join(dir, "northgate.yaml");
  writeFileSync(config, "{}\n");
  const program = new Process(dir, {
    name: "northgate",
    program: command,
    args: [
      ...args,
      "--source=kube",
      `--kubeconfig=${await plane.account(namespace, "northgate")}`,
      `--config=${config}`,
      "--log-format=json",
      "--metrics-bind-address=127.0.0.1:0",
    ],
  });
  await program.ready(async () => {
    const address = /"address":"([^"]+)"[^\n]*"metrics are served"|"metrics are served"[^\n]*"address":"([^"]+)"/;
    const [, one, other] = address.exec(program.log()) ?? [];
    const at = one ?? other;
    if (at === undefined) return false;
    return (await fetch(`${at}/readyz`)).ok;
  });
  return program;
}

/** A stopped process must go on to end. */
async function endNorthgate(program: Process | null): Promise<void> {
  program?.signal("SIGCONT");
  await program?.end();
}
