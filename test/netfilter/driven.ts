// The backend of a node's packet filter on real tools, driven by hand: facts and policies go in, and a commit writes.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { NetfilterBackend } from "../../src/netfilter/live/backend.ts";
import { iptablesLanguage } from "../../src/netfilter/live/iptables-language.ts";
import { NodeFilter } from "../../src/netfilter/live/node-filter.ts";
import { nftLanguage } from "../../src/netfilter/nft/language.ts";
import { TableFilter } from "../../src/netfilter/nft/table-filter.ts";
import { filterFormOf } from "../../src/netfilter/options.ts";
import { readNodeProtocols } from "../../src/netfilter/run/protocols.ts";
import type { ToolRun } from "../../src/netfilter/run/tool-runs.ts";
import { ProcessTable } from "../../src/netfilter/run/table-tools.ts";
import { ProcessTools } from "../../src/netfilter/run/tools.ts";
import type { Flags } from "../../src/policy/contracts/flags.ts";
import { Driver } from "../backend/driver.ts";
import { contractOwners } from "../backend/policies.ts";
import type { NamespaceProcess } from "../support/netns.ts";
import type { Variant } from "./tools.ts";
import { placeOf } from "./tools.ts";

export interface Driven {
  readonly driver: Driver;
  /** What the tools did. */
  readonly runs: readonly ToolRun[];
  readonly stop: () => void;
}

/** A backend that has read the node `zone`; it serves both families. */
export async function drivenBackend(
  namespace: NamespaceProcess,
  variant: Variant,
  zone: string,
  flags: Flags = {},
): Promise<Driven> {
  const runs: ToolRun[] = [];
  const { filter, language, tools } = filterOf(namespace, variant, flags, (run) => runs.push(run));
  let made: NetfilterBackend | null = null;
  const driver = new Driver((membership) => {
    made = new NetfilterBackend({
      ...{ filter, language, membership, zone, kinds: [...contractOwners.values()] },
      ...{ logger: silentLogger, mayExist: () => false, clock: systemClock },
    });
    return made;
  });
  driver.backend.serve(["v4", "v6"]);
  await made!.sight.lookAgain();
  return {
    ...{ driver, runs },
    stop: () => {
      tools.stop();
    },
  };
}

/** The filter of a node, and what its rules are written with. */
export function filterOf(
  namespace: NamespaceProcess,
  { tool, flavour }: Variant,
  flags: Flags,
  ran: (run: ToolRun) => void,
) {
  const [place, form] = [placeOf(namespace), filterFormOf(flags)];
  if (tool === "nftables") {
    const tools = new ProcessTable({ place, ran });
    return { tools, filter: new TableFilter(tools), language: nftLanguage(form) };
  }
  const tools = new ProcessTools({ place, flavour, ran });
  return { tools, filter: new NodeFilter(tools, readNodeProtocols()), language: iptablesLanguage(form) };
}
