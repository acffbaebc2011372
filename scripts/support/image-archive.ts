// The image as an OCI archive: the tree of scripts/image.ts and the settings that the Dockerfile has too.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commitOfCheckout } from "../../src/version.ts";
import { imageConfig } from "./image-config.ts";
import { architecture, writeImage } from "./oci.ts";
import { manifestOf } from "./tarballs.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));

interface ImageArchive {
  /** Of the archive. */
  readonly path: string;
  /** Of the image: `docker.io/library/northgate:0.1.0`. */
  readonly name: string;
  /** Of its manifest: `sha256:…`. */
  readonly digest: string;
  /** The list of its parts, as it is in the image too: CycloneDX in JSON. */
  readonly sbom: string;
}

/** Writes the archive into an existing folder. */
export function packImage(into: string): ImageArchive {
  const { version } = manifestOf(repository);
  const commit = commitOfCheckout() ?? process.env["NORTHGATE_COMMIT"] ?? "";
  const scratch = mkdtempSync(join(tmpdir(), "ng-image-"));
  try {
    const tree = join(scratch, "tree");
    execFileSync(process.execPath, [join(repository, "scripts", "image.ts"), tree], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, NORTHGATE_COMMIT: commit },
    });
    const path = join(into, `northgate-${version}-linux-${architecture}.oci.tar`);
    const name = `docker.io/library/northgate:${version}`;
    const digest = writeImage({ tree, name, config: imageConfig(version, commit) }, path);
    return { path, name, digest, sbom: readFileSync(join(tree, "app", "sbom.cdx.json"), "utf8") };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
