// Flags that say which rows policies have, and when they count as in force.

import { logSeverities } from "../../model/log-severity.ts";
import { addressSetForms, anpPriorities, namedPortForms } from "../../nbdb/rows/render-mode.ts";
import { waitPoints, booleans } from "../choices.ts";
import type { Setting } from "../setting.ts";
import { every, renderers } from "../setting.ts";

export const ofRows = [
  {
    flag: "zone",
    commands: every,
    argument: "NODE",
    help: "the node whose database this is: port groups and ingress named ports take its pods only",
    fallback: "",
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
  {
    flag: "enable-admin-network-policy",
    commands: ["run"],
    argument: "BOOLEAN",
    help: "false: the cluster-wide kinds are not followed, and their rows stay as they are",
    choices: booleans,
    fallback: "true",
  },
  {
    flag: "enable-network-policy",
    commands: ["run"],
    argument: "BOOLEAN",
    help: "true: NetworkPolicy too, whose rows are then ours; never beside OVN-Kubernetes, which has its own",
    choices: booleans,
    fallback: "false",
  },
  {
    flag: "enable-network-policy",
    commands: ["render"],
    argument: "BOOLEAN",
    help: "false: NetworkPolicy manifests are not read",
    choices: booleans,
    fallback: "true",
  },
  {
    flag: "enable-antrea-policy",
    commands: ["run"],
    argument: "BOOLEAN",
    help: "true: ClusterNetworkPolicy, NetworkPolicy, Tier and groups of crd.antrea.io too; never beside Antrea",
    choices: booleans,
    fallback: "false",
  },
  {
    flag: "enable-antrea-policy",
    commands: ["render"],
    argument: "BOOLEAN",
    help: "false: manifests of crd.antrea.io, and Services, are not read",
    choices: booleans,
    fallback: "true",
  },
  {
    flag: "stateless-network-policy",
    commands: renderers,
    argument: "BOOLEAN",
    help: "true: k8s.ovn.org/acl-stateless is obeyed: such a NetworkPolicy's allows follow no connections",
    choices: booleans,
    fallback: "false",
  },
  {
    flag: "antrea-log-severity",
    commands: renderers,
    argument: "SEVERITY",
    help: "of verdicts that rules of Antrea's kinds log with enableLogging, in the log of ovn-controller",
    choices: logSeverities,
    fallback: "info",
  },
  {
    flag: "allow-empty",
    commands: ["run"],
    argument: null,
    help: "an empty source is meant: remove the rows that stand; without it they stay until it has an object",
    fallback: "false",
    onLineOnly: true,
  },
] as const satisfies readonly Setting[];
