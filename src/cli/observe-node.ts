// `northgate observe-node`: which rules the packets of one node have met, as its switch has counted them. Writes nothing.

import type { Command } from "commander";
import { backends } from "../backends.ts";
import { tlsFiles } from "../config/remotes.ts";
import type { ObserveNodeConfig } from "../config/observe.ts";
import { readObserveNodeConfig } from "../config/observe.ts";
import { invariant } from "../lib/invariant.ts";
import { systemClock } from "../lib/clock.ts";
import { silentLogger } from "../lib/logger.ts";
import { readSwitch } from "../observe/counting.ts";
import type { RuleFlows } from "../observe/flows.ts";
import type { RuleCount } from "../observe/tally.ts";
import { Tally } from "../observe/tally.ts";
import { declareFlags, precedence } from "./flags.ts";
import { formatCounts, countsData } from "./print/counts-table.ts";
import { formatData } from "./print/data.ts";
import { printError } from "./print/print-error.ts";
import { widthOf } from "./print/width.ts";

export function addObserveNode(program: Command): void {
  const command = program
    .command("observe-node")
    .summary("count the packets of this node that each rule has let through or dropped")
    .description(
      "Reads from the switch of this node (Open vSwitch) how many packets and bytes each rule of each policy has allowed, denied " +
        "or passed, apart for packets of new and of established connections. The counts are the switch's own, exact but for its " +
        "last half second, and of this node alone. It asks as an OpenFlow slave, which the switch lets change nothing, and reads " +
        "both databases of OVN. Replies are not counted: no rule is asked about them.",
    );
  const given = declareFlags(command, "observe-node");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 done, 1 a database or the switch cannot be read, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate observe-node --once --nb unix:/var/run/ovn/ovnnb_db.sock --sb unix:/var/run/ovn/ovnsb_db.sock\n" +
        "  northgate observe-node --once --nb tcp:10.0.0.2:6641 --sb tcp:10.0.0.2:6642 -o json\n",
    )
    .action(async () => {
      process.exitCode = await observeOnce(readObserveNodeConfig(given()));
    });
}

async function observeOnce(config: ObserveNodeConfig): Promise<number> {
  const flows = followFlows(config);
  try {
    await flows.opened();
    print(await countsOf(flows, config), config);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(error.message);
    return 1;
  } finally {
    await flows.close();
  }
}

async function countsOf(flows: RuleFlows, { openflow }: ObserveNodeConfig): Promise<readonly RuleCount[]> {
  const now = flows.flows();
  const tally = new Tally("whole");
  tally.add(now, await readSwitch(openflow, now, systemClock));
  return tally.counts;
}

function followFlows({ northbound: { nb, tls }, sb }: ObserveNodeConfig): RuleFlows {
  const follow = backends.find(({ live }) => live.ruleFlows !== null)?.live.ruleFlows ?? null;
  invariant(follow !== null, "a backend has flows in a switch");
  return follow({ nb, sb, tls: tls && tlsFiles(tls), clock: systemClock, logger: silentLogger });
}

function print(counts: readonly RuleCount[], { output }: ObserveNodeConfig): void {
  process.stdout.write(
    output === "table"
      ? formatCounts(counts, widthOf(process.stdout))
      : formatData(countsData(counts), output),
  );
}
