// What the comparison of two builds rests on: a world is made by its seed alone, its manifests say what its objects say, and
// the comparison sees every difference but those in texts for people.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { everyDialect } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { keyOf } from "../../src/model/object.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { withAntrea } from "../proof/antrea-policies.ts";
import { withOwnNetworkPolicies } from "../proof/own-network-policies.ts";
import { proofWorld } from "../proof/worlds.ts";
import { writeJson } from "../support/manifests.ts";
import { difference } from "./compare.ts";
import { manifestsOf } from "./objects.ts";
import { questionsOf } from "./questions.ts";
import { pairOf } from "./worlds.ts";

/** By key; of a node's networks the families alone are drawn. */
const inOrder = (objects: readonly WorldObject[]) =>
  objects
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((one) => ({ ...one, podNetworks: undefined }));

test("manifests are read as the objects that they were written from", () => {
  const folder = mkdtempSync(join(tmpdir(), "ngt-equality-"));
  try {
    fc.assert(
      fc.property(withAntrea(withOwnNetworkPolicies(proofWorld)), ({ objects }) => {
        const file = join(folder, "all.yaml");
        writeJson(file, manifestsOf(objects));
        const read = loadManifests([file], everyDialect.policies, everyDialect.references);
        expect(read.problems).toEqual([]);
        expect(inOrder(read.objects)).toEqual(inOrder(objects));
      }),
      { numRuns: 30 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a seed makes one world, with a change of it and the same questions", () => {
  const kinds = new Set<string>();
  for (let seed = 0; seed < 12; seed++) {
    const pair = pairOf(seed);
    expect(pairOf(seed)).toEqual(pair);
    expect(questionsOf(pairOf(seed))).toEqual(questionsOf(pair));
    expect(pair.next).not.toEqual(pair.world);
    kinds.add(pair.kind);
  }
  expect(kinds.size).toBe(6);
});

describe("what differs", () => {
  const answer = {
    stdout: '{"verdict": "allow", "text": "allowed"}',
    stderr: "a.yaml:3: error: no\n",
    code: 0,
  };

  test.each([
    ["exit code", { code: 1 }, "exit code 0 became 1"],
    ["a value", { stdout: '{"verdict": "deny", "text": "allowed"}' }, "line 2"],
    ["a field more", { stdout: '{"verdict": "allow", "other": 1}' }, "line 2"],
    ["text that is no JSON", { stdout: "a table\n" }, "line 1"],
    ["a finding at another place", { stderr: "a.yaml:4: error: no\n" }, "line 1"],
    ["an error that was a warning", { stderr: "a.yaml:3: warning: no\n" }, "line 1"],
  ])("%s", (_, change, says) => {
    expect(difference(["explain"], answer, { ...answer, ...change })).toContain(says);
  });

  test("not the order of lists that may have another one", () => {
    const related = (...ids: readonly object[]) => ({ ...answer, stdout: JSON.stringify({ related: ids }) });
    const [a, b] = [{ policy: "a" }, { policy: "b" }];
    expect(difference(["lint"], related(a, b), related(b, a))).toBeNull();
    expect(difference(["lint"], related(a, b), related(a, a))).not.toBeNull();
    expect(difference(["explain"], related(a, b), related(b, a))).not.toBeNull();
  });

  test("not what is allowed of a command line, and only there", () => {
    const [fewer, more] = ['{"verdict": "deny"}', '{"verdict": "deny", "workloads": 3}'];
    const asked = (args: readonly string[], change: object) =>
      difference(args, { ...answer, stdout: fewer }, { ...answer, stdout: fewer, ...change });
    expect(asked(["plan"], { stdout: more })).toBeNull();
    expect(difference(["plan"], { ...answer, stdout: more }, { ...answer, stdout: fewer })).not.toBeNull();
    expect(asked(["migrate"], { stdout: more })).not.toBeNull();
    expect(asked(["plan"], { stdout: more.replace("deny", "allow") })).not.toBeNull();
    const off = ["render", "--enable-antrea-policy", "false"];
    expect(asked(off, { code: 1, stderr: "" })).toBeNull();
    expect(asked(off.slice(0, 1), { code: 1 })).not.toBeNull();
    expect(asked(off.slice(0, 1), { stderr: "" })).not.toBeNull();
  });

  test("not aliases of YAML", () => {
    const yaml = (stdout: string) => ({ ...answer, stdout });
    const aliased = yaml("- &a [x, y]\n- *a\n");
    expect(difference(["render", "-o", "yaml"], aliased, yaml("- [x, y]\n- [x, y]\n"))).toBeNull();
    expect(difference(["render", "-o", "yaml"], aliased, yaml("- [x, y]\n- [x]\n"))).not.toBeNull();
  });

  test("not words for people", () => {
    const other = {
      stdout: '{"verdict": "allow", "text": "let through"}',
      stderr: "a.yaml:3: error: never\n",
    };
    expect(difference(["explain"], answer, { ...answer, ...other })).toBeNull();
  });
});
