// A cluster with kubelets on this machine: a real API server with its controllers and scheduler, an OVN, and nodes that run containers.
// When starting fails, and after `stop`, no process, namespace, mount, cgroup or interface of it is left.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Guard } from "../../tools/sandbox/guard.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { startInBackground, steadyPort } from "../../test/kube/background.ts";
import { type ControlPlane, startControlPlane } from "../../test/kube/control-plane.ts";
import { type Ends, startedWithEnds } from "../conformance/ends.ts";
import { Network } from "../conformance/network.ts";
import { Nodes, type NodeSpec } from "../conformance/nodes.ts";
import { installUpstream, startControllers } from "../conformance/plane-parts.ts";
import { sweepCgroups } from "./cgroups.ts";
import { CniServer } from "./cni-server.ts";
import { dnsAddress, installDns } from "./dns.ts";
import { openDoors } from "./doors.ts";
import { writeOwnImages } from "./images.ts";
import { KubeletNode } from "./kubelet-node.ts";
import { pathOfNodeProgram, runtimeFolder } from "./programs.ts";
import { makeNbTls, type NbTls } from "./nb-tls.ts";
import { ServiceBalancers } from "./services.ts";
import { startZones, type Zone } from "./zones.ts";

export { nbRemote } from "./doors.ts";

export interface ClusterOptions {
  readonly nodes?: number;
  /** Archives that every node has, beside those of the cluster itself. They may be made while the cluster starts. */
  readonly images?: readonly Promise<string>[];
  /** Says what is being done. */
  readonly tell?: (line: string) => void;
}

export interface Cluster {
  readonly dir: string;
  readonly plane: ControlPlane;
  /** Of the dataplane. */
  readonly ovn: Ovn;
  /** The Northbound database of the dataplane, over TLS. */
  readonly nbTls: NbTls;
  /** By node. */
  readonly zones: ReadonlyMap<string, Zone>;
  readonly network: Network;
  readonly nodes: readonly KubeletNode[];
  stop(): Promise<void>;
}

const tunnel = fileURLToPath(new URL("api-tunnel.ts", import.meta.url));
const controllers = [
  ...["daemonset", "deployment", "replicaset", "statefulset", "job", "disruption", "garbage-collector"],
  ...["namespace", "node-lifecycle", "taint-eviction", "pod-garbage-collector", "endpointslice", "endpoints"],
  ...["serviceaccount", "root-ca-certificate-publisher", "ttl"],
].map((name) => `${name}-controller`);

export function startKubeletCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return startedWithEnds((ends) => start(options, ends));
}

async function start(
  { nodes: count = 2, images = [], tell = () => undefined }: ClusterOptions,
  ends: Ends,
): Promise<Omit<Cluster, "stop">> {
  for (const image of images) image.catch(() => undefined); // it is awaited later
  sweepCgroups();
  const dir = mkdtempSync("/tmp/ng-cluster-");
  const guard = new Guard(dir);
  ends.push(async () => {
    await guard.dismiss();
    rmSync(dir, { recursive: true, force: true });
  });
  const holders = await Nodes.open(count, "ipv4");
  ends.push(() => holders.close());
  tell("starting etcd, kube-apiserver, its controllers and the scheduler, and OVN with its dataplane");
  const [plane, { ovn, nbTls, zones, network }] = await together([
    startPlane(dir, holders, ends),
    startOvnOf(dir, holders, ends),
  ]);
  await openDoors(dir, { plane, ovn, nbTls, nodes: holders }, ends);
  const balancers = new ServiceBalancers(plane.api, (wanted) => network.balance(wanted));
  ends.push(() => balancers.close());
  await installDns(plane);
  tell("making the images of the cluster's own pods");
  const own = await writeOwnImages(dir);
  const archives = [...own, ...(await Promise.all(images))];
  tell(`starting containerd and kubelet of ${[...zones.keys()].join(", ")}`);
  const ground = { dir, plane, zones, network, holders };
  const nodes = await together(holders.specs.map((spec, at) => startNode(ground, at, spec, archives, ends)));
  return { dir, plane, ovn, nbTls, zones, network, nodes };
}

