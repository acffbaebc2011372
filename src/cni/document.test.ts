// docs/cni.md has the answers as they are, and every answer has a page.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { cniNamed, cnis, cniNames } from "./answers.ts";
import { withAnswers } from "./document.ts";

const page = readFileSync(new URL("../../docs/cni.md", import.meta.url), "utf8");
/** Prettier breaks lines and aligns tables, and means nothing by it. */
const flat = (text: string): string => text.replaceAll(/[\s-]+/g, " ").replaceAll("\\", "");

test("docs/cni.md is of the present answers: otherwise `node scripts/cni-doc.ts`", () => {
  expect(flat(withAnswers(page))).toBe(flat(page));
});

test("every answer has a page of the project's own documentation, and a few words", () => {
  const hosts = /^https:\/\/(kubernetes\.io|antrea\.io|docs\.tigera\.io|docs\.cilium\.io)\//;
  for (const cni of cnis) {
    const answers = Object.values(cni).filter(
      (one) => typeof one === "object" && one !== null && "source" in one,
    );
    expect(answers).toHaveLength(10);
    for (const { source, says } of answers) {
      expect(source).toMatch(hosts);
      expect(says).toMatch(/^[^.]+$/);
    }
  }
});

test("ovn is the default, and no plugin of the table", () => {
  expect(cniNames).toEqual(["ovn", "generic", "antrea", "calico", "cilium"]);
  expect([cniNamed(undefined), cniNamed("ovn")]).toEqual([null, null]);
});
