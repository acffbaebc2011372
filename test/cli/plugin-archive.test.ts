// The archive of `make package` as a user has it: two packings are the same bytes; unpacked in an empty folder and linked as krew links
// it, kubectl finds the plugin, which answers; and the manifest keeps krew's rules (its validation of manifests and its unpacking).

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { parse } from "yaml";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(120_000));

const environment = { ...process.env, NODE_OPTIONS: "" };
const node = dirname(process.execPath);

interface Platform {
  readonly selector: {
    readonly matchExpressions: readonly { readonly key: string; readonly values: string[] }[];
  };
  readonly uri: string;
  readonly sha256: string;
  readonly files: readonly { readonly from: string; readonly to: string }[];
  readonly bin: string;
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<
    Record<"version" | "shortDescription" | "description" | "homepage" | "caveats", string>
  > & { readonly platforms: readonly Platform[] };
}

let folder: string;
let manifest: Manifest;
let archive: string;
/** Where krew unpacks the archive. */
let store: string;

/** A clone of what is packed, with a program that was built now. */
function clone(): string {
  const at = join(folder, "clone");
  for (const part of ["bin", "scripts", "src", "LICENSE", "package.json"])
    cpSync(part, join(at, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(at, "node_modules"));
  execFileSync(process.execPath, ["scripts/bundle.ts", join(at, "dist")], { env: environment });
  execFileSync(process.execPath, ["scripts/man.ts", join(at, "dist/man")], { env: environment });
  for (const part of ["ovsdb", "lib"]) {
    mkdirSync(join(at, "dist", part));
    writeFileSync(join(at, "dist", part, "index.js"), "");
  }
  return at;
}

function packed(at: string, into: string): readonly string[] {
  const said = execFileSync(process.execPath, [join(at, "scripts/package.ts"), into], {
    env: environment,
    encoding: "utf8",
  });
  const [, names = ""] = /: (.*)\n/.exec(said) ?? [];
  return names.split(", ").map((name) => join(into, name));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-packed-"));
  const at = clone();
  const [first = "", krew = ""] = packed(at, join(folder, "one"));
  // Another day, and another umask.
  for (const file of ["LICENSE", "dist/main.js", "bin"]) utimesSync(join(at, file), 1, 1);
  for (const file of ["LICENSE", "dist/main.js"]) chmodSync(join(at, file), 0o640);
  chmodSync(join(at, "bin/northgate.js"), 0o700);
  const [second = ""] = packed(at, join(folder, "two"));
  expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
  archive = first;
  manifest = parse(readFileSync(krew, "utf8")) as Manifest;
  store = join(folder, "store");
  mkdirSync(store);
  execFileSync("tar", ["-xzf", archive, "-C", store]);
}, patience(120_000));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("entries are files and folders that krew unpacks, of nobody, with the rights of everybody", () => {
  const lines = execFileSync("tar", ["-tvzf", archive, "--numeric-owner"], { encoding: "utf8" })
    .trim()
    .split("\n");
  for (const line of lines)
    expect(line).toMatch(/^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) 0\/0 +\d+ 1980-01-01 \S+ [^/.]\S*$/);
  const names = lines.map((line) => line.split(" ").at(-1) ?? "");
  expect(names.filter((name) => name.includes("..") || name.endsWith(".map"))).toEqual([]);
  expect(names).toEqual(
    expect.arrayContaining([
      "LICENSE",
      "dist/THIRD-PARTY-LICENSES.txt",
      "dist/main.js",
      "dist/man/man1/northgate-can.1",
    ]),
  );
  expect(names.filter((name) => /^dist\/(ovsdb|lib)/.test(name))).toEqual([]);
});

