// The installed program under the machine's own Node, as bin/northgate.js starts it, and what signals do to it.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";

/** A Node that is too old for the program: the launcher then starts another one. */
function olderNode(): string | null {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, "node"));
  const others = places.filter((path) => !path.includes("node_modules") && existsSync(path));
  return others.find(isOlder) ?? null;
}

function isOlder(node: string): boolean {
  const { stdout } = spawnSync(node, ["--version"], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const [major = 0, minor = 0] = stdout.slice(1).split(".").map(Number);
  return major > 0 && (major < 22 || (major === 22 && minor < 19));
}

let installed: string;
const pids: number[] = [];

beforeAll(() => {
  installed = mkdtempSync(join(tmpdir(), "ng-installed-"));
  for (const part of ["bin", "package.json", "manifests"])
    cpSync(part, join(installed, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(installed, "node_modules"));
  execFileSync(process.execPath, ["scripts/bundle.ts", join(installed, "dist")], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
}, patience(120_000));
afterEach(() => {
  for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
});
afterAll(() => {
  rmSync(installed, { recursive: true });
});

/** A child that nobody has waited for any more is dead too. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function childrenOf(pid: number): readonly number[] {
  const isChild = (entry: string) => {
    try {
      return Number(/\) \S+ (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))?.[1]) === pid;
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && isChild(entry))
    .map(Number);
}

/** Which TCP ports the process listens on. */
function portsOf(pid: number): readonly number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const { stdout } = spawnSync("readlink", [`/proc/${pid}/fd/${fd}`], { encoding: "utf8" });
      return /^socket:\[(\d+)\]/.exec(stdout)?.[1] ?? [];
    }),
  );
  const lines = readFileSync(`/proc/${pid}/net/tcp`, "utf8").split("\n").slice(1);
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    return state === "0A" && inodes.has(inode) ? [parseInt(local.split(":")[1] ?? "", 16)] : [];
  });
}

async function started(node: string) {
  const manifests = resolve("examples/cluster-control");
  const program = join(installed, "bin", "northgate.js");
  const flags = [
    `--source=dir:${manifests}`,
    `--nb=unix:${installed}/none`,
    "--metrics-bind-address=127.0.0.1:0",
  ];
  const launcher = spawn(node, [program, "run", "--log-format=json", ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const pid = launcher.pid ?? 0;
  pids.push(pid);
  let text = "";
  launcher.stderr.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const ended = new Promise<number | null>((done) => launcher.once("exit", done));
  await eventually(() => {
    expect(text).toContain("metrics are served");
  }, 60_000);
  const [child] = childrenOf(pid);
  if (child !== undefined) pids.push(child);
  const address = /"address":"([^"]*)"/.exec(text)?.[1] ?? "";
  return { launcher, pid, child, ended, address };
}

const old = olderNode();
// No failure under CI: a machine may have the new Node alone, and then the launcher has no child.
if (old === null)
  process.stderr.write("SKIPPED: the launcher's child: no Node older than 22.19 is on the path\n");
const withOld = old === null ? describe.skip : describe;

withOld("under an older Node", () => {
  const node = old ?? "";

  test("the program ends when the launcher is killed", async () => {
    const { launcher, child } = await started(node);
    expect(child).toBeDefined();
    launcher.kill("SIGKILL");
    await eventually(() => {
      expect(isAlive(child ?? 0)).toBe(false);
    }, 30_000);
  });

  test("SIGTERM ends both with 0, and SIGHUP and SIGUSR1 neither", async () => {
    const { launcher, pid, child = 0, ended, address } = await started(node);
    for (const signal of ["SIGHUP", "SIGUSR1"] as const)
      for (const process_ of [pid, child]) process.kill(process_, signal);
    await eventually(async () => {
      expect((await fetch(`${address}/healthz`)).status).toBe(200);
    });
    await new Promise((done) => setTimeout(done, 500));
    expect([isAlive(pid), isAlive(child)]).toEqual([true, true]);
    expect([portsOf(pid), portsOf(child)]).toEqual([[], [Number(new URL(address).port)]]);
    launcher.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(isAlive(child)).toBe(false);
  });
});

test("under a Node that is new enough there is one process, and SIGHUP and SIGUSR1 change nothing", async () => {
  const { launcher, pid, child, ended, address } = await started(process.execPath);
  expect(child).toBeUndefined();
  launcher.kill("SIGHUP");
  launcher.kill("SIGUSR1");
  await new Promise((done) => setTimeout(done, 500));
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(portsOf(pid)).toEqual([Number(new URL(address).port)]);
  launcher.kill("SIGTERM");
  expect(await ended).toBe(0);
});
