// The settings that apply to every policy's rows: options of the program, and the families that the cluster serves.

import type { ExpectedPriorities } from "../../policy/contracts/dialect.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { AnpPriorities } from "../ranking/layout.ts";
import type { PolicyPlaces } from "../ranking/places.ts";

export { anpPriorities } from "../ranking/layout.ts";
export type { AnpPriorities } from "../ranking/layout.ts";

/** How a match names the destinations of named ports: each by its address, or by sets, one for each number. */
export const namedPortForms = ["list", "sets"] as const;
export type NamedPortForm = (typeof namedPortForms)[number];

/** Whose the address sets of AdminNetworkPolicy and BaselineAdminNetworkPolicy are: a rule's own, or one for each selector. */
export const addressSetForms = ["rule", "shared"] as const;
export type AddressSetForm = (typeof addressSetForms)[number];

/**
 * What the rows tell of connections: nothing, by which ACL they are judged, or also those that none judges.
 */
export const observed = ["off", "samples", "watch"] as const;

/** The one Sample_Collector row of ours. */
export interface Sampling {
  /** Sample_Collector.set_id: the Flow_Sample_Collector_Set of a node's OVS that gets the samples. */
  readonly setId: number;
  /** Of 65535 packets so many are sampled. */
  readonly probability: number;
}

/** Settings that stay the same as long as the program runs. */
export interface RenderMode {
  /** The node whose pods are local; null: one Northbound database for all nodes, every pod is local. */
  readonly zone: string | null;
  readonly namedPorts: NamedPortForm;
  /** `documented` unless given. */
  readonly anpPriorities?: AnpPriorities;
  /** `rule` unless given. */
  readonly addressSets?: AddressSetForm;
  /** `threeTiers` unless given. */
  readonly tierLayout?: TierLayout;
  /** How ACLs are sampled; null: they are not. null unless given. */
  readonly sampling?: Sampling | null;
  /** Whether connections that no policy judges are sampled too. False unless given. */
  readonly watches?: boolean;
}

/** A mode, with what the installed kinds expect of it. */
export interface KindedMode extends RenderMode {
  /** Nothing unless given. */
  readonly expected?: readonly ExpectedPriorities[];
}

/** Where a policy's rows are; the policy must have a place (nbdb/ranking). */
export type AclPlaces = Pick<PolicyPlaces, "place" | "end" | "isOpenEnd">;

/** The zone and families that rows are written for. */
export interface RenderOptions extends RenderMode {
  /** The places of the policies' ACLs. */
  readonly places: AclPlaces;
  /** The families the cluster serves, v4 first; traffic of a served family that is not listed would pass unfiltered. */
  readonly families: readonly IpFamily[];
}
