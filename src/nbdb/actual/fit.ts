// Whether rows in a database can be of effect at all: it is for our zone, and it has a switch.

import { quote } from "../../model/quote.ts";
import type { Unenforced } from "../../policy/contracts/unenforced.ts";

/** `zone`: of the program, null: all nodes; `named`: NB_Global.name, empty when it says nothing. null: nothing is against it. */
export function zoneMismatch(zone: string | null, named: string): Unenforced | null {
  if (zone === null || named === "" || named === zone) return null;
  const message = `the Northbound database is of zone ${quote(named)}, and --zone is ${quote(zone)}`;
  return { reason: "ZoneMismatch", message };
}

export const noNetwork: Unenforced = {
  reason: "NoNetwork",
  message: "the Northbound database has no logical switch",
};
