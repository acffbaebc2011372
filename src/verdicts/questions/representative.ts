// One connection that represents a class: its first ends between which there can be a connection, and the first number of
// its traffic. A class always has one; none is given where the ends are one pod alone.

import type { IpFamily } from "../../model/ip.ts";
import { parseIp } from "../../model/ip.ts";
import type { Connection, End } from "../../policy/evaluate.ts";
import type { RawClass } from "../classes.ts";
import type { Comparison, SampleEnd } from "../comparison.ts";
import type { Interval, Point } from "../traffic.ts";
import type { Kind } from "../ends/kinds.ts";
import { icmpOf, isElsewhere } from "../axes.ts";

/** The first number that is traffic; null: there is none. */
export function pointIn(traffic: readonly Interval[], family: IpFamily): Point | null {
  const points = Iterator.from(traffic).flatMap((interval) =>
    Iterator.from(interval.ranges).flatMap(([first, last]) => pointsIn(interval, first, last)),
  );
  return points.find(({ axis, number }) => axis !== "other" || !isElsewhere(number, family)) ?? null;
}

function* pointsIn({ axis, sources }: Interval, first: number, last: number): Generator<Point, void> {
  const source = sources?.[0]?.[0] ?? null;
  for (let number = first; number <= last; number++) yield { axis, number, source };
}

/** Between the ends of the old world. */
export function representativeOf(comparison: Comparison, raw: RawClass): Connection | null {
  const sample = comparison.sample(raw);
  const point = pointIn(raw.change.traffic, comparison.frame.family);
  if (sample === null || point === null) return null;
  const from = endOf(comparison, sample.from, sample.source);
  const to = endOf(comparison, sample.to, sample.target);
  return from === null || to === null ? null : { from, to, ...trafficAt(point) };
}

/** null: a workload, which has no address, or no address at all. */
function endOf({ frame }: Comparison, { pieces, workloads }: Kind, one: SampleEnd): End | null {
  if (one !== null && "end" in one) return one.end.old;
  if (workloads.length > 0) return null;
  const ip = parseIp(frame.space.freeIn(pieces[0] ?? 0) ?? "");
  return ip === null ? null : { ip, pod: null };
}

/** As a connection says it. */
export function trafficAt({ axis, number, source }: Point): Omit<Connection, "from" | "to"> {
  if (axis === "other") return { protocol: number, port: 0 };
  if (axis === "icmp") return { protocol: axis, port: 0, icmp: icmpOf(number) };
  return { protocol: axis, port: number, ...(source === null ? {} : { sourcePort: source }) };
}
