// A file of a command is whole or not there, and an earlier one stays until the new one is whole; its place, rights and kind stay.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { bound } from "../../../test/support/bound.ts";
import { WholeFile, writeWhole } from "./written-file.ts";

let folder: string;
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-written-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("takes the place of an earlier one, with its rights, or those that are given", () => {
  writeWhole(at("a"), "1", 0o640);
  expect(statSync(at("a")).mode & 0o777).toBe(0o640);
  chmodSync(at("a"), 0o604);
  writeWhole(at("a"), "2");
  expect([readFileSync(at("a"), "utf8"), statSync(at("a")).mode & 0o777]).toEqual(["2", 0o604]);
  writeWhole(at("a"), "3", 0o600);
  expect([readFileSync(at("a"), "utf8"), statSync(at("a")).mode & 0o777]).toEqual(["3", 0o600]);
});

test("is written where a link leads to, and to what is no file in place", () => {
  writeFileSync(at("a"), "1");
  symlinkSync("a", at("link"));
  writeWhole(at("link"), "2");
  expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
  expect(readFileSync(at("a"), "utf8")).toBe("2");
  writeWhole("/dev/null", "nothing");
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  expect(() => {
    writeWhole("/dev/full", "3");
  }).toThrow("/dev/full cannot be written: ENOSPC: no space left on device, write");
});

test("is written in place where its folder is closed, and a new one is not", () => {
  writeFileSync(at("a"), "1");
  chmodSync(at("a"), 0o666);
  chmodSync(folder, 0o555);
  bound(() => {
    writeWhole(at("a"), "2");
    expect(() => {
      writeWhole(at("b"), "3");
    }).toThrow(/b cannot be written: EACCES/);
  });
  chmodSync(folder, 0o755);
  expect(readFileSync(at("a"), "utf8")).toBe("2");
  chmodSync(at("a"), 0o444);
  chmodSync(folder, 0o555);
  expect(() => {
    bound(() => {
      writeWhole(at("a"), "4");
    });
  }).toThrow(/a cannot be written: EACCES/);
  chmodSync(folder, 0o755);
});

test("is not there where it is not written", () => {
  WholeFile.open(at("a")).close();
  expect(readdirSync(folder)).toEqual([]);
  expect(() => WholeFile.open(at("none/a"))).toThrow(/none\/a cannot be written: ENOENT/);
});

test("that has no room leaves the earlier one, and nothing else", () => {
  const earlier = "x".repeat(100);
  writeFileSync(at("a"), earlier);
  const program = `import { writeWhole } from ${JSON.stringify(new URL("written-file.ts", import.meta.url).href)};
    try { writeWhole(process.argv[1], "y".repeat(100_000)); } catch (error) { console.log(error.message); }`;
  // The system lets the process write files of 1 kB, and says so where it would end it.
  const { stdout } = spawnSync(
    "bash",
    [
      ...["-c", `trap '' XFSZ; ulimit -f 1; exec "$0" --input-type=module -e "$1" "$2"`],
      ...[process.execPath, program, at("a")],
    ],
    { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "", NODE_COMPILE_CACHE: "" } },
  );
  expect(stdout).toBe(`${at("a")} cannot be written: EFBIG: file too large, write\n`);
  expect(readFileSync(at("a"), "utf8")).toBe(earlier);
  expect(readdirSync(folder)).toEqual(["a"]);
});
