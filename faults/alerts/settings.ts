// What `make alerts` is asked for. Refuses what it does not know, naming what there is.

import { SettingsError, Variables } from "../../scripts/support/variables.ts";
import { allAlerts } from "./all.ts";
import type { AlertFault } from "./kind.ts";

export interface AlertSettings {
  readonly faults: readonly AlertFault[];
  readonly out: string;
  readonly page: string | null;
}

export const help = `make alerts [ONLY=…] [OUT=bench/results/alerts.json] [PAGE=docs/metrics.md]

Makes each alert of manifests/monitoring fire on a real Prometheus: the program runs on a real API server and a real
Northbound database, its fault is made, somebody is called once, the fault is mended, and the alert clears. A minute of
the rules is a second here. Writes the table of docs/metrics.md.

  ONLY   alerts whose name holds this text, or several, comma-separated
  OUT    the results as JSON; results of other alerts that are there are kept
  PAGE   whose table is written between its markers; none: no page

Alerts:
${allAlerts.map(({ alert, fault }) => `  ${alert}: ${fault}`).join("\n")}

Exit codes: 0 all was right, 1 something was wrong, 2 an argument is wrong, 3 no OVN to be had.
`;

export function alertSettings(env: NodeJS.ProcessEnv): AlertSettings {
  const variables = new Variables(env);
  const only = variables.list("ONLY", "");
  const faults = allAlerts.filter(({ alert }) => only.some((part) => alert.includes(part)));
  if (faults.length === 0)
    throw new SettingsError(`ONLY=${only.join()}: no alert is called so; HELP=1 names them`);
  return {
    faults,
    out: variables.text("OUT", "bench/results/alerts.json"),
    page: variables.page("docs/metrics.md"),
  };
}
