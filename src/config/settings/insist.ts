// Switches that insist, for one start of `run`, on what it would otherwise hold back or refuse.

import type { Setting } from "../setting.ts";

export const insisting = [
  {
    flag: "allow-empty-zone",
    commands: ["run"],
    argument: null,
    help: "accept a --zone without a Node, or a database of another zone, and write the rows; without it, rows are kept",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "take-over",
    commands: ["run"],
    argument: null,
    help: "take the claim to write, once at start, from an instance that writes with other flags",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "allow-empty",
    commands: ["run"],
    argument: null,
    help: "accept an empty source and remove the existing rows; without it, rows are kept until the source has an object",
    fallback: "false",
    onLineOnly: true,
  },
] as const satisfies readonly Setting[];
