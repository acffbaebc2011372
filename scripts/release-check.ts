// `make release-check`: packs both npm packages, installs each alone in an empty folder as a user does, and tries it there:
// the program, and the OVSDB client against a real ovsdb-server. Says what is packed and what an install brings; leaves nothing.
// `--linked`, for `make test`: without the registry. The packages are unpacked, and of the clone's own packages those are linked
// that each names as its dependencies, so that one which is not named is missed all the same.
// Exit codes: 0 all is so, 1 something is not, 3 no OVN to be had.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OvnMissingError } from "../tools/sandbox/find-ovn.ts";
import { startOvn } from "../tools/sandbox/ovn.ts";
import { keepCachesInClone } from "./support/caches.ts";
import { complaintsOfClient, complaintsOfProgram, complaintsOfTypes } from "./support/release.ts";
import type { Tarball } from "./support/tarballs.ts";
import { clientName, manifestOf, packClient, packProgram } from "./support/tarballs.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Newest versions that the ranges of package.json allow: what a user gets today, not what the lock file says. */
function install(tarball: Tarball, into: string): void {
  mkdirSync(into, { recursive: true });
  execFileSync("npm", ["init", "-y"], { cwd: into, stdio: "ignore" });
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", tarball.path];
  execFileSync("npm", args, { cwd: into, stdio: ["ignore", "ignore", "inherit"] });
}

/** What npm would lay out, with links in place of the dependencies. */
function link(tarball: Tarball, into: string): void {
  const modules = join(into, "node_modules");
  const unpacked = join(modules, tarball.name);
  for (const dir of [unpacked, join(modules, ".bin")]) mkdirSync(dir, { recursive: true });
  execFileSync("tar", ["-xzf", tarball.path, "--strip-components=1", "-C", unpacked]);
  for (const name of Object.keys(manifestOf(unpacked).dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(repository, "node_modules", name), join(modules, name));
  }
  if (tarball.name !== clientName)
    symlinkSync(join("..", tarball.name, "bin/northgate.js"), join(modules, ".bin/northgate"));
}

const linked = process.argv.includes("--linked");
const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

function sizes(tarball: Tarball, folder: string): string {
  if (linked) return `packed ${megabytes(tarball.bytes)}`;
  const bytesOf = (path: string) => {
    const { stdout } = spawnSync("du", ["-sk", path], { encoding: "utf8" });
    return Number(stdout.split("\t")[0]) * 1024;
  };
  const modules = join(folder, "node_modules");
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  const node = names
    .filter((name) => /^node(-|$)/.test(name))
    .reduce((sum, name) => sum + bytesOf(join(modules, name)), 0);
  const carried = node > 0 ? `, ${megabytes(node)} of it the Node that it carries` : "";
  return `packed ${megabytes(tarball.bytes)}, installed ${megabytes(bytesOf(modules))}${carried}`;
}

/** Installs it in a folder of its own, and says what does not work there. */
function tried(tarball: Tarball, folder: string, nb: string): readonly string[] {
  say(`== ${tarball.name}`);
  const at = join(folder, `with-${tarball.name}`);
  if (linked) link(tarball, at);
  else install(tarball, at);
  say(`   ${sizes(tarball, at)}`);
  const isClient = tarball.name === clientName;
  const client = isClient ? clientName : `${tarball.name}/ovsdb-client`;
  const complaints = [
    ...(isClient ? [] : complaintsOfProgram(at)),
    ...complaintsOfClient(at, client, nb),
    ...complaintsOfTypes(at, client),
  ];
  for (const complaint of complaints) say(`   ${complaint}`);
  say(`   ${complaints.length === 0 ? "works" : "FAILED"}`);
  return complaints;
}

async function main(folder: string): Promise<boolean> {
  const tarballs = [packProgram(repository, folder), packClient(repository, folder)];
  const ovn = await startOvn({ northd: false });
  try {
    const complaints = tarballs.flatMap((tarball) => tried(tarball, folder, ovn.nb));
    return complaints.length === 0;
  } finally {
    await ovn.stop();
  }
}

keepCachesInClone();
// Short: npm makes deep folders, and no part of the clone may be above it, whose packages would be found too.
const folder = mkdtempSync("/tmp/ngr-");
try {
  process.exitCode = (await main(folder)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof OvnMissingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
