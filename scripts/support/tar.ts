// One form of archive for what a release has: by GNU tar, entries sorted, with one time, one owner and the rights of everybody, and no
// time in gzip's header. The same files make the same bytes, by the same version of Node.

import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";

/** 1980-01-01: a time that every program that unpacks archives takes. */
const time = "@315532800";

/**
 * A .tar.gz.
 * @param entries names in the folder, without `./` in front: krew, Helm and people see `bin/kubectl-northgate.js`.
 */
export function gzippedTar(folder: string, entries: readonly string[]): Buffer {
  const same = ["--sort=name", `--mtime=${time}`, "--owner=0", "--group=0", "--numeric-owner"];
  const args = ["--create", "--format=ustar", "--mode=u=rwX,go=rX", ...same, "--directory", folder];
  const env = { ...process.env, LC_ALL: "C", TAR_OPTIONS: "" };
  return gzipSync(execFileSync("tar", [...args, ...entries], { maxBuffer: 2 ** 28, env }), { level: 9 });
}
