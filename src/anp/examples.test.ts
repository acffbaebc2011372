// The examples are part of the product: the good ones compile without findings, the broken ones give findings of one
// line each.

import { describe, expect, test } from "@jest/globals";
import { formatSourceProblem, loadManifests } from "../informers/index.ts";
import { keyOf } from "../model/object.ts";
import { noBackend, OfflineModel } from "../offline/model.ts";
import { policyKinds } from "../policy/contracts/dialect.ts";
import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./index.ts";

const dialects = [adminNetworkPolicy, baselineAdminNetworkPolicy];

function load(...folders: string[]) {
  const { objects, problems, placeOf } = loadManifests(
    folders.map((folder) => `examples/${folder}`),
    policyKinds(dialects),
  );
  const model = new OfflineModel({ dialects, families: null, backend: () => noBackend });
  model.observe(objects);
  const records = [...model.records()];
  const found = records.flatMap(({ key, object, problems: own }) =>
    own.map((problem) => ({
      place: placeOf(key, problem.field) ?? "",
      object: `${object.kind} ${object.name}`,
      problem,
    })),
  );
  const names = records.filter(({ rejected }) => !rejected).map(({ object }) => object.name);
  return { objects, names, lines: [...problems, ...found].map(formatSourceProblem) };
}

test.each([
  ["cluster-control", ["cluster-control"], ["cluster-control", "default"]],
  [
    "tenants",
    ["multi-tenant/cluster", "multi-tenant/policies"],
    ["blue-tenant", "red-tenant", "yellow-tenant", "green-tenant", "multi-tenant-isolation"],
  ],
  [
    "tenants, flipped",
    ["multi-tenant/cluster", "multi-tenant/flipped"],
    ["yellow-tenant", "blue-tenant", "red-tenant", "green-tenant"],
  ],
])("%s compiles without a word", (_, folders, policies) => {
  const { names, lines } = load(...folders);
  expect(lines).toEqual([]);
  expect(names).toEqual(policies);
});

describe("broken", () => {
  const { objects, names, lines } = load("broken");

  test("what is fine beside the mistakes is read", () => {
    expect(names).toEqual(["good", "newer-api"]);
    const others = objects.filter((object) => !("spec" in object)).map(keyOf);
    expect(others).toEqual([
      "Namespace/web",
      "Node/ovn-worker",
      "Pod/web/good",
      "Pod/web/harmless",
      "Namespace/still-read",
    ]);
  });

  test("every mistake is one printable line with its file and its line", () => {
    for (const line of lines)
      expect(line).toMatch(/^examples\/broken\/[a-z-]+\.yaml(:\d+){1,2}: (error|warning): [\x20-\x7e]+$/);
    const files = new Set(lines.map((line) => line.slice("examples/broken/".length, line.indexOf(":"))));
    expect([...files].sort()).toEqual(
      [
        "alias-bomb",
        "half-written",
        "many-mistakes",
        "newer-api",
        "not-yaml",
        "quotes",
        "too-many-rules",
        "twice",
        "two-subjects",
        "wrong-kinds",
      ].map((name) => `${name}.yaml`),
    );
  });
});
