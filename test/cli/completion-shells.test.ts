// The scripts of `northgate completion` in real shells: zsh and fish load them and offer what bash offers.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { commandNames } from "../../src/config/setting.ts";
import { settingsOf } from "../../src/config/settings.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";
import { shellsOrSkip } from "../support/shells.ts";

jest.setTimeout(patience(120_000));

const shells = shellsOrSkip();
const capture = fileURLToPath(new URL("./completion-capture.zsh", import.meta.url));

(shells === null ? describe.skip : describe).each(["zsh", "fish"] as const)("in %s", (shell) => {
  const program = shells?.[shell] ?? "";
  let folder: string;
  let script: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-shell-"));
    script = join(folder, "northgate");
    writeFileSync(script, northgate("completion", shell).stdout);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Without the descriptions of fish. */
  function offered(line: string): readonly string[] {
    const args =
      shell === "zsh"
        ? ["-f", capture, script, line]
        : ["-c", `source $argv[1]; complete -C $argv[2]`, script, line];
    const said = execFileSync(program, args, { encoding: "utf8", env: { ...process.env, HOME: folder } });
    const words = said.split("\n").map((one) => one.split("\t")[0] ?? "");
    return words.filter((word) => word !== "").toSorted();
  }

  test("it is parsed without a complaint", () => {
    const { status, stderr } = spawnSync(program, [...(shell === "zsh" ? ["-f"] : []), "-n", script], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  test("commands, and what may stand behind them", () => {
    expect(offered("northgate re")).toEqual(["recommend", "render"]);
    expect(offered("northgate ")).toEqual(expect.arrayContaining([...commandNames, "completion", "man"]));
    expect(offered("northgate completion z")).toEqual(["zsh"]);
    expect(offered("northgate man cl")).toEqual(["cleanup"]);
    expect(offered("northgate get r")).toEqual(["rules"]);
  });

  test("flags: those of the command in the table", () => {
    for (const command of ["explain", "ui", "run"] as const) {
      const flags = settingsOf(command).map(({ flag }) => `--${flag}`);
      expect(offered(`northgate ${command} --`)).toEqual([...flags, "--config", "--help"].toSorted());
    }
  });

  test("values of choices, behind a space, a letter and an equals sign", () => {
    expect(offered("northgate render -o j")).toEqual(["json"]);
    expect(offered("northgate ui --cni c")).toEqual(["calico", "cilium"]);
    const behindEquals = offered("northgate ui --cni=ci").map((word) => word.replace(/^--cni=/, ""));
    expect(behindEquals).toEqual(["cilium"]);
  });
});
