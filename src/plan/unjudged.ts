// Which changed policies were not judged, and why: their subject selects no pod that is an end, though it could select some if
// the objects were whole: pods that are not among them, that have no address or are in one world only, a Namespace that was
// not read. What selects nothing although none of that holds is a note.

import type { Ref } from "../analysis/ref.ts";
import { refOf, ruleText } from "../analysis/ref.ts";
import { namespaceNameLabel } from "../unknowns/namespaces.ts";
import { excerptOf } from "../lib/text/few.ts";
import type { NamespaceFact, PodFact } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import { isSatisfiable } from "../model/selectors/satisfiable.ts";
import { namespaceLabels, namespacesNamed, podLabels } from "../model/selectable.ts";
import type { Selector } from "../model/selector.ts";
import { allOf, requirements, selects } from "../model/selector.ts";
import type { Workload } from "../model/workload.ts";
import type { Policy, PodGroup } from "../policy/ir.ts";
import type { ChangedSubject, ChangedSubjects } from "./changed-subjects.ts";
import type { Note, Unjudged } from "./report.ts";
import type { Age, Both } from "../verdicts/worlds.ts";
import type { PlanWorld } from "./world.ts";
import { ages, both } from "../verdicts/worlds.ts";

const shownNames = 3;

export interface Unreached {
  readonly unjudged: readonly Unjudged[];
  readonly notes: readonly Note[];
}

/** `open`: the namespaces whose pods are not judged. */
export function unreachedBy(
  { subjects, lonely }: ChangedSubjects,
  worlds: Both<PlanWorld>,
  open: ReadonlySet<string>,
): Unreached {
  // A manifest of either world says which pods a cluster would have.
  const workloads = ages.flatMap((age) => worlds[age].workloads ?? []);
  const views = both((age) => new View(worlds[age], workloads, open));
  const judged = new Set(subjects.flatMap((one) => (one.isJudged ? [one.policy.key] : [])));
  const found = subjects
    .filter(({ isJudged }) => !isJudged)
    .map((one) => ({ ref: refOf(one.policy), why: whyOf(one, views), isPart: judged.has(one.policy.key) }));
  const unjudged = found.flatMap(({ ref, why, isPart }) =>
    why === null ? [] : [{ policy: ref, why: isPart ? `in part: ${why}` : why }],
  );
  const nobody = found.flatMap(({ ref, why, isPart }): readonly Note[] =>
    why === null
      ? [{ policy: ref, text: isPart ? "one of its subjects selects no pod" : "it selects no pod" }]
      : [],
  );
  const peers = lonely.map(({ policy, direction, rule }): Note => ({
    policy: refOf(policy),
    text: `the peers of ${ruleText(direction, rule)} select nothing`,
  }));
  return { unjudged: distinct(unjudged), notes: distinct([...nobody, ...peers]) };
}

/** Each once, in the order of the policies: group, kind, name. */
export function distinct<T extends { readonly policy: Ref }>(list: readonly T[]): readonly T[] {
  const byText = new Map(list.map((one) => [JSON.stringify(one), one]));
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
}

/** null: it selects nothing in a world that is whole, as far as it asks. */
function whyOf({ policy, subject, ages: its }: ChangedSubject, views: Both<View>): string | null {
  const groups = subject.filter(
    (group): group is PodGroup =>
      group.kind === "pods" && isSatisfiable(group.namespaces) && isSatisfiable(group.pods),
  );
  if (groups.length === 0) return null;
  const seen = ages.filter((age: Age) => its.has(age)).map((age) => views[age].seenBy(groups, policy));
  const namespaces = distinctNames(seen.flatMap((one) => one.namespaces));
  const unaddressed = distinctNames(seen.flatMap((one) => one.unaddressed));
  const workloads = distinctNames(seen.flatMap((one) => one.workloads));
  const others = distinctNames(seen.flatMap((one) => one.others));
  const reasons = [
    ...(namespaces.length > 0 ? [`Namespace ${few(namespaces)} was not read`] : []),
    ...(unaddressed.length > 0 ? [`pods that it selects have no address: ${few(unaddressed)}`] : []),
    ...(workloads.length > 0 ? [`pods of ${few(workloads)} are not among the objects`] : []),
    ...(others.length > 0 ? [`pods that it selects are in one world only: ${few(others)}`] : []),
  ];
  if (reasons.length > 0) return reasons.join("; ");
  return seen.some(({ hasPods }) => !hasPods) ? "no Pod is among the objects" : null;
}

