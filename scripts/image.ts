// `node scripts/image.ts FOLDER`: the image's file tree in FOLDER, which must not exist: the program, bundled with its packages;
// this Node, with the libraries that it loads; and a list of all that (SBOM).
// The Dockerfile's build stage runs it, and so does test/image: they cannot differ. The same sources, lock file, Node and
// libraries make the same bytes: every time stamp is $SOURCE_DATE_EPOCH (seconds; 0 unless set), every mode 755 or 644.
// Exit codes: 0 it is there, 1 it could not be made, 2 wrong usage.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./support/bundling.ts";
import { imageUser as user } from "./support/image-config.ts";
import type { OtherPart } from "./support/sbom.ts";
import { sbomOf } from "./support/sbom.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

async function program(app: string, others: readonly OtherPart[]): Promise<void> {
  mkdirSync(join(app, "dist"), { recursive: true });
  const packages = new Set(await bundle(join(app, "dist"), false));
  for (const name of ["bin", "manifests", "LICENSE", "package.json"])
    cpSync(join(repository, name), join(app, name), { recursive: true });
  cpSync(join(repository, "src/ui/page"), join(app, "src/ui/page"), { recursive: true });
  // As scripts/stamp.ts does for a build in a checkout: the builder is sent none.
  const commit = process.env["NORTHGATE_COMMIT"] ?? "";
  if (commit !== "") writeFileSync(join(app, "dist/build.json"), `${JSON.stringify({ commit })}\n`);
  const { name } = JSON.parse(readFileSync(join(app, "package.json"), "utf8")) as { name: string };
  const list = sbomOf(repository, name, (reference) => packages.has(reference), others);
  writeFileSync(join(app, "sbom.cdx.json"), list);
}

/** This Node and the libraries that it loads, each where the loader looks for it. */
function runtime(root: string): readonly OtherPart[] {
  const node = realpathSync(process.execPath);
  put(root, node, "/nodejs/bin/node");
  const listed = execFileSync("ldd", [node], { encoding: "utf8" });
  const libraries = Array.from(listed.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm), ([, path = ""]) => path);
  if (libraries.length === 0) throw new Error(`ldd names no library of ${node}`);
  for (const path of libraries) put(root, path, path);
  const version = process.versions.node;
  return [{ name: "node", version, purl: `pkg:generic/node@${version}` }, ...debianPackages(libraries)];
}

function put(root: string, from: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(realpathSync(from), join(root, to));
  chmodSync(join(root, to), 0o755);
}

/** Whose files they are, for scanners; none where there is no dpkg. */
function debianPackages(paths: readonly string[]): readonly OtherPart[] {
  const names = paths.flatMap((path) => {
    const asked = [path, realpathSync(path), realpathSync(path).replace(/^\/usr/, "")];
    const { error, stdout } = spawnSync("dpkg-query", ["-S", ...new Set(asked)], { encoding: "utf8" });
    return /^([^:]+)(:[^:]+)?: /.exec(error === undefined ? stdout : "")?.[1] ?? [];
  });
  return [...new Set(names)].sort().map((name) => {
    const version = execFileSync("dpkg-query", ["-W", "-f", "${Version}", name], { encoding: "utf8" });
    return { name, version, purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}` };
  });
}

/** What programs expect of a system: a user, how names are looked up, a place for mounts. */
function system(root: string): void {
  mkdirSync(join(root, "etc"), { recursive: true });
  mkdirSync(join(root, "tmp"));
  writeFileSync(join(root, "etc/passwd"), `northgate:x:${user}:${user}::/tmp:/sbin/nologin\n`);
  writeFileSync(join(root, "etc/group"), `northgate:x:${user}:\n`);
  writeFileSync(join(root, "etc/nsswitch.conf"), "hosts: files dns\n");
}

/** The deepest first: a folder's time changes with what is in it. */
function normalise(path: string, seconds: number): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path).sort()) normalise(join(path, name), seconds);
  chmodSync(path, isFolder || (statSync(path).mode & 0o100) !== 0 ? 0o755 : 0o644);
  lutimesSync(path, seconds, seconds);
}

async function assemble(root: string): Promise<void> {
  const app = join(root, "app");
  mkdirSync(app, { recursive: true });
  system(root);
  const others = runtime(root);
  await program(app, others);
  normalise(root, Number(process.env["SOURCE_DATE_EPOCH"] ?? "0"));
}

const [folder] = process.argv.slice(2);
if (folder === undefined || existsSync(folder)) {
  process.stderr.write(`usage: node ${basename(import.meta.filename)} FOLDER, which is made\n`);
  process.exitCode = 2;
} else {
  await assemble(resolve(folder));
}
