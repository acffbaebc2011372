// Switches that insist, for one start of `run`, on what it would otherwise hold back or refuse.

import type { Setting } from "../setting.ts";

export const insisting = [
  {
    flag: "allow-empty-zone",
    commands: ["run"],
    argument: null,
    help: "a --zone that no Node has, or a database of another zone, is meant: write the rows; without it they stay",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "take-over",
    commands: ["run"],
    argument: null,
    help: "claim the right to write once, at the start, from an instance that writes with other flags",
    fallback: "false",
    onLineOnly: true,
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
