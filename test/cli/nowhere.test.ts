// A path that is not there, or holds nothing: no command answers about the world that is left without it. For lint it is a finding (lint.test.ts).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(60_000));

const examples = join(import.meta.dirname, "..", "..", "examples");
const world = join(examples, "cluster-control");
const nowhere = join(examples, "nowhere.yaml");
const pods = ["--from", "splunk/splunk-5f8c6d9f7b-7jx2p", "--to", "kube-system/coredns-76f75df574-5sn7h"];

describe("a path that is not there", () => {
  test.each([
    ["explain", ...pods, "--protocol", "udp", "--port", "53"],
    ["get"],
    ["can", "reach", "--all"],
    ["matrix"],
    ["plan", "--against", `dir:${world}`],
  ])("%s prints one line, and no answer", (...command) => {
    const { code, stdout, stderr } = northgate(...command, "-f", world, "-f", nowhere);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(`northgate: ${nowhere}: no such file or directory\n`);
  });

  test.each([
    ["get", "--source", `dir:${nowhere}`],
    ["plan", "-f", world, "--against", `dir:${nowhere}`],
    ["matrix", "-f", world, "--diff", nowhere],
  ])("the other world of %s", (...command) => {
    const { code, stdout, stderr } = northgate(...command);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${nowhere}: no such file or directory\n`);
  });
});

describe("a folder without any object that is read", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-nothing-"));
    writeFileSync(join(folder, "values.yaml"), "replicas: 1\n");
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["get", "no policies\n"],
    ["lint", "0 errors, 0 warnings, 0 of information\n"],
  ])("%s says so and ends with 1", (command, answer) => {
    const { code, stdout, stderr } = northgate(command, "-f", folder);
    expect([code, stdout]).toEqual([1, answer]);
    expect(stderr).toBe(
      "northgate: left alone: 1 document without apiVersion, kind, metadata and spec\n" +
        `northgate: ${folder}: no object that Northgate reads\n`,
    );
  });

  test("an object beside it is enough", () => {
    expect(northgate("get", "-f", folder, "-f", world).code).toBe(0);
  });
});