/** As Promise.all, but where one fails, the others have ended when it rejects: none of them starts what nobody would end. */
async function together<T extends readonly unknown[]>(all: {
  readonly [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  await Promise.allSettled(all);
  return await Promise.all(all);
}

/** With a database for each node beside the one of the dataplane. */
async function startOvnOf(
  dir: string,
  nodes: Nodes,
  ends: Ends,
): Promise<Pick<Cluster, "ovn" | "nbTls" | "zones" | "network">> {
  const nbTls = await makeNbTls(dir);
  const ovn = await startOvn({ northd: true, nbArgs: nbTls.serverArgs });
  ends.push(() => ovn.stop());
  const names = nodes.specs.map(({ name }) => name);
  const zones = await startZones(dir, names, (end) => ends.push(end));
  const databases = { ovn, zones: new Map([...zones].map(([name, zone]) => [name, zone.ovn])) };
  const network = await Network.open(databases, nodes, { chassis: "each" });
  ends.push(() => network.close());
  return { ovn, nbTls, zones, network };
}

/** The API server reaches kubelets through the router of the nodes. */
async function startPlane(dir: string, nodes: Nodes, ends: Ends): Promise<ControlPlane> {
  const socket = join(dir, "tunnel.sock");
  const router = await nodes.router.inside([process.execPath, tunnel, socket]);
  ends.push(() => router.end());
  const egress = join(dir, "egress.json");
  const connection = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: socket } } };
  writeFileSync(
    egress,
    JSON.stringify({
      ...{ apiVersion: "apiserver.k8s.io/v1beta1", kind: "EgressSelectorConfiguration" },
      egressSelections: [{ name: "cluster", connection }],
    }),
  );
  const plane = await startControlPlane({
    kubelets: true,
    apiServerArgs: [
      `--egress-selector-config-file=${egress}`,
      "--kubelet-preferred-address-types=InternalIP",
    ],
  });
  ends.push(() => plane.stop());
  await Promise.all([
    installUpstream(plane),
    startControllers(plane, controllers, [
      `--service-account-private-key-file=${join(plane.dir, "pki", "accounts.key")}`,
      "--node-monitor-grace-period=20s",
    ]),
    startScheduler(plane),
  ]);
  return plane;
}

async function startScheduler(plane: ControlPlane): Promise<void> {
  const port = await steadyPort();
  await startInBackground(plane.dir, {
    name: "kube-scheduler",
    program: pathOfNodeProgram("kube-scheduler"),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      `--cert-dir=${join(plane.dir, "kube-scheduler")}`,
      ...[`--secure-port=${port}`, "--bind-address=127.0.0.1", "--leader-elect=false"],
    ],
    port,
    ready: () => Promise.resolve(true), // what it does is waited for
  });
}

/** The kubelet finds its Node then, and with it the networks of its pods. */
export async function createNode(
  plane: ControlPlane,
  { name, podCIDRs }: Pick<NodeSpec, "name" | "podCIDRs">,
): Promise<void> {
  const spec = { podCIDR: podCIDRs[0], podCIDRs };
  await plane.kubectl(["create", "-f", "-"], {
    input: JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name }, spec }),
  });
}

interface Ground {
  readonly dir: string;
  readonly plane: ControlPlane;
  readonly zones: Cluster["zones"];
  readonly network: Network;
  readonly holders: Nodes;
}

async function startNode(
  { dir, plane, zones, network, holders }: Ground,
  at: number,
  spec: NodeSpec,
  images: readonly string[],
  ends: Ends,
): Promise<KubeletNode> {
  const folder = join(dir, spec.name);
  const cniSocket = join(folder, "cni.sock");
  const holder = holders.holders[at];
  const [ip] = spec.internalIPs;
  const zone = zones.get(spec.name);
  if (holder === undefined || ip === undefined || zone === undefined)
    throw new Error(`${spec.name} has no namespace`);
  const kubeconfig = await plane.user({ name: `system:node:${spec.name}`, groups: ["system:nodes"] });
  await createNode(plane, spec);
  const node = new KubeletNode({
    places: {
      ...{ dir: folder, containerd: runtimeFolder, node: spec.name, ip, cniSocket },
      ...{ clientCa: join(plane.dir, "pki", "ca.crt"), clusterDns: dnsAddress },
    },
    ...{ holder, kubeconfig },
    runFiles: new Map([["openvswitch", zone.folder]]),
  });
  const cni = new CniServer({ spec, pid: () => node.pid }, network.socket);
  await cni.listen(cniSocket);
  ends.push(() => cni.close());
  await node.start(images);
  ends.push(() => node.stop());
  return node;
}
