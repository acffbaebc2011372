// Northgate as a Deployment with two replicas, while each short fault happens to it once: what it must do meanwhile, it does. `make cluster-faults` has
// the long ones too.

import { expect, test } from "@jest/globals";
import { patience } from "../../../test/support/patience.ts";
import { clusterFaults } from "../faults/kinds.ts";
import { type Stage, workers } from "../stage.ts";

const slow = patience(240_000);

export function testDeployment(stage: () => Stage): void {
  test("two replicas are ready on two nodes, and one of them writes", async () => {
    expect(await stage().pods.nodes()).toEqual(workers);
    await stage().roles();
    await stage().enforcesAnEdit();
  });

  test.each(clusterFaults.filter(({ isLong = false }) => !isLong))(
    "$name: Northgate goes on, enforces an edit meanwhile, and is whole again",
    async ({ run }) => {
      await run(stage());
    },
    slow,
  );
}
