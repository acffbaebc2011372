// What the sandbox's commands do. Each reports on stdout what a person or a script asked for, throws what went wrong, and
// sets the exit code only where the answer itself is one (`status`).

import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { endAll, pidOf } from "./daemon.ts";
import { findOvn } from "./find-ovn.ts";
import { daemonNames, openOvn, type Ovn, startOvn } from "./ovn.ts";
import { ensureOwn } from "./place.ts";

interface InDir {
  readonly dir: string;
}

export async function up(options: InDir & { readonly tcp?: number }) {
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
  say(`To point ovn-nbctl, ovn-sbctl and ovn-trace of this shell at it:`);
  say(`  eval "$(node src/sandbox/main.ts env --dir ${quoted(dir)})"`);
}

export async function down(options: InDir & { readonly keep: boolean }) {
  const dir = resolve(options.dir);
  const ran = daemonNames.some((name) => pidOf(dir, name) !== null);
  await endAll(dir);
  if (!options.keep && existsSync(join(dir, "nb.db")) && existsSync(join(dir, "sb.db"))) {
    rmSync(dir, { recursive: true });
  }
  say(ran ? `ended the OVN in ${dir}` : `no OVN runs in ${dir}`);
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
    throw new Error(`no OVN runs in ${dir}; \`node src/sandbox/main.ts up\` starts one`);
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
