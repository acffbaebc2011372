// The short form of `make faults`: the same faults and the same judge, a few times each. Judged by states and counts; times
// are printed, because a busy machine says nothing about them.

import { expect, test } from "@jest/globals";
import type { FaultKind } from "../../faults/kinds/kind.ts";
import { type Outcome, run } from "../../faults/run.ts";
import { findControlPlane } from "../kube/control-plane.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { skippedGroup } from "../support/skipped-group.ts";

const tell = (line: string): void => {
  process.stderr.write(`  ${line}\n`);
};
const shown = (of: Outcome["converged"]) => (of === null ? "none" : `${Math.round(of.worst)} ms at worst`);

export interface Short {
  readonly kind: FaultKind;
  readonly times: number;
  /** At least so many transactions must have been refused inside the database. */
  readonly refused?: number;
}

/** A test for each: all times end right. Several at once, each on databases of its own: most of the time is waited. */
export async function describeFaults(name: string, all: readonly Short[]): Promise<void> {
  await describeWithOvn(name, () => {
    test.concurrent.each(all.map((one) => [`${one.kind.group}: ${one.kind.name}`, one] as const))(
      "%s",
      async (_, { kind, times, refused = 0 }) => {
        const outcome = await run(kind, times, tell, 2);
        tell(
          `${kind.name}: right after ${shown(outcome.converged)}, another claim: ${shown(outcome.takeover)}`,
        );
        expect(outcome.failures).toEqual([]);
        expect([outcome.right, outcome.lost, outcome.wrongStatus ?? 0]).toEqual([times, 0, 0]);
        expect(outcome.refused).toBeGreaterThanOrEqual(refused);
      },
      patience(180_000),
    );
  });
}

/** The same of kinds that need a control plane, once each. */
export async function describeFaultsOfApi(name: string, kinds: readonly FaultKind[]): Promise<void> {
  const plane = await findControlPlane();
  if (typeof plane !== "string") {
    await describeFaults(
      name,
      kinds.map((kind) => ({ kind, times: 1 })),
    );
    return;
  }
  if (process.env["CI"] === "true") throw new Error(plane);
  process.stderr.write(`SKIPPED: ${plane}\n`);
  skippedGroup(name, "needs a control plane");
}
