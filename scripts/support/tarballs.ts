// The two npm packages of this repository: the program, and the OVSDB client with what it needs of src/lib. Both are made from
// a folder with a compiled dist/. The client's package.json is written here: its dependencies are what its files import, in the
// versions that the program names, so that neither list can fall behind the other.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** What of package.json is read here. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

export interface Tarball {
  /** As npm knows it. */
  readonly name: string;
  /** An absolute path. */
  readonly path: string;
  readonly bytes: number;
}

export const clientName = "northgate-ovsdb-client";

/**
 * Packs what package.json's `files` names, with the dependencies that are not in the program's files: those of the OVSDB client, and
 * the Node that the package carries.
 * @param from has package.json, dist, and what `files` names. @param into an existing folder.
 */
export function packProgram(from: string, into: string): Tarball {
  const folder = join(into, "program");
  const manifest = manifestOf(from);
  for (const name of manifest.files.filter((one) => !one.startsWith("!")))
    cpSync(join(from, name), join(folder, name), { recursive: true });
  const { packages } = reachedFrom(join(from, "dist/ovsdb/index.js"));
  const dependencies = versionsOf(manifest, ["node", ...packages]);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
  return pack(folder, into);
}

function versionsOf({ dependencies }: Manifest, names: readonly string[]): Readonly<Record<string, string>> {
  const versions = names.map((name) => {
    const wanted = dependencies[name];
    if (wanted === undefined) throw new Error(`${name} is imported, and no dependency of package.json`);
    return [name, wanted] as const;
  });
  return Object.fromEntries(versions);
}

/** Makes the client's package in `into`/client, and packs it. */
export function packClient(from: string, into: string): Tarball {
  const folder = join(into, "client");
  const { files, packages } = reachedFrom(join(from, "dist/ovsdb/index.js"));
  for (const file of files) {
    for (const path of [file, file.replace(/\.js$/, ".d.ts")]) {
      const target = join(folder, relative(from, path));
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(path, target);
    }
  }
  const program = manifestOf(from);
  const { version, license, type, engines } = program;
  const manifest = {
    name: clientName,
    version,
    description: "A client for OVSDB (RFC 7047) with a local cache",
    license,
    type,
    engines,
    exports: {
      ".": { types: "./dist/ovsdb/index.d.ts", default: "./dist/ovsdb/index.js" },
      "./package.json": "./package.json",
    },
    dependencies: versionsOf(program, packages),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(from, "LICENSE"), join(folder, "LICENSE"));
  return pack(folder, into);
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function pack(folder: string, into: string): Tarball {
  const { name, version } = manifestOf(folder);
  // Without scripts: dist is compiled already.
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", into];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const path = join(into, `${name}-${version}.tgz`);
  return { name, path, bytes: statSync(path).size };
}

/** The compiled files that a file imports, itself first, and the packages that they import. */
function reachedFrom(entry: string): {
  readonly files: readonly string[];
  readonly packages: readonly string[];
} {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    const names = Array.from(
      readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"/gm),
      ([, name = ""]) => name,
    ).filter((name) => !name.startsWith("node:"));
    for (const name of names) {
      if (name.startsWith(".")) files.add(resolve(dirname(file), name));
      else packages.add(name);
    }
  }
  return { files: [...files], packages: [...packages] };
}
