// What outsiders may ask of a run: what /healthz and /readyz answer, and the metrics.

import type { LiveBackend } from "../backend-kind.ts";
import type { Loop } from "../controller/loop.ts";
import type { Engine } from "../controller/engine.ts";
import type { Installed } from "../dialects.ts";
import type { Groups } from "../groups/index.ts";
import type { Checks } from "../metrics/server.ts";
import { Metrics } from "../metrics/metrics.ts";
import { problemCodes } from "../model/problem.ts";
import { unenforcedLines } from "../status/in-force.ts";
import { heldLines } from "../status/held-objects.ts";
import type { MissingKinds } from "../status/missing-kinds.ts";
import type { Sight } from "../status/sight.ts";
import type { RunningBackend } from "../running-backend.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import { version } from "../version.ts";
import { checksOf } from "./checks.ts";
import type { OpenedNames } from "./names/open-names.ts";
import type { MetricParts } from "./read-metrics.ts";
import { readMetrics } from "./read-metrics.ts";
import type { OpenedReporting } from "./reporting.ts";
import type { OpenedSource } from "./sources.ts";

interface ObservedParts {
  readonly kinds: Pick<Installed, "shown">;
  readonly source: OpenedSource;
  readonly sight: Sight;
  readonly engine: Engine;
  readonly groups: Groups;
  readonly loop: Loop;
  readonly kind: LiveBackend;
  readonly running: RunningBackend;
  readonly reporting: OpenedReporting;
  readonly names: OpenedNames;
  readonly missingKinds: MissingKinds;
  /** A bug of ours has ended the work. */
  readonly isBroken: () => boolean;
}

export interface Observation {
  readonly checks: Checks;
  readonly metrics: Metrics<MetricParts>;
  /** Why no policy is in force; null: it depends on the policy, or is not known yet. */
  readonly everywhere: () => Unenforced | null;
  /** Lines for people about what is not in force. */
  readonly notEnforced: () => readonly string[];
}

export function observationOf(parts: ObservedParts): Observation {
  const { source, sight, engine, groups, loop, running, reporting, missingKinds, names, isBroken } = parts;
  const { reported, unenforced, clusterStatus } = reporting;
  const everywhere = () => (loop.reconciled ? unenforced(null) : null);
  const notEnforced = () =>
    loop.reconciled ? unenforcedLines(reported, unenforced(null), parts.kinds.shown) : [];
  const notes = () => [
    ...[
      ...notEnforced(),
      ...missingKinds.lines(),
      ...heldLines(source.resources()),
      ...running.notes(),
      ...names.lines(),
    ],
  ];
  const checks = checksOf({ running, loop, source, sight, isBroken, notes });
  const metrics = new Metrics(
    {
      table: readMetrics(parts.kind),
      parts: {
        ...{ reported, engine, loop, running, groups, source, missingKinds, sight },
        ...{ names: names.names, taps: names.taps },
        isReady: () => checks.readiness().length === 0,
        writes: () => clusterStatus?.writes() ?? [],
      },
    },
    version(),
    problemCodes,
  );
  return { checks, metrics, everywhere, notEnforced };
}
