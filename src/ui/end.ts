// One workload, one Service, or the pods of a namespace with some labels: its pods, the Services and the policies that are about
// them. Who may reach it is another answer (end-reach.ts), which takes longer.

import type { EndQuery } from "../analysis/end-query.ts";
import { NoSuchEnd, endText, parseEnd, textOfWorkload } from "../analysis/end-query.ts";
import type { EndSet } from "../analysis/end-sets.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import type { PodFact } from "../model/facts.ts";
import { podLabels } from "../model/selectable.ts";
import { selects } from "../model/selector.ts";
import type { Service } from "../model/service.ts";
import { workloadText } from "../model/workload.ts";
import { excerpt } from "./excerpt.ts";
import type { PodKinds } from "./members.ts";
import { groupsOf, kindsOf, policiesOn, serviceShown } from "./members.ts";
import type { Query } from "./query.ts";
import { BadQuestion, textOf } from "./query.ts";
import type { EndShown } from "./shown/end.ts";
import type { ShownWorld } from "./world.ts";

const most = 100;

/** The queries that have a page. */
export type PagedEnd = Extract<EndQuery, { kind: "workload" | "service" | "pods" }> & {
  readonly namespace: string;
};

/** By `end`. Throws BadQuestion, and NoSuchEnd for a text that is no end. */
export function pagedEnd(query: Query): PagedEnd {
  const asked = parseEnd(textOf(query, "end"), "default");
  if (asked.kind === "workload") return asked;
  if (asked.kind === "service" && asked.port === null) return asked;
  if (asked.kind === "pods" && asked.namespace !== null) return { ...asked, namespace: asked.namespace };
  throw new BadQuestion("end: a workload, a Service, or labels of pods of one namespace are expected");
}

/** By `end`. Throws NoSuchEnd. */
export function endOf(world: ShownWorld, query: Query): EndShown {
  const { asked, revision } = world;
  const paged = pagedEnd(query);
  const { set, why } = setOf(asked, paged);
  const pods = set.pods.map(({ pod }) => pod).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const judged = pods.filter(isOnPodNetwork);
  const templates = set.workloads.map(({ template }) => template);
  const kinds = kindsOf([...judged, ...templates]);
  return {
    ...{ revision, end: endText(paged), namespace: paged.namespace, why, ...titleOf(paged) },
    ...{ pods: excerpt(pods.map(keyOf), most), exempt: pods.length - judged.length },
    workloads: excerpt(
      set.workloads.map((one) => ({ end: textOfWorkload(one), title: workloadText(one) })),
      most,
    ),
    groups: excerpt(groupsOf(pods), most),
    services: excerpt(servicesOf(asked, paged, [...pods, ...templates]).map(serviceShown), most),
    policies: excerpt(policiesOn(world, kinds), most),
    sample: sampleOf(kinds, set),
  };
}

const nobody: Pick<EndSet, "pods" | "workloads"> = { pods: [], workloads: [] };

/** A Service is there without pods too. */
function setOf(
  asked: AskedWorld,
  paged: PagedEnd,
): { readonly set: Pick<EndSet, "pods" | "workloads">; readonly why: string | null } {
  try {
    return { set: asked.endNamed(endText(paged)).set, why: null };
  } catch (error) {
    if (!(error instanceof NoSuchEnd) || serviceNamed(asked, paged) === undefined) throw error;
    return { set: nobody, why: error.message };
  }
}

function serviceNamed({ services }: AskedWorld, paged: PagedEnd): Service | undefined {
  if (paged.kind !== "service") return undefined;
  return services.find(({ namespace, name }) => namespace === paged.namespace && name === paged.name);
}

function servicesOf(asked: AskedWorld, paged: PagedEnd, pods: readonly PodFact[]): readonly Service[] {
  const own = serviceNamed(asked, paged);
  if (own !== undefined) return [own];
  return asked.services.filter(
    ({ namespace, selector }) =>
      namespace === paged.namespace &&
      selector !== null &&
      pods.some((pod) => selects(selector, podLabels(pod))),
  );
}

function titleOf(paged: PagedEnd): Pick<EndShown, "title" | "sort"> {
  const { namespace } = paged;
  if (paged.kind === "service") return { title: `${namespace}/${paged.name} (Service)`, sort: "service" };
  if (paged.kind === "pods") return { title: endText(paged), sort: "labels" };
  return { title: workloadText({ ...paged.of, namespace, name: paged.name }), sort: "workload" };
}

/** The one that most are alike. */
function sampleOf(kinds: PodKinds, { workloads }: Pick<EndSet, "workloads">): EndShown["sample"] {
  const [first] = [...kinds].sort(([, a], [, b]) => b - a);
  if (first === undefined) return null;
  const [pod, alike] = first;
  const workload = workloads.find(({ template }) => template === pod);
  const of = kinds.reduce((sum, [, count]) => sum + count, 0);
  return { end: workload === undefined ? keyOf(pod) : textOfWorkload(workload), alike, of };
}

function keyOf({ namespace, name }: PodFact): string {
  return podKey(namespace, name);
}
