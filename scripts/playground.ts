// `make up`, `make down`, `make status`: the tour's cluster, kept running to play with; with KUBE=1 on a real API server.
// METRICS_PORT says where its metrics are. Only words; what happens is in support/playground.ts, and `ports` is the process that
// follows the API server's pods.

import { join } from "node:path";
import { policies, references } from "../src/dialects.ts";
import { HttpApi, KubeSource, openKubeconfig } from "../src/kube/index.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { CniStandIn } from "../tools/sandbox/cni.ts";
import { openOvn } from "../tools/sandbox/ovn.ts";
import { defaultDir } from "../tools/sandbox/place.ts";
import { Playground } from "./support/playground.ts";
import { Variables } from "./support/variables.ts";

const dir = defaultDir();
const kube = (process.env["KUBE"] ?? "") !== "";
/** The port is of its metrics, and counts at a start alone. */
const playgroundAt = (metricsPort: number): Playground => new Playground({ dir, kube, metricsPort });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function up(): Promise<void> {
  const metricsPort = new Variables(process.env).number("METRICS_PORT", 9476, 65_535);
  const playground = playgroundAt(metricsPort);
  const { version, kubectl } = await playground.up();
  say(`OVN ${version} and Northgate run in ${dir}.`);
  say("");
  say(
    '  eval "$(node_modules/.bin/node tools/sandbox/main.ts env)"   # this shell\'s ovn-nbctl, ovn-sbctl, ovn-trace',
  );
  say('  ovn-nbctl find ACL \'external_ids{>=}{"k8s.ovn.org/name"=cluster-control,gress-index="5"}\'');
  if (kube) {
    const program = `${kubectl ?? ".cache/controlplane/bin/kubectl"} --kubeconfig ${playground.kubeconfig}`;
    say(`  ${program} get anp,banp`);
    say(`  ${program} edit anp cluster-control   # changes packets`);
  } else
    say(`  $EDITOR ${join(playground.manifests, "policies", "cluster-control.yaml")}   # edits are followed`);
  say(`  curl -s http://127.0.0.1:${metricsPort}/metrics | grep ovnkube`);
  say(`  tail -f ${join(dir, "northgate.log")}`);
  say("  make down                                                    # ends all of it");
}

async function down(): Promise<void> {
  const playground = playgroundAt(0);
  const ran = playground.pids().size > 0;
  const isKept = await playground.down();
  say(ran ? `ended the playground in ${dir}` : `no playground runs in ${dir}`);
  if (isKept)
    say(
      `your files stay in ${playground.manifests}; the next \`make up\` takes them, and rm -r forgets them`,
    );
}

function status(): void {
  const playground = playgroundAt(0);
  const pids = playground.pids();
  for (const name of playground.names()) {
    const pid = pids.get(name);
    say(`${name.padEnd(14)} ${pid === undefined ? "not running" : `pid ${pid}`}`);
    if (pid === undefined) process.exitCode = 1;
  }
}

/** Until a signal comes. */
async function followPorts(home: string, kubeconfig: string): Promise<void> {
  const credentials = await openKubeconfig({ path: kubeconfig });
  const api = new HttpApi({ credentials, clock: systemClock });
  const fatal = (error: unknown): void => {
    throw error;
  };
  const common = { clock: systemClock, random: Math.random, logger: silentLogger };
  const source = new KubeSource({ ...common, api, policies, references, fatal });
  const tell = (sentence: string): void => {
    process.stderr.write(`${sentence}\n`);
  };
  source.start(new CniStandIn(await openOvn({ dir: home }), source, tell));
}

const [command = "", home = "", kubeconfig = ""] = process.argv.slice(2);
try {
  if (command === "up") await up();
  else if (command === "down") await down();
  else if (command === "ports") await followPorts(home, kubeconfig);
  else status();
} catch (error) {
  process.stderr.write(`make ${command}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
