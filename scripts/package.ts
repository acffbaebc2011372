// `node scripts/package.ts [FOLDER]`, `make package`: packs the plugin of kubectl, and writes its manifest for krew with the archive's sum, into
// FOLDER, for make .cache/release. What else is there stays.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./support/caches.ts";
import { writePlugin } from "./support/plugin-archive.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const into = process.argv[2] ?? join(cacheFolder, "release");
const folder = mkdtempSync("/tmp/ngp-");
try {
  mkdirSync(into, { recursive: true });
  const { archive, files } = writePlugin(repository, folder);
  for (const name of files) copyFileSync(join(folder, name), join(into, name));
  const megabytes = (archive.bytes / 1024 / 1024).toFixed(1);
  process.stdout.write(
    `in ${into}: ${files.join(", ")}\n${archive.sha256}  ${archive.name}, ${megabytes} MB\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
