// Which ACL of NB each logical flow of SB comes from: northd writes the beginning of the ACL's uuid beside the flow. At times
// the uuid is that of a row that is gone, and an ACL with the same text has taken its place: then the text finds it.

import type { ListedRow } from "./listing.ts";
import { parseListings } from "./listing.ts";
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

/** What northd adds to an ACL's priority. */
const northdOffset = 1000;

function flowText(pipeline: string, tier: number, priority: number, match: string): string {
  return `${pipeline} ${tier} ${priority} ${match}`;
}

/** Of a flow of an ACL: northd puts the tier and the states of the connection before the ACL's own match. */
function textOf(flow: ListedRow): string {
  const given = flow.text("match");
  const [, tier = "0", match = ""] =
    /^(?:reg8\[30\.\.31\] == (\d) && )?(?:reg0\[\d+\] == 1 && )?\((.*)\)$/s.exec(given) ?? [];
  return flowText(flow.text("pipeline"), Number(tier), Number(flow.text("priority")), match);
}

/** By the first eight digits of the flow's uuid, as ovn-trace prints it. NB and SB must not change meanwhile. */
export async function aclsOfFlows(ovn: Ovn): Promise<ReadonlyMap<string, HitAcl>> {
  const columns = "--columns=_uuid,name,tier,priority,action,direction,match,external_ids";
  const [acls = []] = parseListings(await ovn.nbctl("--format=json", columns, "list", "acl"));
  const byHint = new Map<string, HitAcl>();
  const byText = new Map<string, HitAcl>();
  for (const row of acls) {
    const uuid = row.text("_uuid");
    const acl = {
      uuid,
      name: row.list("name").join(""),
      tier: Number(row.text("tier")),
      priority: Number(row.text("priority")),
      action: row.text("action"),
      direction: row.text("direction"),
      externalIds: row.map("external_ids"),
    };
    byHint.set(uuid.slice(0, 8), acl);
    const pipeline = acl.direction === "to-lport" ? "egress" : "ingress";
    byText.set(flowText(pipeline, acl.tier, acl.priority + northdOffset, row.text("match")), acl);
  }
  const flowColumns = "--columns=_uuid,external_ids,pipeline,priority,match";
  const listed = await ovn.sbctl("--format=json", flowColumns, "list", "logical_flow");
  const byFlow = new Map<string, HitAcl>();
  for (const row of parseListings(listed)[0] ?? []) {
    const about = row.map("external_ids");
    const hint = about.get("stage-hint");
    // Says whether the connection of a packet is followed, before any ACL is asked.
    if (hint === undefined || about.get("stage-name")?.endsWith("_pre_acl") === true) continue;
    const acl = byHint.get(hint) ?? byText.get(textOf(row));
    if (acl !== undefined) byFlow.set(row.text("_uuid").slice(0, 8), acl);
  }
  return byFlow;
}
