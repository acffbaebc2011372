// The verdict difference of two worlds: both families compared, joined into classes, and what belongs beside the answer: pods
// that only one world has, changed policies that were not judged, and what a reader must know.

import type { Ref } from "../analysis/ref.ts";
import { refOfWorkload } from "../analysis/ref.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { workloadKey } from "../model/workload.ts";
import { Titles } from "./titles/ends-shown.ts";
import { caveatsOf } from "./caveats.ts";
import { changedSubjects } from "./changed-subjects.ts";
import { openNamespaces } from "../verdicts/ends/open-namespaces.ts";
import type { Caveat, VerdictClass } from "./report.ts";
import type { RuleNamer } from "./deciders.ts";
import type { DecidersOf } from "./shown-classes.ts";
import { shownClasses } from "./shown-classes.ts";
import type { Unreached } from "./unjudged.ts";
import { unreachedBy } from "./unjudged.ts";
import type { Comparison, Progress, Work } from "../verdicts/comparison.ts";
import { comparisonsOf } from "../verdicts/comparison.ts";
import type { Both } from "../verdicts/worlds.ts";
import type { PlanWorld } from "./world.ts";
import { ages } from "../verdicts/worlds.ts";

export interface Judged extends Unreached {
  readonly classes: readonly VerdictClass[];
  readonly decidersOf: DecidersOf;
  readonly titles: Titles;
  /** Of each family. */
  readonly comparisons: readonly Comparison[];
  /** On the pod network in one of the worlds only. */
  readonly pods: { readonly added: readonly PodKey[]; readonly removed: readonly PodKey[] };
  /** That stand for pods on the pod network in one of the worlds only. */
  readonly workloads: { readonly added: readonly Ref[]; readonly removed: readonly Ref[] };
  readonly caveats: readonly Caveat[];
  /** Of both families together. */
  readonly work: Work;
}

export function judged(worlds: Both<PlanWorld>, namers: Both<RuleNamer>, progress?: Progress): Judged {
  const [old, next] = [podsOf(worlds.old), podsOf(worlds.new)];
  const comparisons = comparisonsOf(worlds).map((comparison) => {
    return { comparison, classes: comparison.run(progress) };
  });
  const open = openNamespaces(worlds);
  const inBoth = [...next].filter(([key]) => old.has(key));
  const [left, ends] = [true, false].map((isOpen) =>
    inBoth.filter(([, { namespace }]) => open.has(namespace) === isOpen),
  );
  const titles = new Titles(new Map(ends), workloadsIn(comparisons), nodesOf(worlds));
  return {
    ...shownClasses(comparisons, namers, titles),
    ...{ titles, comparisons: comparisons.map(({ comparison }) => comparison) },
    pods: {
      added: [...next.keys()].filter((key) => !old.has(key)).sort(),
      removed: [...old.keys()].filter((key) => !next.has(key)).sort(),
    },
    workloads: {
      added: missingIn(worlds.old, worlds.new),
      removed: missingIn(worlds.new, worlds.old),
    },
    ...unreachedBy(changedSubjects(comparisons.map(({ comparison }) => comparison)), worlds, open),
    caveats: caveatsOf(
      worlds,
      (left ?? []).map(([, pod]) => pod),
    ),
    work: comparisons.map(({ comparison }) => comparison.work).reduce(sum),
  };
}

function podsOf({ facts }: PlanWorld): ReadonlyMap<PodKey, PodFact> {
  return new Map([...facts.pods].filter(([, pod]) => isOnPodNetwork(pod) && pod.ips.length > 0));
}

/** Those that are ends. */
function workloadsIn(comparisons: readonly { readonly comparison: Comparison }[]): readonly Ref[] {
  const [first] = comparisons;
  const kinds = first?.comparison.kinds.from ?? [];
  return kinds.flatMap((kind) => kind.workloads.map(({ workload }) => refOfWorkload(workload.new)));
}

/** Those of the other world alone. */
function missingIn({ workloads = [] }: PlanWorld, { workloads: others = [] }: PlanWorld): readonly Ref[] {
  const there = new Set(workloads.map(workloadKey));
  return others
    .filter((one) => isOnPodNetwork(one.template) && !there.has(workloadKey(one)))
    .map(refOfWorkload);
}

function nodesOf(worlds: Both<PlanWorld>): ReadonlyMap<IpAddress, string> {
  return new Map(
    ages.flatMap((age) =>
      [...worlds[age].facts.nodes].flatMap(({ name, ips }) => ips.map((ip) => [ip, name] as const)),
    ),
  );
}

function sum(one: Work, other: Work): Work {
  return {
    sources: one.sources + other.sources,
    destinations: one.destinations + other.destinations,
    looked: one.looked + other.looked,
    possible: one.possible + other.possible,
    tables: one.tables + other.tables,
  };
}
