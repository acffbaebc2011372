// The questions of the catalogue, asked of one world: findings with their place, their fix and whether the policy suppresses
// them. A pure function of its input: the same findings in the same order each time. It judges nothing itself.

import type { Ref, RuleRef } from "../analysis/ref.ts";
import { ruleRefOf } from "../analysis/ref.ts";
import type { FieldEdit } from "../model/objects/field-edit.ts";
import { splitKey } from "../model/object.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import type { CatalogueRule } from "./catalogue-rule.ts";
import { catalogue, ruleIds } from "./catalogue.ts";
import type { LintInput } from "./context.ts";
import { Context } from "./context.ts";
import type { Draft, Target } from "./draft.ts";
import type { Counts, Finding, Report, Severity } from "./finding.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { lintSchema, severities } from "./finding.ts";
import type { Suppression } from "./suppressions.ts";
import { annotation, covers, partsOf, readSuppressions } from "./suppressions.ts";

export interface Choice {
  /** Ids of the rules to ask, beside NG000; null: all. */
  readonly only: ReadonlySet<string> | null;
  readonly skip: ReadonlySet<string>;
  /** By id, how bad all findings of the rule are; as the rule says unless given. */
  readonly severity?: ReadonlyMap<string, Severity>;
}

export const everyRule: Choice = { only: null, skip: new Set() };

/** What was found of one rule, with what suppresses it. */
interface Found {
  readonly id: string;
  readonly draft: Draft;
  readonly by: Suppression | null;
}

const idle = "NG017";
/** Asked whatever `only` says: what was not read is missing in every answer. */
const always = "NG000";

export function lint(input: LintInput, choice: Choice = everyRule): Report {
  const context = new Context(input);
  const asked = catalogue.filter((rule) => isAsked(rule.id, choice) && isAbout(rule, context));
  const suppressions = new Map(
    context.records.map(({ key, object }) => [
      key,
      readSuppressions(object.annotations.get(annotation) ?? null, ruleIds),
    ]),
  );
  const found = asked.flatMap(({ id, check }): readonly Found[] =>
    Array.from(check?.(context) ?? [], (draft) => {
      const entries = suppressions.get(draft.target.key)?.entries ?? [];
      return { id, draft, by: entries.find((entry) => covers(entry, id, draft.target)) ?? null };
    }),
  );
  const used = new Set(found.map(({ by }) => by));
  const hasIdle = asked.some(({ id }) => id === idle);
  const said = hasIdle ? idleOf(context, suppressions, { used, asked }) : [];
  const places = new Map(context.records.map(({ key }, at) => [key, at]));
  const findings = [...found, ...said]
    .map((one) => ({ one, at: places.get(one.draft.target.key) ?? places.size }))
    .sort(
      (a, b) =>
        a.at - b.at ||
        ruleOrder(a.one.draft.target, b.one.draft.target) ||
        (a.one.id < b.one.id ? -1 : a.one.id > b.one.id ? 1 : 0),
    )
    .map(({ one }) => {
      const finding = findingOf(one, context);
      return { ...finding, severity: choice.severity?.get(finding.id) ?? finding.severity };
    });
  return { schema: lintSchema, findings, counts: countsOf(findings) };
}

/** Nothing is asked about rows where there are none. */
function isAbout({ ofRows }: CatalogueRule, { cni }: Context): boolean {
  return cni === null || ofRows !== true;
}

function isAsked(id: string, { only, skip }: Choice): boolean {
  return (id === always || (only?.has(id) ?? true)) && !skip.has(id);
}

interface Asked {
  readonly used: ReadonlySet<Suppression | null>;
  readonly asked: readonly CatalogueRule[];
}

/** Only for rules that were checked can it be said that there was nothing to suppress. */
function idleOf(
  { records }: Context,
  suppressions: ReadonlyMap<string, ReturnType<typeof readSuppressions>>,
  { used, asked }: Asked,
): readonly Found[] {
  const ids = new Set(asked.map(({ id }) => id));
  return records.flatMap(({ key, object }) => {
    const { entries = [], faults = [] } = suppressions.get(key) ?? {};
    const common = { target: { key, at: null }, field: `metadata.annotations["${annotation}"]` } as const;
    const unused = entries.filter((entry) => ids.has(entry.id) && !used.has(entry));
    const edit = editWithout(object.annotations.get(annotation) ?? "", unused);
    return [
      ...faults.map(({ text, message }) => ({
        ...{ ...common, severity: "warning" as const, about: text },
        message: `the entry "${text}" ${message}, so it suppresses nothing`,
        fix: "write ID: REASON, or ID@DIRECTION[INDEX]: REASON, with semicolons between entries",
      })),
      ...unused.map(({ text, id }) => ({
        ...{ ...common, severity: "info" as const, about: text },
        message: `the entry "${text}" suppresses nothing: there is no such finding${id === idle ? " that could be suppressed" : ""}`,
        fix: "delete the entry",
        edit,
      })),
    ].map((draft) => ({ id: idle, draft, by: null }));
  });
}

/** Of the annotation: all idle entries at once. */
function editWithout(from: string, idleOnes: readonly Suppression[]): FieldEdit {
  const left = partsOf(from);
  for (const { text } of idleOnes) left.splice(left.lastIndexOf(text), 1);
  return left.length === 0 ? { op: "removeField", from } : { op: "replace", from, to: left.join("; ") };
}

/** Findings about the policy first, then by direction and index. */
function ruleOrder(a: Target, b: Target): number {
  const rank = ({ at }: Target): number => (at === null ? 0 : at.direction === "ingress" ? 1 : 2);
  return rank(a) - rank(b) || (a.at?.rule.index ?? 0) - (b.at?.rule.index ?? 0);
}

function findingOf({ id, draft, by }: Found, context: Context): Finding {
  const { target, severity, message, fix, place, related = [] } = draft;
  const field =
    typeof draft.field === "string" ? draft.field : context.dialectOf(target.key).fieldOf(draft.field);
  return {
    ...{ id, severity, policy: refOfKey(target), rule: ruleRef(target, context) },
    ...{ field, place: place === undefined ? context.placeOf(target.key, field) : place, message, fix },
    edit: draft.edit ?? null,
    related: related.map((one) => ({ policy: refOfKey(one), rule: ruleRef(one, context) })),
    suppressed: by?.reason ?? null,
    fingerprint: fingerprintOf(id, target, draft.about ?? ""),
  };
}

function refOfKey({ key, ref }: Target): Ref {
  const { group, kind, namespace, name } = ref ?? splitKey(key);
  return { group, kind, namespace, name };
}

function ruleRef({ key, at }: Target, context: Context): RuleRef | null {
  if (at === null) return null;
  const { direction, rule } = at;
  const dialect = isOwnPolicy(key) ? null : context.dialectOf(key);
  return ruleRefOf(key, direction, rule, dialect, (of, field) => context.placeOf(of, field));
}

function countsOf(findings: readonly Finding[]): Counts {
  const open = findings.filter(({ suppressed }) => suppressed === null);
  const [error = 0, warning = 0, info = 0] = severities.map(
    (severity) => open.filter((one) => one.severity === severity).length,
  );
  return { error, warning, info, suppressed: findings.length - open.length };
}
