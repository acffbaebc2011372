// `node scripts/oci-image.ts [FOLDER]`, `make image`: the image as an OCI archive in FOLDER, for make .cache/release, without a container
// engine: the tree of scripts/image.ts and the settings that the Dockerfile has too. `ctr images import` and `docker load` read it.
// Prints the archive's path and the digest of the image.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commitOfCheckout } from "../src/version.ts";
import { cacheFolder } from "./support/caches.ts";
import { imageConfig } from "./support/image-config.ts";
import { architecture, sha256Of, writeImage } from "./support/oci.ts";
import { manifestOf } from "./support/tarballs.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const into = process.argv[2] ?? join(cacheFolder, "release");
const { version } = manifestOf(repository);
const commit = commitOfCheckout() ?? process.env["NORTHGATE_COMMIT"] ?? "";
const scratch = mkdtempSync(join(tmpdir(), "ng-image-"));
try {
  const tree = join(scratch, "tree");
  execFileSync(process.execPath, [join(repository, "scripts", "image.ts"), tree], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NORTHGATE_COMMIT: commit },
  });
  mkdirSync(into, { recursive: true });
  const archive = join(into, `northgate-${version}-linux-${architecture}.oci.tar`);
  const name = `docker.io/library/northgate:${version}`;
  const digest = writeImage({ tree, name, config: imageConfig(version, commit) }, archive);
  writeFileSync(`${archive}.sha256`, `${sha256Of(archive)}  ${archive.slice(into.length + 1)}\n`);
  process.stdout.write(`${archive}\n${name} ${digest}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
