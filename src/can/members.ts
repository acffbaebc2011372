// Groups, and what ends have with a set, with the names of their ends. What is alike in both families is one.

import type { FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import { reaches } from "../crossings/reach.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyNames } from "../model/ip.ts";
import type { Connection } from "../policy/evaluate.ts";
import { trafficsOf } from "../verdicts/traffic-words.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { RawGroup } from "./groups.ts";
import type { Named, Names } from "./names.ts";
import { namedTogether, textOfNamed } from "./names.ts";
import type { RawReach } from "./reach.ts";
import type { CanGroup, Members, SetReach } from "./report.ts";

interface Joined<R> {
  readonly raw: R;
  readonly families: readonly IpFamily[];
  /** Of one family, or of both. */
  readonly ends: readonly Named[];
}

const verdicts = ["allow", "unknown", "deny"] as const;

export function groupsShown(groups: readonly RawGroup[], names: Names): readonly CanGroup[] {
  const joined = inBothFamilies(
    groups.map((raw) => {
      const [from, to] = [names.of(raw.family, "from", raw.from), names.of(raw.family, "to", raw.to)];
      return { raw, family: raw.family, ends: [without(from, to), without(to, from)] };
    }),
    ({ decided }) => decided.text,
  );
  const shown = joined.map(({ raw, families, ends: [from, to] }): CanGroup => {
    const { decided, family, traffic, example } = raw;
    const { verdict, egress, ingress, why } = decided;
    return {
      ...{ verdict, families: families.map((one) => familyNames[one]) },
      ...{ from: membersOf(names, from), to: membersOf(names, to) },
      traffic: trafficsOf(family.intervalsOf(traffic), families),
      ...{ egress, ingress, why, example: exampleOf(example, names) },
    };
  });
  return shown.sort(
    (a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict) || sizeOf(b) - sizeOf(a),
  );
}

/** `role`: the side of the set. */
export function reachesShown(raws: readonly RawReach[], role: Role, names: Names): readonly SetReach[] {
  const other = role === "to" ? "from" : "to";
  const joined = inBothFamilies(
    raws.map((raw) => {
      const { family, ends, allowed, unknown } = raw;
      const named = [
        names.of(family, other, ends),
        ...[allowed, unknown].map((one) => names.of(family, role, one)),
      ];
      return { raw, family, ends: named };
    }),
    ({ reach }) => reach,
  );
  const shown = joined.map(({ raw, families, ends: [ends, allowed, unknown] }): SetReach => {
    const { reach, family, traffic } = raw;
    const isDivided = reach === "some" || reach === "unknown";
    return {
      ...{ reach, families: families.map((one) => familyNames[one]), ends: membersOf(names, ends) },
      traffic: trafficsOf(family.intervalsOf(traffic), families),
      ...(isDivided ? { allowed: membersOf(names, allowed), unknown: membersOf(names, unknown) } : {}),
    };
  });
  return shown.sort(
    (a, b) => reaches.indexOf(a.reach) - reaches.indexOf(b.reach) || countOf(b.ends) - countOf(a.ends),
  );
}

/** All ends that a set means, in both families. */
export function membersOfSet(
  classes: readonly (readonly [FamilyCrossings, readonly EndClass[]])[],
  role: Role,
  names: Names,
): Members {
  const named = classes.map(([family, own]) => names.of(family, role, own));
  const pods = [...new Set(named.flatMap((one) => one.pods))].sort();
  const workloads = [...new Set(named.flatMap((one) => one.workloads))];
  return names.members({
    ...{ pods, workloads },
    addresses: named.flatMap((one) => one.addresses),
    titles: named.flatMap((one) => one.titles),
  });
}

interface OfFamily<R> {
  readonly raw: R;
  readonly family: FamilyCrossings;
  readonly ends: readonly Named[];
}

/** Equal texts, traffic and ends are one. */
function inBothFamilies<R extends { readonly traffic: bigint }>(
  all: readonly OfFamily<R>[],
  textOf: (raw: R) => string,
): readonly Joined<R>[] {
  const joined = new Map<string, Joined<R>>();
  for (const { raw, family, ends } of all) {
    const key = JSON.stringify([textOf(raw), family.intervalsOf(raw.traffic), ends.map(textOfNamed)]);
    const known = joined.get(key);
    joined.set(
      key,
      known === undefined
        ? { raw, families: [family.family], ends }
        : {
            raw: known.raw,
            families: [...known.families, family.family],
            ends: known.ends.map((one, at) => namedTogether(one, ends[at] ?? one)),
          },
    );
  }
  return [...joined.values()];
}

const nobody: Named = { pods: [], workloads: [], addresses: [], titles: [] };

function membersOf(names: Names, named: Named = nobody): Members {
  return names.members(named);
}

/** A pod that is the only end on the other side is never meant on this one. */
function without(named: Named, other: Named): Named {
  const [only] = other.pods;
  const isOnly = other.pods.length + other.workloads.length + other.addresses.length === 1;
  if (only === undefined || !isOnly || !named.pods.includes(only)) return named;
  return { ...named, pods: named.pods.filter((key) => key !== only) };
}

function sizeOf({ from, to }: CanGroup): number {
  return countOf(from) + countOf(to);
}

/** Of pods, and of workloads that stand for pods. */
function countOf({ pods, workloads }: Members): number {
  return pods + workloads.filter(({ of }) => of === 0).length;
}

function exampleOf({ from, to, protocol, port }: Connection, names: Names): CanGroup["example"] {
  const isPorted = protocol === "tcp" || protocol === "udp" || protocol === "sctp";
  return {
    ...{ from: names.endText(from), to: names.endText(to) },
    ...{ protocol: String(protocol), port: isPorted ? port : null },
  };
}
