// What lint finds in objects, in few words: for tests of its rules.

import type { Cni } from "../../src/cni/answers.ts";
import { everyDialect } from "../../src/dialects.ts";
import type { Hits } from "../../src/hits/hits.ts";
import type { ForeignPolicy } from "../../src/unknowns/foreign.ts";
import type { Finding, Report } from "../../src/lint/finding.ts";
import type { Beside } from "../../src/lint/context.ts";
import type { Choice } from "../../src/lint/lint.ts";
import { everyRule, lint } from "../../src/lint/lint.ts";
import type { Needs } from "../../src/analysis/needs.ts";
import { usualNeeds } from "../../src/analysis/needs.ts";
import type { ReferencedObject, WorldObject } from "../../src/model/object.ts";
import { readService } from "../../src/model/service.ts";
import type { Workload } from "../../src/model/workload.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";

export interface LintTask {
  readonly needs?: Partial<Needs>;
  readonly choice?: Choice;
  readonly dialects?: readonly Dialect[];
  readonly foreign?: readonly ForeignPolicy[];
  readonly notAsked?: readonly string[];
  readonly beside?: Beside;
  readonly workloads?: readonly Workload[];
  readonly services?: readonly ReferencedObject[];
  readonly cni?: Cni | null;
  readonly hits?: Hits;
}

export function reportOf(objects: readonly WorldObject[], task: LintTask = {}): Report {
  const {
    needs = {},
    choice = everyRule,
    dialects = everyDialect.dialects,
    foreign = [],
    notAsked = [],
    beside = null,
    workloads = [],
    services = [],
    cni = null,
    hits = null,
  } = task;
  const model = offlineModel({
    objects,
    dialects,
    families: null,
    mode: { zone: null, namedPorts: "list", ...(beside === null ? {} : { tierLayout: stack }) },
  });
  return lint(
    {
      ...{ policies: model.policies(), records: [...model.records()], facts: model.facts, dialects },
      placeOf: (key, field) => `${key} ${field}`,
      needs: { ...usualNeeds, ...needs },
      ...{ foreign, notAsked, beside, workloads, cni, hits, services: services.map(readService) },
    },
    choice,
  );
}

/** "NG001 warning p egress[2]" */
export function briefOf({ id, severity, policy, rule }: Finding): string {
  const at = rule === null ? [] : [`${rule.direction}[${rule.index}]`];
  return [id, severity, policy.name, ...at].join(" ");
}

/** In order; of these rules alone where some are named. */
export function found(
  objects: readonly WorldObject[],
  ids: readonly string[] = [],
  task: LintTask = {},
): readonly string[] {
  const { findings } = reportOf(objects, task);
  return findings.filter(({ id }) => ids.length === 0 || ids.includes(id)).map(briefOf);
}
