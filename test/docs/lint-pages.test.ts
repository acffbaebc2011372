// The page of each rule of lint: its head is of the present catalogue, and its examples have and have not the finding. Prints what
// the rule says of its own example, so that a page whose example fails for another reason is seen. A Deployment instead of each Pod
// has the same findings.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { everyKind, installed } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { catalogue } from "../../src/lint/catalogue.ts";
import { withRule } from "../../src/lint/document.ts";
import type { Finding } from "../../src/lint/finding.ts";
import type { PodFact } from "../../src/model/facts.ts";
import { isReferenced } from "../../src/model/object.ts";
import type { ReferencedObject } from "../../src/model/object.ts";
import { serviceKind } from "../../src/model/service.ts";
import { namesFlag } from "../../src/policy/contracts/names.ts";
import { deploymentOf } from "../support/facts.ts";
import { briefOf, reportOf } from "../support/linted.ts";
import { root } from "./reader.ts";

/** Their examples are in words: they need a database, counts of nodes, another program's rows, or hundreds of pods. */
const inWords: ReadonlySet<string> = new Set(["NG018", "NG019", "NG020", "NG030"]);
const flags = new Map([["NG011", { monitoring: "monitoring" }]]);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-lint-pages-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const pageOf = (id: string): string => readFileSync(`${root}/docs/lint/${id}.md`, "utf8");
/** Prettier breaks lines, and means nothing by it. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("\\", "");

/** The blocks of YAML of a page: what fails, and what passes. */
function examplesOf(id: string): readonly string[] {
  return [...pageOf(id).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ""]) => text);
}

type Of = "pods" | "workloads";

function findingsIn(id: string, text: string, of: Of = "pods"): readonly Finding[] {
  const file = join(folder, `${id}.yaml`);
  writeFileSync(file, text);
  const { policies, references, dialects } = installed({ ...everyKind, [namesFlag]: "dnstap" });
  const { objects, problems } = loadManifests([file], policies, [...references, serviceKind]);
  expect(problems).toEqual([]);
  const isService = (one: (typeof objects)[number]): one is ReferencedObject =>
    isReferenced(one) && one.kind === "Service";
  const isReplaced = (one: (typeof objects)[number]): one is PodFact =>
    of === "workloads" && one.kind === "Pod";
  return reportOf(
    objects.filter((one) => !isService(one) && !isReplaced(one)),
    {
      ...{ dialects, services: objects.filter(isService), needs: flags.get(id) ?? {} },
      workloads: objects.filter(isReplaced).map(deploymentOf),
    },
  ).findings;
}

describe.each(catalogue.map((rule) => [rule.id, rule] as const))("%s", (id, rule) => {
  test("has a page of the present catalogue: otherwise `node scripts/lint-doc.ts`", () => {
    expect(flat(withRule(pageOf(id), rule))).toBe(flat(pageOf(id)));
    expect(examplesOf(id)).toHaveLength(inWords.has(id) ? 0 : 2);
  });

  if (inWords.has(id)) return;

  test("the example fails, and passes as it is corrected", () => {
    const [fails = "", passes = ""] = examplesOf(id);
    const found = findingsIn(id, fails).filter((one) => one.id === id);
    expect(found.map(({ suppressed }) => suppressed)).not.toEqual([]);
    expect(findingsIn(id, passes).filter((one) => one.id === id && one.suppressed === null)).toEqual([]);
  });

  test("a repository of Deployments has the same findings", () => {
    for (const text of examplesOf(id)) {
      const [ofPods, ofWorkloads] = (["pods", "workloads"] as const).map((of) => findingsIn(id, text, of));
      expect(ofWorkloads?.map(briefOf)).toEqual(ofPods?.map(briefOf));
      const messages = ofWorkloads?.map(({ message }) => message).join("\n") ?? "";
      expect(messages).not.toMatch(/\bpods?\/|Deployment:/);
    }
  });

  test("the corrected example has no other warning", () => {
    const [, passes = ""] = examplesOf(id);
    const others = findingsIn(id, passes).filter((one) => one.severity !== "info" && one.suppressed === null);
    expect(others.map(({ id: other, message }) => `${other} ${message}`)).toEqual([]);
  });
});
