// A private Kubernetes control plane on this machine: etcd and kube-apiserver on 127.0.0.1, RBAC on, no controllers, no
// nodes: nothing fills aggregated roles such as "view", counts replicas or collects garbage. Refuses to share anything:
// certificates, tokens, data and logs lie in one folder. After `stop` none of its processes is left, nor the folder if
// it made that itself, also when this process is killed.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { end, endAll, pidOf } from "../../tools/sandbox/daemon.ts";
import { Guard } from "../../tools/sandbox/guard.ts";
import { ApiClient } from "./api.ts";
import { type Assets, findControlPlane } from "./assets.ts";
import { startInBackground, steadyPort } from "./background.ts";
import { admin, Credentials, type User } from "./credentials.ts";
import { apiServer, etcd, etcdIsHealthy, etcdSays } from "./daemons.ts";
import { kubectl, type KubectlOptions } from "./kubectl.ts";

export { type Assets, findControlPlane } from "./assets.ts";

export interface ControlPlaneOptions {
  /** Where its state lies, kept by `stop`; a new folder, removed by `stop`, unless given. Data found there is kept. */
  readonly dir?: string;
  readonly assets?: Assets;
  /** Known from the start; `user` adds others. */
  readonly users?: readonly User[];
  /** Kubelets are to run: admission is Kubernetes' own, a kubelet may do what its node needs, and pods have accounts. */
  readonly kubelets?: boolean;
  /** More arguments for kube-apiserver. */
  readonly apiServerArgs?: readonly string[];
}

/** Pods need no account; nodes without a kubelet get no taints; nothing is added to what a test wrote. */
const withoutKubelets = [
  "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,DefaultTolerationSeconds,LimitRanger,ResourceQuota",
];
const daemonNames = ["etcd", "kube-apiserver"] as const;
export type DaemonName = (typeof daemonNames)[number];

interface Ports {
  readonly etcd: number;
  readonly api: number;
}

export class ControlPlane {
  readonly dir: string;
  readonly assets: Assets;
  /** Of the API server. */
  readonly url: string;
  /** Of etcd. */
  readonly etcdUrl: string;
  /** The administrator's. */
  readonly kubeconfig: string;
  /** The administrator's client. */
  readonly api: ApiClient;
  readonly #credentials: Credentials;
  readonly #options: ControlPlaneOptions;
  readonly #ports: Ports;
  #guard: Guard | null = null;

