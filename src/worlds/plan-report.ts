// The report of a plan, put together: the objects, the rows and the verdicts that differ between two loaded worlds.

import type { ExistingRows } from "../backend-kind.ts";
import { backendNamed } from "../backends.ts";
import { everyKind, installed } from "../dialects.ts";
import type { PlanConfig } from "../config/answers/plan.ts";
import { usualNeeds } from "../analysis/needs.ts";
import type { RuleRef } from "../analysis/ref.ts";
import { ruleRefOf } from "../analysis/ref.ts";
import type { ObjectKind } from "../model/object.ts";
import { isSameKind, kindTextOf } from "../model/object.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import { dialectsByKind } from "../policy/contracts/dialect.ts";
import { unknownsOf } from "../unknowns/unknowns.ts";
import { allRead } from "../unknowns/foreign.ts";
import { foreignCaveats, foreignObjects, unjudgedForeign } from "../plan/foreign-policies.ts";
import type { DomainRule } from "../plan/domain-rules.ts";
import { unresolved, withoutDomains } from "../plan/domain-rules.ts";
import { judged } from "../plan/judged.ts";
import { Edits } from "../plan/summary/edits.ts";
import { summaryOf } from "../plan/summary/summary.ts";
import { objectChanges } from "../plan/object-changes.ts";
import type { Caveat, PlanReport, RowChanges } from "../plan/report.ts";
import type { RuleNamer } from "../plan/deciders.ts";
import { plannedWorld, pluginCaveats } from "./planned-world.ts";
import { distinct } from "../plan/unjudged.ts";
import type { Progress } from "../verdicts/comparison.ts";
import type { Both } from "../verdicts/worlds.ts";
import { both } from "../verdicts/worlds.ts";
import { unreadText } from "../unknowns/unread.ts";
import type { LoadedWorld } from "./world.ts";

/** What a plan needs of a world. */
type ComparedWorld = Pick<LoadedWorld, "model" | "objects" | "dialects" | "placeOf"> &
  Partial<Pick<LoadedWorld, "judged" | "unread" | "notRead" | "workloads" | "cni">>;

export function reportOf(
  worlds: Both<ComparedWorld>,
  config: Pick<PlanConfig, "backend" | "backendFlags" | "againstText"> &
    Partial<Pick<PlanConfig, "kinds" | "needs">>,
  progress?: Progress,
): PlanReport {
  const models = both((age) => worlds[age].model);
  const { cni = null } = worlds.new;
  const rows = cni === null ? rowsOf(worlds, config) : noRows;
  const rules = both((age) => domainRulesIn(worlds[age]));
  const known = both((age) => {
    const doubtful = new Set(rules[age].map(({ rule }) => rule));
    return plannedWorld(worlds[age], (rule) => doubtful.has(rule));
  });
  const notRead = both((age) => worlds[age].notRead ?? allRead);
  const namers = both((age) => namerIn(worlds[age]));
  const judgement = judged(known, namers, progress);
  const { classes, pods, workloads, caveats, unjudged, notes } = judgement;
  const domains = unresolved(rules, classes, () => judged(withoutDomains(known, rules), namers).classes);
  const objects = objectChanges(both((age) => [...worlds[age].objects, ...foreignObjects(notRead[age])]));
  const summary = summaryOf(judgement, {
    ...{
      worlds: known,
      facts: (worlds.new.judged ?? models.new).facts,
      needs: { ...usualNeeds, ...config.needs },
    },
    edits: new Edits(
      objects,
      both((age) => worlds[age].placeOf),
    ),
  });
  return {
    schema: "northgate.plan/1",
    against: config.againstText,
    ...(cni === null ? {} : { cni: cni.name }),
    ...{ objects, pods, workloads, rows, verdicts: { changes: classes, summary }, notes },
    unjudged: distinct([...unjudged, ...domains.unjudged, ...unjudgedForeign(notRead)]),
    caveats: [
      ...pluginCaveats([known.old, known.new], classes),
      ...caveats,
      ...domains.caveats,
      ...foreignCaveats(notRead, known),
      ...(worlds.old.unread ?? []).map((kind) => unreadCaveat(kind, worlds.old.dialects)),
    ],
  };
}

/** Of a cluster without OVN. */
const noRows: RowChanges = { add: 0, change: 0, delete: 0, changes: [] };

function rowsOf(
  worlds: Both<ComparedWorld>,
  { kinds = everyKind, backend, backendFlags }: RowsConfig,
): RowChanges {
  const { tierLayout } = installed(kinds);
  const models = both((age) => worlds[age].model);
  return backendNamed(backend).changes(models, backendFlags, worlds.new.dialects, tierLayout);
}

type RowsConfig = Pick<PlanConfig, "backend" | "backendFlags"> & Partial<Pick<PlanConfig, "kinds">>;

/** Those of the policies that are judged. */
function domainRulesIn({
  model,
  judged: asked = model,
  objects,
  dialects,
}: ComparedWorld): readonly DomainRule[] {
  const byKind = dialectsByKind(dialects);
  const { hostNames } = model.facts;
  const { rules } = unknownsOf(
    ...[asked.records(), objects, hostNames],
    (key) => byKind.get(kindTextOf(key)) ?? null,
  );
  return [...rules].flatMap(([rule, { code, policy }]) => {
    const record = code === "DomainName" ? asked.record(policy.key) : null;
    return record === null ? [] : [{ policy, rule, object: record.object }];
  });
}

function unreadCaveat(kind: ObjectKind, dialects: readonly Dialect[]): Caveat {
  return { code: "KindNotListed", text: unreadText(kind, dialects) };
}

/** Which rows of a database the manifests' policies would change. Says nothing about verdicts. */
export function rowsReportOf(
  existing: ExistingRows,
  { model, dialects }: LoadedWorld,
  { againstText }: PlanConfig,
): PlanReport {
  return {
    schema: "northgate.plan/1",
    ...{ against: againstText, compared: "rows" },
    objects: { added: [], changed: [], removed: [] },
    pods: { added: [], removed: [] },
    workloads: { added: [], removed: [] },
    rows: existing.changes(model, dialects),
    verdicts: { changes: [], summary: [] },
    ...{ unjudged: [], notes: [] },
    caveats: [
      {
        code: "RowsOnly",
        text: "a database has rows and no policies: verdicts and objects are not compared",
      },
    ],
  };
}

/** What no dialect wrote, a node's way to its own pods, has no place. */
function namerIn({ dialects, placeOf }: ComparedWorld): RuleNamer {
  return (policy, direction, rule): RuleRef => {
    const dialect = dialects.find(({ kinds }) => kinds.some((kind) => isSameKind(kind, policy.ref)));
    return ruleRefOf(policy.key, direction, rule, dialect ?? null, placeOf);
  };
}
