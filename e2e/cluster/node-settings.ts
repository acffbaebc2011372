// The settings of a node's runtime and kubelet as text: all of it in folders of the node's own.

import { join } from "node:path";

export interface NodePlaces {
  /** The node's folder. */
  readonly dir: string;
  /** Of containerd and its companions, in `.cache`. */
  readonly containerd: string;
  readonly node: string;
  readonly ip: string;
  /** The folder of the node in every hierarchy of cgroups. */
  readonly cgroup: string;
  /** Of the API server's clients. */
  readonly clientCa: string;
  readonly clusterDns: string;
  /** Where the CNI plugin asks. */
  readonly cniSocket: string;
}

export const pauseImage = "northgate.example/pause:1";

export function runtimeSocket({ dir }: Pick<NodePlaces, "dir">): string {
  return join(dir, "containerd.sock");
}

/** containerd 1.6, configuration version 2. */
export function containerdSettings({ dir, containerd }: NodePlaces): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${join(dir, "containerd")}"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]

[grpc]
address = "${runtimeSocket({ dir })}"

[${cri}]
sandbox_image = "${pauseImage}"
netns_mounts_under_state_dir = true
disable_apparmor = true
restrict_oom_score_adj = true # a root without CAP_SYS_RESOURCE cannot lower it

[${cri}.cni]
bin_dir = "${join(dir, "cni", "bin")}"
conf_dir = "${join(dir, "cni", "net.d")}"

[${cri}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[${cri}.containerd.runtimes.runc.options]
BinaryName = "${join(containerd, "bin", "runc")}"
SystemdCgroup = false
`;
}

export function cniSettings({ cniSocket }: NodePlaces): string {
  return JSON.stringify({
    ...{ cniVersion: "0.4.0", name: "northgate-cluster" },
    plugins: [{ type: "ovn", socket: cniSocket }],
  });
}

/** kubelet.config.k8s.io/v1beta1. */
export function kubeletSettings(places: NodePlaces): string {
  const { dir, ip, cgroup, clientCa, clusterDns } = places;
  return JSON.stringify({
    ...{ apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" },
    address: ip,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: clientCa },
    },
    authorization: { mode: "Webhook" },
    ...{ cgroupDriver: "cgroupfs", cgroupRoot: `/${cgroup}`, failCgroupV1: false, failSwapOn: false },
    ...{ clusterDNS: [clusterDns], clusterDomain: "cluster.local", resolvConf: join(dir, "resolv.conf") },
    containerRuntimeEndpoint: `unix://${runtimeSocket(places)}`,
    // The disk is the machine's: how full it is says nothing about this node.
    evictionHard: {
      "memory.available": "1Mi",
      "nodefs.available": "0%",
      "nodefs.inodesFree": "0%",
      "imagefs.available": "0%",
      "imagefs.inodesFree": "0%",
    },
    imageGCHighThresholdPercent: 100,
    makeIPTablesUtilChains: false,
    podLogsDir: join(dir, "logs"),
    volumePluginDir: join(dir, "plugins"),
    nodeStatusUpdateFrequency: "5s",
    registerNode: true,
  });
}
