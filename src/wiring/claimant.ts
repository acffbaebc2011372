// What this program's claim to write says of it, and when two programs must not share one database: another zone's writer that
// lives, and a database over the network that does not say whose zone it is. Both end the program with exit code 78
// (EX_CONFIG of sysexits.h), since no wait could make the settings right.

import type { RunConfig } from "../config/config.ts";
import { renderModeOf } from "../nbdb/rows/options.ts";
import type { Claim } from "../nbdb/write/claim.ts";
import { placeOf } from "../nbdb/write/claim.ts";
import type { WriterProfile } from "../nbdb/write/writer-profile.ts";
import { shownZone } from "../nbdb/write/writer-profile.ts";
import { parseRemotes } from "../ovsdb/index.ts";
import { isLoopback } from "../config/host-port.ts";

/** The settings and the database do not fit; the message says both values. */
export class SettingsRefusedError extends Error {
  override readonly name = "SettingsRefusedError";
}

/** Every flag that shapes rows, with the value that is in force. */
export function profileOf({ zone, ...config }: RunConfig): WriterProfile {
  const mode = renderModeOf(zone, config.backendFlags);
  const flags: Readonly<Record<string, string>> = {
    "address-sets": mode.addressSets,
    "named-ports": mode.namedPorts,
    "anp-priorities": mode.anpPriorities,
    "ip-families": config.families?.map((family) => `ip${family}`).join(",") ?? "auto",
    ...config.kinds,
  };
  return { zone, flags: new Map(Object.entries(flags)) };
}

export function otherZoneError(zone: string | null, claim: Claim): SettingsRefusedError {
  const theirs = shownZone(claim.zone ?? null);
  return new SettingsRefusedError(
    `another instance writes to this Northbound database for ${theirs}, and this one is for ${shownZone(zone)}: ` +
      `one database has rows of one zone; correct --zone or --nb (the other runs at ${placeOf(claim)})`,
  );
}

/**
 * Of a zone and remotes that other nodes can reach too: the database must say that it is the zone's own. `name`:
 * NB_Global.name, empty when it says nothing. null: nothing is against it.
 */
export function sharedDatabaseError(
  { zone, nb }: Pick<RunConfig, "zone" | "nb">,
  name: string,
): SettingsRefusedError | null {
  if (zone === null || name !== "" || parseRemotes(nb).every(isOfThisMachine)) return null;
  return new SettingsRefusedError(
    `--zone is ${JSON.stringify(zone)}, and the Northbound database at ${nb} does not say that it is of this zone ` +
      "(NB_Global.name is empty): a database that serves all nodes takes no --zone; " +
      "one of a single node is reached by unix:, or has the node's name in NB_Global.name",
  );
}

function isOfThisMachine(remote: ReturnType<typeof parseRemotes>[number]): boolean {
  return remote.kind === "unix" || isLoopback(remote.host);
}
