// Verdicts on objects that policies refer to: given when the object or one that it asked for changes, once for each change,
// and taken back when it is gone; policies' own questions stay theirs.

import { expect, test } from "@jest/globals";
import { clusterGroup } from "../../test/support/antrea.ts";
import { antrea } from "../../test/support/dialects.ts";
import type { ObjectKey, ReferencedObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import { JudgedReferences } from "./judged-references.ts";
import { References } from "./references.ts";

test("a group is judged again when its child changes, and no other is", () => {
  const references = new References(antrea.references, new Map());
  const judged = new JudgedReferences([antrea], references);
  const web = { podSelector: {} };
  const settle = (...objects: readonly (ReferencedObject | ObjectKey)[]) => {
    for (const one of objects) {
      const [key, object] = typeof one === "string" ? [one, null] : [keyOf(one), one];
      references.observe(key, object);
      judged.observe(key, object);
    }
    const changed = judged.settle(references.takeStale());
    return Array.from(
      changed,
      ([key, one]) => `${key.split("/")[1] ?? ""} ${one?.verdict.reason ?? "gone"}`,
    ).sort();
  };
  const parent = clusterGroup("parent", { childGroups: ["child"] });
  const child = clusterGroup("child", web);
  expect(settle(parent, clusterGroup("other", web))).toEqual([
    "other MembersComputed",
    "parent ChildGroupMissing",
  ]);
  expect(settle()).toEqual([]);
  expect(settle(child)).toEqual(["child MembersComputed", "parent MembersComputed"]);
  // The child's verdict is the same, and its object another; the parent's verdict stays.
  expect(settle(clusterGroup("child", { namespaceSelector: {} }))).toEqual(["child MembersComputed"]);
  expect(settle(keyOf(child))).toEqual(["child gone", "parent ChildGroupMissing"]);
  expect(settle(keyOf(parent))).toEqual(["parent gone"]);
  expect(settle(child)).toEqual(["child MembersComputed"]);
  expect(Array.from(judged.all(), ([key]) => key.split("/")[1]).sort()).toEqual(["child", "other"]);
});
