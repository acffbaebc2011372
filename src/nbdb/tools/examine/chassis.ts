// Whether every chassis follows the database: NB_Global.hv_cfg reaches nb_cfg, which whoever waits for the chassis counts up.

import type { Finding } from "../../../doctor/finding.ts";
import { fail, ok, skip } from "../../../doctor/finding.ts";
import type { Clock } from "../../../lib/clock.ts";
import { endsWithin } from "../../../lib/deadline.ts";
import type { Session } from "../../../ovsdb/index.ts";
import type { Northbound } from "../../rows/schema.ts";

const check = "chassis";

/** Milliseconds: many times what flows take on a large node. */
const patienceMs = 10_000;

interface Counts {
  readonly asked: number;
  readonly followed: number;
}

export async function checkChassis(session: Session<Northbound>, clock: Clock): Promise<Finding> {
  const first = countsIn(session);
  if (first.asked === 0) return skip(check, "nobody has asked the chassis yet: NB_Global.nb_cfg is 0");
  const followed = Promise.withResolvers<undefined>();
  const look = (): void => {
    if (countsIn(session).followed >= first.asked) followed.resolve(undefined);
  };
  const unsubscribe = session.subscribe({ changed: look });
  look();
  try {
    if (await endsWithin(clock, patienceMs, followed.promise))
      return ok(check, `every chassis has followed up to ${first.asked} (NB_Global.hv_cfg)`);
  } finally {
    unsubscribe();
  }
  const last = countsIn(session);
  return fail(
    check,
    `a chassis has followed up to ${last.followed} only, of ${last.asked} (NB_Global.hv_cfg, nb_cfg), for ${patienceMs / 1000} s`,
    "see whether ovn-northd runs, and ovn-controller on every node: ovn-sbctl list Chassis_Private shows who is behind",
  );
}

function countsIn({ cache }: Session<Northbound>): Counts {
  for (const [, row] of cache.table("NB_Global").entries())
    return { asked: row.nb_cfg, followed: row.hv_cfg };
  return { asked: 0, followed: 0 };
}
