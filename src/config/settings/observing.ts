// Flags of what reads which packets met which rules: the databases and sockets of a node.

import { listFormats } from "../choices.ts";
import type { Setting } from "../setting.ts";

export const observing = [
  {
    flag: "sb",
    commands: ["observe-node"],
    argument: "REMOTES",
    help: "OVN Southbound database, as --nb, with the same keys for ssl:; it is only read",
    fallback: null,
  },
  {
    flag: "openflow",
    commands: ["observe-node"],
    argument: "REMOTE",
    help: "the management socket of the node's integration bridge: unix:PATH",
    fallback: "unix:/var/run/openvswitch/br-int.mgmt",
  },
  {
    flag: "interval",
    commands: ["observe-node"],
    argument: "SECONDS",
    help: "how often the switch is read",
    fallback: "15",
  },
  {
    flag: "once",
    commands: ["observe-node"],
    argument: null,
    help: "print what the switch has counted so far, and end",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["observe-node"],
    short: "o",
    argument: "FORMAT",
    help: `with --once, how to print: ${listFormats.join(", ")}`,
    choices: listFormats,
    fallback: "table",
    onLineOnly: true,
  },
] as const satisfies readonly Setting[];
