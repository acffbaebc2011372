// `make metrics`: writes the reference into docs/metrics.md, between its two marks, and the dashboard. A test holds both to
// their tables.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { dashboardText } from "./support/dashboard.ts";
import { withReference } from "./support/metrics-reference.ts";

const page = fileURLToPath(new URL("../docs/metrics.md", import.meta.url));
const text = await withReference(readFileSync(page, "utf8"));
writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: "markdown" }));

const dashboard = fileURLToPath(new URL("../manifests/monitoring/dashboard.json", import.meta.url));
writeFileSync(
  dashboard,
  await format(dashboardText(), { ...(await resolveConfig(dashboard)), parser: "json" }),
);
