// What the text of a setting may be, by its placeholder in the help, as a schema of the chart's values says it. A placeholder
// that is not here takes any text that is not empty. config.ts refuses what a shape cannot say.

import type { Setting } from "./setting.ts";

/** A part of a JSON Schema (draft 7). A pattern is about texts, a bound about numbers. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | boolean)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
}

/** Of a number of seconds. */
export const seconds = { least: 1, most: 99_999 } as const;

/** 0 to 65535. */
const port = "([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";

/** Of either family. */
const network = "[0-9a-fA-F.:]+/[0-9]{1,3}";

const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  [
    "SECONDS",
    {
      type: ["integer", "string"],
      minimum: seconds.least,
      maximum: seconds.most,
      pattern: "^[1-9][0-9]{0,4}$",
    },
  ],
  ["FAMILIES", { enum: ["auto", "ipv4", "ipv6", "ipv4,ipv6", "ipv6,ipv4"] }],
  ["CIDRS", { type: "string", pattern: `^${network}(,${network})*$` }],
  ["HOST:PORT", { type: "string", pattern: `^(off|(\\[[0-9a-fA-F:.]+\\]|[^\\[\\]\\s]*):${port})$` }],
]);

export function shapeOf({ argument, choices }: Setting): Shape {
  if (argument === null || argument === "BOOLEAN") return { enum: [true, false, "true", "false"] };
  if (choices !== undefined) return { enum: choices };
  return shapes.get(argument) ?? { type: "string", minLength: 1 };
}
