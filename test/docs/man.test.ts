// The man pages: one for each command, with every flag, variable and example that the program knows, and nothing that groff warns of.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { commandNames, variableOf } from "../../src/config/setting.ts";
import { settingsOf } from "../../src/config/settings.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(120_000));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-man-"));
  execFileSync(process.execPath, ["scripts/man.ts", folder], { env: { ...process.env, NODE_OPTIONS: "" } });
}, patience(60_000));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const pageOf = (name: string) => readFileSync(join(folder, "man1", `${name}.1`), "utf8");
/** As a reader sees it: what is escaped is itself again. */
const plain = (roff: string) =>
  roff
    .replaceAll("\\-", "-")
    .replaceAll("\\[dq]", '"')
    .replaceAll(/\\\[u([0-9A-F]+)\]/g, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
    .replaceAll("\\&", "")
    .replaceAll("\\e", "\\");

test("there is a page for each command, and northgate(1) names them all", () => {
  const pages = [...commandNames, "completion", "man"].map((name) => `northgate-${name}.1`);
  expect(readdirSync(join(folder, "man1")).sort()).toEqual([...pages, "northgate.1"].sort());
  for (const name of commandNames) expect(plain(pageOf("northgate"))).toContain(`.BR northgate-${name} (1)`);
});

test("`northgate man` prints the same pages, and refuses what is no command", () => {
  for (const name of ["explain", "completion", "man"])
    expect(northgate("man", name)).toEqual({ code: 0, stdout: pageOf(`northgate-${name}`), stderr: "" });
  expect(northgate("man").stdout).toBe(pageOf("northgate"));
  const { code, stdout, stderr } = northgate("man", "nobody");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("nobody");
});

describe.each(commandNames)("northgate-%s(1)", (name) => {
  test("has every flag with its help, and the variable where there is one", () => {
    const page = plain(pageOf(`northgate-${name}`));
    for (const { flag, help, onLineOnly } of settingsOf(name)) {
      expect(page).toContain(`--${flag}`);
      expect(page).toContain(help);
      expect(page.includes(`Environment: ${variableOf(flag)}\n`)).toBe(onLineOnly !== true);
    }
  });

  test("has the sections of a page, and what --help prints behind the flags", () => {
    const page = plain(pageOf(`northgate-${name}`));
    expect(page.match(/^\.SH .*$/gm)?.slice(0, 4)).toEqual([
      ".SH NAME",
      ".SH SYNOPSIS",
      ".SH DESCRIPTION",
      ".SH OPTIONS",
    ]);
    expect(page).toContain(".SH EXIT STATUS");
    const { stdout } = northgate(name, "--help");
    const [, shown = ""] = stdout.split("Examples:\n");
    const examples = shown.split("\n").filter((line) => line !== "");
    expect(examples.length > 0).toBe(name !== "run" && name !== "cleanup");
    for (const line of examples) expect(page.split("\n")).toContain(line);
  });
});

const groff = spawnSync("groff", ["--version"]).status === 0;
if (!groff) process.stderr.write("SKIPPED: there is no groff on this machine\n");
(groff ? test : test.skip)(
  "groff formats each without a warning, and shows what is invisible as nothing else",
  () => {
    for (const name of readdirSync(join(folder, "man1"))) {
      const { status, stdout, stderr } = spawnSync(
        "groff",
        ["-man", "-Tutf8", "-ww", "-P-c", join(folder, "man1", name)],
        {
          encoding: "utf8",
        },
      );
      expect([name, status, stderr]).toEqual([name, 0, ""]);
      expect(stdout).toContain("SEE ALSO".replaceAll(/\w/g, (letter) => `${letter}\b${letter}`));
    }
  },
);

const built = "dist/man/man1";
const isBuilt = process.env["NORTHGATE_TEST_PROGRAM"] !== undefined && existsSync(built);
if (!isBuilt) process.stderr.write("SKIPPED: the pages of the built program, which is not tested here\n");
(isBuilt ? test : test.skip)("the built program has the same", () => {
  for (const name of readdirSync(built))
    expect(readFileSync(join(built, name), "utf8")).toBe(pageOf(name.replace(/\.1$/, "")));
});
