// A number of seconds, as flags take it.

import { seconds } from "./shapes.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

export function parseSeconds({ text, from }: Value): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= seconds.least && value <= seconds.most) return value;
  throw new UsageError(
    `${from}: ${JSON.stringify(text)} is not a number of seconds from ${seconds.least} to ${seconds.most}`,
  );
}
