// The backend of a node's packet filter on real tools, driven by hand: facts and policies go in, and a commit writes.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { NetfilterBackend } from "../../src/netfilter/live/backend.ts";
import { NodeFilter } from "../../src/netfilter/live/node-filter.ts";
import { filterFormOf } from "../../src/netfilter/options.ts";
import { readNodeProtocols } from "../../src/netfilter/run/protocols.ts";
import type { ToolRun } from "../../src/netfilter/run/tools.ts";
import { ProcessTools } from "../../src/netfilter/run/tools.ts";
import type { Flags } from "../../src/policy/contracts/flags.ts";
import { Driver } from "../backend/driver.ts";
import { contractOwners } from "../backend/policies.ts";
import type { NamespaceProcess } from "../support/netns.ts";
import type { Flavour } from "./tools.ts";
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
  flavour: Flavour,
  zone: string,
  flags: Flags = {},
): Promise<Driven> {
  const runs: ToolRun[] = [];
  const ran = (run: ToolRun) => runs.push(run);
  const tools = new ProcessTools({ place: placeOf(namespace), flavour, ran });
  const filter = new NodeFilter(tools, readNodeProtocols());
  let made: NetfilterBackend | null = null;
  const driver = new Driver((membership) => {
    made = new NetfilterBackend({
      ...{ filter, membership, zone, form: filterFormOf(flags), kinds: [...contractOwners.values()] },
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
