// How long a command waits for a database.

import { systemClock } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";

/** For a database that cannot be reached, and for one that is large. */
const connectMs = 3_000;
const answerMs = 60_000;

export async function opensSoon(session: {
  readonly failure: Error | null;
  opened(): Promise<void>;
}): Promise<boolean> {
  const opened = session.opened();
  return (
    (await endsWithin(systemClock, connectMs, opened)) ||
    (session.failure === null && (await endsWithin(systemClock, answerMs, opened)))
  );
}
