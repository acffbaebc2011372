// Every alert of the shipped rules, with the faults that make it fire: one, or one for each thing that it is about.

import type { AlertFault } from "./kind.ts";
import { instanceAlerts } from "./instances.ts";
import { nameAlerts } from "./names.ts";
import { policyAlerts } from "./policies.ts";
import { readerAlerts } from "./readers.ts";
import { staleAlert } from "./stale.ts";
import { tapAlert } from "./taps.ts";

export const allAlerts: readonly AlertFault[] = [
  ...policyAlerts,
  ...instanceAlerts,
  ...nameAlerts,
  tapAlert,
  staleAlert,
  ...readerAlerts,
];

/** Alerts whose fault is not made, with the reason. */
export const notMade: Readonly<Record<string, string>> = {};
