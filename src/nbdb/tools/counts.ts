// How many rows `run` would write for each policy, by the names in their external_ids. Rows that policies share, sets of
// selectors and the isolation of a namespace, are counted for none.

import type { RowCounts } from "../../backend-kind.ts";
import type { Ref } from "../../analysis/ref.ts";
import { keys } from "../rows/names.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import { tablesOf } from "./rendered.ts";

type Ids = Readonly<Record<string, string>>;

interface CountedTables {
  readonly Port_Group: Rows;
  readonly ACL: Rows;
  readonly Address_Set: Rows;
}
type Rows = readonly { readonly external_ids: Ids }[];

/** Of the existing rows, or of those that the model asks for. */
export function rowsOf(
  model: RenderedModel,
  { Port_Group, ACL, Address_Set }: CountedTables = tablesOf(model),
): (policy: Ref) => RowCounts {
  const count = (rows: readonly { readonly external_ids: Ids }[]) =>
    Map.groupBy(rows, ({ external_ids: ids }) => `${ids[keys.ownerType] ?? ""} ${ids[keys.name] ?? ""}`);
  const [groups, acls, sets] = [count(Port_Group), count(ACL), count(Address_Set)];
  const types = new Map(
    [...model.records()].map(({ kind }) => [`${kind.group} ${kind.kind}`, kind.ownerType]),
  );
  return ({ group, kind, namespace, name }) => {
    const type = types.get(`${group} ${kind}`) ?? "";
    const owner = `${type} ${namespace === null ? name : `${namespace}:${name}`}`;
    const of = (rows: ReadonlyMap<string, readonly unknown[]>) => rows.get(owner)?.length ?? 0;
    return { portGroups: of(groups), addressSets: of(sets), acls: of(acls) };
  };
}
