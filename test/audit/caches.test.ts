// What the tests download and build stays below the clone's .cache/, and what they put below /tmp goes with them. The programs
// are asked themselves: make, Go, and the runner of `make test` while it is ended.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  cacheVariables,
  keepCachesInClone,
  pruneCompileCache,
  sizeOfCaches,
} from "../../scripts/support/caches.ts";
import { eventually } from "../support/eventually.ts";
import { findGo } from "../support/upstream.ts";

const variables = Object.keys(cacheVariables);
const clone = resolve(".cache");
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-caches-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** As a shell without any of the variables has it. */
function bare(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const variable of variables) Reflect.deleteProperty(env, variable);
  return env;
}

test("processes that run tests have every cache in the clone, unless the machine names another", () => {
  for (const variable of variables) expect(process.env[variable]).toBeDefined();
  const env = bare();
  env["GOCACHE"] = "/shared/go";
  keepCachesInClone(env);
  const { GOCACHE, ...others } = Object.fromEntries(variables.map((name) => [name, env[name] ?? ""]));
  expect(GOCACHE).toBe("/shared/go");
  for (const path of Object.values(others)) expect(path.startsWith(`${clone}/`)).toBe(true);
});

test("make hands npm the same folder", () => {
  const env = bare();
  // What a make around this one, or an npm, would hand on.
  for (const name of ["MAKEFLAGS", "MAKELEVEL", "MFLAGS"]) Reflect.deleteProperty(env, name);
  const told = "told: ; @echo $$npm_config_cache";
  const { stdout } = spawnSync("make", ["--no-print-directory", "--eval", told, "told"], {
    env,
    encoding: "utf8",
  });
  expect(stdout.trim()).toBe(join(clone, cacheVariables["npm_config_cache"] ?? "none"));
});

const go = findGo(process.env);
if (go === null) {
  const why = "where Go keeps its caches: neither PATH nor the usual places have a Go";
  if (process.env["CI"] === "true") throw new Error(why);
  process.stderr.write(`SKIPPED: ${why}\n`);
}
(go === null ? test.skip : test)("Go takes its two folders from there", () => {
  const env = bare();
  keepCachesInClone(env);
  const { stdout } = spawnSync(go ?? "", ["env", "GOCACHE", "GOMODCACHE"], { env, encoding: "utf8" });
  expect(stdout.trim().split("\n")).toEqual([join(clone, "go/build"), join(clone, "go/mod")]);
});

test("the size of the caches is one line: all of it, and the parts by size", () => {
  mkdirSync(join(folder, "small"));
  mkdirSync(join(folder, "large"));
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "small", "file"), Buffer.alloc(2 << 20, 1));
  writeFileSync(join(folder, "large", "file"), Buffer.alloc(5 << 20, 1));
  expect(sizeOfCaches(folder)).toBe(`caches: 7 MB in ${folder} (large 5, small 2)`);
  expect(sizeOfCaches(join(folder, "none"))).toBe("caches: none");
});

test("of the compiled code only what is new is kept", () => {
  const [old, recent] = [join(folder, "v24", "old"), join(folder, "v24", "recent")] as const;
  mkdirSync(join(folder, "v24"));
  for (const path of [old, recent]) writeFileSync(path, "");
  const hoursAgo = (hours: number): number => Date.now() / 1000 - hours * 3600;
  utimesSync(old, hoursAgo(25), hoursAgo(25));
  utimesSync(recent, hoursAgo(23), hoursAgo(23));
  pruneCompileCache(folder);
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  expect(() => {
    pruneCompileCache(join(folder, "none"));
  }).not.toThrow();
});

test("a run of the tests that is ended takes its folder below /tmp with it, and what its programs started", async () => {
  const told = join(folder, "told");
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const child = join(folder, "child");
  // In place of the first check: leaves a file behind, starts a program, tells where, and waits to be ended.
  const begun = ['touch "$TMPDIR/left"', "sleep 600 &", `echo $! > ${child}`, `echo "$TMPDIR" > ${told}`];
  const lines = ["#!/bin/sh", ...begun, "exec sleep 600", ""];
  writeFileSync(join(bin, "npm"), lines.join("\n"), { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}`, NODE_OPTIONS: "" };
  const runner = spawn(process.execPath, ["scripts/test.ts", "check"], { env, stdio: "ignore" });
  const ended = new Promise((done) => runner.once("exit", done));
  await eventually(() => {
    expect(existsSync(told) && readFileSync(told, "utf8").endsWith("\n")).toBe(true);
  });
  const below = readFileSync(told, "utf8").trim();
  expect(below).toMatch(/^\/tmp\/ngt-/);
  expect(existsSync(join(below, "left"))).toBe(true);
  runner.kill("SIGTERM");
  expect(await ended).toBe(143);
  expect(existsSync(below)).toBe(false);
  const arguments_ = `/proc/${readFileSync(child, "utf8").trim()}/cmdline`;
  await eventually(() => {
    // One that has ended, and that nobody has waited for, has none.
    expect(existsSync(arguments_) ? readFileSync(arguments_, "utf8") : "").toBe("");
  });
});
