// Which ACL of NB each logical flow of SB comes from, as rows of both say it.

import { AclsOfFlows } from "../../src/nbdb/observe/acl-of-flow.ts";
import { list, type ListedRow } from "./listing.ts";
import type { Ovn } from "./ovn.ts";

export interface HitAcl {
  readonly uuid: string;
  /** ACL.name; empty when unset. */
  readonly name: string;
  readonly tier: number;
  readonly priority: number;
  readonly action: string;
  readonly direction: string;
  readonly externalIds: ReadonlyMap<string, string>;
}

/** Of ACL. */
export const hitColumns = [
  "_uuid",
  "name",
  "tier",
  "priority",
  "action",
  "direction",
  "match",
  "external_ids",
] as const;

/** By the first eight digits of the flow's uuid, as ovn-trace prints it. NB and SB must not change meanwhile. */
export async function aclsOfFlows(ovn: Ovn): Promise<ReadonlyMap<string, HitAcl>> {
  const [acls = []] = await list(ovn.nb, "OVN_Northbound", { table: "ACL", columns: hitColumns });
  const found = new AclsOfFlows(acls.map((row) => [row.text("_uuid"), hitAcl(row)] as const));
  const flowColumns = ["_uuid", "external_ids", "pipeline", "priority", "match"];
  const [flows = []] = await list(ovn.sb, "OVN_Southbound", { table: "Logical_Flow", columns: flowColumns });
  const byFlow = new Map<string, HitAcl>();
  for (const row of flows) {
    const external_ids = row.map("external_ids");
    // Says whether the connection of a packet is followed, before any ACL is asked.
    if (external_ids.get("stage-name")?.endsWith("_pre_acl") === true) continue;
    const { pipeline, match } = { pipeline: row.text("pipeline"), match: row.text("match") };
    const acl = found.of({ pipeline, match, priority: Number(row.text("priority")), external_ids });
    if (acl !== null) byFlow.set(row.text("_uuid").slice(0, 8), acl);
  }
  return byFlow;
}

/** Of a row that was listed with these columns. */
export function hitAcl(row: ListedRow): HitAcl & { readonly match: string } {
  return {
    uuid: row.text("_uuid"),
    name: row.list("name").join(""),
    tier: Number(row.text("tier")),
    priority: Number(row.text("priority")),
    match: row.text("match"),
    action: row.text("action"),
    direction: row.text("direction"),
    externalIds: row.map("external_ids"),
  };
}
