// Classes as people and programs read them: ends with titles, traffic by protocol, an example and its deciding rule in each world.
// What is alike in both families is one class.

import type { Ref } from "../analysis/ref.ts";
import { textOfWorkload } from "../analysis/end-query.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyNames } from "../model/ip.ts";
import type { Direction } from "../policy/ir.ts";
import type { RawClass } from "../verdicts/classes.ts";
import type { Change } from "../verdicts/questions/difference.ts";
import type { Kind, Role } from "../verdicts/ends/kinds.ts";
import type { RuleNamer } from "./deciders.ts";
import { decidersOf, sidesAt } from "./deciders.ts";
import type { Titles } from "./titles/ends-shown.ts";
import type { Members } from "./members.ts";
import { MembersOf, countOf } from "./members.ts";
import type { Deciders, Example, VerdictClass } from "./report.ts";
import { pointIn } from "../verdicts/questions/representative.ts";
import type { Point } from "../verdicts/traffic.ts";
import { trafficsOf } from "../verdicts/traffic-words.ts";
import type { Comparison, Sample, SampleEnd } from "../verdicts/comparison.ts";
import type { Both } from "../verdicts/worlds.ts";
import { both } from "../verdicts/worlds.ts";

/** Which rules decide a class's connections in each world: of some of its pairs of ends, on each kind of its traffic. */
export type DecidersOf = (one: VerdictClass, limit: number) => DecidedOnes;

export interface DecidedOnes {
  readonly decided: readonly Decided[];
  /** Of some of its pairs of ends, or of some of its traffic. */
  readonly isExcerpt: boolean;
}

export interface Decided {
  readonly ends: Readonly<Record<Role, SampleEnd>>;
  readonly by: Both<Deciders>;
  /** Policies whose rules or isolation this world alone has, and that decide or pass the connection on. */
  readonly edited: Both<Readonly<Record<Direction, readonly Ref[]>>>;
}

export interface ShownClasses {
  readonly classes: readonly VerdictClass[];
  readonly decidersOf: DecidersOf;
}

interface Shown {
  readonly parts: readonly Part[];
  readonly families: readonly IpFamily[];
  readonly from: Members;
  readonly to: Members;
  readonly change: Change;
  readonly by: Both<Deciders>;
  readonly example: Example;
}

interface Part {
  readonly comparison: Comparison;
  readonly raw: RawClass;
}

/** Of the comparisons of all families; denials first, then by how many pairs of ends they hold. */
export function shownClasses(
  comparisons: readonly { readonly comparison: Comparison; readonly classes: readonly RawClass[] }[],
  namers: Both<RuleNamer>,
  titles: Titles,
): ShownClasses {
  const members = new MembersOf(titles);
  const merged = new Map<string, Shown>();
  for (const { comparison, classes } of comparisons) {
    for (const raw of classes) {
      const shown = shownClass(comparison, raw, { namers, members });
      if (shown === null) continue;
      const { old, new: next, traffic } = shown.change;
      const key = JSON.stringify([old, next, traffic, shown.from.podsId, shown.to.podsId]);
      const known = merged.get(key);
      merged.set(key, known === undefined ? shown : joined(known, shown, members));
    }
  }
  const parts = new Map<VerdictClass, readonly Part[]>();
  const classes = [...merged.values()].sort(inOrder).map((shown) => {
    const one = publicClass(shown, members);
    parts.set(one, shown.parts);
    return one;
  });
  return {
    classes,
    decidersOf: (one, limit) => {
      const all = (parts.get(one) ?? []).map((part) => decidedIn(part, namers, limit));
      return {
        decided: all.flatMap(({ decided }) => decided),
        isExcerpt: all.some(({ isExcerpt }) => isExcerpt),
      };
    },
  };
}

