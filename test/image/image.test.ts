// The image without a container engine: the tree that the Dockerfile's build stage assembles is the same each time, has nothing
// that it should not have, and runs: as another user, on a read-only root, beside a real ovsdb-server.

import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { afterAll, describe, expect, jest, test } from "@jest/globals";
import { filesBelow, packagesBelow } from "../../scripts/support/prune.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { eventually } from "../support/eventually.ts";
import { ovnOrSkip } from "../support/find.ts";
import { patience } from "../support/patience.ts";
import { ended, missingRights, startIn, startOf } from "./started.ts";
import { inventory, treesOrSkip } from "./trees.ts";

jest.setTimeout(patience(60_000));

const trees = treesOrSkip();
afterAll(() => {
  trees?.remove();
});

interface Locked {
  readonly dev?: boolean;
  readonly version?: string;
}
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

test("the Dockerfile names its base by the version that the lock file has of Node, and leaves all else to the script", () => {
  const text = readFileSync("Dockerfile", "utf8");
  const node = lock.packages["node_modules/node"]?.version ?? "none";
  expect([...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)).toEqual([
    // Of the build, and of the target with the tools of a packet filter.
    ...[`node:${node}-bookworm-slim`, `node:${node}-bookworm-slim`],
    "scratch",
  ]);
  const [, last = ""] = text.split(/^FROM scratch$/m);
  expect(last.match(/^(COPY|ADD|RUN|SHELL) .*/gm)).toEqual(["COPY --from=build /image/ /"]);
  expect(text).toMatch(/^RUN NORTHGATE_COMMIT=\$COMMIT node scripts\/image\.ts \/image$/m);
});

(trees === null ? describe.skip : describe)("the tree", () => {
  const tree = trees?.fromClone ?? "";
  const app = join(tree, "app");
  const modules = join(app, "node_modules");

  test("is the same, byte for byte, when it is assembled again from what the builder is sent", () => {
    const first = inventory(tree);
    expect(first.length).toBeGreaterThan(1000);
    expect(inventory(trees?.fromContext ?? "")).toEqual(first);
  });

  test("has no shell and no program but Node with its libraries", () => {
    const programs = filesBelow(tree).filter(
      (path) => (statSync(path).mode & 0o111) !== 0 && !path.startsWith(app),
    );
    expect(programs.map((path) => basename(path)).filter((name) => !/\.so(\.\d+)+$/.test(name))).toEqual([
      "node",
    ]);
  });

  test("has the packages that the lock file names for production, in its versions, and no file that Node cannot run", () => {
    const wanted = new Map(Object.entries(lock.packages).filter(([, { dev }]) => dev !== true));
    for (const { folder, name, version } of packagesBelow(modules))
      expect([name, wanted.get(relative(app, folder))?.version]).toEqual([name, version]);
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: object };
    for (const name of Object.keys(manifest.dependencies))
      expect([name, existsSync(join(modules, name))]).toEqual([name, name !== "node"]);
    expect(filesBelow(modules).filter((path) => /\.(map|ts|mts|cts|bare)$/.test(path))).toEqual([]);
  });

  test("nothing was taken that a file which stays names", () => {
    const names = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.\.?\/[^"'\n]+)["']/g;
    const endings = ["", ".js", ".cjs", ".mjs", ".json", ".node", "/index.js", "/index.cjs", "/index.mjs"];
    let looked = 0;
    const missing = filesBelow(modules)
      .filter((path) => /\.[cm]?js$/.test(path))
      .flatMap((path) =>
        [...readFileSync(path, "utf8").matchAll(names)].flatMap(([, name = ""]) => {
          // Types are named in comments alone.
          if (/\.d\.[cm]?ts$/.test(name)) return [];
          looked++;
          const target = resolve(dirname(path), name);
          const isFile = (candidate: string) =>
            statSync(candidate, { throwIfNoEntry: false })?.isFile() === true;
          const before = resolve("node_modules", relative(modules, target));
          const was = endings.some((ending) => isFile(before + ending));
          return !was || endings.some((ending) => isFile(target + ending)) ? [] : [`${path} names ${name}`];
        }),
      );
    expect(missing).toEqual([]);
    expect(looked).toBeGreaterThan(2000);
  });

  test("its list names what is in it, and nothing else", () => {
    const bom = JSON.parse(readFileSync(join(app, "sbom.cdx.json"), "utf8")) as {
      readonly bomFormat: string;
      readonly components: readonly {
        readonly name: string;
        readonly version: string;
        readonly purl: string;
      }[];
    };
    expect(bom.bomFormat).toBe("CycloneDX");
    const ofNpm = bom.components.filter(({ purl }) => purl.startsWith("pkg:npm/"));
    const listed = new Set(ofNpm.map(({ name, version }) => `${name}@${version}`));
    expect(listed).toEqual(new Set(packagesBelow(modules).map(({ name, version }) => `${name}@${version}`)));
    const others = bom.components.filter((component) => !ofNpm.includes(component));
    expect(others[0]).toMatchObject({ name: "node", version: process.versions.node });
  });
});

const ovn = await ovnOrSkip();
const rights = missingRights();
if (rights !== null) process.stderr.write(`SKIPPED: the image's tree is not started: ${rights}\n`);

(trees === null || rights !== null ? describe.skip : describe)("started", () => {
  const tree = trees?.fromClone ?? "";

  test("as another user, on a read-only root, it says its help", async () => {
    expect(startOf("Dockerfile").user).toBe("65532:65532");
    expect(await ended(startIn(tree, "examples", ["run", "--help"]))).toMatchObject({
      code: 0,
      said: expect.stringContaining("--source"),
    });
  });

  test("what reads the kubeconfig is whole", async () => {
    const folder = mkdtempSync("/tmp/ngi-kube-");
    try {
      chmodSync(folder, 0o755);
      cpSync("test/image/nobody-there.kubeconfig", join(folder, "kubeconfig"));
      expect(await ended(startIn(tree, folder, ["get", "--kubeconfig", "/tmp/kubeconfig"]))).toMatchObject({
        code: 1,
        said: expect.stringContaining("ECONNREFUSED"),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  (ovn === null ? test.skip : test)("it puts a folder's policies into force, and ends", async () => {
    const before = inventory(tree);
    const nb = await startOvn({ northd: false });
    try {
      cpSync("examples/cluster-control", join(nb.dir, "manifests"), { recursive: true });
      chmodSync(nb.dir, 0o755);
      const socket = /^unix:(.*)$/.exec(nb.nb)?.[1] ?? "";
      chmodSync(socket, 0o777);
      const flags = ["--source=dir:/tmp/manifests", `--nb=unix:/tmp/${basename(socket)}`];
      const child = startIn(tree, nb.dir, ["run", ...flags, "--metrics-bind-address=127.0.0.1:0"]);
      const end = ended(child);
      await eventually(async () => {
        expect((await nb.nbctl("--bare", "--columns=name", "list", "ACL")).split("\n")).toContain(
          "ANP:cluster-control:Egress:5",
        );
      }, 30_000);
      const status = readFileSync(`/proc/${child.pid ?? 0}/status`, "utf8");
      expect(/^Uid:\t(\d+)/m.exec(status)?.[1]).toBe("65532");
      child.kill("SIGTERM");
      expect(await end).toMatchObject({ code: 0 });
    } finally {
      await nb.stop();
    }
    expect(inventory(tree)).toEqual(before);
  });
});
