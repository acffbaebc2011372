// A path that is not there: no command answers about the world that is left without it. For lint it is a finding (lint.test.ts).

import { join } from "node:path";
import { describe, expect, jest, test } from "@jest/globals";
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
