// A node with a kubelet and a containerd of its own: mount, PID, UTS and IPC namespaces below the network namespace that it is
// given, and folders and cgroups that nothing else uses. Everything in it ends with its first process, and that ends with this one.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../tools/sandbox/program.ts";
import { eventually } from "../../test/support/eventually.ts";
import { patience } from "../../test/support/patience.ts";
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
import { pathOfNodeProgram } from "./programs.ts";

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
  #first: NamespaceProcess | null = null;
  #containerd: Process | null = null;
  #kubelet: Process | null = null;

  constructor(options: KubeletNodeOptions) {
    this.#options = options;
    this.#places = { ...options.places, cgroup: cgroupName(options.places.node) };
    for (const folder of ["cni/bin", "cni/net.d", "logs", "plugins", "kubelet"])
      mkdirSync(join(this.#places.dir, folder), { recursive: true });
  }

  get name(): string {
    return this.#places.node;
  }

  /** The first process of its PID namespace. */
  get pid(): number {
    if (this.#first === null) throw new Error(`${this.name} is stopped`);
    return childOf(this.#first.pid);
  }

  /**
   * Its kubelet runs when this resolves; the Node object is Ready some time later. What an earlier start has put on the node's disk is
   * there: images, and what the runtime and the kubelet know of their containers.
   */
  async start(images: readonly string[] = []): Promise<void> {
    const { holder, runFiles } = this.#options;
    makeCgroups(this.#places.cgroup);
    try {
      this.#first = await holder.inside([
        ...["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"],
        ...["--propagation", "private", "/bin/sh", "-ec", begin, this.name],
        ...[...runFiles].flat(),
      ]);
      await this.startRuntime();
      for (const image of images) await this.ctr("images", "import", image);
      await this.startKubelet();
    } catch (error) {
      await this.stop();
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
    const kubelet = this.#kubelet;
    if (kubelet === null) return;
    this.#kubelet = null;
    process.kill(childOf(kubelet.pid), "SIGKILL"); // nsenter(1) waits for it, and would end without it
    await kubelet.end("SIGKILL");
  }

  /** What containerd's client says, in the kubelet's namespace of images. */
  async ctr(...args: readonly string[]): Promise<string> {
    const ctr = join(this.#places.containerd, "bin", "ctr");
    return this.run(ctr, "--address", runtimeSocket(this.#places), "--namespace", "k8s.io", ...args);
  }

  /** The number of a container's first process in the node's PID namespace, by the container's id. */
  async taskOf(container: string): Promise<string> {
    const line = (await this.ctr("tasks", "list")).split("\n").find((one) => one.startsWith(container));
    const [, pid] = line?.split(/\s+/) ?? [];
    if (container === "" || pid === undefined)
      throw new Error(`no container ${container} runs on ${this.name}`);
    return pid;
  }

  /** By its number in the node's PID namespace. */
  async kill(pid: string): Promise<void> {
    await this.run("kill", "-KILL", pid);
  }

  /** What a command in the namespaces of the node prints. */
  async run(...command: readonly string[]): Promise<string> {
    const [program = "", ...enter] = this.enter;
    // A busy machine takes minutes to unpack an image.
    return (await run(program, [...enter, ...command], { timeoutMs: patience(240_000) })).stdout;
  }

  /** As a machine that loses its power. Does nothing when it is stopped. */
  async stop(): Promise<void> {
    await this.#first?.end();
    this.#first = null;
    await Promise.all([this.#kubelet?.end("SIGKILL"), this.#containerd?.end("SIGKILL")]);
    this.#kubelet = this.#containerd = null;
    await eventually(() => {
      removeCgroups(this.#places.cgroup);
    });
  }

  #process(name: string, program: string, args: readonly string[]): Process {
    const [enter = "", ...more] = this.enter;
    const path = [join(this.#places.containerd, "bin"), process.env["PATH"] ?? ""].join(":");
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

/** unshare(1) and nsenter(1) wait for the one process that they start. */
function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return Number(child);
}

const always = () => true;
const never = () => false;
