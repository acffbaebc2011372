// The rows that the OVN-Kubernetes documentation prints for its samples (documented-rows.txt, as `ovn-nbctl list` shows
// them) against what the same samples in examples/cluster-control render to. Every ACL column, name, id and priority is
// equal but for the deviations named here, each of which is the document's own inconsistency or a fault not repeated.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { policies as policyKinds, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { freshTables } from "../support/controller.ts";
import { parseListing } from "./listing.ts";

const printed = parseListing(readFileSync(new URL("documented-rows.txt", import.meta.url), "utf8"));
const { objects, problems } = loadManifests(["examples/cluster-control"], policyKinds, references);
const tables = freshTables(objects, { families: ["v4"], zone: "ovn-worker2" });

const prefix = "default-network-controller:AdminNetworkPolicy:cluster-control";

/** Columns that differ, by id, with the reason and what is right. */
const deviations: Readonly<Record<string, { column: string; reason: string; ours: unknown }>> = {
  [`${prefix}:Ingress:1:tcp-namedPort`]: {
    column: "match",
    reason: "ingress names are resolved on the zone's own subject pods only, and no term comes twice",
    ours: "((ip4.src == $a6786643370959569281)) && tcp && ((ip4.dst == 10.244.2.8 && tcp.dst == 8080))",
  },
  [`${prefix}:Egress:0:v4`]: {
    column: "addresses",
    reason: "the document's set was taken with another selector than its manifest shows (dns pods)",
    ours: ["10.244.2.3", "10.244.2.4"],
  },
  [`${prefix}:Egress:2:v4`]: {
    column: "addresses",
    reason: "the document's set was taken with another selector than its manifest shows (splunk)",
    ours: ["10.244.2.6"],
  },
  [`${prefix}:Egress:3:v4`]: {
    column: "addresses",
    reason:
      "the document's set was taken with other networks than its manifest shows, and without the worker nodes",
    ours: ["10.0.32.0/19", "10.0.56.38/32", "10.0.69.0/24", "172.18.0.2", "172.18.0.4", "172.30.0.0/30"],
  },
};

const rendered = new Map<string, Readonly<Record<string, unknown>>>(
  [...tables.ACL, ...tables.Address_Set, ...tables.Port_Group].map((row) => [
    row.external_ids[keys.id] ?? "",
    { ...row },
  ]),
);

test("the samples are understood without a finding", () => {
  expect(problems).toEqual([]);
});

test("as many rows are rendered as the document prints", () => {
  expect(printed).toHaveLength(29);
  expect([...rendered.keys()].sort()).toEqual(printed.map((row) => row.id).sort());
});

describe.each(printed)("$id", ({ id, columns }) => {
  test.each(Object.entries(columns).filter(([column]) => !["_uuid", "ports", "acls"].includes(column)))(
    "%s",
    (column, value) => {
      const deviation = deviations[id];
      const ours = rendered.get(id)?.[column];
      if (deviation?.column === column) {
        expect(ours).toEqual(deviation.ours);
        expect(ours).not.toEqual(value);
      } else expect(ours).toEqual(value);
    },
  );
});

test("the port groups hold the six pods of the document's node, and as many ACLs as it prints", () => {
  for (const { id, columns } of printed.filter((row) => "acls" in row.columns)) {
    const ours = rendered.get(id);
    expect((ours?.["ports"] as unknown[]).length).toBe((columns["ports"] as unknown[]).length);
    expect((ours?.["acls"] as unknown[]).length).toBe((columns["acls"] as unknown[]).length);
  }
});

test("in one database for all nodes the named port's match starts with the subject's ports", () => {
  const central = freshTables(objects, { families: ["v4"], zone: null });
  const acl = central.ACL.find((row) => row.external_ids[keys.id] === `${prefix}:Ingress:1:tcp-namedPort`);
  expect(acl?.match).toBe(
    "outport == @a14645450421485494999 && ((ip4.src == $a6786643370959569281)) && tcp && " +
      "((ip4.dst == 10.244.1.4 && tcp.dst == 8080) || (ip4.dst == 10.244.2.8 && tcp.dst == 8080))",
  );
});
