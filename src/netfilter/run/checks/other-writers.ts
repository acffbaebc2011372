// What Northgate has written on the node with another tool, in an earlier run: the kernel asks it too.

import type { IpFamily } from "../../../model/ip.ts";
import { chainPrefix } from "../../names.ts";
import { tableName } from "../../nft/script.ts";
import type { Flavour } from "../../options.ts";
import type { ToolsPlace } from "../tool-process.ts";
import { printedOrNone, runTool } from "../tool-process.ts";
import { toolNames } from "../tools.ts";

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

/** Of what the flavour's tools print; a sentence, or none. */
export function notesOfChains(flavour: Flavour, save: string): readonly string[] {
  if (!new RegExp(`^:${chainPrefix}`, "m").test(save)) return [];
  return [
    `iptables-${flavour} has chains of Northgate's too, which are in force: ${cleanup} iptables --yes removes them`,
  ];
}

/** Of nftables; a sentence, or none. */
export async function notesOfTable(place: ToolsPlace): Promise<readonly string[]> {
  const tables = await printedOrNone(runTool(place, "nft", ["list", "tables"]));
  if (!tables.split("\n").includes(`table ${tableName}`)) return [];
  return [`nftables has a table of Northgate's too, which is in force: ${cleanup} nftables --yes removes it`];
}
