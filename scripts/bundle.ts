// `node scripts/bundle.ts [FOLDER [ROOT]]`: bundles the program into FOLDER; a step of `npm run build`, for which it is dist/. ROOT: a
// copy of the repository with the sources to take, instead of this one.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle } from "./support/bundling.ts";

const [folder = fileURLToPath(new URL("../dist/", import.meta.url)), root] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
await bundle(folder, true, root);
