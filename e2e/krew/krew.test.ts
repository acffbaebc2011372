// What `make package` wrote, in the hands of krew and kubectl themselves: krew installs it from the two files, kubectl finds the plugin by
// its own rule, another version replaces it by `krew upgrade` from an index, whose archive krew fetches and checks, and nothing stays
// when it is removed.

import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { findControlPlane } from "../../test/kube/assets.ts";
import { patience } from "../../test/support/patience.ts";
import { skippedGroup } from "../../test/support/skipped-group.ts";
import { isProgram } from "../../tools/sandbox/program.ts";

jest.setTimeout(patience(60_000));

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const krew = fileURLToPath(new URL("../../.cache/krew/bin/kubectl-krew", import.meta.url));
const plane = await findControlPlane();

/** null: both programs are there. */
function lacking(): string | null {
  if (!isProgram(krew)) return `no ${krew}: run e2e/krew/build.sh, which takes some minutes once`;
  return typeof plane === "string" ? plane : null;
}

const reason = lacking();
if (reason !== null && process.env["CI"] === "true") throw new Error(reason);
if (reason !== null) {
  process.stderr.write(`SKIPPED: ${reason}\n`);
  skippedGroup("krew", "needs krew and kubectl");
} else describe("krew", ofKrew);

function ofKrew(): void {
  let folder: string;
  let root: string;
  let manifest: string;
  let archive: string;
  let index: string;
  let server: Server;
  let address: string;
  /** Requests for the archive. */
  let fetched = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ng-krew-"));
    root = join(folder, "krew");
    execFileSync(process.execPath, ["scripts/package.ts", folder], {
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    manifest = join(folder, "northgate.yaml");
    const [, version = ""] = /version: "?(v[^\s"]+)/.exec(readFileSync(manifest, "utf8")) ?? [];
    archive = join(folder, `kubectl-northgate-${version}.tar.gz`);
    index = join(folder, "index");
    mkdirSync(join(index, "plugins"), { recursive: true });
    git("init", "--quiet");
    server = createServer((_, response) => {
      fetched++;
      response.end(readFileSync(archive));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const bound = server.address();
    address = typeof bound === "object" && bound !== null ? `http://127.0.0.1:${bound.port}` : "";
    published("v0.1.0");
    // Without an index krew removes nothing.
    expect((await kubectl("krew", "update")).status).toBe(0);
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  function environment(): NodeJS.ProcessEnv {
    const tools = typeof plane === "string" ? "" : dirname(plane.programs.kubectl);
    const path = [join(root, "bin"), dirname(process.execPath), dirname(krew), tools, "/usr/bin", "/bin"];
    return {
      ...{ HOME: folder, KREW_ROOT: root, KREW_DEFAULT_INDEX_URI: index, KREW_NO_UPGRADE_CHECK: "yes" },
      PATH: path.join(delimiter),
    };
  }

  function git(...args: readonly string[]): void {
    const identity = ["-c", "user.name=index", "-c", "user.email=index@localhost"];
    execFileSync("git", ["-C", index, ...identity, ...args]);
  }

  /** Without blocking: krew fetches the archive from this process. */
  const kubectl = (...args: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const child = execFile("kubectl", args, { env: environment() }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
      child.stdin?.end();
    });

  /** The index has the plugin in this version, and no other. */
  function published(version: string): void {
    const text = readFileSync(manifest, "utf8")
      .replace(/version: .*/, `version: ${version}`)
      .replace(/uri: .*/, `uri: ${address}/${version}.tar.gz`);
    writeFileSync(join(index, "plugins", "northgate.yaml"), text);
    git("add", ".");
    git("commit", "--quiet", "--message", version);
  }

  const plugin = () => readlinkSync(join(root, "bin", "kubectl-northgate"));

  test("krew installs the two files of make package, and kubectl runs the plugin", async () => {
    const installed = await kubectl("krew", "install", `--manifest=${manifest}`, `--archive=${archive}`);
    expect([installed.status, installed.stderr]).toEqual([
      0,
      expect.stringContaining("Installed plugin: northgate"),
    ]);
    expect(installed.stderr).toContain('Needs Node.js (>=22.19) as "node" on the PATH.');
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    const said = await kubectl("northgate", "--version");
    expect([said.status, said.stdout.split(" ")[0]]).toEqual([0, version]);
    expect((await kubectl("plugin", "list")).stdout).toContain("/bin/kubectl-northgate\n");
    const asked = ["--to", "splunk/splunk-5f8c6d9f7b-7jx2p", "--protocol", "tcp", "--port", "8000"];
    const cluster = ["-f", "examples/cluster-control"];
    const answer = await kubectl("northgate", "can", "reach", ...cluster, ...asked, "-o", "json");
    expect(answer.stderr).toBe("");
    expect(JSON.parse(answer.stdout)).toMatchObject({ schema: "northgate.can/1" });
    const removed = await kubectl("krew", "uninstall", "northgate");
    expect(removed.status).toBe(0);
    expect(existsSync(join(root, "bin", "kubectl-northgate"))).toBe(false);
    expect((await kubectl("northgate", "--version")).status).toBe(1);
  });

  test("an archive with another sum than the manifest's is refused", async () => {
    const wrong = join(folder, "wrong.yaml");
    const text = readFileSync(manifest, "utf8");
    writeFileSync(wrong, text.replaceAll(/sha256: "?[0-9a-f]{64}"?/g, `sha256: "${"0".repeat(64)}"`));
    const refused = await kubectl("krew", "install", `--manifest=${wrong}`, `--archive=${archive}`);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("checksum does not match, want: 0000");
    expect(existsSync(join(root, "bin", "kubectl-northgate"))).toBe(false);
  });

  test("from an index: install, upgrade, uninstall", async () => {
    const installed = await kubectl("krew", "install", "northgate");
    expect([installed.status, fetched]).toEqual([0, 1]);
    expect(plugin()).toContain("/northgate/v0.1.0/");
    published("v0.1.1");
    const upgraded = await kubectl("krew", "upgrade", "northgate");
    expect([upgraded.status, fetched]).toEqual([0, 2]);
    expect(plugin()).toContain("/northgate/v0.1.1/");
    expect((await kubectl("northgate", "--version")).status).toBe(0);
    expect(existsSync(join(root, "store", "northgate", "v0.1.0"))).toBe(false);
    expect((await kubectl("krew", "uninstall", "northgate")).status).toBe(0);
    expect(existsSync(join(root, "store", "northgate"))).toBe(false);
  });
}
