// The archive that a user unpacks and runs: the bundled program with its two launchers, the page, and the licences. It needs a Node on
// the machine. krew installs it as a plugin of kubectl. The same files make the same bytes.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { krewManifest } from "./krew.ts";
import { manifestOf } from "./tarballs.ts";
import { gzippedTar } from "./tar.ts";

interface PluginArchive {
  /** Of the file: `kubectl-northgate-v0.1.0.tar.gz`. */
  readonly name: string;
  /** An absolute path. */
  readonly path: string;
  readonly bytes: number;
  /** Of the file, in lower-case hex. */
  readonly sha256: string;
}

export const krewName = "northgate.yaml";

const parts = ["bin", "dist", "src/ui/page", "LICENSE"];

/** Of dist/: what is for programs that import the OVSDB client, for who debugs, and for make. */
const leftOut = /\/dist\/(ovsdb|lib|\.built)(\/|$)|\.map$|\.d\.ts$/;

/** Writes the archive and its manifest for krew; the names of both. Folders are as below. */
export function writePlugin(
  from: string,
  into: string,
): { readonly archive: PluginArchive; readonly files: readonly string[] } {
  const archive = packPlugin(from, into);
  const { version, engines, bin } = manifestOf(from);
  const manifest = krewManifest(version, engines["node"] ?? "", bin["kubectl-northgate"] ?? "", archive);
  writeFileSync(join(into, krewName), manifest);
  return { archive, files: [archive.name, krewName] };
}

/**
 * Writes the archive.
 * @param from has package.json and a built dist/. @param into an existing folder; the files are copied into its `plugin/` first.
 */
function packPlugin(from: string, into: string): PluginArchive {
  const folder = join(into, "plugin");
  mkdirSync(folder);
  for (const part of parts)
    cpSync(join(from, part), join(folder, part), { recursive: true, filter: (path) => !leftOut.test(path) });
  const { name, version, license, type, engines } = manifestOf(from);
  const manifest = { name, version, license, type, engines };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const bytes = gzippedTar(folder, ["bin", "dist", "src", "LICENSE", "package.json"]);
  const file = `kubectl-northgate-v${version}.tar.gz`;
  writeFileSync(join(into, file), bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { name: file, path: join(into, file), bytes: bytes.length, sha256 };
}
