// Flags that say which rows policies have, and when they count as in force.

import { addressSetForms, anpPriorities, namedPortForms } from "../../nbdb/rows/render-mode.ts";
import { waitPoints } from "../choices.ts";
import type { Setting } from "../setting.ts";
import { every, renderers } from "../setting.ts";

export const ofRows = [
  {
    flag: "zone",
    commands: every,
    argument: "NODE",
    help: "the node whose database this is: port groups and ingress named ports take its pods only",
    fallback: "",
    chartValue: "mode",
  },
  {
    flag: "ip-families",
    commands: renderers,
    argument: "FAMILIES",
    help: "families the cluster serves: ipv4, ipv6, ipv4,ipv6, or auto: those of podCIDRs and pods",
    fallback: "auto",
  },
  {
    flag: "named-ports",
    commands: renderers,
    argument: "FORM",
    help: "destinations of named ports: list, addresses in the match; sets, an address set a number",
    choices: namedPortForms,
    fallback: "list",
  },
  {
    flag: "address-sets",
    commands: renderers,
    argument: "FORM",
    help: "AdminNetworkPolicy and its baseline: rule, an address set a rule, as documented; shared, one a selector",
    choices: addressSetForms,
    fallback: "rule",
  },
  {
    flag: "anp-priorities",
    commands: renderers,
    argument: "WHICH",
    help: "AdminNetworkPolicy: documented, 0 to 99, others are refused; all, 100 to 1000 have places behind them",
    choices: anpPriorities,
    fallback: "documented",
  },
  {
    flag: "wait",
    commands: ["run"],
    argument: "POINT",
    help: "when a policy is called ready: commit, acknowledged by the database; hv, programmed by every chassis",
    choices: waitPoints,
    fallback: "commit",
  },
  {
    flag: "wait-timeout",
    commands: ["run"],
    argument: "SECONDS",
    help: "how long --wait hv waits before it says so",
    fallback: "30",
  },
] as const satisfies readonly Setting[];
