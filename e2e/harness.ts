// Everything real, started together and ended together: etcd and kube-apiserver with the policy CRDs, a private OVN, and
// `northgate run` in a process of its own, as the service account that manifests/base/rbac.yaml makes for it. Answers the
// one question behind every suite: are the rows those of a fresh start on the objects that the API server has now?

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "../src/dialects.ts";
import type { Installed } from "../src/dialects.ts";
import type { WorldObject } from "../src/model/object.ts";
import type { Flags } from "../src/policy/contracts/flags.ts";
import { modelFlag } from "../src/policy/contracts/policy-model.ts";
import type { Ovn } from "../tools/sandbox/ovn.ts";
import { startOvn } from "../tools/sandbox/ovn.ts";
import { Guard } from "../tools/sandbox/guard.ts";
import { type ControlPlane, startControlPlane } from "../test/kube/control-plane.ts";
import { installCrds } from "../test/kube/crds.ts";
import { eventually } from "../test/support/eventually.ts";
import { Audit } from "./audit.ts";
import { type Compared, converged, objectsNow, rowsNow } from "./fresh-rows.ts";
import { Objects } from "./objects.ts";
import { Run } from "./running.ts";
import { kindFlags } from "../test/support/dialects.ts";

export interface HarnessOptions {
  /** False: the policy CRDs are not installed. */
  readonly crds?: boolean;
  readonly northd?: boolean;
  /** False: pods get no ports in NB; the suite makes its network itself. */
  readonly ports?: boolean;
  /** The kinds of policy that the suite is about, as kubectl takes them; anp,banp unless given. */
  readonly kinds?: string;
  /** True: the program follows NetworkPolicies too; then `netpol` is one of the kinds. */
  readonly networkPolicy?: boolean;
  /** True: the program follows Antrea's kinds too, whose definitions are installed; then they are among the kinds. */
  readonly antrea?: boolean;
  /** True: the program orders all policies by Calico's tiers. The definitions of Calico's kinds are the suite's business. */
  readonly calico?: boolean;
}

export interface RunOptions {
  readonly zone?: string;
  /** More arguments for `northgate run`. */
  readonly args?: readonly string[];
  /** Another than the service account's. */
  readonly kubeconfig?: string;
}

const manifests = (path: string) => fileURLToPath(new URL(`../manifests/${path}`, import.meta.url));

/** Users with a token from a file, and with a certificate, that a suite may let the program run as. */
export const tokenUser = "northgate-by-token";
export const limitedUser = "northgate-limited";
/** The user of a second instance, with the rights of the service account: the audit log tells the two apart. */
export const secondUser = "northgate-second";
const namespace = "northgate-system";
const account = `system:serviceaccount:${namespace}:northgate`;

interface Parts {
  readonly guard: Guard;
  readonly plane: ControlPlane;
  readonly ovn: Ovn;
  readonly audit: Audit;
}

export class Harness {
  readonly dir: string;
  readonly plane: ControlPlane;
  readonly ovn: Ovn;
  readonly audit: Audit;
  readonly objects: Objects;
  /** The service account's. */
  kubeconfig = "";
  readonly #guard: Guard;
  /** Those that are asked for beside namespaces, nodes and pods, as kubectl takes them. */
  kinds: string;
  readonly #installed: Installed;
  readonly #flags: Flags;
  /** Of manifests/components, those that have the rights for more kinds. */
  readonly #components: readonly string[];
  #run: Run | null = null;
  #second: Run | null = null;
  #zone: string | null = null;

