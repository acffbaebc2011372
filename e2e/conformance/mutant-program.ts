// The program with one planted mistake (test/mutants/), as a command: a copy of the sources in a folder of its own. The
// working tree is not written to. Refuses a mutant that is not in the list, or does not fit the sources.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutants } from "../../test/mutants/list.ts";
import { planted } from "../../test/mutants/mutant.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The command before `run`; `folder` is made. */
export function programWith(name: string, folder: string): readonly string[] {
  const mutant = mutants.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
  mkdirSync(folder);
  for (const part of ["src", "package.json"])
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, mutant.file);
  writeFileSync(file, planted(mutant, readFileSync(file, "utf8")));
  return [process.execPath, join(folder, "src", "main.ts")];
}
