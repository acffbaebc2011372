// Every alert of the shipped rules, with the fault that makes it fire.

import type { AlertFault } from "./kind.ts";
import { instanceAlerts } from "./instances.ts";
import { nameAlerts } from "./names.ts";
import { policyAlerts } from "./policies.ts";
import { readerAlerts } from "./readers.ts";
import { staleAlert } from "./stale.ts";

export const allAlerts: readonly AlertFault[] = [
  ...policyAlerts,
  ...instanceAlerts,
  ...nameAlerts,
  staleAlert,
  ...readerAlerts,
];

/** Alerts whose fault is not made, with the reason. */
export const notMade: Readonly<Record<string, string>> = {};
