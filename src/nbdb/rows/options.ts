// The flags that say how rows are written, and the mode that their values make.

import type { Flags } from "../../policy/contracts/flags.ts";
import { chosenOf } from "../../policy/contracts/flags.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import type { RenderMode } from "./render-mode.ts";
import { addressSetForms, anpPriorities, namedPortForms } from "./render-mode.ts";

export const northboundOptions = {
  "named-ports": {
    argument: "FORM",
    help: "destinations of named ports: list (addresses in the match) or sets (an address set for each number)",
    choices: namedPortForms,
    fallback: "list",
  },
  "address-sets": {
    argument: "FORM",
    help: "address sets of AdminNetworkPolicy and its baseline: rule (one for each rule, as documented) or shared (one for each selector)",
    choices: addressSetForms,
    fallback: "rule",
  },
  "anp-priorities": {
    argument: "WHICH",
    help: "priorities of AdminNetworkPolicy: documented (0 to 99; others are refused) or all (100 to 1000 follow them)",
    choices: anpPriorities,
    fallback: "documented",
  },
} as const;

/** Of flags that were checked against their choices; `zone`: as in RenderMode. */
export function renderModeOf(
  zone: string | null,
  flags: Flags,
  tierLayout: TierLayout = "threeTiers",
): Required<RenderMode> {
  const chosen = chosenOf(northboundOptions, flags);
  return {
    ...{ zone, tierLayout },
    namedPorts: chosen["named-ports"],
    addressSets: chosen["address-sets"],
    anpPriorities: chosen["anp-priorities"],
  };
}
