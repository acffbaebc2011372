// How many rows `run` would write for each policy, by the names in their external_ids. Rows that policies share, sets of
// selectors and the isolation of a namespace, are nobody's here.

import type { Ref } from "../analysis/ref.ts";
import { keys } from "../nbdb/rows/names.ts";
import type { RenderedModel } from "../offline/rendered.ts";

export interface RowCounts {
  readonly portGroups: number;
  readonly addressSets: number;
  readonly acls: number;
}

type Ids = Readonly<Record<string, string>>;

export function rowsOf(model: RenderedModel): (policy: Ref) => RowCounts {
  const { Port_Group, ACL, Address_Set } = model.tables();
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
