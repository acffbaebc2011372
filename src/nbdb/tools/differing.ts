// Which policies have other rows than they ask for: rows of their own that are missing, extra or altered, or rows that they
// share with others and name in their matches, or the isolation of their namespace.

import type { Ref } from "../../analysis/ref.ts";
import { isolationOwnerType, keys } from "../rows/names.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import { tablesOf } from "./rendered.ts";
import type { RowDifference, DatabaseRows } from "../audit/index.ts";
import { isIsolating, ownerOfRef } from "./answers.ts";

type Ids = Readonly<Record<string, string>>;

export function differingPolicies(
  { records }: DatabaseRows,
  model: RenderedModel,
  differences: readonly RowDifference[],
): (policy: Ref) => boolean {
  const owners = new Set(differences.map(({ externalIds }) => ownerText(externalIds)));
  const names = new Set(differences.flatMap(({ table, name }) => (table === "ACL" ? [] : [name])));
  for (const { match, external_ids } of [...tablesOf(model).ACL, ...records.ACL])
    if (references(match).some((name) => names.has(name))) owners.add(ownerText(external_ids));
  return (policy) => {
    const { type, name } = ownerOfRef(policy);
    const isolation = `${isolationOwnerType} ${policy.namespace ?? ""}`;
    return owners.has(`${type} ${name}`) || (isIsolating(policy) && owners.has(isolation));
  };
}

function ownerText(ids: Ids): string {
  return `${ids[keys.ownerType] ?? ""} ${ids[keys.name] ?? ""}`;
}

/** Names of sets and groups. */
function references(match: string): readonly string[] {
  return [...match.matchAll(/[$@]([A-Za-z_.][A-Za-z0-9_.]*)/g)].map(([, name = ""]) => name);
}
