// Archives by GNU tar that are the same bytes for the same files: entries sorted, with one time, one owner and no order of a file system.

import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";

const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];

/**
 * A tar.
 * @param seconds the time of every entry, since 1970. @param more options of tar.
 */
export function tarOf(
  folder: string,
  entries: readonly string[],
  seconds: number,
  more: readonly string[] = [],
): Buffer {
  const args = ["--create", ...same, `--mtime=@${seconds}`, ...more, "--directory", folder, ...entries];
  const env = { ...process.env, LC_ALL: "C", TAR_OPTIONS: "" };
  return execFileSync("tar", args, { maxBuffer: 1 << 30, env });
}

/** 1980-01-01: a time that every program that unpacks archives takes. */
const earliest = 315_532_800;

/**
 * A .tar.gz as a release has it, with the rights of everybody and no time in gzip's header; the same by the same version of Node.
 * @param entries names in the folder, without `./` in front: krew, Helm and people see `bin/kubectl-northgate.js`.
 */
export function gzippedTar(folder: string, entries: readonly string[]): Buffer {
  return gzipSync(tarOf(folder, entries, earliest, ["--format=ustar", "--mode=u=rwX,go=rX"]), { level: 9 });
}
