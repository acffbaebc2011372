// A writer whose event loop is held up: claims, says so, then does nothing but compute for a given time. A process of its own,
// so that no other loop is held up with it.
// Usage: busy-writer.ts REMOTE TURN_MS BUSY_MS: the loop is held up for BUSY_MS, the thread gives signs for TURN_MS of it.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import { Election, electionLock, unconditional } from "../../src/nbdb/write/election.ts";
import { Heartbeat } from "../../src/nbdb/write/heartbeat.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import { owners } from "../support/controller.ts";

const [remote = "", turnMs = "", busyMs = ""] = process.argv.slice(2);
const fatal = (error: unknown): void => {
  throw error;
};
const session = openSession({
  remotes: remote,
  database: northbound,
  monitors: northboundMonitors(rowOwners(owners)),
  lock: electionLock,
});
const logger = silentLogger;
const heartbeat = new Heartbeat({
  ...{ remotes: remote, database: northbound.name, tls: null, clock: systemClock, logger, fatal },
  times: { lookMs: 50, lateMs: 100, turnMs: Number(turnMs) },
});
const election = new Election({
  ...{ session, writer: new NorthboundWriter({ session }), token: "busy", place: "here busy" },
  ...{ clock: systemClock, logger, ...unconditional, heartbeat },
  times: { renew: 50, expire: 3_600_000, grace: 3_600_000 },
});
const claimed = Promise.withResolvers<undefined>();
election.onChange(() => {
  claimed.resolve(undefined);
});
await claimed.promise;
// The thread has started, and knows the claim, when it has had some time.
await new Promise((resolve) => setTimeout(resolve, 1_000));
process.stdout.write("busy\n");
const until = performance.now() + Number(busyMs);
while (performance.now() < until);
process.stdout.write("turns\n");
process.once("SIGTERM", () => {
  void election
    .stop()
    .then(() => heartbeat.stop())
    .then(() => session.close())
    .then(() => {
      process.exit(0);
    });
});
