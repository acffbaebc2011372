// `make cluster`, `make cluster-down`: a cluster of two nodes with kubelets on this machine, Northgate on it as its manifests install it,
// kept running until it is ended. INSTALL=none leaves Northgate to the user. `hold` is the process that has it, and `prepare` builds its programs alone. Exit codes: 0 it runs, or
// none runs any more, 1 it could not be started, 2 wrong usage, 3 this machine cannot have one.

import { spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Cluster, startKubeletCluster } from "../e2e/cluster/cluster.ts";
import { installCentral } from "../e2e/cluster/install.ts";
import { makeImage, prepareCluster } from "../e2e/cluster/prepare.ts";
import { sweepCgroups } from "../e2e/cluster/cgroups.ts";
import { pidOf } from "../tools/sandbox/daemon.ts";
import { cacheFolder, keepCachesInClone } from "./support/caches.ts";
import { manifestOf } from "./support/tarballs.ts";

const folder = join(cacheFolder, "cluster", "run");
/** By its pid file; its arguments name the folder. */
const name = "cluster";
const log = join(folder, "log");
const kubeconfig = join(folder, "kubeconfig");
const ready = "ready";
const installs = process.env["INSTALL"] !== "none";
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** What the process that has the cluster says of it. */
interface Described {
  readonly kubectl: string;
  /** The Northbound database, for a pod with the network of a node. */
  readonly nb: string;
  /** The folder of the files for its TLS. */
  readonly tls: string;
}

const { version } = manifestOf(fileURLToPath(new URL("..", import.meta.url)));
/** `make test` puts it there. */
const helm = join(cacheFolder, "helm", "bin");

/** Of the process that has the cluster; null: there is none. */
const running = (): number | null => pidOf(folder, name);

async function up(): Promise<number> {
  if (running() !== null) {
    say(`it runs already: kubectl --kubeconfig ${kubeconfig} get pods -A; make cluster-down ends it`);
    return 0;
  }
  const started = performance.now();
  keepCachesInClone();
  const why = prepareCluster();
  if (why !== null) {
    process.stderr.write(`SKIPPED: ${why}\n`);
    return 3;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const out = openSync(log, "a");
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "hold", `${folder}/`], {
    detached: true,
    stdio: ["ignore", out, out],
  });
  writeFileSync(join(folder, `${name}.pid`), `${child.pid ?? 0}\n`);
  child.unref();
  if (!(await follow())) {
    process.stderr.write(`it did not start; ${log} has the rest\n`);
    return 1;
  }
  const { kubectl, nb, tls } = JSON.parse(readFileSync(join(folder, "cluster.json"), "utf8")) as Described;
  const what = installs ? "Two nodes and Northgate run" : "Two nodes run";
  say(`${what}, started in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  say("");
  say(`  export KUBECONFIG=${kubeconfig} PATH=${[join(kubectl, ".."), helm, "$PATH"].join(":")}`);
  // As docs/install.md calls them.
  say(`  export IMAGE=docker.io/library/northgate TAG=${version} NB=${nb} TLS=${tls}`);
  say("  kubectl get nodes,pods -A");
  if (installs) say("  kubectl -n northgate-system logs -l app.kubernetes.io/name=northgate");
  say("  make cluster-down   # ends all of it");
  return 0;
}

/** Prints what the process says until it is ready; false: it ended before. */
async function follow(): Promise<boolean> {
  let printed = 0;
  for (;;) {
    const isRunning = running() !== null;
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
    for (const line of lines.slice(printed)) {
      if (line === ready) return true;
      say(line);
    }
    printed = lines.length;
    if (!isRunning) return false;
    await sleep(100);
  }
}

async function hold(): Promise<void> {
  say("making Northgate's image meanwhile");
  const cluster = await startKubeletCluster({ images: [makeImage(folder)], tell: say });
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    void cluster.stop().then(() => process.exit(0));
  };
  process.on("SIGTERM", end).on("SIGINT", end);
  try {
    if (installs) await install(cluster);
    await rolledOut(cluster, "kube-system", "coredns");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    await cluster.stop();
    process.exit(1);
  }
  writeFileSync(kubeconfig, readFileSync(cluster.plane.kubeconfig), { mode: 0o600 });
  const described: Described = {
    kubectl: cluster.plane.assets.programs.kubectl,
    ...{ nb: cluster.nbTls.remote, tls: cluster.nbTls.secret },
  };
  writeFileSync(join(folder, "cluster.json"), JSON.stringify(described));
  say(ready);
}

async function install(cluster: Cluster): Promise<void> {
  say("installing Northgate");
  await installCentral(cluster);
  await rolledOut(cluster, "northgate-system", "northgate");
}

async function rolledOut({ plane }: Cluster, namespace: string, name: string): Promise<void> {
  const args = ["-n", namespace, "rollout", "status", `deployment/${name}`, "--timeout=180s"];
  await plane.kubectl(args, { timeoutMs: 200_000 });
}

/** Builds what tests need; a machine that cannot have a cluster needs nothing. */
function prepare(): number {
  keepCachesInClone();
  const why = prepareCluster();
  if (why !== null) process.stderr.write(`SKIPPED: ${why}\n`);
  return 0;
}

async function down(): Promise<number> {
  const pid = running();
  if (pid !== null) process.kill(pid, "SIGTERM");
  while (running() !== null) await sleep(100);
  sweepCgroups();
  rmSync(folder, { recursive: true, force: true });
  say(pid === null ? "no cluster runs" : "ended the cluster");
  return 0;
}

const [command = ""] = process.argv.slice(2);
switch (command) {
  case "up":
    process.exitCode = await up();
    break;
  case "prepare":
    process.exitCode = prepare();
    break;
  case "down":
    process.exitCode = await down();
    break;
  case "hold":
    await hold();
    break;
  default:
    process.stderr.write("usage: node scripts/cluster.ts up|down\n");
    process.exitCode = 2;
}
