// Which instance writes, whether it lives, whether it sees its source, and whether it writes for this zone with these flags.

import type { Examination } from "../../../backend-kind.ts";
import type { Finding } from "../../../doctor/finding.ts";
import { fail, ok, unknown } from "../../../doctor/finding.ts";
import type { Clock } from "../../../lib/clock.ts";
import { endsWithin } from "../../../lib/deadline.ts";
import type { Session } from "../../../ovsdb/index.ts";
import type { Northbound } from "../../rows/schema.ts";
import { profileOf } from "../../run/claimant.ts";
import { shownDifference } from "../../write/candidacy.ts";
import type { Claim } from "../../write/claim.ts";
import { claimIn, placeOf } from "../../write/claim.ts";
import { defaultTimes } from "../../write/election.ts";
import { flagDifferences, shownZone } from "../../write/writer-profile.ts";

const check = "writer";

/** One finding for each fault, or one that names the writer. */
export async function checkWriter(
  session: Session<Northbound>,
  settings: Examination["settings"],
  clock: Clock,
): Promise<readonly Finding[]> {
  const claim = claimIn(session.cache);
  if (claim === null)
    return [
      fail(
        check,
        "no instance writes to the Northbound database: its rows follow nothing",
        "start northgate run; /readyz of one that runs says why it does not write",
      ),
    ];
  const faults = [
    ...((await livesOn(session, claim, clock)) ? [] : [silent(claim)]),
    ...(claim.isBlind ? [blind(claim)] : []),
    ...profileFaults(claim, settings),
  ];
  return faults.length > 0 ? faults : [ok(check, `${placeOf(claim)} writes, and renews its claim`)];
}

/** Whether the claim is renewed, or another one takes it, before an instance on standby would take it for abandoned. */
async function livesOn(session: Session<Northbound>, seen: Claim, clock: Clock): Promise<boolean> {
  const renewed = Promise.withResolvers<undefined>();
  const look = (): void => {
    const claim = claimIn(session.cache);
    if (claim !== null && (claim.writer !== seen.writer || claim.sign !== seen.sign))
      renewed.resolve(undefined);
  };
  const unsubscribe = session.subscribe({ changed: look });
  look();
  try {
    return await endsWithin(clock, defaultTimes.expire, renewed.promise);
  } finally {
    unsubscribe();
  }
}

function silent(claim: Claim): Finding {
  const seconds = defaultTimes.expire / 1000;
  return fail(
    check,
    `${placeOf(claim)} has the claim to write, and has not renewed it within ${seconds} s`,
    "see whether that process lives; no instance is on standby, or it would have taken over: start one",
  );
}

function blind(claim: Claim): Finding {
  return fail(
    check,
    `${placeOf(claim)} writes, and its source of objects is out of contact`,
    "see why that instance does not reach the API server: its /readyz names the resources",
  );
}

function profileFaults(claim: Claim, settings: Examination["settings"]): readonly Finding[] {
  const { zone } = settings;
  if (claim.zone !== undefined && claim.zone !== zone)
    return [
      fail(
        check,
        `${placeOf(claim)} writes for ${shownZone(claim.zone)}, and doctor was asked about ${shownZone(zone)}`,
        "correct --zone or --nb: one database has rows of one zone",
      ),
    ];
  const differences = flagDifferences(claim.flags, profileOf(settings).flags).map(shownDifference);
  if (differences.length === 0) return [];
  return [
    unknown(
      check,
      `${placeOf(claim)} writes with other flags: ${differences.join("; ")}`,
      "give doctor the flags of that instance: its findings are about those that it was given",
    ),
  ];
}
