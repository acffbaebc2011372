// The part of the Northbound schema that the session tests use, as a description and as rules for the fake.

import { column } from "../../src/ovsdb/index.ts";
import type { FakeSchema } from "./fake.ts";

export const northbound = {
  name: "OVN_Northbound",
  tables: {
    ACL: {
      name: column.optional("string"),
      priority: column.one("integer"),
      direction: column.one("string"),
      match: column.one("string"),
      action: column.one("string"),
      log: column.one("boolean"),
      severity: column.optional("string"),
      tier: column.one("integer"),
      options: column.map("string", "string"),
      external_ids: column.map("string", "string"),
    },
    Port_Group: {
      name: column.one("string"),
      ports: column.set("uuid"),
      acls: column.set("uuid"),
      external_ids: column.map("string", "string"),
    },
    Address_Set: {
      name: column.one("string"),
      addresses: column.set("string"),
      external_ids: column.map("string", "string"),
    },
    Logical_Switch: {
      name: column.one("string"),
      ports: column.set("uuid"),
      external_ids: column.map("string", "string"),
    },
    Logical_Switch_Port: {
      name: column.one("string"),
      tag: column.optional("integer"),
      up: column.optional("boolean"),
      external_ids: column.map("string", "string"),
    },
    NB_Global: {
      name: column.one("string"),
      nb_cfg: column.one("integer"),
      external_ids: column.map("string", "string"),
    },
  },
} as const;

export type Northbound = typeof northbound;

/** ovn-nb.ovsschema 7.11.0, for the tables above and those of samples. */
export const northboundRules: FakeSchema = {
  ACL: {
    root: false,
    columns: {
      name: { maxLength: 63 },
      priority: { integers: [0, 32767] },
      direction: { oneOf: ["from-lport", "to-lport"] },
      action: { oneOf: ["allow", "allow-related", "allow-stateless", "drop", "reject", "pass"] },
      severity: { oneOf: ["alert", "warning", "notice", "info", "debug"] },
      tier: { integers: [0, 3] },
      sample_new: { references: { table: "Sample", strength: "strong" } },
      sample_est: { references: { table: "Sample", strength: "strong" } },
    },
  },
  Port_Group: {
    root: true,
    indexes: [["name"]],
    columns: {
      ports: { references: { table: "Logical_Switch_Port", strength: "weak" } },
      acls: { references: { table: "ACL", strength: "strong" } },
    },
  },
  Address_Set: { root: true, indexes: [["name"]] },
  Logical_Switch: {
    root: true,
    columns: { ports: { references: { table: "Logical_Switch_Port", strength: "strong" } } },
  },
  Logical_Switch_Port: {
    root: false,
    indexes: [["name"]],
    columns: { tag: { integers: [1, 4095] } },
  },
  NB_Global: { root: true },
  Sample: {
    root: false,
    indexes: [["metadata"]],
    columns: {
      metadata: { integers: [1, 0xffff_ffff] },
      collectors: { references: { table: "Sample_Collector", strength: "strong" } },
    },
  },
  Sample_Collector: {
    root: true,
    indexes: [["id"]],
    columns: { id: { integers: [1, 255] }, probability: { integers: [0, 65_535] } },
  },
  Sampling_App: {
    root: true,
    indexes: [["type"]],
    columns: { type: { oneOf: ["drop", "acl-new", "acl-est"] }, id: { integers: [1, 255] } },
  },
};
