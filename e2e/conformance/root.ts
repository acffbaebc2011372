// The file system of every container, in place of agnhost's image: the program itself and a bash of this machine with the
// libraries that it needs. Refuses nothing; what is there already is written over.

import { copyFileSync, linkSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../../tools/sandbox/program.ts";

export async function makeRoot(root: string, agnhost: string): Promise<void> {
  for (const dir of ["bin", "dev", "etc", "proc", "tmp"]) mkdirSync(join(root, dir), { recursive: true });
  place(realpathSync(agnhost), join(root, "agnhost"));
  const bash = "/bin/bash";
  const { stdout } = await run("ldd", [bash]);
  const libraries = [...stdout.matchAll(/(?:=> |^\s+)(\/\S+)/gm)].map(([, path = ""]) => path);
  for (const file of [bash, ...libraries]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  await run("mknod", ["-m", "666", join(root, "dev", "null"), "c", "1", "3"]);
}

/** A link where both are on one file system: the program is large. */
function place(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
