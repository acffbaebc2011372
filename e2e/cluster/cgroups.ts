// The cgroups of a node: a folder of its own in every hierarchy, below which its kubelet and its runtime make theirs. Version 1
// hierarchies, and version 2's one.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const mounted = "/sys/fs/cgroup";
/** What their names begin with, so that what a crash left is found. */
const prefix = "northgate-";
const named = new RegExp(`^${prefix}(\\d+)-`);

/** Where the folders of nodes are made; empty: this machine has no cgroups that can be written. */
function hierarchies(): readonly string[] {
  if (existsSync(join(mounted, "cgroup.controllers"))) return [mounted];
  return existsSync(mounted)
    ? readdirSync(mounted)
        .map((name) => join(mounted, name))
        .filter((path) => existsSync(join(path, "cgroup.procs")))
    : [];
}

/** Why there can be no cgroups of a node here; null: they can. */
export function cgroupsMissing(): string | null {
  const found = hierarchies();
  if (found.length === 0) return `no cgroups are mounted at ${mounted}`;
  const name = `${prefix}${process.pid}-try`;
  try {
    makeCgroups(name);
    return null;
  } catch (error) {
    return `cgroups cannot be made: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    removeCgroups(name);
  }
}

export function cgroupName(node: string): string {
  return `${prefix}${process.pid}-${node}`;
}

/** Makes the folder in every hierarchy. */
export function makeCgroups(name: string): void {
  for (const hierarchy of hierarchies()) {
    const folder = join(hierarchy, name);
    mkdirSync(folder, { recursive: true });
    // A new cpuset has neither processors nor memory, and takes no process until it has both.
    for (const file of ["cpuset.cpus", "cpuset.mems"]) {
      const above = join(hierarchy, file);
      if (existsSync(above) && existsSync(join(folder, file)))
        writeFileSync(join(folder, file), readFileSync(above));
    }
  }
}

/** Removes the folders, those below them first; their processes have ended. */
export function removeCgroups(name: string): void {
  for (const hierarchy of hierarchies()) removeBelow(join(hierarchy, name));
}

/** The folders that the process of this number has made, also when it has ended. */
export function cgroupsOf(pid: number): readonly string[] {
  return madeHere().flatMap(({ maker, folder }) => (maker === pid ? [folder] : []));
}

/**
 * Removes what a run that was killed has left: folders of ours without any process. Those of a run that goes on stay: it may be about to
 * use them.
 */
export function sweepCgroups(): void {
  for (const { maker, folder } of madeHere())
    if (!existsSync(`/proc/${maker}`) && !hasProcesses(folder)) removeBelow(folder);
}

function madeHere(): readonly { readonly maker: number; readonly folder: string }[] {
  return hierarchies().flatMap((hierarchy) =>
    readdirSync(hierarchy).flatMap((name) => {
      const [, maker] = named.exec(name) ?? [];
      return maker === undefined ? [] : [{ maker: Number(maker), folder: join(hierarchy, name) }];
    }),
  );
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

function hasProcesses(folder: string): boolean {
  return readFileSync(join(folder, "cgroup.procs"), "utf8") !== "" || foldersIn(folder).some(hasProcesses);
}

function removeBelow(folder: string): void {
  if (!existsSync(folder)) return;
  for (const below of foldersIn(folder)) removeBelow(below);
  rmdirSync(folder);
}
