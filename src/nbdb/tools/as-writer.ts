// Lets a command write to the Northbound database as the one writer: it waits for the claim that `run` holds too, and
// gives it back at the end. Refuses while another instance lives. Invariant: what is written has the claim at its head.

import { systemClock } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";
import { silentLogger } from "../../lib/logger.ts";
import { claimIn, placeOf } from "../write/claim.ts";
import { Election, identity, unconditional } from "../write/election.ts";
import type { NorthboundLock, NorthboundView } from "../write/northbound-writer.ts";
import { NorthboundWriter, PreconditionFailedError } from "../write/northbound-writer.ts";
import type { Northbound } from "../rows/schema.ts";
import type { Session } from "../../ovsdb/index.ts";

/** More than the time after which a claim without a sign of its holder is taken over (election.ts). */
const patienceMs = 15_000;
const tellAfterMs = 2_000;
/** An instance on standby claims at once what was given back; some time is for its transaction. */
const successorMs = 1_000;

type WritingSession = NorthboundView & NorthboundLock & Pick<Session<Northbound>, "transact">;

/**
 * Calls `work` once this process holds the claim, and `warn` with a line while it waits for another's end; the session has asked for `electionLock`. Rejects with one line when it
 * does not get the claim, when it loses it, and as `work` does.
 */
export async function asWriter<T>(
  session: WritingSession,
  warn: (line: string) => void,
  work: (writer: NorthboundWriter) => Promise<T>,
): Promise<T> {
  const election = new Election({
    ...{ session, writer: new NorthboundWriter({ session }), ...identity() },
    ...{ clock: systemClock, logger: silentLogger },
    ...unconditional,
  });
  try {
    await elected(election, warn);
    return await work(new NorthboundWriter({ session, precondition: () => election.precondition() }));
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    throw new Error(`another instance has begun to write: ${election.other ?? "unknown"}; rows may be left`, {
      cause: error,
    });
  } finally {
    await election.stop();
  }
}

/**
 * Where the instance runs that writes now, after a claim was given back: it was on standby, and nothing else could have shown it.
 * null: no instance has claimed within a second.
 */
export async function successor(session: NorthboundView): Promise<string | null> {
  const come = Promise.withResolvers<string>();
  const look = (): void => {
    const claim = session.ready ? claimIn(session.cache) : null;
    if (claim !== null) come.resolve(placeOf(claim));
  };
  const unsubscribe = session.subscribe({ changed: look });
  look();
  try {
    return (await endsWithin(systemClock, successorMs, come.promise)) ? await come.promise : null;
  } finally {
    unsubscribe();
  }
}

async function elected(election: Election, warn: (line: string) => void): Promise<void> {
  const leads = Promise.withResolvers<undefined>();
  const look = (): void => {
    if (election.leads) leads.resolve(undefined);
  };
  election.onChange(look);
  look();
  const seconds = patienceMs / 1000;
  const timers = [
    systemClock.after(tellAfterMs, () => {
      const { other } = election;
      if (other !== null) warn(`another instance writes: ${other}; waiting up to ${seconds} s for its end`);
    }),
    systemClock.after(patienceMs, () => {
      const { other } = election;
      leads.reject(
        new Error(
          other === null
            ? `the database did not give the right to write within ${seconds} s; nothing was removed`
            : `another instance writes: ${other}; stop it first, nothing was removed`,
        ),
      );
    }),
  ];
  try {
    await leads.promise;
  } finally {
    for (const timer of timers) timer.cancel();
  }
}
