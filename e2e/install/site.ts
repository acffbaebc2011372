// A cluster to install into, with what its user has: a real API server, a real Northbound database on each of two nodes, a folder
// with the manifests, kubectl and helm on the PATH, a kubelet's stand-in. The user's commands are those of docs/install.md.
// After `stop` nothing of it runs.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Guard } from "../../tools/sandbox/guard.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { steadyPort } from "../../test/kube/background.ts";
import { type ControlPlane, startControlPlane } from "../../test/kube/control-plane.ts";
import { makeSecretFiles, serverFiles } from "../../test/ovsdb/tls-files.ts";
import { Objects } from "../objects.ts";
import { Kubelet } from "./kubelet.ts";
import type { Place } from "./pod-spec.ts";
import { Reader } from "./reader.ts";
import { established } from "../../test/kube/crds.ts";

/** Of examples/cluster-control. */
export const nodes = ["ovn-worker", "ovn-worker2"] as const;
export type NodeName = (typeof nodes)[number];
const tables = ["ACL", "Address_Set", "Port_Group"] as const;

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export class Site {
  readonly plane: ControlPlane;
  readonly kubelet: Kubelet;
  readonly objects: Objects;
  readonly reader: Reader;
  readonly #dir: string;
  readonly #ovns: ReadonlyMap<string, Ovn>;
  readonly #guard: Guard;

  private constructor(dir: string, plane: ControlPlane, ovns: ReadonlyMap<string, Ovn>, nb: string) {
    this.#dir = dir;
    this.#guard = new Guard(dir);
    this.plane = plane;
    this.#ovns = ovns;
    const [first] = ovns.values();
    this.objects = new Objects(plane, first ?? null, "anp,banp");
    this.reader = new Reader(plane, dir, {
      IMAGE: "registry.example/northgate",
      TAG: "0.1.0",
      NB: nb,
      TLS: join(dir, "tls"),
    });
    const secret = (name: string): string => {
      if (name === "northgate-nb") return join(dir, "tls");
      throw new Error(`no Secret ${name}`);
    };
    const places = nodes.map((node): Place => ({
      node,
      hostPath: (path) => join(dir, node, path.replaceAll("/", "_")),
      secret,
    }));
    this.kubelet = new Kubelet(plane, dir, places);
  }

  static async start(): Promise<Site> {
    const dir = mkdtempSync(join(tmpdir(), "ng-site-"));
    // The Secret's files, made here and put into the cluster by the user's command.
    makeSecretFiles(dir, join(dir, "tls"));
    const plane = await startControlPlane();
    const ovns = new Map<string, Ovn>();
    const port = await steadyPort(); // the same after a restart of the server
    try {
      for (const node of nodes) {
        const socket = join(dir, node, "_var_run_openvswitch");
        mkdirSync(socket, { recursive: true });
        const tls = node === nodes[0] ? [`--remote=pssl:${port}:127.0.0.1`] : [];
        const remotes = [`--remote=punix:${socket}/ovnnb_db.sock`, ...tls];
        ovns.set(node, await startOvn({ northd: false, nbArgs: [...remotes, ...serverFiles(dir)] }));
      }
      const site = new Site(dir, plane, ovns, `ssl:127.0.0.1:${port}`);
      // Without a switch nothing enforces, and no policy is in force.
      for (const ovn of ovns.values()) await ovn.nbctl("ls-add", "network");
      return site;
    } catch (error) {
      for (const ovn of ovns.values()) await ovn.stop();
      await plane.stop();
      throw error;
    }
  }

  /** A clone, as far as the commands need one. */
  get folder(): string {
    return this.reader.folder;
  }

  run(block: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    return this.reader.run(block, env);
  }

  shell(text: string): Promise<string> {
    return this.reader.shell(text);
  }

  /** A line each: a write of any kind changes its resourceVersion. */
  policies(): Promise<readonly string[]> {
    return this.#list("adminnetworkpolicies,baselineadminnetworkpolicies");
  }

  /** Of the kinds of policy, once the server is done with their status; a line each. */
  async definitions(): Promise<readonly string[]> {
    await established(this.plane, ["crd", "--all"]);
    return this.#list("customresourcedefinitions");
  }

  /** Our tables in the database of a node, each row with its uuid. */
  async rows(node: NodeName): Promise<readonly string[]> {
    const lists = tables.map((table) => this.#of(node).nbctl("--format=csv", "--no-headings", "list", table));
    return (await Promise.all(lists)).flatMap((text) => text.trim().split("\n").filter(Boolean).sort());
  }

  /** While the node's database is away. */
  async without(node: NodeName, check: () => Promise<void>): Promise<void> {
    await this.#of(node).killNb();
    try {
      await check();
    } finally {
      await this.#of(node).restartNb();
    }
  }

  async stop(): Promise<void> {
    try {
      await this.kubelet.stop();
    } finally {
      for (const ovn of this.#ovns.values()) await ovn.stop();
      await this.plane.stop();
      await this.#guard.dismiss();
      rmSync(this.#dir, { recursive: true, force: true });
    }
  }

  #of(node: NodeName): Ovn {
    const ovn = this.#ovns.get(node);
    if (ovn === undefined) throw new Error(`no database on ${node}`);
    return ovn;
  }

  async #list(what: string): Promise<readonly string[]> {
    const { items } = JSON.parse(await this.plane.kubectl(["get", what, "-o", "json"])) as {
      readonly items: readonly Stored[];
    };
    return items.map(({ metadata: { name, uid, resourceVersion, annotations } }) =>
      [name, uid, resourceVersion, JSON.stringify(annotations)].join(" "),
    );
  }
}
