// Nothing that the program prints for a person is an instruction to a terminal: escape sequences, newlines and
// bidirectional marks in arguments, settings, names and contents of files are shown as text, each finding on one line.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { northgate, startNorthgate } from "../support/program.ts";

/** ESC, CSI as one character, a bell, a right-to-left override, a line separator. */
const evil = "x\u001b[31m\u009b2J\u0007\u202e\u2028y";
const forged = `${evil}\nnorthgate: all is well`;
/** ESC as a message shows it, quoted or not. */
const shown = /\\u(001b|\{1b\})/;
const invisible = /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-terminal-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const run = ["run", "--nb=unix:/none", "--metrics-bind-address=off"];
test.each([
  ["an unknown command", [forged]],
  ["an unknown option", [`--${forged}`]],
  ["an unknown option of a command", ["run", `--${forged}`]],
  ["a file of settings", ["run", `--config=/none/${forged}`]],
  ["a source", [...run, `--source=${forged}`]],
  ["a directory", [...run, `--source=dir:/none/${forged}`]],
  ["a kubeconfig", [...run, `--kubeconfig=/none/${forged}`]],
  ["a database", ["run", "--source=dir:/none", `--nb=${forged}`]],
  ["an address", ["run", "--source=dir:/none", "--nb=unix:/none", `--metrics-bind-address=${forged}`]],
  ["a host", ["run", "--source=dir:bin", "--nb=unix:/none", `--metrics-bind-address=${forged}:1`]],
  ["a level", [...run, "--source=dir:/none", `--log-level=${forged}`]],
  ["families", ["render", "-f", "/none", `--ip-families=${forged}`]],
  ["a manifest", ["render", "-f", `/none/${forged}`]],
  ["too many arguments", ["render", "-f", "/none", forged]],
  ["a database to clean up", ["cleanup", `--nb=${forged}`]],
])("%s", (_, args) => {
  const { code, stdout, stderr } = northgate(...args);
  expect([1, 2]).toContain(code);
  expect(stderr).toMatch(shown);
  expect(stderr).not.toMatch(invisible);
  expect(stderr.split("\n").filter((line) => line.startsWith("northgate: all is well"))).toEqual([]);
  expect(stdout).not.toMatch(invisible);
});

test("a mistyped command is still answered with the one that is meant", () => {
  expect(northgate("rendr").stderr).toContain("unknown command 'rendr'\n(Did you mean render?)\n");
});

test("names and contents of settings", () => {
  const path = join(folder, `${forged.replaceAll("/", "")}.yaml`);
  for (const text of [
    `${JSON.stringify(evil)}: 1\n`,
    `zone: [1]\n`,
    `nb: "\u001b[31m"\n`,
    "a: [\n\u001b[31m",
  ]) {
    writeFileSync(path, text);
    const { code, stderr } = northgate("run", "--source=dir:/none", `--config=${path}`);
    expect(code).toBe(2);
    expect(stderr).not.toMatch(invisible);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  }
});

test("names and contents of manifests", () => {
  const hostile = JSON.stringify(evil);
  writeFileSync(
    join(folder, `${forged.replaceAll("/", "")}.yaml`),
    [
      `kind: ${hostile}\napiVersion: ${hostile}\n`,
      `kind: Pod\napiVersion: v1\nmetadata: {name: ${hostile}, labels: {${hostile}: ${hostile}}}\n`,
      `kind: Namespace\napiVersion: v1\nmetadata: {name: a, labels: {a: ${hostile}}}\n`,
      "kind: Policy\u001b[31m\n",
    ].join("---\n"),
  );
  const { stderr, stdout } = northgate("render", "-f", folder);
  expect(stderr).toMatch(shown);
  expect(stderr + stdout).not.toMatch(invisible);
  expect(stderr).not.toMatch(/^northgate: all is well/m);
});

test("a name that is no UTF-8 is a problem, not a file that is away", () => {
  writeFileSync(
    Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xff, 0x1b]), Buffer.from("b.yaml")]),
    "a: b\n",
  );
  expect(readdirSync(folder)).toHaveLength(1);
  const { code, stderr } = northgate("render", "-f", folder);
  expect([code, stderr]).toEqual([1, expect.stringContaining("has a name that is not UTF-8")]);
  expect(stderr).not.toMatch(invisible);
});

test.each(["text", "json"])("the log as %s", async (format) => {
  const nb = `unix:/none/${evil}`;
  const program = startNorthgate(
    [`--source=dir:${folder}`, `--nb=${nb}`, "--metrics-bind-address=off"],
    {
      NORTHGATE_LOG_LEVEL: "debug",
    },
    {},
    format,
  );
  try {
    await eventually(() => {
      expect(program.text()).toMatch(/none/);
    }, 30_000);
    expect(program.text()).not.toMatch(invisible);
  } finally {
    await program.end("SIGKILL");
  }
});
