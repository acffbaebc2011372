// .northgate.yaml: where it is looked for, what counts more, and that a mistake in it names the file and the field.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readLintConfig } from "../answers/lint.ts";
import { projectFlags, projectSettings, readProject } from "./project.ts";
import { readGetConfig } from "../answers/questions.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-project-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const failOn = (level: string) => `lint: { failOn: ${level} }\n`;
const inFolder = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
};

/** Ten aliases of ten aliases of …: 10 to the power of 9 texts. */
const bomb = [
  "a: &a [x,x,x,x,x,x,x,x,x,x]",
  ..."bcdefghij".split("").map((name, at) => {
    const all = Array.from({ length: 10 }, () => `*${"abcdefghij".charAt(at)}`);
    return `${name}: &${name} [${all.join()}]`;
  }),
].join("\n");

describe("the file", () => {
  test("is looked for up to the root of the repository, and the nearest counts", () => {
    const below = inFolder("repository/a/b");
    inFolder("repository/.git");
    writeFileSync(join(folder, ".northgate.yaml"), failOn("info"));
    expect(projectSettings(below).lint.failOn).toBeNull();
    writeFileSync(join(folder, "repository/.northgate.yaml"), failOn("warning"));
    expect(projectSettings(below).lint.failOn).toBe("warning");
    writeFileSync(join(below, ".northgate.yaml"), failOn("error"));
    expect(projectSettings(below).lint.failOn).toBe("error");
  });

  test("outside of a repository is that of the folder alone", () => {
    writeFileSync(join(folder, ".northgate.yaml"), failOn("info"));
    expect(projectSettings(folder).lint.failOn).toBe("info");
    expect(projectSettings(inFolder("alone/below")).lint.failOn).toBeNull();
  });

  // prettier-ignore
  const wrong: [string, string][] = [
    ["lint: { failon: error }", "f: lint.failon: this setting is not known here; there are failOn, severity"],
    ["lnt: {}", "f: lnt: this setting is not known here; there are cni, lint"],
    ["lint: { failOn: bad }", 'f: lint.failOn: must be one of error, warning, info, not "bad"'],
    ["lint: { severity: { NG001: loud } }", 'f: lint.severity.NG001: must be one of error, warning, info, off, not "loud"'],
    ["lint: { severity: [NG001] }", 'f: lint.severity: must be an object, not a list'],
    ["lint: yes", 'f: lint: must be an object, not "yes"'],
    ["- lint", 'f: must be an object, not a list'],
    ["lint: [", "f: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 8:"],
    ["lint: {}\nlint: {}", "f: Map keys must be unique at line 2, column 1:"],
    ["lint: {}\n---\nlint: {}", "f: it must be one YAML document, not several"],
    ["lint: !odd {}", "f: Unresolved tag: !odd at line 1, column 7:"],
    ["lint: *x", "f: Unresolved alias (the anchor must be set before the alias): x"],
    ["%YAML 9.9\n---\nlint: {}", "f: Unsupported YAML version 9.9 at line 1, column 7:"],
    ["? [lint]\n: {}", "f: With stringKeys, all keys must be strings at line 1, column 3:"],
    ["lint: { __proto__: 1 }", "f: lint.__proto__: this setting is not known here; there are failOn, severity"],
    ["\0", 'f: must be an object, not "\\u0000"'],
    [bomb, "f: Excessive alias count indicates a resource exhaustion attack"],
  ];
  test.each(wrong)("%j is an error that names the field", (text, message) => {
    expect(() => readProject("f", text)).toThrow(message);
  });

  test.each(["", "# nothing\n", "lint:\n", "lint: { severity: }\n"])("%j sets nothing", (text) => {
    expect(readProject("f", text)).toEqual({ cni: null, lint: { failOn: null, severity: [] } });
  });
});

describe("cni", () => {
  const cniOf = (flags: Readonly<Record<string, readonly string[]>>, environment = {}) => {
    writeFileSync(join(inFolder("plugins"), ".northgate.yaml"), "cni: cilium\n");
    const project = projectFlags(join(folder, "plugins"));
    return readGetConfig({ flags: { filename: ["x"], ...flags }, environment, project }).world.kinds["cni"];
  };

  test("has what the file says, unless a flag or the environment says something else", () => {
    expect(cniOf({})).toBe("cilium");
    expect(cniOf({ cni: ["antrea"] })).toBe("antrea");
    expect(cniOf({}, { NORTHGATE_CNI: "generic" })).toBe("generic");
    expect(cniOf({ cni: ["ovn"] })).toBeUndefined();
  });

  test("is one of the plugins, beside settings of lint", () => {
    expect(() => readProject("f", "cni: flannel")).toThrow(
      "f: cni: must be one of ovn, generic, antrea, calico, cilium",
    );
    const both = readProject("f", `cni: calico\n${failOn("info")}`);
    expect([both.cni, both.lint.failOn]).toEqual([{ text: "calico", from: "f: cni" }, "info"]);
  });
});

describe("lint", () => {
  const config = (text: string, flags: Readonly<Record<string, readonly string[]>> = {}, environment = {}) =>
    readLintConfig({ flags: { filename: ["x"], ...flags }, environment }, readProject("f", text));

  test("has what the file says, unless a flag or the environment says something else", () => {
    expect(config(failOn("warning")).failOn).toBe("warning");
    expect(config(failOn("warning"), { "fail-on": ["error"] }).failOn).toBe("error");
    expect(config(failOn("warning"), {}, { NORTHGATE_FAIL_ON: "info" }).failOn).toBe("info");
    expect(config("").failOn).toBe("error");
  });

  test("has the severities of the file before those of flags", () => {
    const { severity } = config("lint: { severity: { NG001: off, NG002: info } }", {
      severity: ["NG001=error"],
    });
    expect(severity).toEqual([
      { id: "NG001", level: "off", from: "f: lint.severity" },
      { id: "NG002", level: "info", from: "f: lint.severity" },
      { id: "NG001", level: "error", from: "--severity" },
    ]);
  });

  test.each(["NG001", "NG001=", "=off", "NG001=loud", "NG001=off=off"])(
    "--severity %s is wrong usage",
    (text) => {
      expect(() => config("", { severity: [text] })).toThrow(`--severity: "${text}" is not ID=LEVEL`);
    },
  );
});
