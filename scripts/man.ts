// `node scripts/man.ts [FOLDER]`: writes the man pages into man1/ in FOLDER; a step of `npm run build`, for which it is dist/man. They are made of
// what --help prints and of the table of settings, so that they are never behind it.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programNamed } from "../src/cli/program.ts";
import { manPages } from "../src/cli/shell/man-pages.ts";

const folder = process.argv[2] ?? fileURLToPath(new URL("../dist/man", import.meta.url));
const section = join(folder, "man1");
rmSync(section, { recursive: true, force: true });
mkdirSync(section, { recursive: true });
for (const { name, text } of manPages(programNamed("northgate"))) writeFileSync(join(section, name), text);
