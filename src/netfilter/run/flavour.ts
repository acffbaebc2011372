// Which of the two kernel interfaces the node's own programs write their rules with: a node has both, and rules in one of them say
// nothing about those in the other.

import { FilterRefusedError, isOfTools } from "../live/filter-tools.ts";
import type { Flavour } from "../options.ts";
import { flavours } from "../options.ts";
import type { ToolsPlace } from "./tool-process.ts";
import { runTool } from "./tool-process.ts";

/** Chains that the kubelet and kube-proxy make: KUBE-IPTABLES-HINT is there for this question (KEP-3178). */
const ofKubernetes = /^:KUBE-/m;

/**
 * The one with chains of Kubernetes, or else the one that works; nft where both do. Rejects with a FilterRefusedError where none can be
 * used.
 */
export async function flavourOf(place: ToolsPlace): Promise<Flavour> {
  const found = await Promise.all(flavours.map((flavour) => savedBy(place, flavour)));
  const working = flavours.filter((_, at) => typeof found[at] === "string");
  const [first] = flavours.filter((_, at) => ofKubernetes.test(textIn(found[at])));
  const [second] = working;
  const chosen = first ?? second;
  if (chosen !== undefined) return chosen;
  const reasons = found.flatMap((one) => (one instanceof Error ? [one.message] : []));
  throw new FilterRefusedError(reasons.join("; "));
}

function textIn(found: string | Error | undefined): string {
  return typeof found === "string" ? found : "";
}

/** What it prints of the tables that hold such chains, or why it cannot be asked. */
async function savedBy(place: ToolsPlace, flavour: Flavour): Promise<string | Error> {
  try {
    const tables = ["mangle", "filter"].map((table) =>
      runTool(place, `iptables-${flavour}-save`, ["-t", table]),
    );
    return (await Promise.all(tables)).join("");
  } catch (error) {
    if (isOfTools(error)) return error;
    throw error;
  }
}
