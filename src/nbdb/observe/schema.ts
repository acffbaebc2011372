// The tables and columns of NB and SB from which flows of a switch are traced back to rules. Both are only read. Source of names
// and types: ovn-nb.ovsschema, ovn-sb.ovsschema.

import { column } from "../../ovsdb/notation/description.ts";
import type { Monitors } from "../../ovsdb/session/session.ts";
import { northbound } from "../rows/schema.ts";

const { external_ids, action, direction, priority, tier, match, name } = northbound.tables.ACL;

export const observedNorthbound = {
  name: northbound.name,
  tables: { ACL: { external_ids, action, direction, priority, tier, match, name } },
} as const;

export const observedSouthbound = {
  name: "OVN_Southbound",
  tables: {
    Logical_Flow: {
      pipeline: column.one("string"),
      priority: column.one("integer"),
      match: column.one("string"),
      external_ids: column.map("string", "string"),
    },
  },
} as const;

/** With what samples need: OVN 24.09 or newer. */
export const sampledNorthbound = {
  name: northbound.name,
  tables: {
    ACL: {
      ...observedNorthbound.tables.ACL,
      sample_new: column.optional("uuid"),
      sample_est: column.optional("uuid"),
    },
    Sample: { metadata: column.one("integer") },
    Sample_Collector: { set_id: column.one("integer"), external_ids },
    Sampling_App: { id: column.one("integer"), type: column.one("string") },
  },
} as const;

export const sampledSouthbound = {
  name: observedSouthbound.name,
  tables: {
    Port_Binding: {
      logical_port: column.one("string"),
      type: column.one("string"),
      mac: column.set("string"),
    },
  },
} as const;

export type SampledNorthbound = typeof sampledNorthbound;
export type SampledSouthbound = typeof sampledSouthbound;
export type ObservedNorthbound = typeof observedNorthbound;
export type ObservedSouthbound = typeof observedSouthbound;

/** The stages of a switch in which ACLs are asked for their verdict. */
const stages = ["ls_in_acl_eval", "ls_in_acl_after_lb_eval", "ls_out_acl_eval"];

/** The server sends no other flows. */
export const southboundMonitors: Monitors<ObservedSouthbound> = {
  Logical_Flow: {
    anyOf: stages.map((stage) => ({
      column: "external_ids",
      function: "includes",
      value: new Map([["stage-name", stage]]),
    })),
  },
};

/** Ports of pods alone. */
export const podMonitors: Monitors<SampledSouthbound> = {
  Port_Binding: { anyOf: [{ column: "type", function: "==", value: "" }] },
};
