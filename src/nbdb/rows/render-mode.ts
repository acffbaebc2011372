// What every policy's rows are rendered by: settings of the program, and the families that the cluster serves.

import type { IpFamily } from "../../model/ip.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { AclPlace } from "../ranking/ranking.ts";

/** How the destinations of named ports stand in a match: each by its address, or in sets by number. */
export const namedPortForms = ["list", "sets"] as const;
export type NamedPortForm = (typeof namedPortForms)[number];

/** What holds for every policy, as long as the program runs. */
export interface RenderMode {
  /** The node whose pods are local; null: one Northbound database for all nodes, every pod is local. */
  readonly zone: string | null;
  readonly namedPorts: NamedPortForm;
}

/** Asked of a policy that has a place (nbdb/ranking). */
export interface Places {
  place(policy: PolicyKey, ruleIndex: number): AclPlace;
  /** Of the default denies of the policy's tier. */
  end(policy: PolicyKey): AclPlace;
}

/** For whom rows are written. */
export interface RenderOptions extends RenderMode {
  /** Where the ACLs of policies stand. */
  readonly places: Places;
  /** The families the cluster serves, v4 first; a family served but not listed would be a hole. */
  readonly families: readonly IpFamily[];
}
