// The flags that say how rows are written, and the mode that their values make.

import type { Chosen, FlagOptions, Flags } from "../../policy/contracts/flags.ts";
import { chosenOf } from "../../policy/contracts/flags.ts";
import type { TierLayout } from "../../policy/contracts/tier-layout.ts";
import type { RenderMode, Sampling } from "./render-mode.ts";
import { addressSetForms, anpPriorities, namedPortForms, observed } from "./render-mode.ts";
import { probabilityOf } from "./sampling/sampling.ts";

/** The schema allows 32 bits. OVN before 24.09.3 and 25.03.1 writes the last eight of them into flows. */
const mostSetIds = 255;

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
  observe: {
    argument: "WHAT",
    help: "which connections OVN samples: off (none), samples (those that a rule of a policy judges, with the number of the rule) or watch (also those that no policy judges)",
    choices: observed,
    fallback: "off",
  },
  "observe-set-id": {
    argument: "NUMBER",
    help: "with --observe, the Flow_Sample_Collector_Set of the nodes' OVS that gets the samples; OVN-Kubernetes' own is 42",
    fault: (text: string) =>
      isSetId(text)
        ? null
        : `is not a number from 1 to ${mostSetIds} other than 42, which is OVN-Kubernetes' own`,
    fallback: "79",
  },
  "observe-percent": {
    argument: "PERCENT",
    help: "with --observe, how many of the packets are sampled: more than 0, at most 100; 0.5 is one of 200",
    fault: (text: string) =>
      isPercent(text) ? null : "is not a number above 0 and up to 100, with at most three decimals",
    fallback: "100",
  },
} as const satisfies FlagOptions;

function isSetId(text: string): boolean {
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) <= mostSetIds && text !== "42";
}

function isPercent(text: string): boolean {
  return /^\d{1,3}(\.\d{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= 100;
}

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
    sampling: chosen.observe === "off" ? null : samplingOf(chosen),
    watches: chosen.observe === "watch",
  };
}

function samplingOf(chosen: Chosen<typeof northboundOptions>): Sampling {
  return {
    setId: Number(chosen["observe-set-id"]),
    probability: probabilityOf(Number(chosen["observe-percent"])),
  };
}
