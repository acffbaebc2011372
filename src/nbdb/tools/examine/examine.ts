// The checks of a Northbound database, for doctor: it is reached and has the columns, it is of the zone, somebody writes, nobody else
// writes, pods have ports, and the chassis follow. A session of its own, which asks for no lock and writes nothing.

import type { Examination } from "../../../backend-kind.ts";
import type { Finding } from "../../../doctor/finding.ts";
import { fail, ok, skipped } from "../../../doctor/finding.ts";
import type { Monitors, SocketSession } from "../../../ovsdb/index.ts";
import { openSession, SchemaMismatchError } from "../../../ovsdb/index.ts";
import { noNetwork, zoneMismatch } from "../../actual/fit.ts";
import { renderModeOf } from "../../rows/options.ts";
import type { Northbound } from "../../rows/schema.ts";
import { sharedDatabaseError } from "../../run/claimant.ts";
import { databaseOf } from "../../run/northbound-run.ts";
import { opensSoon } from "../../actual/opens-soon.ts";
import { checkChassis } from "./chassis.ts";
import { checkOtherRows } from "./other-rows.ts";
import { checkPorts } from "./ports.ts";
import { checkWriter } from "./writer.ts";

const monitors: Monitors<Northbound> = {
  ACL: { columns: ["external_ids"] },
  Port_Group: { columns: ["external_ids", "acls"] },
  Logical_Switch: { columns: ["name"] },
  Logical_Switch_Port: { indexes: { name: { columns: ["name"], keyOf: ({ name }) => name } } },
  NB_Global: { columns: ["name", "external_ids", "nb_cfg", "hv_cfg"] },
};

const others = ["nb-zone", "nb-network", "writer", "other-rows", "ports", "chassis"];

export async function examine(examination: Examination): Promise<readonly Finding[]> {
  const { settings, dialects } = examination;
  const { remotes, tls, zone, backendFlags } = settings;
  if (remotes === "") return skipped(["nb", ...others], "--nb names no database");
  const session = openSession({
    ...{ remotes, monitors, database: databaseOf(dialects, renderModeOf(zone, backendFlags)) },
    ...(tls === null ? {} : { tls }),
  });
  try {
    const failure = await failureToOpen(session);
    if (failure !== null) return [failure, ...skipped(others, "the Northbound database is not read")];
    return await findings(session, examination);
  } finally {
    await session.close();
  }
}

/** null: it is open. */
async function failureToOpen(session: SocketSession<Northbound>): Promise<Finding | null> {
  try {
    if (await opensSoon(session)) return null;
    return unreached(session.failure ?? new Error("the server does not answer"));
  } catch (error) {
    if (!(error instanceof SchemaMismatchError)) throw error;
    return unreached(error);
  }
}

function unreached(failure: Error): Finding {
  return fail(
    "nb",
    failure.message,
    failure instanceof SchemaMismatchError
      ? "upgrade OVN: docs/compatibility.md has the versions"
      : "check --nb and its certificates, and that the server listens there",
  );
}

async function findings(
  session: SocketSession<Northbound>,
  examination: Examination,
): Promise<readonly Finding[]> {
  const { settings, clock } = examination;
  const { cache } = session;
  // These two wait for what others do next: at the same time.
  const waiting = Promise.all([checkWriter(session, settings, clock), checkChassis(session, clock)]);
  const ofPorts = await checkPorts(session, examination);
  const [ofWriter, ofChassis] = await waiting;
  return [
    ok("nb", `${settings.remotes} answers, with every column that is needed`),
    zoneOf(settings, nameIn(cache)),
    networkOf(cache.table("Logical_Switch").size),
    ...ofWriter,
    ...checkOtherRows(cache, examination),
    ...[ofPorts, ofChassis],
  ];
}

function zoneOf(settings: Examination["settings"], name: string): Finding {
  const said = name === "" ? "does not say whose zone it is of" : `is of zone ${name}`;
  const fault =
    zoneMismatch(settings.zone, name)?.message ?? sharedDatabaseError(settings, name)?.message ?? null;
  return fault === null
    ? ok("nb-zone", `the Northbound database ${said}`)
    : fail("nb-zone", fault, "correct --zone or --nb: one database has rows of one zone");
}

function networkOf(switches: number): Finding {
  return switches > 0
    ? ok("nb-network", `the database has logical switches: ${switches}`)
    : fail(
        "nb-network",
        noNetwork.message,
        "see whether the network plugin runs, and writes to this database",
      );
}

function nameIn(cache: SocketSession<Northbound>["cache"]): string {
  for (const [, { name }] of cache.table("NB_Global").entries()) return name;
  return "";
}
