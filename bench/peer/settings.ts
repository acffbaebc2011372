// What a contest is asked for, from `make`'s variables: as for `make bench`, less what has no meaning beside the peer.

import { SettingsError, Variables } from "../../scripts/support/variables.ts";
import type { BenchOptions } from "../run/bench.ts";
import { settingsOf } from "../settings.ts";

/** What is compared; each list differs in the mode alone. */
export function contestsOf(env: NodeJS.ProcessEnv): {
  readonly out: string;
  readonly contests: readonly (readonly BenchOptions[])[];
} {
  const variables = new Variables(env);
  const { runs } = settingsOf({
    ...env,
    W: variables.text("WORKLOADS", "W1,W2"),
    MODE: variables.text("MODE", "central,shared"),
    EVENTS: variables.text("EVENTS", "pod"),
    REPETITIONS: variables.text("REPETITIONS", "20"),
  });
  for (const { workload, mode, chassis, events } of runs) {
    if (workload.kind !== "anp")
      throw new SettingsError(`WORKLOADS=${workload.name}: its policies are no AdminNetworkPolicies`);
    if (mode !== "central" && mode !== "shared")
      throw new SettingsError(`MODE=${mode}: beside the peer there are central and shared`);
    if (chassis > 0) throw new SettingsError("CHASSIS: beside the peer there is no chassis");
    const process = events.find((event) => event === "restart" || event === "reconnect");
    if (process !== undefined)
      throw new SettingsError(`EVENTS=${process}: beside the peer there is no ${process}`);
  }
  const contests = [...Map.groupBy(runs, ({ workload }) => workload.name).values()];
  return { out: variables.text("OUT", "bench/results/peer.json"), contests };
}
