// `node scripts/bundle.ts [FOLDER]`: bundles the program into FOLDER; a step of `npm run build`, for which it is dist/.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle } from "./support/bundling.ts";

const folder = process.argv[2] ?? fileURLToPath(new URL("../dist/", import.meta.url));
mkdirSync(folder, { recursive: true });
await bundle(folder, true);
