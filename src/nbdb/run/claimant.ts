// What this program's claim to write says of it, and when two programs must not share one database: another zone's writer that
// lives, and a database over the network that does not say whose zone it is. Both end the program with exit code 78
// (EX_CONFIG of sysexits.h), since no wait could make the settings right.

import { isLoopback } from "../../model/loopback.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import { chosenOf } from "../../policy/contracts/flags.ts";
import { parseRemotes } from "../../ovsdb/index.ts";
import type { WriteSettings } from "../../running-backend.ts";
import { SettingsRefusedError } from "../../running-backend.ts";
import { northboundOptions, renderModeOf } from "../rows/options.ts";
import type { Claim } from "../write/claim.ts";
import { placeOf } from "../write/claim.ts";
import type { WriterProfile } from "../write/writer-profile.ts";
import { shownZone } from "../write/writer-profile.ts";

/** Every flag that shapes rows, with the value that is in force. */
export function profileOf({ zone, families, kindFlags, backendFlags }: WriteSettings): WriterProfile {
  const mode = renderModeOf(zone, backendFlags);
  const flags: Readonly<Record<string, string>> = {
    "address-sets": mode.addressSets,
    "named-ports": mode.namedPorts,
    "anp-priorities": mode.anpPriorities,
    ...samplingFlags(backendFlags),
    "ip-families": families?.map((family) => `ip${family}`).join(",") ?? "auto",
    ...kindFlags,
  };
  return { zone, flags: new Map(Object.entries(flags)) };
}

/** What is said of samples where there are none says nothing of rows. */
function samplingFlags(backendFlags: Flags): Flags {
  const { observe, ...others } = chosenOf(northboundOptions, backendFlags);
  const [setId, percent] = ["observe-set-id", "observe-percent"] as const;
  return observe === "off" ? { observe } : { observe, [setId]: others[setId], [percent]: others[percent] };
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
  { zone, remotes }: Pick<WriteSettings, "zone" | "remotes">,
  name: string,
): SettingsRefusedError | null {
  if (zone === null || name !== "" || parseRemotes(remotes).every(isOfThisMachine)) return null;
  return new SettingsRefusedError(
    `--zone is ${JSON.stringify(zone)}, and the Northbound database at ${remotes} does not say that it is of this zone ` +
      "(NB_Global.name is empty): a database that serves all nodes takes no --zone; " +
      "one of a single node is reached by unix:, or has the node's name in NB_Global.name",
  );
}

function isOfThisMachine(remote: ReturnType<typeof parseRemotes>[number]): boolean {
  return remote.kind === "unix" || isLoopback(remote.host);
}
