// `northgate observe-node`: which rules the packets of one node have met, as its switch has counted them: once, or as metrics until a
// signal ends it, with samples for those that watch. Writes to no database of OVN.

import type { Command } from "commander";
import type { ObserveNodeConfig } from "../../config/answers/observe.ts";
import { readObserveNodeConfig } from "../../config/answers/observe.ts";
import { lastingCommand } from "../lasting.ts";
import { declareFlags, precedence } from "../flags.ts";
import { countsData, formatCounts } from "../print/counts-table.ts";
import { formatData } from "../print/data.ts";
import { printError } from "../print/print-error.ts";
import { widthOf } from "../print/width.ts";

export function addObserveNode(program: Command): void {
  const command = program
    .command("observe-node")
    .summary("count the packets of this node that each rule has let through or dropped")
    .description(
      "Reads from the switch of this node (Open vSwitch) how many packets and bytes each rule of each policy has allowed, denied " +
        "or passed, apart for packets of new and of established connections. The counts are the switch's own, exact but for its " +
        "last half second, and of this node alone. It asks as an OpenFlow slave, which the switch lets change nothing, and reads " +
        "both databases of OVN. Replies are not counted: no rule is asked about them. Without --once it runs until it is ended, and " +
        "serves the counts as metrics; while northgate observe follows on this node, it has the switch sample packets, by two rows that " +
        "it writes to the node's Open vSwitch database and removes again.",
    );
  const given = declareFlags(command, "observe-node");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 done or ended by a signal, 1 could not start, or with --once a database or the switch cannot be read, 2 wrong " +
        "usage, 70 a bug of Northgate's.\n\n" +
        "Examples:\n" +
        "  northgate observe-node --once --nb unix:/var/run/ovn/ovnnb_db.sock --sb unix:/var/run/ovn/ovnsb_db.sock\n" +
        "  northgate observe-node --once --nb tcp:10.0.0.2:6641 --sb tcp:10.0.0.2:6642 -o json\n" +
        "  northgate observe-node --nb unix:/var/run/ovn/ovnnb_db.sock --sb unix:/var/run/ovn/ovnsb_db.sock\n",
    )
    .action(async () => {
      const config = readObserveNodeConfig(given());
      process.exitCode =
        config.once === null
          ? await lastingCommand(async (fatal) => (await reading()).observeNode(config, fatal))
          : await printOnce(config, config.once.output);
    });
}

/** The node's reader is loaded here: no other command needs it. */
const reading = () => import("../../wiring/observe-node.ts");

async function printOnce(config: ObserveNodeConfig, output: "table" | "json"): Promise<number> {
  try {
    const counts = await (await reading()).countsOfNode(config);
    process.stdout.write(
      output === "table"
        ? formatCounts(counts, widthOf(process.stdout))
        : formatData(countsData(counts), output),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(error.message);
    return 1;
  }
}
