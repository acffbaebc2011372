// What the page asks, answered as JSON: the shapes of `explain`, `get`, `lint` and `plan`, made by the functions that make
// theirs. Every answer is bounded: a few of many, with how many there are. Refuses in one sentence what cannot be answered.

import { NoSuchEnd, textOfWorkload } from "../analysis/end-query.ts";
import { endOfGroup, podGroupOf } from "../analysis/pod-groups.ts";
import { unplaced } from "../analysis/ends.ts";
import { appliesTo } from "../analysis/parts.ts";
import { refOf, refText } from "../analysis/ref.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { ListedRule, PodRules, PodOverview } from "../explain/overview.ts";
import { orderedPolicies, podOverview } from "../explain/overview.ts";
import { tierRefOf, tierText } from "../explain/tiers.ts";
import type { PodFact } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import { workloadText } from "../model/workload.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Direction, Policy } from "../policy/ir.ts";
import { directions, policyKey } from "../policy/ir.ts";
import { NotComputed } from "./background-cache.ts";
import { boardOf } from "./board.ts";
import type { Trouble } from "./listed.ts";
import { shownPolicy, troubled } from "./listed.ts";
import { endOf } from "./end.ts";
import { endReachOf, graphOf } from "./reach/end-reach.ts";
import { groupTitle } from "./members.ts";
import { planClassesOf, planOf } from "./plan-answers.ts";
import { findPods } from "./search/pods.ts";
import { search } from "./search/found.ts";
import { explained } from "./tester.ts";
import { namespaceOf } from "./namespace.ts";
import { policyOf } from "./policy.ts";
import { cellOf, matrixOf as reachOf, neighboursOf } from "./reach/reach.ts";
import type { Query } from "./query.ts";
import { BadQuestion, limitOf, NotThere, offsetOf, searchOf, textOf } from "./query.ts";
import type { FindingsShown, PodShown, PoliciesShown, StateShown } from "./shown.ts";
import type { Live, ShownWorld } from "./world.ts";

export interface Answered {
  readonly status: 200 | 400 | 404 | 500 | 503;
  readonly body: unknown;
}

type Route = (world: ShownWorld, query: Query) => unknown;

const mostPods = 50;
const mostPolicies = 200;
const mostRules = 2_000;

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/api/state", stateOf],
  ["/api/board", boardOf],
  ["/api/search", search],
  ["/api/policy", policyOf],
  ["/api/namespace", namespaceOf],
  ["/api/namespace/graph", graphOf],
  ["/api/end", endOf],
  ["/api/end/reach", endReachOf],
  ["/api/pods", ({ asked }, query) => findPods(asked, searchOf(query, "q"), limitOf(query, 12, mostPods))],
  ["/api/pod", podOf],
  ["/api/explain", explained],
  ["/api/policies", policiesOf],
  ["/api/findings", findingsOf],
  ["/api/plan", planOf],
  ["/api/matrix", reachOf],
  ["/api/matrix/cell", cellOf],
  ["/api/matrix/of", neighboursOf],
  ["/api/plan/classes", planClassesOf],
]);

/** null: the path is unknown. */
export function answer(world: ShownWorld, path: string, query: Query): Answered | null {
  const route = routes.get(path);
  if (route === undefined) return null;
  if (!world.isReady && route !== stateOf)
    return { status: 503, body: { error: "the objects are still being read" } };
  try {
    return { status: 200, body: route(world, query) };
  } catch (error) {
    if (error instanceof NoSuchEnd || error instanceof NotThere)
      return { status: 404, body: { error: error.message } };
    if (error instanceof BadQuestion) return { status: 400, body: { error: error.message } };
    if (error instanceof NotComputed) return { status: 500, body: { error: error.message } };
    throw error;
  }
}

function stateOf(world: ShownWorld): StateShown {
  const { isReady, from, revision, problems, live, facts, policyCount, cni, workloads } = world;
  const shownProblems = problems.slice(-20).reverse();
  return {
    ...{ revision, from, isReady, cni, live: live === null ? null : liveShown(live) },
    counts: {
      pods: facts.pods.size,
      workloads: workloads.length,
      namespaces: facts.namespaces.size,
      nodes: [...facts.nodes].length,
      policies: policyCount,
    },
    problems: { total: problems.length, shown: shownProblems },
    has: {
      hits: (world.hits ?? null) !== null,
      ...{ findings: world.findings !== null, plan: world.plan !== null },
      ...{ compare: true, matrix: true },
    },
    sharedKinds: isReady ? [...world.asked.sharedKinds] : [],
  };
}

