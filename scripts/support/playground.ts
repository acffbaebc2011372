// The playground of `make up`, `make down` and `make status`: the tour's cluster kept running in one folder, from files or,
// on request, from a real API server. A start that fails ends what it has started and removes what it has made; an end keeps
// the files that its user has changed. Only processes whose pid files are there are ended.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync } from "node:fs";
import { rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { policies as policyKinds, references } from "../../src/dialects.ts";
import { Objects } from "../../e2e/objects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { isNode, isPod } from "../../src/model/object.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { end, endAll, pidOf } from "../../tools/sandbox/daemon.ts";
import { daemonNames, startOvn } from "../../tools/sandbox/ovn.ts";
import { ensureOwn } from "../../tools/sandbox/place.ts";
import { type ControlPlane, startControlPlane } from "../../test/kube/control-plane.ts";
import { installCrds } from "../../test/kube/crds.ts";
import { Northgate } from "./northgate.ts";
import { layOut } from "./scene.ts";

export const stages = ["manifests", "ovn", "api server", "objects", "ports", "northgate"] as const;
export type Stage = (typeof stages)[number];

export interface PlaygroundOptions {
  readonly dir: string;
  /** Whether objects are in an API server; otherwise they are the files. */
  readonly kube: boolean;
  /** Of 127.0.0.1; 0 takes a free one. */
  readonly metricsPort: number;
  /** Called when a stage of a start is done. */
  readonly done?: (stage: Stage) => void;
  /** The program; the built one unless given. */
  readonly program?: string;
}

interface Started {
  /** For people. */
  readonly version: string;
  /** null: there is no API server. */
  readonly kubectl: string | null;
}

const ofKube = ["etcd", "kube-apiserver"] as const;
const follower = fileURLToPath(new URL("../playground.ts", import.meta.url));
const sandbox = fileURLToPath(new URL("../../tools/sandbox/main.ts", import.meta.url));

export class Playground {
  readonly #options: PlaygroundOptions;
  readonly manifests: string;
  readonly kubeconfig: string;
  readonly #kubeDir: string;

  constructor(options: PlaygroundOptions) {
    this.#options = options;
    this.manifests = join(options.dir, "manifests");
    this.kubeconfig = join(options.dir, "kubeconfig");
    this.#kubeDir = join(options.dir, "kube");
  }

  /** Starts what does not run. Rejects with one line, and then nothing is there that was not there before. */
  async up(): Promise<Started> {
    const { dir, kube } = this.#options;
    ensureOwn(dir);
    const before = this.pids();
    if (before.has("northgate") && kube !== before.has("kube-apiserver"))
      throw new Error(`it runs ${kube ? "without" : "with"} an API server; \`make down\` ends it first`);
    const entries = new Set(existsSync(dir) ? readdirSync(dir) : []);
    const wasThere = existsSync(dir);
    try {
      return await this.#start();
    } catch (error) {
      await this.#undo(before);
      if (before.size > 0) throw error;
      for (const entry of readdirSync(dir))
        if (!entries.has(entry)) rmSync(join(dir, entry), { recursive: true });
      if (!wasThere) rmdirSync(dir);
      throw error;
    }
  }

  /** Ends all of it; of the files those stay that are not as they were laid out. Returns whether they do. */
  async down(): Promise<boolean> {
    const { dir } = this.#options;
    if (!existsSync(dir)) return false;
    await this.#undo(new Map());
    const isTouched = existsSync(this.manifests) && !this.#isAsLaidOut();
    for (const entry of readdirSync(dir))
      if (!isTouched || entry !== "manifests") rmSync(join(dir, entry), { recursive: true });
    if (!isTouched) rmdirSync(dir);
    return isTouched;
  }

  /** By name, those of its processes that run. */
  pids(): ReadonlyMap<string, number> {
    const { dir } = this.#options;
    const found = [
      ...[...daemonNames, "cni", "northgate"].map((name) => [name, pidOf(dir, name)] as const),
      ...ofKube.map((name) => [name, pidOf(this.#kubeDir, name)] as const),
    ];
    return new Map(found.flatMap(([name, pid]) => (pid === null ? [] : [[name, pid] as const])));
  }

  /** The names that a whole playground has: with an API server where one was started. */
  names(): readonly string[] {
    return [...daemonNames, ...(existsSync(this.#kubeDir) ? ofKube : []), "cni", "northgate"];
  }

  async #start(): Promise<Started> {
    const { dir, kube, metricsPort, program, done = () => undefined } = this.#options;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (!existsSync(this.manifests)) layOut(this.manifests);
    done("manifests");
    const ovn = await startOvn({ dir });
    done("ovn");
    const plane = kube && !this.pids().has("kube-apiserver") ? await this.#startKube() : null;
    const { objects } = loadManifests([this.manifests], policyKinds, references);
    await applyCni(ovn, { pods: objects.filter(isPod), nodes: objects.filter(isNode) });
    if (pidOf(dir, "cni") === null) this.#followPorts();
    done("ports");
    if (pidOf(dir, "northgate") === null) {
      const source = kube
        ? ["--source=kube", `--kubeconfig=${this.kubeconfig}`]
        : [`--source=dir:${this.manifests}`];
      const options = { dir, source, nb: ovn.nb, metricsPort, detached: true };
      await new Northgate(program === undefined ? options : { ...options, program }).ready();
    }
    done("northgate");
    return { version: ovn.install.version, kubectl: plane?.assets.programs.kubectl ?? null };
  }

  /** The API server with the policy CRDs and the objects of the files. */
  async #startKube(): Promise<ControlPlane> {
    const { done = () => undefined } = this.#options;
    const plane = await startControlPlane({ dir: this.#kubeDir });
    cpSync(plane.kubeconfig, this.kubeconfig);
    done("api server");
    await installCrds(plane);
    await new Objects(plane, null, "anp,banp,cnp").applyFiles(this.manifests);
    plane.api.disconnect();
    done("objects");
    return plane;
  }

  /** Pods come and go: the stand-in for the CNI keeps their ports in step. */
  #followPorts(): void {
    const { dir, kube } = this.#options;
    const file = openSync(join(dir, "cni.log"), "w");
    const args = kube
      ? [follower, "ports", dir, this.kubeconfig]
      : [sandbox, "cni", "--dir", dir, this.manifests];
    const child = spawn(process.execPath, args, { stdio: ["ignore", file, file], detached: true });
    child.unref();
    writeFileSync(join(dir, "cni.pid"), `${child.pid ?? ""}\n`);
  }

  /** Ends every process of its folders but those that ran before. The program goes first: it would complain of the rest. */
  async #undo(before: ReadonlyMap<string, number>): Promise<void> {
    const { dir } = this.#options;
    if (!before.has("northgate")) await end(dir, "northgate");
    if (before.size === 0) {
      await Promise.all([endAll(dir), endAll(this.#kubeDir)]);
      return;
    }
    const started = [...this.pids().keys()].filter((name) => !before.has(name));
    const homeOf = (name: string) => (ofKube.some((one) => one === name) ? this.#kubeDir : dir);
    await Promise.all(started.map((name) => end(homeOf(name), name)));
  }

  #isAsLaidOut(): boolean {
    const fresh = mkdtempSync(join(tmpdir(), "ng-scene-"));
    try {
      layOut(fresh);
      return JSON.stringify(contents(fresh)) === JSON.stringify(contents(this.manifests));
    } finally {
      rmSync(fresh, { recursive: true });
    }
  }
}

/** Every file below the folder, with its text. */
function contents(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
}
