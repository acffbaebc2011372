// Objects that another API group served are counted by kind, with what ends it.

import { expect, test } from "@jest/globals";
import { heldLines } from "./held-objects.ts";

test("one line a kind of which objects are kept, and none for the others", () => {
  const readAs = { group: "crd.traffic.test", version: "v1" };
  const lines = heldLines([
    { kind: "TrafficPolicy", readAs, held: 1 },
    { kind: "PodSet", readAs, held: 0 },
    { kind: "Tier", readAs, held: 2 },
  ]);
  expect(lines.map((line) => line.split(":")[1])).toEqual([
    " 1 object is kept as last read",
    " 2 objects are kept as last read",
  ]);
  expect(lines[0]).toContain("crd.traffic.test/v1, which is read now, does not have them");
});
