// A node with a kubelet and a containerd of its own: mount, PID, UTS and IPC namespaces below the network namespace that it is
// given, and folders and cgroups that nothing else uses. Everything in it ends with its first process, and that ends with this one.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../tools/sandbox/program.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { NamespaceProcess } from "../../test/support/netns.ts";
import { Process } from "../conformance/processes.ts";
import { cgroupName, makeCgroups, removeCgroups } from "./cgroups.ts";
import {
  cniSettings,
  containerdSettings,
  kubeletSettings,
  type NodePlaces,
  runtimeSocket,
} from "./node-settings.ts";
import { pathOfNodeProgram, runtimeFolder } from "./programs.ts";

export interface KubeletNodeOptions {
  readonly places: Omit<NodePlaces, "cgroup">;
  /** The network namespace of the node. */
  readonly holder: NamespaceProcess;
  /** Of system:node:NAME. */
  readonly kubeconfig: string;
  /** What a pod with a hostPath finds below /run, by the path there. */
  readonly runFiles: ReadonlyMap<string, string>;
}

/** What the first process of the node does before it waits: private mounts, and a /run of the node's own. */
const begin = `mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
hostname "$0"
while [ $# -gt 0 ]; do
  mkdir -p "$(dirname "/run/$1")"
  if [ -d "$2" ]; then mkdir -p "/run/$1"; else : > "/run/$1"; fi
  mount --bind "$2" "/run/$1"
  shift 2
done
echo ready
exec cat`;

export class KubeletNode {
  readonly #options: KubeletNodeOptions;
  readonly #places: NodePlaces;
  readonly #first: NamespaceProcess;
  /** The first process of its PID namespace. */
  readonly pid: number;
  #containerd: Process | null = null;
  #kubelet: Process | null = null;

  private constructor(options: KubeletNodeOptions, places: NodePlaces, first: NamespaceProcess) {
    this.#options = options;
    this.#places = places;
    this.#first = first;
    this.pid = childOf(first.pid);
  }

  /** The node's kubelet runs when this resolves; the Node object is Ready some time later. */
  static async start(options: KubeletNodeOptions, images: readonly string[]): Promise<KubeletNode> {
    const places = { ...options.places, cgroup: cgroupName(options.places.node) };
    for (const folder of ["cni/bin", "cni/net.d", "logs", "plugins", "kubelet"])
      mkdirSync(join(places.dir, folder), { recursive: true });
    makeCgroups(places.cgroup);
    const first = await options.holder.inside([
      ...["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"],
      ...["--propagation", "private", "/bin/sh", "-ec", begin, places.node],
      ...[...options.runFiles].flat(),
    ]);
    const node = new KubeletNode(options, places, first);
    try {
      await node.startRuntime();
      for (const image of images) await node.ctr("images", "import", image);
      await node.startKubelet();
      return node;
    } catch (error) {
      await node.stop();
      throw error;
    }
  }

  /** A command in the namespaces of the node. */
  get enter(): readonly string[] {
    return ["nsenter", `--target=${this.pid}`, "--mount", "--uts", "--ipc", "--net", "--pid"];
  }

  /** Containers go on while it does not run. */
  async startRuntime(): Promise<void> {
    const { dir, containerd } = this.#places;
    const config = join(dir, "containerd.toml");
    writeFileSync(config, containerdSettings(this.#places));
    writeFileSync(join(dir, "cni", "net.d", "10-ovn.conflist"), cniSettings(this.#places));
    writeFileSync(join(dir, "resolv.conf"), "");
    cpSync(pathOfNodeProgram("cni"), join(dir, "cni", "bin", "ovn"));
    writeFileSync(join(dir, "cni", "bin", "loopback"), loopback, { mode: 0o755 });
    this.#containerd = this.#process("containerd", join(containerd, "bin", "containerd"), [
      "--config",
      config,
    ]);
    await this.#containerd.ready(() => this.ctr("version").then(always, never));
  }

  async startKubelet(): Promise<void> {
    const { dir, node, ip } = this.#places;
    const config = join(dir, "kubelet.json");
    writeFileSync(config, kubeletSettings(this.#places));
    this.#kubelet = this.#process("kubelet", pathOfNodeProgram("kubelet"), [
      `--config=${config}`,
      `--kubeconfig=${this.#options.kubeconfig}`,
      `--root-dir=${join(dir, "kubelet")}`,
      `--cert-dir=${join(dir, "kubelet", "pki")}`,
      `--hostname-override=${node}`,
      `--node-ip=${ip}`,
    ]);
    const kubelet = this.#kubelet;
    await kubelet.ready(() => kubelet.log().includes("Started kubelet"));
  }

  async stopKubelet(): Promise<void> {
    await this.#kubelet?.end("SIGKILL");
    this.#kubelet = null;
  }

  /** What containerd's client says, in the kubelet's namespace of images. */
  async ctr(...args: readonly string[]): Promise<string> {
    const [program = "", ...enter] = this.enter;
    const { stdout } = await run(program, [
      ...enter,
      ...[join(runtimeFolder, "bin", "ctr"), "--address", runtimeSocket(this.#places)],
      ...["--namespace", "k8s.io", ...args],
    ]);
    return stdout;
  }

  get kubeletLog(): string {
    return this.#kubelet?.log() ?? "";
  }

  /** As a machine that loses its power. */
  async stop(): Promise<void> {
    await this.#first.end();
    await Promise.all([this.#kubelet?.end("SIGKILL"), this.#containerd?.end("SIGKILL")]);
    await eventually(() => {
      removeCgroups(this.#places.cgroup);
    });
  }

  #process(name: string, program: string, args: readonly string[]): Process {
    const [enter = "", ...more] = this.enter;
    const path = [join(runtimeFolder, "bin"), process.env["PATH"] ?? ""].join(":");
    return new Process(this.#places.dir, {
      ...{ name, program: enter, args: [...more, program, ...args] },
      env: { ...process.env, PATH: path },
    });
  }
}

/** The plugin that containerd 1.6 asks for before the pod's own. */
const loopback = `#!/bin/sh
case $CNI_COMMAND in
  VERSION) echo '{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}' ;;
  ADD) nsenter --net="$CNI_NETNS" ip link set lo up && echo '{"cniVersion":"0.3.1","interfaces":[{"name":"lo"}]}' ;;
esac
`;

/** unshare(1) waits for the one process that it starts. */
function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return Number(child);
}

const always = () => true;
const never = () => false;
