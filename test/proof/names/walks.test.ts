// Answers of DNS come, change, fail and are over while controllers run, end and take over. The walks are others in each run, and the same
// ones with `SEED=`; a failure prints the shortest walk that shows it.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { namespace, node, pod } from "../../support/facts.ts";
import { patience } from "../../support/patience.ts";
import { anp } from "../../support/policies.ts";
import { panel } from "../panel.ts";
import type { NamesWalk } from "./walks.ts";
import { followNames, namesWalks, newNamesTally } from "./walks.ts";

jest.setTimeout(patience(300_000));

const numRuns = 6 * panel.walks;
const stepsPerWalk = 12;
const tally = newNamesTally();

/** How long a walk that fails is made shorter. */
const shrinkingMs = 30_000;
let failedAt: number | null = null;

async function follow(walk: NamesWalk): Promise<void> {
  if (failedAt !== null && performance.now() - failedAt > shrinkingMs) return;
  try {
    await followNames(walk, tally);
  } catch (error) {
    failedAt ??= performance.now();
    throw error;
  }
}

test(`rows hold what answers say, on ${numRuns} walks`, async () => {
  await fc.assert(fc.asyncProperty(namesWalks(stepsPerWalk), follow), {
    numRuns,
    seed: panel.seed,
    includeErrorInReport: true,
    interruptAfterTimeLimit: patience(240_000),
  });
});

// What random walks come by now and then.
test("an answer shortens no deadline, and an address that a pod gets leaves its name", async () => {
  const objects = [
    namespace("a"),
    node("node-1", {}, ["172.18.0.1"], ["v4", "v6"]),
    ...[16, 17, 18].map((last) => pod("a", `p${last}`, { ips: [`10.0.0.${last}`] })),
  ];
  const egress = [
    { action: "Allow", to: [{ domainNames: ["*.example.org"] }] },
    { action: "Deny", to: [{ networks: ["0.0.0.0/0"] }] },
  ];
  const answered = [{ name: "www.example.org", addresses: ["198.51.100.20", "10.0.0.18"] }];
  const walk: NamesWalk = {
    ...{ objects, policies: [anp("names", { egress })], addressSets: "rule", salt: 1 },
    steps: [
      { kind: "pods", staying: [0, 1] },
      { kind: "answers", answered, ttl: 300 },
      { kind: "repeated", ttl: 0 },
      { kind: "time", seconds: 60 },
      { kind: "pods", staying: [0, 1, 2] },
      { kind: "takeover" },
    ],
  };
  const own = newNamesTally();
  await followNames(walk, own);
  expect(own.turned).toBeGreaterThan(0);
});

test("and steps of all kinds were taken, addresses were written, and packets got other verdicts", () => {
  const { steps, judged, turned, edits } = tally;
  const counts = Array.from(steps, ([kind, count]) => `${count} ${kind}`).join(", ");
  process.stderr.write(
    `judged on walks of names: SEED=${panel.seed}, ${numRuns} walks of ${counts}; ${judged} verdicts of rows, ` +
      `${turned} packets turned, ${edits} edits of address sets\n`,
  );
  expect(steps.size).toBe(8);
  expect(judged).toBeGreaterThan(numRuns * stepsPerWalk * 50);
  expect(edits).toBeGreaterThan(numRuns);
  expect(turned).toBeGreaterThan(numRuns);
});
