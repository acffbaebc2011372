// Two instances of the program on one real Northbound database, and a Prometheus that reads both: node-1 follows a directory
// and writes, node-2 follows an API server (a stand-in) and stands by. What happens to them is up to who starts the scene.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Ovn } from "../../src/sandbox/ovn.ts";
import { startOvn } from "../../src/sandbox/ovn.ts";
import { rulesFile } from "../../scripts/support/monitoring.ts";
import { eventually } from "../support/eventually.ts";
import { FakeApiServer } from "../support/fake-api-server.ts";
import { makeSwitch } from "../support/ports.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";
import type { PrometheusPrograms } from "../support/prometheus-programs.ts";
import { PrometheusServer } from "../support/prometheus-server.ts";

type Stop = () => unknown;

interface Parts {
  readonly ovn: Ovn;
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
  readonly #address: string;
  readonly #stops: readonly Stop[];

  constructor({ ovn, prometheus, manifests, address, stops }: Parts) {
    this.ovn = ovn;
    this.prometheus = prometheus;
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

  /** Writes a manifest of node-1's directory, which is believed when it is quiet. */
  write(name: string, text: string): void {
    writeFileSync(join(this.#manifests, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.#manifests, name), "utf8");
  }

  remove(name: string): void {
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
  api.put("/api/v1/namespaces", { metadata: { name: "shop" } });
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigOf(server.href));

  const run = (...source: readonly string[]): Running => {
    const running = startNorthgate([...source, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"]);
    stops.push(() => running.end("SIGKILL"));
    return running;
  };
  const writer = run(`--source=dir:${manifests}`);
  await told(writer, "the Northbound database says what the policies say");
  const standby = run("--source=kube", `--kubeconfig=${kubeconfig}`);
  const targets = { "node-1": await addressOf(writer), "node-2": await addressOf(standby) };
  const state = join(folder, "prometheus");
  mkdirSync(state);
  const prometheus = await PrometheusServer.start({ programs, folder: state, rules: rulesFile, targets });
  stops.push(() => prometheus.stop());
  const scene = new Scene({ ovn, prometheus, manifests, address: targets["node-1"], stops });
  await scene.until('northgate_leader{instance="node-1"} == 1 and northgate_ready == 1');
  await scene.until('northgate_standby{instance="node-2"} == 1 and northgate_ready == 1');
  return scene;
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

/** The names of logical switch ports, of a text with Pods. */
export function portsOf(pods: string): readonly string[] {
  return parseAllDocuments(pods).flatMap((document) => {
    const { kind, metadata } = document.toJS() as ManifestHead;
    return kind === "Pod" ? [portName(metadata.namespace ?? "default", metadata.name)] : [];
  });
}

interface ManifestHead {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function kubeconfigOf(server: string): string {
  const clusters = [{ name: "c", cluster: { server } }];
  const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
  return JSON.stringify({ clusters, contexts, users: [{ name: "u", user: {} }], "current-context": "c" });
}
