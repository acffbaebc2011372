// What is reported of policies: log lines, conditions and events, and which of them are not in force, for whatever reason.

import type { RunConfig } from "../config/config.ts";
import type { Engine } from "../controller/engine.ts";
import type { Installed } from "../dialects.ts";
import type { Groups } from "../groups/index.ts";
import type { DepartedZones } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { FactStore } from "../model/fact-store.ts";
import { fieldsOf } from "../policy/contracts/dialect.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { RunningBackend } from "../running-backend.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import { ApiClusterStatus } from "../status/cluster-status.ts";
import { noRuleInForce, stagedOf, zoneFault } from "../status/in-force.ts";
import { NotFollowed } from "../status/not-followed.ts";
import { ReportedPolicies } from "../status/reported.ts";
import type { ReporterOptions } from "../status/reporter.ts";
import { Reporter } from "../status/reporter.ts";
import { SubjectNodes } from "../status/subject-nodes.ts";
import { openDepartedZones } from "./departed-zones.ts";
import type { OpenedNames } from "./names/open-names.ts";
import type { OpenedSource } from "./sources.ts";

interface ReportingOptions {
  readonly config: RunConfig;
  readonly kinds: Pick<Installed, "dialects" | "shown">;
  readonly engine: Engine;
  readonly facts: FactStore;
  readonly groups: Groups;
  readonly source: OpenedSource;
  readonly running: RunningBackend;
  readonly names: Pick<OpenedNames, "unenforced">;
  readonly logger: Logger;
  /** Whether this instance writes, and sees what it writes of. */
  readonly leads: () => boolean;
  /** Count what is reported. */
  readonly counters: ReporterOptions["counters"];
  readonly fatal: (error: unknown) => void;
}

export interface OpenedReporting {
  readonly reported: ReportedPolicies;
  readonly reporter: Reporter;
  /** null: there is no cluster that has conditions. */
  readonly clusterStatus: ApiClusterStatus | null;
  readonly departed: DepartedZones | null;
  readonly notFollowed: NotFollowed;
  /** Why a policy is not in force, or, for null, why none is. */
  readonly unenforced: (key: PolicyKey | null) => Unenforced | null;
}

export function openReporting(options: ReportingOptions): OpenedReporting {
  const { config, kinds, engine, facts, groups, source, running, logger, leads, counters, fatal } = options;
  const { backend } = running;
  const { zone } = config;
  const cluster = config.conditions ? source.cluster : null;
  const reported = new ReportedPolicies();
  const nodes = new SubjectNodes({ membership: groups, policy: (key) => engine.plain(key) });
  const clusterStatus =
    cluster === null
      ? null
      : new ApiClusterStatus({ cluster, shown: kinds.shown, zone, logger, fatal, nodes });
  const departed = openDepartedZones({ cluster, engine, facts, zone, logger, fatal, leads });
  const notFollowed = new NotFollowed(() => source.resources());
  const unenforced = (key: PolicyKey | null): Unenforced | null => {
    const everywhere = zoneFault(zone, facts, backend) ?? backend.unenforced(null);
    const record = key && engine.record(key);
    const staged = record && stagedOf(record);
    if (staged !== null) return staged;
    if (record === null) return everywhere ?? (key && backend.unenforced(key));
    const own = notFollowed.of(record.key, record.object.generation) ?? noRuleInForce(record);
    return everywhere ?? own ?? backend.unenforced(record.key) ?? options.names.unenforced(record.policy);
  };
  const reporter = new Reporter({
    ...{
      reported,
      engine,
      clusterStatus,
      unenforced,
      shown: kinds.shown,
      clock: systemClock,
      logger,
      counters,
    },
    askProof: running.askProof,
    patienceSeconds: config.waitTimeoutMs / 1000,
    unmatchedPorts: (key) => backend.unmatchedPorts(key),
    observed: () => {
      running.reconsider();
    },
    placeOf: (key, field) => source.placeOf(key, field),
    fieldOf: fieldsOf(kinds.dialects),
  });
  return { reported, reporter, clusterStatus, departed, notFollowed, unenforced };
}