  private constructor(dir: string, parts: Parts, options: HarnessOptions) {
    const {
      ports = true,
      kinds = "anp,banp",
      networkPolicy = false,
      antrea = false,
      calico = false,
    } = options;
    const { guard, plane, ovn, audit } = parts;
    this.dir = dir;
    this.kinds = kinds;
    this.#flags = {
      ...(networkPolicy ? kindFlags({ networkPolicy }) : {}),
      ...(antrea ? kindFlags({ antrea }) : {}),
      ...(calico ? { [modelFlag]: "calico" } : {}),
    };
    this.#components = [
      ...(networkPolicy ? ["network-policy"] : []),
      ...(antrea ? ["antrea-policy"] : []),
      ...(calico ? ["calico-policy"] : []),
    ];
    this.#installed = installed(this.#flags);
    this.#guard = guard;
    this.plane = plane;
    this.ovn = ovn;
    this.audit = audit;
    this.objects = new Objects(plane, ports ? ovn : null, kinds);
  }

  static async start(options: HarnessOptions = {}): Promise<Harness> {
    const { crds = true, northd = false } = options;
    const dir = mkdtempSync(join(tmpdir(), "ng-e2e-"));
    const guard = new Guard(dir);
    const audit = new Audit(dir, [account, tokenUser, limitedUser, secondUser]);
    const users = [{ name: tokenUser, by: "token" }, { name: limitedUser }, { name: secondUser }] as const;
    const plane = await startControlPlane({ users, apiServerArgs: audit.apiServerArgs });
    try {
      const parts = { guard, plane, ovn: await startOvn({ northd }), audit };
      const harness = new Harness(dir, parts, options);
      await harness.#prepare(crds);
      return harness;
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  /** The run under way. */
  get run(): Run {
    if (this.#run === null) throw new Error("the program does not run");
    return this.#run;
  }

  /** Starts the program. */
  start({ zone, args = [], kubeconfig = this.kubeconfig }: RunOptions = {}): Run {
    if (this.#run !== null) throw new Error("the program runs already");
    this.#zone = zone ?? null;
    this.#run = new Run(
      this.#arguments(kubeconfig, [...(zone === undefined ? [] : [`--zone=${zone}`]), ...args]),
      join(this.dir, "northgate.pid"),
    );
    return this.#run;
  }

  /** Starts a second instance beside the first, as a user of its own; `end` ends both. */
  startSecond({ args = [], kubeconfig = this.plane.kubeconfigOf(secondUser) }: RunOptions = {}): Run {
    if (this.#second !== null) throw new Error("the second instance runs already");
    this.#second = new Run(this.#arguments(kubeconfig, args), join(this.dir, "second.pid"));
    return this.#second;
  }

  #arguments(kubeconfig: string, more: readonly string[]): readonly string[] {
    return [
      "--source=kube",
      `--kubeconfig=${kubeconfig}`,
      `--nb=${this.ovn.nb}`,
      "--metrics-bind-address=127.0.0.1:0",
      // Names the folder, by which the guard knows its processes.
      `--config=${join(this.dir, "northgate.yaml")}`,
      ...Object.entries(this.#flags).map(([flag, value]) => `--${flag}=${value}`),
      ...more,
    ];
  }

  /** Ends the program, which must end well. Does nothing when it does not run. */
  async end(): Promise<void> {
    const runs = [this.#run, this.#second];
    this.#run = this.#second = null;
    try {
      for (const run of runs) await run?.end();
    } finally {
      // Those that did not end well.
      for (const run of runs) await run?.kill();
    }
  }

  /** Ends the program without a word. */
  async kill(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    run?.assertClean();
    await run?.kill();
  }

  /** Ends everything; the program must end well. */
  async stop(): Promise<void> {
    try {
      await this.end();
    } finally {
      await this.ovn.stop();
      await this.plane.stop();
      await this.#guard.dismiss();
      rmSync(this.dir, { recursive: true, force: true });
    }
  }

  /** The objects as the API server has them now. */
  now(): Promise<readonly WorldObject[]> {
    return objectsNow(this.#compared);
  }

  /** The rows of ours that NB holds, and the names of all its ports. */
  rows(): ReturnType<typeof rowsNow> {
    return rowsNow(this.#compared);
  }

  /** As fresh-rows.ts has it. */
  converged(timeoutMs?: number): Promise<number> {
    return converged(this.#compared, timeoutMs);
  }

  get #compared(): Compared {
    const { plane, dir, kinds, ovn } = this;
    return { plane, dir, kinds, nb: ovn.nb, installed: this.#installed, zone: this.#zone };
  }

  async #prepare(crds: boolean): Promise<void> {
    writeFileSync(join(this.dir, "northgate.yaml"), "log-level: debug\n");
    // Without a switch nothing enforces, and no policy is in force.
    await this.ovn.nbctl("ls-add", "network");
    await this.plane.kubectl(["create", "namespace", namespace]);
    const rights = ["base", ...this.#components.map((name) => `components/${name}`)];
    for (const folder of rights) await this.plane.kubectl(["apply", "-f", manifests(`${folder}/rbac.yaml`)]);
    await this.grant(tokenUser);
    await this.grant(secondUser);
    this.kubeconfig = await this.plane.account(namespace, "northgate");
    if (crds) await this.installCrds();
  }

  /** The server's discovery, by which kubectl finds names, lags behind what it serves. */
  async installCrds(): Promise<void> {
    await installCrds(this.plane);
    if (this.#components.includes("antrea-policy"))
      await this.plane.kubectl(["create", "-k", manifests("crds/antrea")]);
    await eventually(() => this.plane.kubectl(["get", this.kinds]).then(() => undefined), 20_000);
  }

  /** Lets the user do what the manifests let the service account do. */
  async grant(user: string): Promise<void> {
    const bindings = [
      ["clusterrolebinding", "--clusterrole=northgate"],
      ["rolebinding", "--namespace=default", "--role=northgate-events"],
      ...this.#components.map((name) => ["clusterrolebinding", `--clusterrole=northgate-${name}`]),
    ] as const;
    for (const [at, [kind = "", ...of]] of bindings.entries())
      await this.plane.kubectl(["create", kind, `${user}-${at}`, ...of, `--user=${user}`]);
  }
}

/** A line for whoever reads the run. */
export function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
