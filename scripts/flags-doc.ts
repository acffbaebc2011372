// `node scripts/flags-doc.ts`: writes docs/flags.md from the table of settings. A test holds the page to it.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { flagsPage } from "../src/config/sources/document.ts";

const page = fileURLToPath(new URL("../docs/flags.md", import.meta.url));
writeFileSync(page, await format(flagsPage(), { ...(await resolveConfig(page)), parser: "markdown" }));
