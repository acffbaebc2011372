// `make bench W=peer PEER=…`: OVN-Kubernetes' own AdminNetworkPolicy controller, built from a checkout that the user names, beside
// this one and the floor, on the same workloads in the same run. Without a checkout it says SKIPPED.

import { circumstances, load, measuring, telling, writeResults } from "../scripts/support/measuring.ts";
import { Variables } from "../scripts/support/variables.ts";
import { findGo } from "../test/support/upstream.ts";
import { buildPeer, moduleOf, versionOf } from "./peer/build.ts";
import { contest, type ContestResult } from "./peer/contest.ts";
import { contestsOf } from "./peer/settings.ts";
import { contestLines } from "./peer/text.ts";

const help = `make bench W=peer PEER=/path/to/ovn-kubernetes [WORKLOADS=W1,W2] [MODE=central,shared] [EVENTS=pod] [REPETITIONS=20] [COLD=3] [OUT=bench/results/peer.json]

Measures OVN-Kubernetes' AdminNetworkPolicy controller beside this one: the same clusters and events in one run, each on a private
Northbound database with an observer that says when the rows are right. The peer is built from the checkout as it is, with Go and the
checkout's own go-controller/vendor; nothing is fetched, and no file of the checkout is written. The first build takes minutes.
Without PEER, or without Go, it says SKIPPED.

  PEER         a checkout of ovn-kubernetes. It needs an OVN that has all tables it knows: NORTHGATE_OVN_PREFIX names another
               one, which scripts/fetch-ovn.sh DIR sid fetches
  WORKLOADS    those of make bench whose policies are AdminNetworkPolicies
  MODE         this controller's form of rows: central (the documented rows, which the peer writes), shared, or both
  EVENTS       as for make bench, without restart and reconnect
  REPETITIONS, COLD, LARGEST, PATIENCE
               as for make bench

Exit codes: 0 measured or skipped, 1 rows were wrong, the peer does not compile or a process failed, 2 an argument is wrong, 3 no
OVN to be had.
`;

function skipped(why: string): true {
  process.stderr.write(`SKIPPED: beside the peer: ${why}\n`);
  return true;
}

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const { out, contests } = contestsOf(env);
  const checkout = new Variables(env).text("PEER", "");
  if (checkout === "") return skipped("PEER names no checkout of ovn-kubernetes");
  moduleOf(checkout);
  const go = findGo(process.env);
  if (go === null) return skipped("neither PATH nor the usual places have a Go");
  const tell = telling((line) => process.stdout.write(line));
  const where = await circumstances();
  const version = versionOf(checkout);
  process.stdout.write(
    `${where.machine}, Node ${where.node}, OVN ${where.ovn}; the peer: ovn-kubernetes ${version}\n`,
  );
  tell("building the peer");
  const program = buildPeer(go, checkout);
  const before = load();
  const results: ContestResult[] = [];
  for (const runs of contests) {
    const result = await contest(program, runs, tell);
    process.stdout.write(`\n${contestLines(result).join("\n")}\n\n`);
    results.push(result);
    writeResults(out, { when: new Date().toISOString(), ...where, version, load: [before, load()], results });
  }
  process.stdout.write(`written to ${out}\n`);
  return true;
}

await measuring(help, measure);
