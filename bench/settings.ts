// What a run is asked for, from `make`'s variables. Refuses what it does not know, naming what there is.

import { SettingsError, Variables } from "../scripts/support/variables.ts";
import { eventNames } from "./events/catalogue.ts";
import type { BenchOptions } from "./run/bench.ts";
import { modes } from "./workloads/rendering.ts";
import { workloadNames, workloadOf } from "./workloads/catalogue.ts";

export interface Settings {
  readonly runs: readonly BenchOptions[];
  /** Updates without effect, of a run from exec. */
  readonly updates: number;
  /** Where the results go as JSON. */
  readonly out: string;
}

export const help = `make bench [W=W1,W2] [MODE=central] [EVENTS=…] [REPETITIONS=50] [COLD=3] [OUT=bench/results/<W>-<MODE>.json]

Measures the controller against the floor, the same rows written raw, on private databases that end with the run.

  W            workloads, comma-separated: ${workloadNames.filter((name) => !name.endsWith("np")).join(", ")};
               with -cnp behind the name its policies are ClusterNetworkPolicies, with -np NetworkPolicies;
               W1-calico has Calico's in four tiers; S is Antrea's: Self over 500 namespaces; P has 12,000 policies, and brings P-tenth, a tenth of them; P-np has
               its 10,000 NetworkPolicies alone; N has 1,000 nodes
  MODE         central (one database for all nodes), node (the database of one node), sets (central, with named
               ports as sets), shared (central, with a set a selector), shared-sets (both), or several,
               comma-separated: they are measured one after the other
  EVENTS       ${eventNames.join(", ")}, none; all of them unless told
  REPETITIONS  how often an event of one pod is repeated; others are repeated less
  COLD         cold starts of each workload
  CHASSIS      1: the clock stops when every flow stands in ovs-vswitchd, behind a real northd, SB and ovn-controller,
               with the pods of one node; larger numbers: of so many nodes
  LARGEST      pods of one event, at the most; events of more are left out
  FROM         exec: the shipped program from its start, with an API server over TLS in another process that serves objects of
               real sizes; time, CPU and memory, also after UPDATES (10000) updates of pods that concern no policy, and after
               every pod was replaced (at the most LARGEST); process, the default: the controller in a process whose objects are in memory
  PATIENCE     seconds until rows that are not right end the run with a failure; 300

W=shapes tries shapes of matches on a private OVN, W=plan times plans, W=commands times each command on a large cluster,
W=northd counts what a subject's pod costs northd, W=peer measures OVN-Kubernetes' own controller in the same run (PEER: a checkout of it).

Exit codes: 0 measured, 1 rows were wrong or a process failed, 2 an argument is wrong, 3 no OVN to be had.
`;

const most = 999_999;

export function settingsOf(env: NodeJS.ProcessEnv): Settings {
  const variables = new Variables(env);
  const given = variables.list("W", "W1,W2");
  // An event of P is compared with the same one of its tenth.
  const names = given.flatMap((name) => (name === "P" ? [name, "P-tenth"] : [name]));
  const asked = variables.list("MODE", "central");
  const events = variables.list("EVENTS", eventNames.join());
  for (const event of events) {
    if (event !== "none" && !eventNames.includes(event)) {
      throw new SettingsError(`EVENTS=${event}: there are ${eventNames.join(", ")} and none`);
    }
  }
  const shared = {
    chassis: env["CHASSIS"] ? variables.number("CHASSIS", 1, most) : 0,
    events,
    largest: variables.number("LARGEST", most, most),
    coldStarts: variables.number("COLD", 3, most),
    repetitions: variables.number("REPETITIONS", 50, most),
    patienceMs: variables.number("PATIENCE", 300, most) * 1000,
  };
  const runs = names.flatMap((name) => {
    const workload = workloadOf(name);
    if (workload === null) throw new SettingsError(`W=${name}: there are ${workloadNames.join(", ")}`);
    return asked.map((mode) => {
      const known = modes.find((each) => each === mode);
      if (known === undefined) throw new SettingsError(`MODE=${mode}: there are ${modes.join(" and ")}`);
      return { workload, mode: known, ...shared };
    });
  });
  const updates = variables.number("UPDATES", 10_000, most);
  return {
    runs,
    updates,
    out: variables.text("OUT", `bench/results/${given.join("+")}-${asked.join("+")}.json`),
  };
}
