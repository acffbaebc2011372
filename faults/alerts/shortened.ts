// The shipped rules on another clock: each minute of a `for` and of a window is a second, so that a fault can be waited for. What
// an expression compares stays as it is: more than 60 s without contact are 60 s here too. Refuses a time that it does not know.

import { parse, stringify } from "yaml";
import { rulesFile } from "../../scripts/support/monitoring.ts";

/** A minute of the rules takes so many seconds here. */
export const secondsOfMinute = 1;

const minutesOf: Readonly<Record<string, number>> = { m: 1, h: 60 };

/** `10m` and `1h`, in seconds of this clock. Throws for another notation. */
export function shortened(time: string): string {
  const [, count, unit = ""] = /^(\d+)([mh])$/.exec(time) ?? [];
  const minutes = minutesOf[unit];
  if (minutes === undefined) throw new Error(`${time} is no time in minutes or hours`);
  return `${Number(count) * minutes * secondsOfMinute}s`;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** A file of rules as Prometheus takes it. */
export function shortenedRules(file: string = rulesFile): string {
  const { groups } = parse(file) as Rules;
  const rule = (one: Rule): Rule => ({
    ...one,
    expr: one.expr.replaceAll(/\[(\w+)\]/g, (_, window: string) => `[${shortened(window)}]`),
    ...(one.for === undefined ? {} : { for: shortened(one.for) }),
  });
  return stringify({ groups: groups.map((group) => ({ ...group, rules: group.rules.map(rule) })) });
}
