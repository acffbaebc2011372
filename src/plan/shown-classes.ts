// Classes as people and programs read them: ends with titles, traffic by protocol, an example and its deciding rule in each world.
// What is alike in both families is one class.

import type { RuleRef } from "../analysis/ref.ts";
import { textOfWorkload } from "../analysis/end-query.ts";
import { refOf, refText } from "../analysis/ref.ts";
import { invariant } from "../lib/invariant.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyNames } from "../model/ip.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import type { RawClass } from "../verdicts/classes.ts";
import type { Change } from "../verdicts/difference.ts";
import type { Kind, Role } from "../verdicts/ends/kinds.ts";
import { subjectSide } from "../verdicts/ends/kinds.ts";
import type { Titles } from "./ends-shown.ts";
import type { Members } from "./members.ts";
import { MembersOf, countOf } from "./members.ts";
import type { Decider, Deciders, Example, VerdictClass } from "./report.ts";
import type { Outcome } from "../verdicts/tables.ts";
import { pointIn } from "../verdicts/representative.ts";
import type { Point } from "../verdicts/traffic.ts";
import { trafficsOf } from "../verdicts/traffic-words.ts";
import type { Comparison, Sample, SampleEnd } from "../verdicts/comparison.ts";
import type { Age, Both } from "../verdicts/worlds.ts";
import { both } from "../verdicts/worlds.ts";

/** Names a world's rule, with the place where it is written. */
export type RuleNamer = (policy: Policy, direction: Direction, rule: Rule) => RuleRef;

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
    asked.map((point) => ({
      ends: { from: sample.source, to: sample.target },
      by: both((age) => decidersAt(comparison, sample, age, { ...point, namer: namers[age] })),
    })),
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
    by: both((age) => decidersAt(comparison, sample, age, { ...point, namer: namers[age] })),
    example: exampleOf(comparison, sample, point),
  };
}

interface Asked extends Point {
  readonly namer: RuleNamer;
}

function decidersAt(comparison: Comparison, sample: Sample, age: Age, asked: Asked): Deciders {
  const { frame, tables, cuts } = comparison;
  const met = comparison.metAnywhere(age, sample.from, sample.to);
  const side = (role: Role, end: SampleEnd, kind: Kind): Decider => {
    const direction = subjectSide[role];
    if (end === null) return { verdict: "allow", by: "exempt" };
    const ports = frame.declared.both(sample.from.ports[age], sample.to.ports[age]);
    const lists = [...new Set(met.map((one) => one[direction]))];
    const outcomes = lists.map((list) => tables.outcome(list, ports, cuts.partAt(asked)));
    const [outcome] = outcomes;
    invariant(outcome !== undefined, "two ends that meet nowhere");
    if (outcomes.some(({ verdict }) => verdict !== outcome.verdict)) return openByAddress(outcomes, age);
    const isolating = frame.sides[direction][age].rows
      .at(kind.rows[age])
      .entries.filter(({ isolates }) => isolates);
    const policies = isolating.flatMap(({ tier, said }) =>
      said[age] === null || tier !== outcome.by[0]?.tier ? [] : [said[age].policy],
    );
    return deciderOf(outcome, age, policies, (policy, rule) => asked.namer(policy, direction, rule));
  };
  return {
    egress: side("from", sample.source, sample.from),
    ingress: side("to", sample.target, sample.to),
  };
}

/** Where pods will be decides. */
function openByAddress(outcomes: readonly Outcome[], age: Age): Decider {
  const said = outcomes.flatMap(({ by }) => by).flatMap((entry) => entry.said[age] ?? []);
  const policies = new Map(said.map(({ policy }) => [policy.key, refOf(policy)]));
  return { verdict: "unknown", by: "address", policies: [...policies.values()] };
}

function deciderOf(
  { verdict, by }: Outcome,
  age: Age,
  isolating: readonly Policy[],
  name: (policy: Policy, rule: Rule) => RuleRef,
): Decider {
  const sure = verdict === "unknown" ? by : by.filter(({ isOpen }) => !isOpen);
  const said = (sure.length === 0 ? by : sure).flatMap((entry) => entry.said[age] ?? []);
  const [first] = said;
  if (first === undefined) return { verdict, by: "default" };
  // What is open ends as the isolation behind it.
  if (sure.length === 0 && isolating.length > 0)
    return { verdict, by: "isolation", tier: first.policy.tier.name, policies: isolating.map(refOf) };
  if (verdict === "unknown" && by.some(({ isOpen }) => isOpen)) {
    const policies = new Map(said.map(({ policy }) => [refText(policy.ref), refOf(policy)]));
    return { verdict, by: "open", policies: [...policies.values()] };
  }
  if (said.length > 1) return { verdict, by: "tie", policies: said.map(({ policy }) => refOf(policy)) };
  const { policy, rule } = first;
  const tier = policy.tier.name;
  if (rule === null) return { verdict, by: "isolation", tier, policies: isolating.map(refOf) };
  return { verdict, by: "rule", tier, policy: refOf(policy), rule: name(policy, rule) };
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
