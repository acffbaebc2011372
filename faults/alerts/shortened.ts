// The shipped rules on another clock: each minute of a `for` and of a window is a second or some, so that a fault can be waited for. What
// an expression compares stays as it is: more than 60 s without contact are 60 s here too. Refuses a time that it does not know.

import { parse, stringify } from "yaml";
import { rulesFile } from "../../scripts/support/monitoring.ts";

const minutesOf: Readonly<Record<string, number>> = { m: 1, h: 60 };

/** `10m` and `1h`, where a minute is so many seconds. Throws for another notation. */
export function shortened(time: string, secondsOfMinute = 1): string {
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
export function shortenedRules(secondsOfMinute = 1): string {
  const { groups } = parse(rulesFile) as Rules;
  const short = (time: string): string => shortened(time, secondsOfMinute);
  const rule = (one: Rule): Rule => ({
    ...one,
    expr: one.expr.replaceAll(/\[(\w+)\]/g, (_, window: string) => `[${short(window)}]`),
    ...(one.for === undefined ? {} : { for: short(one.for) }),
  });
  return stringify({ groups: groups.map((group) => ({ ...group, rules: group.rules.map(rule) })) });
}