function publicClass(shown: Shown, members: MembersOf): VerdictClass {
  return {
    families: shown.families.map((family) => familyNames[family]),
    from: members.shown(shown.from),
    to: members.shown(shown.to),
    traffic: trafficsOf(shown.change.traffic, shown.families),
    old: shown.change.old,
    new: shown.change.new,
    by: shown.by,
    example: shown.example,
  };
}

/** Traffic of more parts is not asked about. */
const mostPoints = 20;

/** Every pair of kinds on every part of the traffic, as far as `limit` goes. */
function decidedIn({ comparison, raw }: Part, namers: Both<RuleNamer>, limit: number): DecidedOnes {
  const { frame, cuts } = comparison;
  const points = cuts
    .pointsIn(raw.change.traffic, frame.family)
    .take(mostPoints + 1)
    .toArray();
  const asked = points.slice(0, Math.min(mostPoints, limit));
  const pairs = Math.max(1, Math.floor(limit / Math.max(1, asked.length)));
  const decided = [...comparison.samples(raw, pairs)].flatMap((sample) =>
    asked.map((point): Decided => {
      const sides = both((age) => sidesAt(comparison, sample, age, { ...point, namer: namers[age] }));
      return {
        ends: { from: sample.source, to: sample.target },
        by: both((age) => decidersOf(sides[age])),
        edited: both((age) => ({ egress: sides[age].egress.edited, ingress: sides[age].ingress.edited })),
      };
    }),
  );
  return { decided, isExcerpt: points.length > asked.length || raw.from.length * raw.to.length > pairs };
}

const ranks = ["allow deny", "unknown deny", "allow unknown", "deny unknown", "unknown allow", "deny allow"];

function inOrder(one: Shown, other: Shown): number {
  const rank = ({ change }: Shown) => ranks.indexOf(`${change.old} ${change.new}`);
  const size = ({ from, to }: Shown) => countOf(from) * countOf(to);
  return (
    rank(one) - rank(other) || size(other) - size(one) || (one.example.from < other.example.from ? -1 : 1)
  );
}

/** The pods are equal, so addresses of one family say nothing of the other's connections. */
function joined(one: Shown, other: Shown, members: MembersOf): Shown {
  const families = [...one.families, ...other.families];
  const join = (role: Role) => members.joined(one[role], other[role]);
  return { ...one, families, from: join("from"), to: join("to"), parts: [...one.parts, ...other.parts] };
}

interface Naming {
  readonly namers: Both<RuleNamer>;
  readonly members: MembersOf;
}

function shownClass(comparison: Comparison, raw: RawClass, { namers, members }: Naming): Shown | null {
  const { family } = comparison.frame;
  const sample = comparison.sample(raw);
  const point = sample === null ? null : pointIn(raw.change.traffic, family);
  if (sample === null || point === null) return null;
  const [from, to] = [members.of(comparison, "from", raw.from), members.of(comparison, "to", raw.to)];
  return {
    families: [family],
    parts: [{ comparison, raw }],
    ...{ from: members.without(from, to), to: members.without(to, from) },
    change: raw.change,
    by: both((age) => decidersOf(sidesAt(comparison, sample, age, { ...point, namer: namers[age] }))),
    example: exampleOf(comparison, sample, point),
  };
}

function exampleOf({ frame }: Comparison, sample: Sample, { axis, number, source }: Point): Example {
  const text = (end: SampleEnd, { pieces }: Kind): string => {
    if (end === null) return frame.space.freeIn(pieces[0] ?? 0) ?? "";
    if ("workload" in end) return textOfWorkload(end.workload.new);
    const { ip, pod } = end.end.new;
    // Without an address a pod of both families is asked about in IPv4.
    const isPlain = frame.family === "v4" || pod?.ips.length === 1;
    return isPlain ? end.key : `${end.key}@${ip}`;
  };
  return {
    ...{ from: text(sample.source, sample.from), to: text(sample.target, sample.to) },
    protocol: axis === "other" ? String(number) : axis,
    port: axis === "icmp" || axis === "other" ? null : number,
    ...(source === null ? {} : { sourcePort: source }),
  };
}
