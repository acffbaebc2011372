// What `make upgrade` judges, with this tree's program on both sides: nothing is written; and a program that writes other rows is found.

import { expect, test } from "@jest/globals";
import { rollThrough } from "../../faults/upgrade/roll.ts";
import { findControlPlane } from "../kube/control-plane.ts";
import { mainFile } from "../support/main-file.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { skippedGroup } from "../support/skipped-group.ts";

const plane = await findControlPlane();
const name = "from one program to another and back";
if (typeof plane === "string") {
  if (process.env["CI"] === "true") throw new Error(plane);
  process.stderr.write(`SKIPPED: ${plane}\n`);
  skippedGroup(name, plane);
} else
  await describeWithOvn(name, () => {
    test(
      "the same program writes no row, and one with other rows is found",
      async () => {
        const same = { main: mainFile, args: [] };
        const other = { name: "other", main: mainFile, args: ["--address-sets=shared"] };
        const [written, changed] = await rollThrough({ ...same, name: "old" }, [
          { ...same, name: "new" },
          other,
        ]);
        expect(written).toMatchObject({ operations: 0, changed: 0, removed: 0, standby: "ok; standby" });
        expect(changed?.operations).toBeGreaterThan(0);
        expect(changed?.changed).toBeGreaterThan(0);
        expect(changed?.standby).toMatch(/flags|address-sets/);
      },
      patience(240_000),
    );
  });
