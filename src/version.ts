// The version of the package this program is part of.

import { readFileSync } from "node:fs";
import { invariant } from "./lib/invariant.ts";

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  invariant(
    typeof manifest === "object" && manifest !== null && "version" in manifest,
    "package.json has no version",
  );
  return String(manifest.version);
}
