// What lint says about existing rows: each row that is missing, extra or altered, under the policy that it belongs to. Rows
// that policies share are reported under the first policy that uses them; rows without a policy under themselves.

import { refOf } from "../../analysis/ref.ts";
import type { RowFault } from "../../lint/context.ts";
import type { Owners } from "../rows/owners.ts";
import { ownerOf } from "../rows/owners.ts";
import { policyOfUnit } from "../rows/unit.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import { policyKey } from "../../policy/ir.ts";
import { isOwnNode } from "../../policy/own-node.ts";
import type { RowDifference, DatabaseRows } from "../audit/index.ts";
import { differenceText } from "../audit/index.ts";
import { rowDifferences } from "./existing.ts";
import { differingPolicies } from "./differing.ts";

export function rowFaults(rows: DatabaseRows, model: RenderedModel, owners: Owners): readonly RowFault[] {
  const ofPolicy = ({ externalIds }: RowDifference): PolicyKey | null => {
    const unit = ownerOf(new Map(Object.entries(externalIds)), owners);
    return unit === null ? null : policyOfUnit(unit);
  };
  return rowDifferences(rows, model, owners).map((difference) => {
    const { table, id } = difference;
    const own = ofPolicy(difference) ?? firstUser(difference, rows, model);
    const ofRow = policyKey({ group: "", kind: table, namespace: null, name: id });
    return { key: own ?? ofRow, row: `${table} ${id}`, message: differenceText(difference) };
  });
}

/** null: no policy uses the row. */
function firstUser(difference: RowDifference, rows: DatabaseRows, model: RenderedModel): PolicyKey | null {
  const differs = differingPolicies(rows, model, [difference]);
  const users = model.policies().filter((policy) => !isOwnNode(policy.key) && differs(refOf(policy)));
  return users.map(({ key }) => key).sort()[0] ?? null;
}
