// The difference of the rows of two models, and from rows that exist to those of a model.

import type { DatabaseRows } from "../audit/index.ts";
import { splitKey } from "../../model/object.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import type { RowChanges } from "../../plan/report.ts";
import type { Dialect } from "../../policy/contracts/dialect.ts";
import { ownersOf } from "../../policy/contracts/dialect.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import type { Both } from "../../verdicts/worlds.ts";
import { isRankedIn } from "../ranking/layouts.ts";
import { renderModeOf } from "../rows/options.ts";
import type { Owners } from "../rows/owners.ts";
import { ownerOf, rowOwners } from "../rows/owners.ts";
import type { Tables } from "../rows/records.ts";
import { policyOfUnit } from "../rows/unit.ts";
import type { RowsAsked } from "./row-changes.ts";
import { rowChanges } from "./row-changes.ts";
import { policyRows } from "./existing.ts";

export function changesOfModels(
  tables: Both<Tables>,
  flags: Flags,
  dialects: readonly Dialect[],
  tierLayout?: TierLayout,
): RowChanges {
  const mode = renderModeOf(null, flags, tierLayout);
  return rowChanges(tables, {
    policyOf: policyNamer(dialects),
    isRanked: (acl) => isRankedIn(acl, mode),
  });
}

export function changesOfExisting(
  standing: DatabaseRows,
  model: RenderedModel,
  dialects: readonly Dialect[],
  owners: Owners,
): RowChanges {
  const { stands, wanted } = policyRows(standing, model, owners);
  // What is wanted has the existing places, as far as their order holds.
  return rowChanges({ old: stands, new: wanted }, { policyOf: policyNamer(dialects), isRanked: () => false });
}

/** Whose row has these external_ids; null: several policies share it. */
function policyNamer(dialects: readonly Dialect[]): RowsAsked["policyOf"] {
  const owners = rowOwners(ownersOf(dialects));
  return (ids) => {
    const unit = ownerOf(new Map(Object.entries(ids)), owners);
    const key = unit === null ? null : policyOfUnit(unit);
    return key === null ? null : splitKey(key);
  };
}
