// The whole migration of what manifests hold: compiles the policies, makes the new ones, and compares the verdicts of both on
// the world that the manifests show. Gives no policies unless all could be migrated: one that is left out would change
// the verdict of others.

import { provenNamespaces } from "../unknowns/namespaces.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { isApiObject } from "../model/object.ts";
import { noBackend, OfflineModel } from "../offline/model.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import { compare, type Comparison } from "./compare.ts";
import { type Finding, isNewKind, isOldKind, migrate } from "./policies.ts";

export type { Comparison } from "./compare.ts";
export type { Difference } from "./difference.ts";
export type { Finding } from "./policies.ts";

export interface Migrated {
  /** The policies that are new or have another priority, in the order in which they can be applied. */
  readonly policies: readonly PolicyObject[];
  /** Of the objects as they are: what could not be migrated, and what was changed. */
  readonly findings: readonly Finding[];
  /** null: there is nothing to compare, because something could not be migrated. */
  readonly comparison: Comparison | null;
}

/** `work` bounds the comparison of what was not read (unread.ts). */
export function migrateAll(
  objects: readonly WorldObject[],
  dialects: readonly Dialect[],
  work?: number,
): Migrated {
  const proven = provenNamespaces(objects);
  const before = modelOf([...objects, ...proven], dialects);
  const found = findingsOf(before);
  const failed = { policies: [], comparison: null };
  if (found.some(isError)) return { ...failed, findings: found };
  const migration = migrate(objects.filter(isApiObject));
  const findings = [...found, ...migration.findings];
  if (findings.some(isError)) return { ...failed, findings };
  const others = objects.filter((one) => !isApiObject(one) || !(isOldKind(one) || isNewKind(one)));
  const after = modelOf([...others, ...proven, ...migration.all], dialects);
  // What v1alpha2 refuses and nothing above has seen.
  const refused = findingsOf(after).filter(isError);
  if (refused.length > 0) return { ...failed, findings: [...findings, ...refused] };
  const comparison = compare(before.facts, before.policies(), after.policies(), work);
  return { policies: migration.policies, findings, comparison };
}

function modelOf(
  objects: readonly WorldObject[],
  dialects: readonly Dialect[],
): OfflineModel<typeof noBackend> {
  const model = new OfflineModel({ dialects, families: null, backend: () => noBackend });
  model.observe(objects);
  return model;
}

function findingsOf(model: OfflineModel<typeof noBackend>): readonly Finding[] {
  return [...model.records()].flatMap(({ object, problems }) =>
    problems.map((problem) => ({ object, problem })),
  );
}

export function isError({ problem }: Finding): boolean {
  return problem.severity === "error";
}
