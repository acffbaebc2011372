// `make metrics`: writes the reference into docs/metrics.md, between its two marks. A test holds the page to the registry.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { withReference } from "./support/metrics-reference.ts";

const page = fileURLToPath(new URL("../docs/metrics.md", import.meta.url));
const text = await withReference(readFileSync(page, "utf8"));
writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: "markdown" }));
