// What Northgate has written on the node with another tool, in an earlier run: the kernel asks it too.

import type { IpFamily } from "../../model/ip.ts";
import { chainPrefix } from "../names.ts";
import { tableName } from "../nft/script.ts";
import type { Flavour } from "../options.ts";
import { flavours } from "../options.ts";
import type { ToolsPlace } from "./tool-process.ts";
import { printedOrNone, runTool } from "./tool-process.ts";
import { toolNames } from "./tools.ts";

/** What the tools of the flavour print of all tables. Rejects as `runTool` does. */
export async function savedBy(
  place: ToolsPlace,
  families: readonly IpFamily[],
  flavour: Flavour,
): Promise<string> {
  const saves = families.map((family) => runTool(place, `${toolNames[family]}-${flavour}-save`, []));
  return (await Promise.all(saves)).join("");
}

/** As `savedBy`; "": the tools cannot be used. */
export function printedBy(
  place: ToolsPlace,
  families: readonly IpFamily[],
  flavour: Flavour,
): Promise<string> {
  return printedOrNone(savedBy(place, families, flavour));
}

const cleanup = "northgate cleanup --backend";

/** One sentence for each tool but `own`. */
export async function otherWriters(
  place: ToolsPlace,
  families: readonly IpFamily[],
  own: Flavour | "nftables",
): Promise<readonly string[]> {
  const others = flavours.filter((flavour) => flavour !== own);
  const saves = await Promise.all(others.map((flavour) => printedBy(place, families, flavour)));
  const chains = others.flatMap((flavour, at) =>
    new RegExp(`^:${chainPrefix}`, "m").test(saves[at] ?? "")
      ? [
          `iptables-${flavour} has chains of Northgate's too, which are in force: ${cleanup} iptables --yes removes them`,
        ]
      : [],
  );
  if (own === "nftables") return chains;
  const tables = await printedOrNone(runTool(place, "nft", ["list", "tables"]));
  const isThere = tables.split("\n").includes(`table ${tableName}`);
  return isThere
    ? [
        ...chains,
        `nftables has a table of Northgate's too, which is in force: ${cleanup} nftables --yes removes it`,
      ]
    : chains;
}
