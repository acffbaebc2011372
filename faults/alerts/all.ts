// Every alert of the shipped rules, with the fault that makes it fire, or why none is made here.

import type { AlertFault } from "./kind.ts";
import { instanceAlerts } from "./instances.ts";
import { policyAlerts } from "./policies.ts";

export const allAlerts: readonly AlertFault[] = [...policyAlerts, ...instanceAlerts];

/** Alerts whose fault is not made, with the reason. */
export const notMade: Readonly<Record<string, string>> = {
  NorthgateStale:
    "a transaction without an answer ends its connection after 15 s, and then the database counts as away, so no fault from outside holds a change for a minute while it is there; a pass of so long a time needs a processor far too small for its cluster",
  NorthgateNodeReaderAway: "no reader of a node is on the stage; promtool plays its series",
  NorthgateNodeReadingOld: "no reader of a node is on the stage; promtool plays its series",
  NorthgateSamplesLost: "no reader of a node is on the stage; promtool plays its series",
};
