// Finds the cluster and our credentials: the kubeconfig that is named, $KUBECONFIG, ~/.kube/config or the pod's own
// service account, read by @kubernetes/client-node, which also runs exec plugins and refreshes OIDC tokens. Files are
// checked again before each request, so that rotated tokens and certificates are used without a restart.

import { existsSync, readFileSync, statSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Cluster, KubeConfig } from "@kubernetes/client-node";
import { parse as parseYaml } from "yaml";
import { quote } from "../../model/quote.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { Access, Credentials } from "./http.ts";
import { messageOf } from "./message.ts";
import { AgentPool } from "./agent-pool.ts";

const serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** The library, loaded when it is needed only: its generated types are 26 MB of heap. */
interface Library {
  readonly KubeConfig: new () => KubeConfig;
}

export interface KubeconfigOptions {
  /** A file that was named on the command line; null: wherever kubectl would look. */
  readonly path: string | null;
  /** null: the current one. */
  readonly context?: string | null;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Throws one line when there is no kubeconfig or when it is unusable. */
export async function openKubeconfig(options: KubeconfigOptions): Promise<KubeconfigCredentials> {
  const library: Library = await import("@kubernetes/client-node");
  return new KubeconfigCredentials(library, filesOf(options), options.context ?? null);
}

/** As kubectl has it: that of the context, or `default`; where there is no kubeconfig, `default` too. */
export async function contextNamespace(options: KubeconfigOptions): Promise<string> {
  const library: Library = await import("@kubernetes/client-node");
  try {
    return new KubeconfigCredentials(library, filesOf(options), options.context ?? null).namespace;
  } catch (error) {
    if (options.path !== null || (options.context ?? null) !== null) throw error;
    return "default";
  }
}

/** The names of its contexts. Throws as `openKubeconfig` does. */
export async function contextNames(options: KubeconfigOptions): Promise<readonly string[]> {
  const library: Library = await import("@kubernetes/client-node");
  return new KubeconfigCredentials(library, filesOf(options), null).contexts;
}

/** null: in-cluster. */
function filesOf({ path, env = process.env }: KubeconfigOptions): readonly string[] | null {
  if (path !== null) return [resolve(path)];
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  if (listed.length > 0) return listed.map((file) => resolve(file));
  const own = join(env["HOME"] ?? homedir(), ".kube", "config");
  if (existsSync(own)) return [own];
  if (existsSync(serviceAccountToken)) return null;
  throw new Error(`no kubeconfig: neither $KUBECONFIG nor ${own} is there, and this is no pod of a cluster`);
}

export class KubeconfigCredentials implements Credentials {
  readonly #library: Library;
  readonly #files: readonly string[] | null;
  readonly #context: string | null;
  readonly #agents = new AgentPool();
  #stamp = "";
  #config: KubeConfig | null = null;
  #underWay: Promise<Access> | null = null;

  /** Throws when the files name no cluster. */
  constructor(library: Library, files: readonly string[] | null, context: string | null = null) {
    this.#library = library;
    this.#context = context;
    this.#files = files;
    serverOf(clusterOf(this.#current()));
  }

  /** Its URL, without a user or a password that may be part of it. */
  get server(): string {
    const { origin, pathname } = serverOf(clusterOf(this.#current()));
    return origin + pathname;
  }

  get contexts(): readonly string[] {
    return this.#current()
      .getContexts()
      .map(({ name }) => name);
  }

  /** Of the context. */
  get namespace(): string {
    const config = this.#current();
    return config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
  }

  /** One call at a time, shared by all callers: a plugin must not run once for each request. */
  access(): Promise<Access> {
    if (this.#underWay !== null) return this.#underWay;
    const made = this.#make();
    const ended = () => {
      if (this.#underWay === made) this.#underWay = null;
    };
    made.then(ended, ended);
    this.#underWay = made;
    return made;
  }

  renew(): void {
    this.#config = null;
    this.#underWay = null;
  }

  close(): void {
    this.#agents.close();
  }

  async #make(): Promise<Access> {
    const config = this.#current();
    const cluster = clusterOf(config);
    const server = serverOf(cluster);
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    if (cluster.proxyUrl === undefined) options.agent = this.#agents.agentFor(server, options);
    return { server, options };
  }

  /**
   * A file that is being rewritten may be unreadable for a moment: the last good config stays until the file can be
   * read.
   */
  #current(): KubeConfig {
    const stamp = (this.#files ?? []).map(stampOf).join();
    if (this.#config !== null && stamp === this.#stamp) return this.#config;
    const last = this.#config;
    try {
      this.#config = this.#files === null ? this.#inCluster() : this.#merged(this.#files);
      this.#stamp = stamp;
    } catch (error) {
      if (last === null) throw error;
      return last;
    }
    return this.#config;
  }

  #inCluster(): KubeConfig {
    const config = new this.#library.KubeConfig();
    config.loadFromCluster();
    return config;
  }

  /** Merges as kubectl does: of two entries with the same name the first counts; missing files are skipped. */
  #merged(files: readonly string[]): KubeConfig {
    const present = files.length === 1 ? files : files.filter((file) => existsSync(file));
    const parts = present.map((file) => this.#load(file));
    const merged = new this.#library.KubeConfig();
    merged.loadFromOptions({
      clusters: firstByName(parts.flatMap((part) => part.clusters)).map((cluster) =>
        // The library refuses plain HTTP otherwise; there is no certificate to check then.
        cluster.server.startsWith("http:") ? { ...cluster, skipTLSVerify: true } : cluster,
      ),
      users: firstByName(parts.flatMap((part) => part.users)),
      contexts: firstByName(parts.flatMap((part) => part.contexts)),
      currentContext: this.#context ?? parts.map((part) => part.currentContext).find((name) => Boolean(name)),
    });
    if (this.#context !== null && merged.getContextObject(this.#context) === null)
      throw new Error(`the kubeconfig has no context ${quote(this.#context)}`);
    return merged;
  }

  #load(file: string): KubeConfig {
    const config = new this.#library.KubeConfig();
    try {
      config.loadFromFile(file);
      config.users = withTokenFiles(config.users, file);
    } catch (error) {
      throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
    }
    return config;
  }
}

function clusterOf(config: KubeConfig): Cluster {
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error("the current context of the kubeconfig names no cluster");
  return cluster;
}

function serverOf({ name, server }: Cluster): URL {
  if (!URL.canParse(server))
    throw new Error(`the server of the kubeconfig's cluster ${quote(name)} is no URL`);
  return new URL(server);
}

/** `tokenFile` of a user, which the library does not know. */
function withTokenFiles(users: KubeConfig["users"], file: string): KubeConfig["users"] {
  const root = new Field(new Problems(), "", parseYaml(readFileSync(file, "utf8")));
  const tokenFiles = new Map(
    root
      .at("users")
      .items()
      .map((entry) => [entry.at("name").raw, entry.at("user").at("tokenFile").raw]),
  );
  return users.map((user) => {
    const tokenFile = tokenFiles.get(user.name);
    if (typeof tokenFile !== "string" || tokenFile === "") return user;
    const config = { tokenFile: resolve(dirname(file), tokenFile) };
    return { ...user, authProvider: { name: "tokenFile", config } };
  });
}

function firstByName<T extends { readonly name: string }>(entries: readonly T[]): readonly T[] {
  const names = new Set<string>();
  return entries.filter(({ name }) => !names.has(name) && names.add(name));
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}
