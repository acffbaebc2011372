// The flags that say how a packet filter enforces what policies mean.

import type { FlagOptions, Flags } from "../policy/contracts/flags.ts";
import { chosenOf } from "../policy/contracts/flags.ts";

/** What happens to a denied packet: `reject` sends its sender an error, `drop` sends nothing. */
export type DenyForm = "reject" | "drop";

export const netfilterOptions = {
  deny: {
    argument: "FORM",
    help: "with --backend iptables, what happens to a denied packet: reject (its sender gets an error at once) or drop",
    choices: ["reject", "drop"],
    fallback: "reject",
  },
} as const satisfies FlagOptions;

export function denyFormOf(flags: Flags): DenyForm {
  return chosenOf(netfilterOptions, flags).deny;
}
