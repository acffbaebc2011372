// Two instances of the program on one real Northbound database, and a Prometheus that reads both: node-1 follows a directory,
// writes and is read in the clear; node-2 follows an API server (a stand-in with the same objects), stands by and is read as
// the PodMonitor says, over TLS with a token. What happens to them is up to who starts the scene.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { monitoredEndpoints, rulesFile } from "../../scripts/support/monitoring.ts";
import { newAuthority } from "../kube/certificates.ts";
import { eventually } from "../support/eventually.ts";
import type { ApiObject, Fault } from "../support/fake-api-server.ts";
import { FakeApiServer } from "../support/fake-api-server.ts";
import { makeSwitch } from "../support/ports.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";
import type { PrometheusPrograms } from "../support/find-prometheus.ts";
import { PrometheusServer } from "../support/prometheus-server.ts";

type Stop = () => unknown;

interface Parts {
  readonly ovn: Ovn;
  readonly api: FakeApiServer;
  readonly prometheus: PrometheusServer;
  readonly manifests: string;
  /** host:port of node-1. */
  readonly address: string;
  readonly stops: readonly Stop[];
}

export class Scene {
  readonly ovn: Ovn;
  readonly prometheus: PrometheusServer;
  /** The directory that node-1 follows; the sample of the README is in it. */
  readonly #manifests: string;
  readonly #api: FakeApiServer;
  readonly #address: string;
  readonly #stops: readonly Stop[];

  constructor({ ovn, api, prometheus, manifests, address, stops }: Parts) {
    this.ovn = ovn;
    this.prometheus = prometheus;
    this.#api = api;
    this.#address = address;
    this.#manifests = manifests;
    this.#stops = stops;
  }

  /** The sum of what the expression gives now; null: nothing. */
  async value(expr: string): Promise<number | null> {
    const series = await this.prometheus.query(expr);
    return series.length === 0 ? null : series.reduce((sum, { values }) => sum + (values[0]?.[1] ?? NaN), 0);
  }

  /** What node-1 serves. */
  async exposition(): Promise<string> {
    return (await fetch(`http://${this.#address}/metrics`)).text();
  }

  /** Waits until it is so. */
  async until(expr: string): Promise<void> {
    await eventually(async () => {
      const series = await this.prometheus.query(expr);
      if (series.length === 0) throw new Error(`${expr} holds nowhere`);
    });
  }

