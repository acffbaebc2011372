// `make up`, `make down`, `make status`: the tour's cluster, kept running to play with. Everything lies in one folder;
// only processes whose pid files are there are ended.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadManifests } from "../src/informers/index.ts";
import { policies as policyKinds, references } from "../src/dialects.ts";
import { isNode, isPod } from "../src/model/object.ts";
import { applyCni } from "../src/sandbox/cni.ts";
import { down } from "../src/sandbox/commands.ts";
import { pidOf } from "../src/sandbox/daemon.ts";
import { startOvn } from "../src/sandbox/ovn.ts";
import { defaultDir, ensureOwn } from "../src/sandbox/place.ts";
import { Northgate } from "./support/northgate.ts";
import { layOut } from "./support/scene.ts";

const dir = defaultDir();
const manifests = join(dir, "manifests");
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function up(): Promise<void> {
  ensureOwn(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (!existsSync(manifests)) layOut(manifests);
  const ovn = await startOvn({ dir });
  const { objects } = loadManifests([manifests], policyKinds, references);
  await applyCni(ovn, {
    pods: objects.filter(isPod),
    nodes: objects.filter(isNode),
  });
  if (pidOf(dir, "cni") === null) followPorts();
  if (pidOf(dir, "northgate") === null) {
    const northgate = new Northgate({ dir, manifests, nb: ovn.nb, metricsPort: 9476, detached: true });
    await northgate.ready();
  }
  say(`OVN ${ovn.install.version} and Northgate run in ${dir}.`);
  say("");
  say(
    '  eval "$(node_modules/.bin/node src/sandbox/main.ts env)"   # this shell\'s ovn-nbctl, ovn-sbctl, ovn-trace',
  );
  say('  ovn-nbctl find ACL \'external_ids{>=}{"k8s.ovn.org/name"=cluster-control,gress-index="5"}\'');
  say(`  $EDITOR ${join(manifests, "policies", "cluster-control.yaml")}   # edits are followed`);
  say("  curl -s http://127.0.0.1:9476/metrics | grep ovnkube");
  say(`  tail -f ${join(dir, "northgate.log")}`);
  say("  make down                                                  # ends all of it");
}

/** Pods come and go with the manifests: the stand-in for the CNI keeps their ports in step. */
function followPorts(): void {
  const file = openSync(join(dir, "cni.log"), "w");
  const main = fileURLToPath(new URL("../src/sandbox/main.ts", import.meta.url));
  const child = spawn(process.execPath, [main, "cni", "--dir", dir, manifests], {
    stdio: ["ignore", file, file],
    detached: true,
  });
  child.unref();
  writeFileSync(join(dir, "cni.pid"), `${child.pid ?? ""}\n`);
}

function status(): void {
  for (const name of ["nb", "sb", "northd", "cni", "northgate"]) {
    const pid = pidOf(dir, name);
    say(`${name.padEnd(10)} ${pid === null ? "not running" : `pid ${pid}`}`);
    if (pid === null) process.exitCode = 1;
  }
}

const [command] = process.argv.slice(2);
try {
  if (command === "up") await up();
  else if (command === "down") await down({ dir, keep: false });
  else status();
} catch (error) {
  process.stderr.write(`make ${command ?? ""}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