test("krew's manifest keeps krew's rules, of this version, with the sum of this archive", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const { spec } = manifest;
  expect(manifest).toMatchObject({
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "northgate" },
  });
  expect(spec.version).toBe(`v${version}`);
  expect(spec.version).toMatch(/^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/);
  // krew's own style: one line of at most 50 characters, and no full stop.
  expect(spec.shortDescription).toMatch(/^[A-Z][^\r\n]{1,48}[^.\r\n]$/);
  for (const text of [spec.description, spec.caveats]) expect(text.trim()).not.toBe("");
  expect(spec.caveats).toContain("Node.js");
  expect(spec.homepage).toMatch(/^https:/);
  expect(spec.platforms).toHaveLength(1);
  for (const platform of spec.platforms) {
    expect(platform.uri).toMatch(new RegExp(`^https://[^ ]+/v${version}/${archive.split("/").at(-1)}$`));
    expect(platform.sha256).toBe(createHash("sha256").update(readFileSync(archive)).digest("hex"));
    expect(platform.sha256).toMatch(/^[a-f0-9]{64}$/);
    expect(platform.files).toEqual([{ from: "*", to: "." }]);
    expect(platform.selector.matchExpressions).toEqual([
      { key: "os", operator: "In", values: ["linux", "darwin"] },
    ]);
    expect(statSync(join(store, platform.bin)).mode & 0o111).toBe(0o111);
  }
});

test("the program that kubectl asks for completion starts from the archive too", () => {
  const file = join(store, "bin/kubectl_complete-northgate.js");
  const { stdout } = spawnSync(file, ["ma"], {
    encoding: "utf8",
    env: { ...environment, PATH: [node, "/usr/bin", "/bin"].join(delimiter) },
  });
  expect(stdout).toBe("matrix\n:4\n");
});

/** kubectl as it finds a plugin: the first word names the program, which replaces it. */
const standIn = '#!/bin/sh\nname=$1\nshift\nexec "kubectl-$name" "$@"\n';

describe.each(["a stand-in of kubectl", "/usr/bin/kubectl"])("by %s", (which) => {
  const isReal = which.startsWith("/");
  const isThere = !isReal || existsSync(which);
  if (!isThere) process.stderr.write(`SKIPPED: there is no ${which} on this machine\n`);
  const tested = isThere ? test : test.skip;
  const sample = resolve("examples/cluster-control");
  let path: string;

  beforeAll(() => {
    const links = join(folder, isReal ? "links" : "links-of-stand-in");
    mkdirSync(links);
    symlinkSync(join(store, manifest.spec.platforms[0]?.bin ?? ""), join(links, "kubectl-northgate"));
    if (isThere && isReal) symlinkSync(which, join(links, "kubectl"));
    else writeFileSync(join(links, "kubectl"), standIn, { mode: 0o755 });
    path = [links, node, "/usr/bin", "/bin"].join(delimiter);
  });
  const asked = (...args: readonly string[]) => {
    const empty = join(folder, "empty");
    mkdirSync(empty, { recursive: true });
    const { status, stdout, stderr } = spawnSync(
      join(path.split(delimiter)[0] ?? "", "kubectl"),
      ["northgate", ...args],
      {
        ...{ cwd: empty, encoding: "utf8", timeout: patience(60_000) },
        env: { ...environment, PATH: path },
      },
    );
    return { status, said: status === 0 ? stdout : stderr };
  };
  const dns = ["--protocol", "udp", "--port", "53", "-f", sample];
  const splunk = "pod/splunk-5f8c6d9f7b-7jx2p";

  tested.each<readonly [says: string, ...args: readonly string[]]>([
    ["default-deny", "explain", "-n", "splunk", "--from", splunk, "--to", "10.244.2.3", ...dns],
    ["can reach", "can", "reach", "--to", "kube-system/coredns-76f75df574-5sn7h", ...dns],
    ["splunk", "matrix", "-f", sample],
    ["workloads of splunk", "matrix", "-n", "splunk", "-f", sample],
    ["cluster-control", "get", "-o", "wide", "-f", sample],
    ["no verdict differs", "plan", "-f", sample, "--against", `dir:${sample}`],
    ["Usage: kubectl northgate", "--help"],
  ])("it says %j to %s", (says, ...args) => {
    const { status, said } = asked(...args);
    expect([status, said.toLowerCase()]).toEqual([0, expect.stringContaining(says.toLowerCase())]);
  });

  tested("an end that is not there is 1, what writes is 2, as from northgate itself", () => {
    expect(asked("can", "reach", "--to", "none/none", ...dns)).toMatchObject({ status: 1 });
    expect(asked("run")).toMatchObject({
      status: 2,
      said: expect.stringContaining("what writes is northgate's own"),
    });
  });
});
