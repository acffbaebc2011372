// The nat tables of a node, as iptables has them.

import type { IpFamily } from "../../../model/ip.ts";
import { flavours } from "../../options.ts";
import type { ToolsPlace } from "../tool-process.ts";
import { printedOrNone, runTool } from "../tool-process.ts";
import { toolNames } from "../tools.ts";

/** Of both flavours, by the tool; those that cannot be used print nothing. */
export async function natTables(
  place: ToolsPlace,
  families: readonly IpFamily[],
): Promise<ReadonlyMap<string, string>> {
  const asked = flavours.flatMap((flavour) =>
    families.map(async (family) => {
      // To ask for a table by name makes it, where the flavour is legacy.
      const table = flavour === "nft" ? ["-t", "nat"] : [];
      const tool = `${toolNames[family]}-${flavour}`;
      return [tool, await printedOrNone(runTool(place, `${tool}-save`, table))] as const;
    }),
  );
  return new Map(await Promise.all(asked));
}
