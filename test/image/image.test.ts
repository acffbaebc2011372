// The image without a container engine: the tree that the Dockerfile's build stage assembles is the same each time, has nothing
// that it should not have, and runs: as another user, on a read-only root, beside a real ovsdb-server.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { afterAll, describe, expect, jest, test } from "@jest/globals";
import { licencesName, listName } from "../../scripts/support/bundling.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { eventually } from "../support/eventually.ts";
import { ovnOrSkip } from "../support/find.ts";
import { patience } from "../support/patience.ts";
import { ended, missingRights, startIn, startOf } from "./started.ts";
import { assembledTrees, filesBelow, inventory } from "./trees.ts";

jest.setTimeout(patience(60_000));

const trees = assembledTrees();
afterAll(() => {
  trees.remove();
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

describe("the tree", () => {
  const tree = trees.fromClone;
  const app = join(tree, "app");
  const dist = join(app, "dist");
  const bundled = JSON.parse(readFileSync(join(dist, listName), "utf8")) as readonly string[];

  test("is the same, byte for byte, when it is assembled again from what the builder is sent", () => {
    const first = inventory(tree);
    expect(first.length).toBeGreaterThan(50);
    expect(inventory(trees.fromContext)).toEqual(first);
  });

  test("has no shell and no program but Node with its libraries", () => {
    const programs = filesBelow(tree).filter(
      (path) => (statSync(path).mode & 0o111) !== 0 && !path.startsWith(app),
    );
    expect(programs.map((path) => basename(path)).filter((name) => !/\.so(\.\d+)+$/.test(name))).toEqual([
      "node",
    ]);
  });

  test("has the packages that package.json names, in versions of the lock file for production, and their licences", () => {
    const locked = Object.entries(lock.packages)
      .filter(([, { dev }]) => dev !== true)
      .map(([path, { version = "" }]) => `${path.split("node_modules/").at(-1) ?? ""}@${version}`);
    expect(locked).toEqual(expect.arrayContaining([...bundled]));
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: object };
    const wanted = Object.keys(manifest.dependencies).filter((name) => name !== "node");
    expect(bundled.map((one) => one.slice(0, one.lastIndexOf("@")))).toEqual(expect.arrayContaining(wanted));
    const licences = readFileSync(join(dist, licencesName), "utf8");
    expect(bundled.filter((one) => !licences.includes(`${one.replace(/(?<=.)@/, " ")} (`))).toEqual([]);
  });

  test("its files name one another and Node's own modules, and nothing else", () => {
    const names = /^(?:import|export)\b[^;'"]*["']([^"'\n]+)["'];|\bawait import\(["']([^"'\n]+)["']\)/gm;
    const named = readdirSync(dist)
      .filter((file) => file.endsWith(".js"))
      .flatMap((file) => [...readFileSync(join(dist, file), "utf8").matchAll(names)])
      .map(([, from, of]) => from ?? of ?? "");
    expect(named.length).toBeGreaterThan(50);
    const isThere = (name: string) => isBuiltin(name) || existsSync(join(dist, name));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
    expect(existsSync(join(app, "node_modules"))).toBe(false);
    expect(filesBelow(app).filter((path) => /\.(map|ts)$/.test(path))).toEqual([]);
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
    expect(listed).toEqual(new Set(bundled));
    const others = bom.components.filter((component) => !ofNpm.includes(component));
    expect(others[0]).toMatchObject({ name: "node", version: process.versions.node });
  });
});

const ovn = await ovnOrSkip();
const rights = missingRights();
if (rights !== null) process.stderr.write(`SKIPPED: the image's tree is not started: ${rights}\n`);

(rights !== null ? describe.skip : describe)("started", () => {
  const tree = trees.fromClone;

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