function liveShown({ counts, unenforced, pending, writer }: Live): StateShown["live"] {
  return { counts, unenforced, pending, writer };
}

/** As `get pod -o json`, with at most so many rules of a tier, and how many there are. */
function podOf({ asked }: ShownWorld, query: Query): PodShown {
  const limit = limitOf(query, 40, mostRules);
  const told: PodOverview = podOverview(asked, textOf(query, "pod"));
  const totals = { ingress: tierCounts(told.ingress), egress: tierCounts(told.egress) };
  const workload = asked.workloads.find((one) => workloadText(one) === told.pod);
  const end = workload === undefined ? told.pod : textOfWorkload(workload);
  const [namespace = "", name = ""] = told.pod.split("/");
  const pod = workload?.template ?? asked.facts.pods.get(podKey(namespace, name));
  const group =
    pod === undefined || workload !== undefined
      ? null
      : { title: groupTitle(pod), end: endOfGroup(podGroupOf(pod)) };
  return { ...told, ...cut(told, limit), end, group, totals, refused: refusedOf(asked, pod) };
}

function refusedOf({ unknowns, facts, policies }: AskedWorld, pod: PodFact | undefined): PodShown["refused"] {
  const [ip] = pod?.isTemplate === true ? [unplaced.v4] : (pod?.ips ?? []);
  if (pod === undefined || ip === undefined || unknowns.unread.length === 0) return [];
  const end = { ip, pod };
  const connection: Connection = { from: end, to: end, protocol: "tcp", port: 0 };
  const kept = new Map(policies.map((policy) => [policy.key, policy]));
  const isAbout = (policy: Policy): boolean =>
    directions.some((direction) => {
      const rules = policy.rules[direction];
      return rules.some((rule) => appliesTo({ policy, direction, rule, connection, world: facts }));
    });
  return unknowns.unread.flatMap((unread) => {
    const before = kept.get(unread.key);
    if (!isAbout(unread) && (before === undefined || !isAbout(before))) return [];
    return [{ policy: refOf(unread), state: before === undefined ? "refused" : "kept" }];
  });
}

function cut(rules: PodRules, limit: number): PodRules {
  const few = (direction: Direction): readonly ListedRule[] =>
    [...Map.groupBy(rules[direction], tierText).values()].flatMap((tier) => tier.slice(0, limit));
  return { ingress: few("ingress"), egress: few("egress") };
}

function tierCounts(rules: readonly ListedRule[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(rules, tierText)].map(([tier, list]) => [tier, list.length]));
}

/** From one place on; with a text, those whose names hold it; with a trouble or a tier, those that have it. */
function policiesOf(world: ShownWorld, query: Query): PoliciesShown {
  const limit = limitOf(query, 50, mostPolicies);
  const offset = offsetOf(query);
  const text = searchOf(query, "q").toLowerCase();
  const trouble = textOf(query, "trouble");
  const some = trouble === "" ? orderedPolicies(world.asked) : troubled(world).filter(isOf(trouble));
  const tier = textOf(query, "tier");
  const all = some.filter(
    ({ policy }) =>
      refText(policy.ref).toLowerCase().includes(text) &&
      (tier === "" || tierText(tierRefOf(policy)) === tier),
  );
  const shown = all.slice(offset, offset + limit);
  return { total: all.length, offset, policies: shown.map((one) => shownPolicy(world, one)) };
}

function isOf(wanted: string) {
  return ({ trouble }: { readonly trouble: Trouble }): boolean => wanted === "any" || trouble === wanted;
}

/** Of each policy that is asked for, by `policy=KIND.GROUP/NAMESPACE/NAME`, what lint found. */
function findingsOf({ asked, findings }: ShownWorld, query: Query): FindingsShown {
  if (findings === null) throw new BadQuestion("lint does not run here: use northgate lint");
  const wanted = new Set(query.getAll("policy").slice(0, mostPolicies));
  const made = findings();
  const nothing = { error: 0, warning: 0, info: 0 };
  if (made === null) return { isMaking: true, revision: "", counts: nothing, policies: [] };
  const { value, revision } = made;
  const counts = { ...nothing };
  for (const one of [...value.values()].flat()) if (one.suppressed === null) counts[one.severity]++;
  const keys = orderedPolicies(asked).map(({ policy }) => policyKey(policy.ref));
  const shown = keys.filter((key) => wanted.has(key));
  return {
    isMaking: false,
    ...{ revision, counts },
    policies: shown.map((key) => ({ key, findings: value.get(key) ?? [] })),
  };
}
