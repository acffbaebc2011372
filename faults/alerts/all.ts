// Every alert of the shipped rules, with the faults that make it fire: one, or one for each thing that it is about.

import type { AlertFault } from "./kind.ts";
import { instanceAlerts } from "./instances.ts";
import { nameAlerts } from "./names.ts";
import { policyAlerts } from "./policies.ts";
import { staleAlert } from "./stale.ts";
import { tapAlert } from "./taps.ts";

export const allAlerts: readonly AlertFault[] = [
  ...policyAlerts,
  ...instanceAlerts,
  ...nameAlerts,
  tapAlert,
  staleAlert,
];

const noReader = "no reader of a node is on the stage; promtool plays its series";

/** Alerts whose fault is not made, with the reason. */
export const notMade: Readonly<Record<string, string>> = {
  NorthgateNodeReaderAway: noReader,
  NorthgateNodeReadingOld: noReader,
  NorthgateSamplesLost: noReader,
};
