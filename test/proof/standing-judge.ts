// Judge D: the rows that stand in the database, of every owner, as src/nbdb/audit reads them and without any part of OVN. It
// sees the policies' rows as the controller wrote them and NetworkPolicies' as their own writer did.

import type { RowAcl, RowConnection, DatabaseRows } from "../../src/nbdb/audit/index.ts";
import { evaluateRows } from "../../src/nbdb/audit/index.ts";
import type { HitAcl } from "../../tools/sandbox/acls-of-flows.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import type { ExistingReader } from "../support/existing.ts";
import type { Opinion, Words } from "./judges.ts";
import { opinionOfHits } from "./judges.ts";
import type { Probe } from "./packets.ts";

/** On the rows as they are when it is asked; a text says why an opinion is unknown. */
export async function opinionsOfRows(
  reader: ExistingReader,
  probes: readonly Probe[],
  words?: Words,
): Promise<readonly (Opinion | string)[]> {
  const rows = await reader.rows();
  const hits = hitsOf(rows);
  return probes.map((probe) => opinionOn(rows, hits, probe, words));
}

function opinionOn(
  rows: DatabaseRows,
  hits: ReadonlyMap<string | null, HitAcl>,
  probe: Probe,
  words?: Words,
): Opinion | string {
  const { verdict, egress, ingress, caveats } = evaluateRows(rows, rowConnectionOf(probe));
  if (verdict === "unknown") return `unknown: ${caveats.map(({ text }) => text).join("; ")}`;
  // What the source's side denies never comes to the destination's.
  const met: readonly RowAcl[] = egress.verdict === "deny" ? egress.acls : [...egress.acls, ...ingress.acls];
  const opinion = opinionOfHits(
    verdict === "deny" ? "drop" : "allow",
    met.flatMap(({ uuid }) => hits.get(uuid) ?? []),
    words,
  );
  // ACLs of one place that match alike: a packet meets one of them.
  return { ...opinion, rules: opinion.rules.filter((rule, at, all) => rule !== all[at - 1]) };
}

/** As src/nbdb/audit takes it. */
export function rowConnectionOf({ packet, connection }: Probe): RowConnection {
  const { from, to, ...service } = connection;
  const port = (end: Probe["packet"]["from"]) => ("ip" in end ? null : portOf(end));
  return {
    ...service,
    from: { ip: from.ip, port: port(packet.from) },
    to: { ip: to.ip, port: port(packet.to) },
  };
}

function hitsOf({ records }: DatabaseRows): ReadonlyMap<string | null, HitAcl> {
  return new Map(
    records.ACL.map((row) => [
      row.uuid,
      {
        ...{ uuid: row.uuid ?? "", name: row.name ?? "", tier: row.tier, priority: row.priority },
        ...{ action: row.action, direction: row.direction },
        externalIds: new Map(Object.entries(row.external_ids)),
      },
    ]),
  );
}
