// `northgate completion`: what a shell completes with the script, asked of bash. completion-shells.test.ts asks zsh and fish.

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { commandNames } from "../../src/config/setting.ts";
import { settingsOf } from "../../src/config/settings.ts";
import { northgate } from "../support/program.ts";

const script = northgate("completion", "bash");

/** What bash offers for the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const text = `${script.stdout}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _northgate; [[ \${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync("bash", ["--norc", "-u", "-c", text, "bash", "northgate", ...words], {
    encoding: "utf8",
  });
  return said.split("\n").filter((line) => line !== "");
}

describe("in bash", () => {
  test("commands are completed", () => {
    expect(script.code).toBe(0);
    expect(offered("")).toEqual([...commandNames, "completion", "man", "help"]);
    expect(offered("re")).toEqual(["render", "recommend"]);
    expect(offered("--v")).toEqual(["--version"]);
  });

  test("flags are completed: exactly those of the command in the table", () => {
    for (const command of commandNames) {
      const flags = settingsOf(command).map(({ flag }) => `--${flag}`);
      expect(offered(command, "--").toSorted()).toEqual([...flags, "--config", "--help"].toSorted());
    }
    expect(offered("render", "-f", "x.yaml", "--named")).toEqual(["--named-ports"]);
    expect(offered("completion", "-")).toEqual(["--help", "-h"]);
  });

  test("values of choices are completed, behind a space, a letter and an equals sign", () => {
    expect(offered("render", "--output", "")).toEqual(["table", "json", "yaml", "restore"]);
    expect(offered("render", "-o", "j")).toEqual(["json"]);
    expect(offered("plan", "-o", "m")).toEqual(["markdown"]);
    // As bash divides `--named-ports=s` and `--named-ports=`.
    expect(offered("run", "--named-ports", "=", "s")).toEqual(["sets"]);
    expect(offered("run", "--named-ports", "=")).toEqual(["list", "sets"]);
    expect(offered("run", "--nb", "")).toEqual([]);
    expect(offered("get", "")).toEqual(["policies", "rules", "pod", "names"]);
    expect(offered("completion", "z")).toEqual(["zsh"]);
  });

  test("files are completed where a path is wanted", () => {
    expect(offered("render", "-f", "examples/cluster-c")).toEqual(["examples/cluster-control"]);
    expect(offered("run", "--config", "packag").toSorted()).toEqual(["package-lock.json", "package.json"]);
    expect(offered("render", "packag")).toEqual([]);
  });
});

describe.each(["zsh", "fish"])("in %s", (shell) => {
  const { code, stdout } = northgate("completion", shell);

  test("the script has every command, flag and choice", () => {
    expect(code).toBe(0);
    for (const command of commandNames) {
      expect(stdout).toContain(command);
      for (const { flag, choices = [] } of settingsOf(command))
        for (const word of [flag, ...choices]) expect(stdout).toContain(word);
    }
  });
});

test("another shell is wrong usage", () => {
  const { code, stdout, stderr } = northgate("completion", "tcsh");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("bash, zsh, fish");
});
