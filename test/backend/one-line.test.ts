// The in-memory backend as a part of the product: its folder, one line in the list of backends and its line in the layer rules make
// it known to every command that previews, counts or compares what is enforced.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import type { ExtendedProgram } from "../support/extended-program.ts";
import { changedFiles, extendedProgram } from "../support/extended-program.ts";
import { denyAllManifest } from "../support/deny-all.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { northgateAt, startNorthgate } from "../support/program.ts";
import { memory } from "./memory-kind.ts";

jest.setTimeout(patience(180_000));

const repository = fileURLToPath(new URL("../..", import.meta.url));
const example = join(repository, "examples", "cluster-control");
const rules = ".dependency-cruiser.cjs";
let program: ExtendedProgram;

beforeAll(() => {
  program = extendedProgram(
    "memory",
    "test/backend",
    [
      "memory-kind.ts",
      "memory-backend.ts",
      "memory-chain.ts",
      "memory-plan.ts",
      "memory-room.ts",
      "memory-store.ts",
    ],
    [
      {
        file: "src/backends.ts",
        was: 'import { ovn } from "./nbdb/tools/index.ts";\n',
        becomes:
          'import { ovn } from "./nbdb/tools/index.ts";\nimport { memory } from "./memory/memory-kind.ts";\n',
      },
      {
        file: "src/backends.ts",
        was: "= [ovn, iptables, nftables];",
        becomes: "= [ovn, iptables, nftables, memory];",
      },
      {
        file: rules,
        was: '  "backends.ts": ["backend-kind.ts",',
        becomes:
          '  memory: ["backend-kind.ts", "analysis", "running-backend.ts", "metrics", "contents", "offline", "plan", ...base],\n  "backends.ts": ["memory", "backend-kind.ts",',
      },
    ],
  );
});
afterAll(() => {
  program.remove();
});

const northgate = (...args: readonly string[]) => northgateAt(program.main, ...args);
const ofMemory = ["--backend=memory", "-f", example];

test("two files outside its folder are changed, and no layer rule is broken", () => {
  expect(changedFiles(program, "memory")).toEqual([rules, "src/backends.ts"]);
  const cli = join(repository, "node_modules", "dependency-cruiser", "bin", "dependency-cruiser.mjs");
  const said = execFileSync(process.execPath, [cli, "--config", rules, "src"], {
    ...{ cwd: program.root, encoding: "utf8" },
  });
  expect(said).toContain("no dependency violations found");
});

test("--backend takes its name", () => {
  for (const command of ["run", "render", "cleanup", "plan", "explain", "get", "lint", "ui"]) {
    const help = northgate(command, "--help").stdout.replaceAll(/\s+/g, " ");
    expect(help).toContain("ovn, rows of an OVN Northbound database; ");
    expect(help).toContain(`; ${memory.name}, ${memory.writes} (default: ovn)`);
  }
  expect(northgate("run", "--backend=memory", `--source=dir:${example}`, "--nb=unix:/none")).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining("--nb: --backend memory takes no remotes") },
  });
  expect(northgate("render", "-f", example, "--backend=none")).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('"none" is not ovn, iptables, nftables, memory') },
  });
});

test("render prints its chains, and the rows of the other backend by default", () => {
  const { code, stdout } = northgate("render", ...ofMemory, "-o", "json");
  const chains = JSON.parse(stdout) as Readonly<Record<string, readonly string[]>>;
  expect(code).toBe(0);
  expect(Object.keys(chains).map((key) => key.split("/").at(-1))).toEqual(["cluster-control", "default"]);
  expect(Object.values(chains).flat().length).toBeGreaterThan(10);
  expect(northgate("render", ...ofMemory).stdout).toContain(" deny\n");
  expect(northgate("render", "-f", example).stdout).toContain("Port_Group (");
});

test("get counts its rules, plan compares its chains, explain and lint judge as ever", () => {
  expect(northgate("get", ...ofMemory, "-o", "json").stdout).toMatch(/"rows": \{\s*"rules": [1-9]/);
  const planned = northgate(
    "plan",
    ...ofMemory,
    "--against",
    `dir:${join(example, "policies")}`,
    "-o",
    "json",
  );
  expect((JSON.parse(planned.stdout) as { rows: object }).rows).toMatchObject({ add: 0, delete: 0 });
  const asked = ["--from", "10.244.2.6", "--to", "192.0.2.7", "--protocol", "tcp", "--port", "443"];
  expect(northgate("explain", ...ofMemory, ...asked).stdout).toBe(
    northgate("explain", "-f", example, ...asked).stdout,
  );
  expect(northgate("lint", ...ofMemory).stdout).toBe(northgate("lint", "-f", example).stdout);
  expect(northgate("explain", ...ofMemory, ...asked, "--nb=unix:/none")).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining("--nb: --backend memory takes no remotes") },
  });
});

describe("run writes to it", () => {
  let folder: string;
  let running: Running | null = null;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-memory-"));
    cpSync(example, folder, { recursive: true });
  });
  afterEach(async () => {
    await running?.end("SIGKILL");
    running = null;
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (...given: readonly string[]): Running => {
    running = startNorthgate(
      ["--backend=memory", `--source=dir:${folder}`, "--metrics-bind-address=127.0.0.1:0", ...given],
      ...([{}, {}, "json"] as const),
      program.main,
    );
    return running;
  };

  test("its checks, its metrics and its counts are served, and an edit takes effect", async () => {
    const one = start();
    const address = () => one.log().find(({ message }) => message === "metrics are served")?.["address"];
    await eventually(() => {
      expect(address()).toBeDefined();
    }, 30_000);
    const get = async (path: string) => (await fetch(`${String(address())}/${path}`)).text();
    const ruleCount = async () => Number(/^memory_chain_rules (\d+)$/m.exec(await get("metrics"))?.[1]);
    await eventually(async () => {
      expect(await get("readyz")).toBe("ok\nthe filter ends with this process\n");
      expect(await ruleCount()).toBeGreaterThan(10);
    }, 30_000);
    const metrics = await get("metrics");
    expect(metrics).toContain("ovnkube_controller_admin_network_policies 1\n");
    expect(metrics).toContain("northgate_leader 1\n");
    expect(metrics).not.toContain("northgate_nb_connected");
    const before = await ruleCount();
    writeFileSync(join(folder, "second.yaml"), denyAllManifest);
    await eventually(async () => {
      expect(await ruleCount()).toBe(before + 1);
      expect(await get("metrics")).toContain("ovnkube_controller_admin_network_policies 2\n");
    }, 30_000);
    rmSync(join(folder, "second.yaml"));
    await eventually(async () => {
      expect(await ruleCount()).toBe(before);
    }, 30_000);
    expect(await one.end()).toBe(0);
  });

  test("settings that do not fit it end the program with 78", async () => {
    const one = start("--zone=refused", "--allow-empty-zone");
    await eventually(() => {
      expect(one.child.exitCode).toBe(78);
    }, 30_000);
    expect(one.text()).toContain("a filter in memory is for another zone");
  });
});
