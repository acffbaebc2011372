// What was written without an edit, with units of a backend's own making: what counts, what is reported, and what waits.

import { expect, test } from "@jest/globals";
import type { LogFields, Logger } from "../lib/logger.ts";
import { silentLogger } from "../lib/logger.ts";
import type { Causes } from "./corrections.ts";
import { Corrections } from "./corrections.ts";

type Chain = `chain ${string}`;

const nothing: Causes = { drifted: false, edited: false, found: false };

function opened() {
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const clock = { at: 0, now: () => clock.at };
  const logger: Logger = {
    ...silentLogger,
    info: (message, fields) => lines.push([message, fields]),
    warn: (message, fields) => lines.push([message, fields]),
  };
  const corrections = new Corrections<Chain>({
    ...{ clock, logger },
    describe: (units) => ({ counts: { chains: units.size }, names: [...units].sort().join(", ") }),
  });
  return { corrections, clock, lines };
}

test("counts what was written, by its cause, and reports each cause once a commit", () => {
  const { corrections, lines } = opened();
  corrections.planned("chain a", { ...nothing, drifted: true }, true, 2);
  corrections.planned("chain b", { ...nothing, drifted: true }, true, 1);
  corrections.planned("chain c", { ...nothing, found: true }, false, 3);
  corrections.planned("chain d", { ...nothing, found: true }, true, 4);
  // An edit is no correction, nor is drift that needs nothing.
  corrections.planned("chain e", { ...nothing, edited: true, drifted: true }, true, 5);
  corrections.planned("chain f", { ...nothing, drifted: true }, true, 0);
  corrections.roundOver();
  corrections.report();
  expect(corrections.counts).toEqual({ repair: 2, sweep: 1, takeover: 1 });
  expect(lines.map(([, fields]) => fields)).toEqual([
    { chains: 2, operations: 3, which: "chain a, chain b" },
    { chains: 1, operations: 3, which: "chain c" },
    { chains: 1, operations: 4, which: "chain d" },
  ]);
});

test("what was not written keeps its causes and does not count", () => {
  const { corrections, lines } = opened();
  corrections.planned("chain a", { ...nothing, drifted: true }, true, 1);
  expect(corrections.notWritten("chain a")).toEqual({ ...nothing, drifted: true });
  corrections.roundOver();
  corrections.report();
  expect([corrections.counts.repair, lines]).toEqual([0, []]);
});

test("three repairs within a minute are a conflict, whose next repair waits longer each time", () => {
  const { corrections, clock, lines } = opened();
  const { conflicts } = corrections;
  const pauses: number[] = [];
  for (let repair = 1; repair <= 5; repair++) {
    corrections.planned("chain a", { ...nothing, drifted: true }, true, 1);
    corrections.roundOver();
    pauses.push(conflicts.pausedUntil("chain a") - clock.at);
    clock.at += 3_000;
  }
  expect(pauses).toEqual([-Infinity, -Infinity, 100, 200, 400]);
  expect(conflicts.pausedUntil("chain b")).toBe(-Infinity);
  expect(conflicts.lines()).toEqual(["another program writes the same rows: chain a"]);
  expect(lines.filter(([message]) => message === "another program writes the same rows")).toHaveLength(1);
  clock.at += 60_000;
  expect([conflicts.contested().size, conflicts.lines()]).toEqual([0, []]);
});
