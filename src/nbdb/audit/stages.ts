// The ACLs of a switch by the stages at which it asks them (ovn-northd(8), "Logical Switch Datapaths"), in the order in which
// a stage does: tier by tier, the highest priority first. Made once for a switch, because it is asked about often.

import type { AclRecord } from "../rows/records.ts";
import type { Identified } from "./records.ts";
import type { Expression } from "./match/expression.ts";

/** A match that was read, or why it could not be. */
export type ReadMatch = { readonly expression: Expression } | { readonly refused: string };

export interface ReadAcl {
  readonly row: Identified<AclRecord>;
  readonly match: ReadMatch;
}

/** ACLs of one tier and priority: OVN leaves open which of them a packet meets that meets several. */
export interface AclLevel {
  readonly tier: number;
  readonly acls: readonly ReadAcl[];
}

export interface SwitchStages {
  /** Before load balancing and after it: the destination of a packet to a Service is another then. */
  readonly entering: readonly (readonly AclLevel[])[];
  readonly leaving: readonly AclLevel[];
}

export function stagesOf(acls: readonly ReadAcl[]): SwitchStages {
  const entering = acls.filter(({ row }) => row.direction === "from-lport");
  return {
    entering: [false, true].map((after) =>
      placesOf(entering.filter(({ row }) => isTrue(row.options["apply-after-lb"]) === after)),
    ),
    leaving: placesOf(acls.filter(({ row }) => row.direction === "to-lport")),
  };
}

/** As OVN reads an option of type boolean whose default is false. */
export function isTrue(text: string | undefined): boolean {
  return text?.toLowerCase() === "true";
}

function placesOf(acls: readonly ReadAcl[]): readonly AclLevel[] {
  const ordered = acls.toSorted((a, b) => a.row.tier - b.row.tier || b.row.priority - a.row.priority);
  const byPlace = Map.groupBy(ordered, ({ row }) => `${row.tier} ${row.priority}`);
  return [...byPlace.values()].map((of) => ({ tier: of[0]?.row.tier ?? 0, acls: of }));
}
