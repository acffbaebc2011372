// Flags that say which rows policies have, and when they count as in force.

import { backendOptions, backends } from "../../backends.ts";
import { cniFlag, cniNames } from "../../cni/answers.ts";
import { waitPoints } from "../choices.ts";
import type { Setting } from "../setting.ts";
import { everyCommand, judging, renderers } from "../setting.ts";

export const ofRows = [
  {
    flag: cniFlag,
    commands: [...judging, "ui"],
    argument: "PLUGIN",
    help: "the network plugin that enforces the policies: other than ovn, no rows, and what it documents (docs/cni.md) or unknown",
    choices: cniNames,
    fallback: cniNames[0] ?? "",
  },
  {
    flag: "zone",
    commands: everyCommand,
    argument: "NODE",
    help: "the node that the database belongs to: port groups and ingress named ports have only its pods",
    fallback: "",
    chartValue: "mode",
  },
  {
    flag: "ip-families",
    commands: renderers,
    argument: "FAMILIES",
    help: "IP families of the cluster: ipv4, ipv6, ipv4,ipv6, or auto (those of podCIDRs and pods)",
    fallback: "auto",
  },
  {
    flag: "backend",
    commands: everyCommand,
    argument: "BACKEND",
    help: `what enforces the policies: ${backends.map(({ name, writes }) => `${name}, ${writes}`).join("; ")}`,
    choices: backends.map(({ name }) => name),
    fallback: backends[0].name,
    chartValue: "mode",
  },
] as const satisfies readonly Setting[];

export const ofBackends: readonly Setting[] = Object.entries(backendOptions).map(([flag, option]) => ({
  ...{ flag, commands: renderers },
  ...option,
}));

export const ofReadiness = [
  {
    flag: "wait",
    commands: ["run"],
    argument: "POINT",
    help: "when a policy is ready: commit (the database acknowledged its rows) or hv (every chassis programmed them)",
    choices: waitPoints,
    fallback: "commit",
  },
  {
    flag: "wait-timeout",
    commands: ["run"],
    argument: "SECONDS",
    help: "how long --wait hv waits before it reports a timeout",
    fallback: "30",
  },
] as const satisfies readonly Setting[];