  /** Writes a manifest, for both: node-1 believes a file when it is quiet. */
  write(name: string, text: string): void {
    writeFileSync(join(this.#manifests, name), text);
    for (const [collection, object] of collected(text)) this.#api.put(collection, object);
  }

  read(name: string): string {
    return readFileSync(join(this.#manifests, name), "utf8");
  }

  remove(name: string): void {
    for (const [collection, object] of collected(this.read(name))) this.#api.remove(collection, object);
    rmSync(join(this.#manifests, name));
  }

  async stop(): Promise<void> {
    await stopAll(this.#stops);
  }
}

async function stopAll(stops: readonly Stop[]): Promise<void> {
  for (const stop of stops.toReversed()) await stop();
}

/** Resolves when Prometheus has read both, one writes and the other stands by. */
export async function startScene(programs: PrometheusPrograms): Promise<Scene> {
  const stops: Stop[] = [];
  try {
    return await open(programs, stops);
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

async function open(programs: PrometheusPrograms, stops: Stop[]): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "ng-watch-"));
  stops.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const manifests = join(folder, "manifests");
  cpSync("examples/cluster-control", manifests, { recursive: true });
  const ovn = await startOvn({ northd: false });
  stops.push(() => ovn.stop());
  await makeSwitch(ovn, portsOf(readFileSync(join(manifests, "cluster", "pods.yaml"), "utf8")));
  const api = new FakeApiServer();
  const server = await api.start();
  stops.push(() => api.stop());
  api.fault = ({ collection }) => reviewed(collection);
  for (const name of readdirSync(manifests, { recursive: true, encoding: "utf8" }).filter(isManifest))
    for (const [collection, object] of collected(readFileSync(join(manifests, name), "utf8")))
      api.put(collection, object);
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigOf(server.href));

  const run = (...source: readonly string[]): Running => {
    const running = startNorthgate([...source, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"]);
    stops.push(() => running.end("SIGKILL"));
    return running;
  };
  const writer = run(`--source=dir:${manifests}`);
  await told(writer, "initial synchronization is complete");
  const secured = securedIn(folder);
  const standby = run(
    "--source=kube",
    `--kubeconfig=${kubeconfig}`,
    "--metrics-auth=token",
    ...secured.flags,
  );
  const [first, second] = [await addressOf(writer), await addressOf(standby)];
  const state = join(folder, "prometheus");
  mkdirSync(state);
  const jobs = {
    northgate: { targets: { "node-1": first } },
    "northgate-system/northgate": { targets: { "node-2": second }, scrape: secured.scrape },
    // Not a job of ours by its name: no alert is about it.
    "without-token": {
      targets: { "node-2": second },
      scrape: { ...secured.scrape, authorization: undefined },
    },
  };
  const prometheus = await PrometheusServer.start({ programs, folder: state, rules: rulesFile, jobs });
  stops.push(() => prometheus.stop());
  const scene = new Scene({ ovn, api, prometheus, manifests, address: first, stops });
  await scene.until('northgate_leader{instance="node-1"} == 1 and northgate_ready == 1');
  await scene.until('northgate_standby{instance="node-2"} == 1 and northgate_ready == 1');
  return scene;
}

/** The API server's word about tokens: it knows each, and its user may read. */
function reviewed(collection: string): Fault | null {
  if (collection.endsWith("/tokenreviews"))
    return { status: 201, body: { status: { authenticated: true, user: { username: "prometheus" } } } };
  return collection.endsWith("/subjectaccessreviews")
    ? { status: 201, body: { status: { allowed: true } } }
    : null;
}

/** Flags of an instance that is read as the PodMonitor says, and what a Prometheus needs for that. */
function securedIn(folder: string) {
  const [endpoint] = monitoredEndpoints;
  if (endpoint === undefined) throw new Error("the PodMonitor has no endpoint");
  const { path, scheme, tlsConfig } = endpoint;
  const authority = newAuthority();
  const { certificate, key } = authority.serving(undefined, [tlsConfig.serverName]);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    flags: [`--metrics-cert=${file("tls.crt", certificate)}`, `--metrics-key=${file("tls.key", key)}`],
    scrape: {
      ...{ scheme, metrics_path: path },
      authorization: { credentials: "a.service.account" },
      tls_config: { ca_file: file("ca.crt", authority.certificate), server_name: tlsConfig.serverName },
    },
  };
}

async function told(running: Running, message: string): Promise<Readonly<Record<string, unknown>>> {
  let line: Readonly<Record<string, unknown>> | undefined;
  await eventually(() => {
    line = running.log().find((one) => one["message"] === message);
    if (line === undefined) throw new Error(`not told: ${message}\n${running.text()}`);
  }, 60_000);
  return line ?? {};
}

async function addressOf(running: Running): Promise<string> {
  const { address } = await told(running, "metrics are served");
  return new URL(String(address)).host;
}

const isManifest = (name: string): boolean => name.endsWith(".yaml");

/** Where the API server has objects of a kind. */
const collections: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  Pod: "/api/v1/pods",
  Node: "/api/v1/nodes",
  AdminNetworkPolicy: "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies",
  BaselineAdminNetworkPolicy: "/apis/policy.networking.k8s.io/v1alpha1/baselineadminnetworkpolicies",
};

type Manifest = ApiObject & { readonly kind: string };

const manifestsIn = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

/** The objects of a text, each with its collection. */
function collected(text: string): readonly (readonly [string, ApiObject])[] {
  return manifestsIn(text).map((object) => {
    const collection = collections[object.kind];
    if (collection === undefined) throw new Error(`the scene has no ${object.kind}`);
    return [collection, object];
  });
}

/** The names of logical switch ports, of a text with Pods. */
function portsOf(pods: string): readonly string[] {
  return manifestsIn(pods).map(({ metadata }) => portName(metadata.namespace ?? "default", metadata.name));
}

function kubeconfigOf(server: string): string {
  const clusters = [{ name: "c", cluster: { server } }];
  const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
  return JSON.stringify({ clusters, contexts, users: [{ name: "u", user: {} }], "current-context": "c" });
}
