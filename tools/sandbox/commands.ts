// The sandbox's commands. Each prints its result on stdout, throws on failure, and sets the exit code only where the
// answer itself is one (`status`).

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { everyDialect } from "../../src/dialects.ts";
import { DirectorySource } from "../../src/informers/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { CniStandIn } from "./cni.ts";
import { endAll, pidOf } from "./daemon.ts";
import { findOvn } from "./find-ovn.ts";
import { daemonNames, openOvn, type Ovn, startOvn } from "./ovn.ts";
import { ensureOwn } from "./place.ts";

interface InDir {
  readonly dir: string;
}

export async function up(options: InDir & { readonly tcp?: number; readonly manifests?: readonly string[] }) {
  const dir = resolve(options.dir);
  ensureOwn(dir);
  const running = isUp(dir);
  const ovn = await startOvn(options.tcp === undefined ? { dir } : { dir, tcpPort: options.tcp });
  await ovn.sync();
  say(
    `OVN ${ovn.install.version} (${ovn.install.source}) ${running ? "was running already" : "runs"} in ${dir}`,
  );
  say(`  NB  ${ovn.nb}${ovn.nbTcp === null || running ? "" : `,${ovn.nbTcp}`}`);
  say(`  SB  ${ovn.sb}`);
  if (options.manifests !== undefined) {
    const { source, follower } = standIn(ovn, options.manifests);
    await follower.settled();
    await source.stop();
  }
  say(`To point ovn-nbctl, ovn-sbctl and ovn-trace of this shell at it:`);
  say(`  eval "$(node tools/sandbox/main.ts env --dir ${quoted(dir)})"`);
}

/** Follows the manifests until a signal arrives. */
export async function cni(dir: string, paths: readonly string[]) {
  const { source, follower } = standIn(await running(dir), paths);
  await follower.settled();
  say("the ports are as the manifests say; following edits, Ctrl-C ends it");
  await new Promise((resolve) => {
    process.once("SIGINT", resolve).once("SIGTERM", resolve);
  });
  await source.stop();
  await follower.settled();
}

function standIn(ovn: Ovn, paths: readonly string[]) {
  // The files are taken for whole: a command works on what its user has finished.
  const today = () => Infinity;
  const kinds = { policies: everyDialect.policies, references: everyDialect.references };
  const source = new DirectorySource({ paths, ...kinds, clock: systemClock, today });
  const follower = new CniStandIn(ovn, source, (sentence) => {
    process.stderr.write(`sandbox: ${sentence}\n`);
  });
  source.start(follower);
  return { source, follower };
}

export async function down(options: InDir & { readonly keep: boolean }) {
  const dir = resolve(options.dir);
  const ran = daemonNames.some((name) => pidOf(dir, name) !== null);
  await endAll(dir);
  if (!options.keep && existsSync(join(dir, "nb.db")) && existsSync(join(dir, "sb.db"))) forget(dir);
  say(ran ? `ended the OVN in ${dir}` : `no OVN runs in ${dir}`);
}

/** The playground's manifests may be edited: they are its user's. */
function forget(dir: string): void {
  const entries = readdirSync(dir);
  for (const entry of entries) if (entry !== "manifests") rmSync(join(dir, entry), { recursive: true });
  if (!entries.includes("manifests")) rmSync(dir, { recursive: true });
}

export function status(options: InDir) {
  const dir = resolve(options.dir);
  for (const name of daemonNames) {
    const pid = pidOf(dir, name);
    say(`${name.padEnd(6)} ${pid === null ? "not running" : `pid ${pid}`}`);
  }
  if (!isUp(dir)) process.exitCode = 1;
}

export async function env(options: InDir) {
  const ovn = await running(options.dir);
  for (const [name, value] of Object.entries(ovn.env)) say(`export ${name}=${quoted(value)}`);
}

export async function fetch() {
  const { source, version, programs } = await findOvn();
  say(`OVN ${version} (${source}): ${programs["ovn-nbctl"]}`);
}

async function running(dir: string): Promise<Ovn> {
  if (!isUp(resolve(dir)))
    throw new Error(`no OVN runs in ${dir}; \`node tools/sandbox/main.ts up\` starts one`);
  return openOvn({ dir });
}

function isUp(dir: string): boolean {
  return daemonNames.every((name) => pidOf(dir, name) !== null);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
