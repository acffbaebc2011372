// An OCI image of one layer, as one archive that `ctr images import` and `docker load` read: OCI image specification 1.1, image-layout.
// The same tree and settings make the same bytes: names in order, no times, no owners. Needs GNU tar.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { tarOf } from "./tar.ts";

/** What a container of the image is started with: the fields of the specification's `config`. */
export interface ContainerConfig {
  readonly User?: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  readonly Env?: readonly string[];
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface ImageSpec {
  /** The folder that becomes the root of the image. */
  readonly tree: string;
  /** With its tag, as in `docker.io/library/northgate:0.1.0`. */
  readonly name: string;
  readonly config: ContainerConfig;
  /** How the layer is kept: gzip unless given. `tar` is as it is: for an image that this machine alone reads. */
  readonly layer?: "gzip" | "tar";
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Of this machine, as images name it. */
export const architecture = process.arch === "x64" ? "amd64" : process.arch;

/** Writes the archive to `out` and answers the digest of its manifest, `sha256:…`, by which a registry would know it. */
export function writeImage({ tree, name, config, layer: kept = "gzip" }: ImageSpec, out: string): string {
  const layout = mkdtempSync(join(tmpdir(), "ng-oci-"));
  try {
    mkdirSync(join(layout, "blobs", "sha256"), { recursive: true });
    const layer = tarOf(tree, ["."], 0);
    const image = {
      ...{ architecture, os: "linux", config },
      rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
      history: [{ created_by: "scripts/image.ts" }],
    };
    const manifest = put(layout, "manifest.v1+json", {
      ...{ schemaVersion: 2, mediaType: "application/vnd.oci.image.manifest.v1+json" },
      config: put(layout, "config.v1+json", image),
      layers: [
        kept === "gzip"
          ? put(layout, "layer.v1.tar+gzip", gzipSync(layer))
          : put(layout, "layer.v1.tar", layer),
      ],
    });
    const annotations = {
      "io.containerd.image.name": name,
      "org.opencontainers.image.ref.name": name.slice(name.lastIndexOf(":") + 1),
    };
    const index = { schemaVersion: 2, manifests: [{ ...manifest, annotations }] };
    writeFileSync(join(layout, "index.json"), JSON.stringify(index));
    writeFileSync(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    // Under another name until it is whole.
    writeFileSync(`${out}.part`, tarOf(layout, ["blobs", "index.json", "oci-layout"], 0));
    renameSync(`${out}.part`, out);
    return manifest.digest;
  } finally {
    rmSync(layout, { recursive: true, force: true });
  }
}

function put(layout: string, type: string, content: Buffer | object): Descriptor {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const digest = digestOf(bytes);
  writeFileSync(join(layout, "blobs", digest.replace(":", "/")), bytes);
  return { mediaType: `application/vnd.oci.image.${type}`, digest, size: bytes.length };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Of a file. */
export function sha256Of(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
