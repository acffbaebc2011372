// `node scripts/chart-schema.ts`: writes the part of manifests/chart/values.schema.json that is about `settings` from the table of
// settings; the rest of that file is written by hand. A test holds the file to the table.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { settingsSchema } from "../src/config/chart-schema.ts";

const path = fileURLToPath(new URL("../manifests/chart/values.schema.json", import.meta.url));
const schema = JSON.parse(readFileSync(path, "utf8")) as { readonly properties: object };
const written = { ...schema, properties: { ...schema.properties, settings: settingsSchema() } };
writeFileSync(
  path,
  await format(JSON.stringify(written), { ...(await resolveConfig(path)), parser: "json" }),
);