function few(names: readonly string[]): string {
  return excerptOf(names.length, names.slice(0, shownNames));
}

function distinctNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

/** What keeps a subject from being judged. */
interface Seen {
  readonly hasPods: boolean;
  /** Names of those that were not read and that hold pods that it could select, or are the policy's own. */
  readonly namespaces: readonly string[];
  /** Pods that it selects. */
  readonly unaddressed: readonly string[];
  /** Those that make pods that it could select, by kind and name. */
  readonly workloads: readonly string[];
  /** Pods on the pod network that it selects: none of them is an end. */
  readonly others: readonly string[];
}

/** One world, as far as it is not whole. */
class View {
  readonly #world: PlanWorld;
  readonly #workloads: readonly Workload[];
  readonly #open: ReadonlySet<string>;
  readonly #pods: ReadonlyMap<string, readonly PodFact[]>;

  constructor(world: PlanWorld, workloads: readonly Workload[], open: ReadonlySet<string>) {
    this.#world = world;
    this.#workloads = workloads;
    this.#open = open;
    this.#pods = Map.groupBy(world.facts.pods.values(), ({ namespace }) => namespace);
  }

  seenBy(groups: readonly PodGroup[], { ref: { namespace: own } }: Policy): Seen {
    const pods = groups.flatMap((group) => this.#podsOf(group));
    const known = pods.filter(({ namespace }) => this.#known(namespace) !== null);
    const unknown = pods.filter(({ namespace }) => this.#known(namespace) === null);
    const hasAddress = ({ node, ips }: PodFact): boolean => node !== null && ips.length > 0;
    return {
      hasPods: this.#pods.size > 0,
      namespaces: [
        ...(own === null || this.#isRead(own) ? [] : [own]),
        ...unknown.map(({ namespace }) => namespace),
      ],
      unaddressed: known.filter((pod) => !hasAddress(pod)).map(nameOf),
      workloads: this.#workloads
        .filter((one) => groups.some((group) => this.#couldMake(group, one)))
        .map(({ kind, ...one }) => `${kind} ${nameOf(one)}`),
      others: known.filter(hasAddress).map(nameOf),
    };
  }

  /** Those that a policy may apply to and that the group selects, or could select if their Namespace were read. */
  #podsOf({ namespaces, pods }: PodGroup): readonly PodFact[] {
    return [...this.#pods]
      .filter(([name]) => this.#couldSelect(namespaces, name))
      .flatMap(([, some]) => some)
      .filter((pod) => !pod.hostNetwork && !pod.completed && selects(pods, podLabels(pod)));
  }

  #couldMake({ namespaces, pods }: PodGroup, { namespace, template }: Workload): boolean {
    if (template.hostNetwork || !selects(pods, podLabels(template))) return false;
    return this.#couldSelect(namespaces, namespace);
  }

  #couldSelect(selector: Selector, name: string): boolean {
    const fact = this.#known(name);
    if (fact !== null) return selects(selector, namespaceLabels(fact));
    const labelled = requirements([{ operator: "In", key: namespaceNameLabel, values: [name] }]);
    return isSatisfiable(allOf([selector, labelled, namespacesNamed([name])]));
  }

  /** null: what policies ask for of it is not known. */
  #known(namespace: string): NamespaceFact | null {
    return this.#open.has(namespace) ? null : (this.#world.facts.namespaces.get(namespace) ?? null);
  }

  #isRead(namespace: string): boolean {
    const fact = this.#world.facts.namespaces.get(namespace);
    return fact !== undefined && fact.isUnread !== true;
  }
}

function nameOf({ namespace, name }: Pick<PodFact, "namespace" | "name">): string {
  return podKey(namespace, name);
}
