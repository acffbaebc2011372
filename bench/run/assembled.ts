// The controller's loop between a source in memory and a backend, put together as src/wiring/assemble.ts does it.

import { Engine } from "../../src/controller/engine.ts";
import { Loop } from "../../src/controller/loop.ts";
import type { Installed } from "../../src/dialects.ts";
import { installed, shownKey } from "../../src/dialects.ts";
import type { Groups } from "../../src/groups/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { FactStore } from "../../src/model/fact-store.ts";
import type { Backend } from "../../src/policy/contracts/backend.ts";
import { ReportedPolicies } from "../../src/status/reported.ts";
import { Reporter } from "../../src/status/reporter.ts";
import type { MemorySource } from "../../test/support/controller.ts";
import type { Workload } from "../workloads/catalogue.ts";
import { kindFlags } from "../workloads/rendering.ts";

/** As `run` is told by its flags, so that the others are measured with what it follows by default. */
export function installedFor(workload: Workload | null): Installed {
  return installed(kindFlags(workload?.kind));
}

export interface LoopParts extends Pick<Installed, "dialects"> {
  readonly source: MemorySource;
  readonly facts: FactStore;
  readonly groups: Groups;
  readonly backend: Backend;
  /** Is called when a pass has ended. */
  readonly pass: () => void;
}

export function loopOf({ source, facts, groups, backend, dialects, pass }: LoopParts): Loop {
  const engine = new Engine({ dialects, facts, groups, backend, families: null });
  const reporter = new Reporter({
    reported: new ReportedPolicies(),
    engine,
    clusterStatus: null,
    askProof: null,
    patienceSeconds: 60,
    unmatchedPorts: (key) => backend.unmatchedPorts(key),
    unenforced: (key) => backend.unenforced(null) ?? backend.unenforced(key),
    observed: () => undefined,
    clock: systemClock,
    placeOf: () => "",
    fieldOf: () => "",
    shown: shownKey,
    logger: silentLogger,
    counters: {
      problem: (code) => {
        throw new Error(`a workload's policy has a problem: ${code}`);
      },
      pass,
    },
  });
  return new Loop({
    source,
    engine,
    groups,
    backend,
    observer: reporter,
    logger: silentLogger,
    clock: systemClock,
    random: () => 0.5,
    allowEmpty: false,
    zoneFault: () => null,
    fatal: (error) => {
      queueMicrotask(() => {
        throw error;
      });
    },
  });
}