  constructor(dir: string, assets: Assets, ports: Ports, options: ControlPlaneOptions) {
    this.dir = dir;
    this.assets = assets;
    this.url = `https://127.0.0.1:${ports.api}`;
    this.etcdUrl = `http://127.0.0.1:${ports.etcd}`;
    this.#ports = ports;
    this.#options = options;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.#credentials = new Credentials(dir, this.url);
    this.#credentials.write();
    for (const user of options.users ?? []) this.#credentials.add(user);
    this.kubeconfig = this.kubeconfigOf(admin);
    this.api = new ApiClient(this.url, () => this.#credentials.identity(admin));
  }

  /** Starts what does not run yet; the API server is ready when this resolves. */
  async start(): Promise<void> {
    if (this.#options.dir === undefined) this.#guard ??= new Guard(this.dir);
    await this.startEtcd();
    await this.startApiServer();
  }

  /** Ends both daemons, and removes the folder if it made that. */
  async stop(): Promise<void> {
    this.api.disconnect();
    const ownsDir = this.#options.dir === undefined;
    // Nobody waits for a graceful end of what is thrown away.
    await end(this.dir, "kube-apiserver", ownsDir ? "SIGKILL" : "SIGTERM");
    await endAll(this.dir);
    await this.#guard?.dismiss();
    this.#guard = null;
    if (ownsDir) rmSync(this.dir, { recursive: true, force: true });
  }

  async stopApiServer(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.api.disconnect();
    await end(this.dir, "kube-apiserver", signal);
  }

  async startApiServer(): Promise<void> {
    const { kubelets = false, apiServerArgs = [] } = this.#options;
    const more = [...(kubelets ? this.#withKubelets() : withoutKubelets), ...apiServerArgs];
    const spec = apiServer(this.assets, this.dir, this.#ports.api, this.etcdUrl, this.#credentials);
    const ready = () => this.#isReady();
    const port = this.#ports.api;
    await startInBackground(this.dir, { ...spec, args: [...spec.args, ...more], port, ready });
  }

  #withKubelets(): readonly string[] {
    return [
      ...["--authorization-mode=Node", "--enable-admission-plugins=NodeRestriction"],
      `--kubelet-client-certificate=${this.#credentials.path(`${admin}.crt`)}`,
      `--kubelet-client-key=${this.#credentials.path(`${admin}.key`)}`,
    ];
  }

  /** Cuts every watch; the watch cache forgets what it held. */
  async restartApiServer(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    await this.stopApiServer(signal);
    await this.startApiServer();
  }

  stopEtcd(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    return end(this.dir, "etcd", signal);
  }

  /** The API server, if it runs, is ready again when this resolves. */
  async startEtcd(): Promise<void> {
    const ready = () => etcdIsHealthy(this.etcdUrl);
    const port = this.#ports.etcd;
    await startInBackground(this.dir, { ...etcd(this.assets, this.dir, this.etcdUrl), port, ready });
    while (this.pids().has("kube-apiserver") && !(await this.#isReady())) await sleep(100);
  }

  /**
   * Throws etcd's history away and gives the revision it begins at. The API server still answers from its watch cache:
   * a watch from an old version gets its 410 only after `restartApiServer`.
   */
  async compact(): Promise<number> {
    const revision = await etcdSays(this.etcdUrl, "range", { key: "AA==", limit: "1" });
    await etcdSays(this.etcdUrl, "compaction", { revision: String(revision), physical: true });
    return revision;
  }

  /** The kubeconfig of a user, new or known. For one with a token the API server is started again, if it runs. */
  async user(user: User): Promise<string> {
    const path = this.#credentials.add(user);
    if (user.by === "token" && this.pids().has("kube-apiserver")) await this.restartApiServer();
    return path;
  }

  /** The kubeconfig of a service account that exists, with a token for a day: a suite takes hours on a busy machine, and nothing renews it. */
  async account(namespace: string, name: string): Promise<string> {
    const token = await this.kubectl(["create", "token", name, "-n", namespace, "--duration=24h"]);
    return this.#credentials.addToken(`system:serviceaccount:${namespace}:${name}`, token.trim());
  }

  /** Of a user it knows. */
  kubeconfigOf(user: string): string {
    return this.#credentials.kubeconfigOf(user);
  }

  /** The user's old token is refused when this resolves; the new one is in the file that its kubeconfig names. */
  async rotateToken(user: string): Promise<string> {
    const token = this.#credentials.newToken(user);
    await this.restartApiServer();
    return token;
  }

  /**
   * A new serving certificate by the same authority; with `authority` by a new one, which also signs the client
   * certificates anew: whoever trusts only the old one cannot connect.
   */
  async rotateCertificates(what: "serving" | "authority" = "serving"): Promise<void> {
    if (what === "authority") this.#credentials.newAuthority();
    else this.#credentials.newServing();
    await this.restartApiServer();
  }

  /** What kubectl prints. */
  kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    const where = { program: this.assets.programs.kubectl, home: this.dir, kubeconfig: this.kubeconfig };
    return kubectl(where, args, options);
  }

  /** The pids of its daemons that run. */
  pids(): ReadonlyMap<DaemonName, number> {
    const running = new Map<DaemonName, number>();
    for (const name of daemonNames) {
      const pid = pidOf(this.dir, name);
      if (pid !== null) running.set(name, pid);
    }
    return running;
  }

  /** The daemon's log so far, over all its starts. */
  log(name: DaemonName): string {
    const path = join(this.dir, `${name}.log`);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** It says so, and it has made the namespace that kubectl works in. */
  async #isReady(): Promise<boolean> {
    try {
      await this.api.text("GET", "/readyz", { timeoutMs: 5_000 });
      await this.api.text("GET", "/api/v1/namespaces/default", { timeoutMs: 5_000 });
      return true;
    } catch {
      this.api.disconnect();
      return false;
    }
  }
}

/** A running control plane. Nothing of it is left when starting fails. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const assets = options.assets ?? (await findControlPlane());
  if (typeof assets === "string") throw new Error(assets);
  const dir = options.dir === undefined ? mkdtempSync(join(tmpdir(), "ng-kube-")) : resolve(options.dir);
  const running = daemonNames.find((name) => pidOf(dir, name) !== null);
  if (running !== undefined) throw new Error(`${dir}: its ${running} runs already`);
  const etcdPort = await steadyPort();
  let apiPort = await steadyPort();
  while (apiPort === etcdPort) apiPort = await steadyPort();
  const plane = new ControlPlane(dir, assets, { etcd: etcdPort, api: apiPort }, options);
  try {
    await plane.start();
  } catch (error) {
    await plane.stop();
    throw error;
  }
  return plane;
}
