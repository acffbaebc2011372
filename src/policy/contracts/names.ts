// How the addresses of host names are learned: one flag, which every dialect with such peers has among its options. What is not
// learned is not compiled to a peer: its rule stays closed.

import { hostNamesLike } from "../../model/selectors/host-names.ts";
import type { HostNameGroup } from "../ir.ts";
import type { FlagOption } from "./flags.ts";

/**
 * `off`: nothing is learned; `poll`: DNS is asked for each name without a `*`; `dnstap`: that, and DNS servers send what they answer, so
 * that names with a `*` are learned too.
 */
export const namesModes = ["off", "poll", "dnstap"] as const;
export type NamesMode = (typeof namesModes)[number];

export const namesFlag = "names";

export const namesOption: FlagOption<NamesMode> = {
  argument: "SOURCE",
  help: "how domain names in Allow rules are resolved: off (they match nothing), poll (each exact name is asked of the cluster's DNS), or dnstap (wildcards too, from what the DNS servers send; docs/names.md)",
  choices: namesModes,
  fallback: "off",
};

/** The names that a pattern matches, as a peer. null: addresses of such names are not learned, or no peer says the pattern. */
export function namesPeer(pattern: string, mode: NamesMode): HostNameGroup | null {
  if (mode === "off" || (mode === "poll" && pattern.includes("*"))) return null;
  const names = hostNamesLike(pattern);
  return names && { kind: "hostNames", names };
}
