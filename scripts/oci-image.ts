// `node scripts/oci-image.ts [FOLDER]`, `make image`: the image as an OCI archive in FOLDER, for make .cache/release, without a container
// engine, with its sum beside it. `ctr images import` and `docker load` read it. Prints the archive's path and the digest of the image.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { cacheFolder } from "./support/caches.ts";
import { packImage } from "./support/image-archive.ts";
import { sha256Of } from "./support/oci.ts";

const into = process.argv[2] ?? join(cacheFolder, "release");
mkdirSync(into, { recursive: true });
const { path, name, digest } = packImage(into);
writeFileSync(`${path}.sha256`, `${sha256Of(path)}  ${basename(path)}\n`);
process.stdout.write(`${path}\n${name} ${digest}\n`);
