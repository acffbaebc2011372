// The ends of sets, joined into classes that every rule sees alike: pods of one address family, workloads, addresses. Where something
// was not read that may ask for other properties of a pod, pods of one class have the same namespace and labels too.

import type { EndSet } from "../../analysis/end-sets.ts";
import { unplaced } from "../../analysis/ends.ts";
import { refOfWorkload } from "../../analysis/ref.ts";
import { aloneIn } from "../../model/cidr.ts";
import type { PodFact } from "../../model/facts.ts";
import { addressesOfNode, isOnPodNetwork, podKey } from "../../model/facts.ts";
import type { Cidr, IpFamily } from "../../model/ip.ts";
import { familyOf, ipFamilies } from "../../model/ip.ts";
import { canonicalLabels } from "../../model/labels.ts";
import { podLabels } from "../../model/selectable.ts";
import type { Workload } from "../../model/workload.ts";
import type { End } from "../../policy/evaluate.ts";
import { Reach } from "../../verdicts/reach.ts";
import type { AnsweredEnds } from "../answer.ts";
import type { AskedWorld } from "../asked.ts";
import type { Question } from "../question.ts";

export interface EndClass {
  readonly id: number;
  readonly family: IpFamily;
  /** The first two; a workload's is its template, and stands for any number. */
  readonly ends: readonly End[];
  readonly pods: readonly PodFact[];
  readonly workloads: readonly Workload[];
  readonly networks: readonly Cidr[];
  /** What declares ports: pods and templates. */
  readonly facts: readonly PodFact[];
  /** Its pods have an IPv4 address too: connections among such pods are those of IPv4. */
  readonly isBoth: boolean;
}

export class EndClasses {
  readonly #asked: AskedWorld;
  readonly #reach: Reach;
  readonly #isOpen: boolean;
  /** A port is asked for by its name. */
  readonly #hasNames: boolean;
  /** Addresses that lead to pods behind a Service: what is asked of them is asked of the Service. */
  readonly #leading: readonly Cidr[];
  readonly #ids = new Map<string, number>();
  readonly #rows = new Map<unknown, number>();

  /** `sets`: those that are asked about. */
  constructor(asked: AskedWorld, sets: readonly EndSet[], question: AskedPort) {
    this.#asked = asked;
    const { possible, facts, workloads, unknowns, foreign } = asked;
    const borders = sets.flatMap(({ networks }) => networks.flatMap(({ cidr, except }) => [cidr, ...except]));
    this.#hasNames = typeof question.port === "string";
    this.#leading = leadingIn(asked, question);
    this.#reach = new Reach(possible, facts, workloads, [...borders, ...this.#leading]);
    this.#isOpen =
      asked.cni !== null ||
      unknowns.rules.size + unknowns.unread.length + foreign.length > 0 ||
      [...facts.namespaces.values()].some(({ isUnread }) => isUnread === true);
  }

  of(set: EndSet): readonly EndClass[] {
    return [...this.#ofPods(set), ...this.#ofWorkloads(set), ...this.#ofAddresses(set)];
  }

  /** Two ends between which there can be a connection; null: there is none, or the other family has it. */
  pairOf(from: EndClass, to: EndClass): Record<"from" | "to", End> | null {
    if (from.family !== to.family || (from.isBoth && to.isBoth)) return null;
    if (from.networks.length > 0 && to.networks.length > 0) return null;
    const pairs = from.ends.flatMap((one) => to.ends.map((other) => ({ from: one, to: other })));
    return pairs.find((pair) => !isSelf(pair)) ?? null;
  }

  /** Equal for pairs that the same rules decide, and that the same doubts are about. */
  meeting(from: EndClass, to: EndClass, pair: Readonly<Record<"from" | "to", End>>): string {
    if (this.#isOpen || from.workloads.length + to.workloads.length > 0) return `${from.id} ${to.id}`;
    const { egress, ingress } = this.#reach.meeting(pair.from, pair.to);
    const exempt = [pair.from, pair.to].map(({ pod }) => pod !== null && isOnPodNetwork(pod));
    const shared = [pair.from, pair.to].some(({ ip }) => this.#asked.ends.holders(ip).length > 1);
    return shared
      ? `${from.id} ${to.id}`
      : `${[egress, ingress].map((row) => this.#rowId(row)).join()} ${exempt.join()}`;
  }

  #rowId(row: unknown): number {
    const known = this.#rows.get(row) ?? this.#rows.size;
    this.#rows.set(row, known);
    return known;
  }

  #ofPods({ pods }: EndSet): readonly EndClass[] {
    const ends = pods.flatMap(({ pod, ips }) => {
      const hasV4 = ips.some((ip) => familyOf(ip) === "v4");
      return ipFamilies.flatMap((family) => {
        const ip = ips.find((one) => familyOf(one) === family);
        const isReached = isOnPodNetwork(pod);
        if (ip === undefined) return [];
        return [{ pod, family, isBoth: family === "v6" && hasV4, end: { ip, pod: isReached ? pod : null } }];
      });
    });
    const alike = Map.groupBy(ends, (one) => `${this.#signOf(one.end, one.pod)} ${one.family} ${one.isBoth}`);
    return [...alike].flatMap(([sign, some]) =>
      some.slice(0, 1).map(({ family, isBoth }) => {
        const facts = some.map(({ pod }) => pod);
        return {
          ...this.#named(`pods ${sign} ${facts.map(nameOf).join()}`),
          ...{ family, isBoth, ends: some.slice(0, 2).map(({ end }) => end), pods: facts, workloads: [] },
          ...{ networks: [], facts },
        };
      }),
    );
  }

  #signOf(end: End, pod: PodFact): string {
    const ports = this.#hasNames ? JSON.stringify(pod.ports) : "";
    const own = this.#isOpen ? `${pod.namespace} ${canonicalLabels(podLabels(pod))}` : "";
    const address = end.pod === null || this.#asked.ends.holders(end.ip).length > 1 ? end.ip : "";
    return [this.#reach.signOf(end), ports, own, address].join(" ");
  }

  #ofWorkloads({ workloads }: EndSet): readonly EndClass[] {
    return workloads.flatMap((one) =>
      ipFamilies.map((family) => {
        const pod = isOnPodNetwork(one.template) ? one.template : null;
        return {
          ...this.#named(`workload ${family} ${one.template.namespace} ${one.template.name}`),
          ...{ family, isBoth: family === "v6", ends: [{ ip: unplaced[family], pod }], pods: [] },
          ...{ workloads: [one], networks: [], facts: [one.template] },
        };
      }),
    );
  }

  #ofAddresses({ networks }: EndSet): readonly EndClass[] {
    const straight = networks.map(({ cidr, except }) => ({ cidr, except: [...except, ...this.#leading] }));
    return this.#reach.addresses(straight).map(({ end, networks: own }) => ({
      ...this.#named(`addresses ${own.join()}`),
      ...{ family: familyOf(end.ip), isBoth: false, ends: [end], pods: [], workloads: [], networks: own },
      facts: [],
    }));
  }

  #named(text: string): Pick<EndClass, "id"> {
    const id = this.#ids.get(text) ?? this.#ids.size;
    this.#ids.set(text, id);
    return { id };
  }
}

type AskedPort = Pick<Question, "protocol" | "port">;

/** Of Services, and of nodes at a node port. */
function leadingIn(
  { services, serviceNetworks, facts }: AskedWorld,
  { protocol, port }: AskedPort,
): readonly Cidr[] {
  const isNodePort = services.some(({ ports }) =>
    ports.some((one) => one.protocol === protocol && one.nodePort !== null && one.nodePort === port),
  );
  const nodes = isNodePort ? [...facts.nodes].flatMap(addressesOfNode) : [];
  return [...[...services.flatMap(({ ips }) => ips), ...nodes].map(aloneIn), ...serviceNetworks];
}

function isSelf({ from, to }: Readonly<Record<"from" | "to", End>>): boolean {
  const { pod } = from;
  if (pod === null || to.pod === null || pod.isTemplate === true) return false;
  return nameOf(pod) === nameOf(to.pod);
}

function nameOf({ namespace, name }: PodFact): string {
  return podKey(namespace, name);
}

/** All of them, each once. */
export function joinedEnds(classes: readonly EndClass[]): AnsweredEnds {
  const pods = new Set(classes.flatMap((one) => one.pods.map(nameOf)));
  const workloads = new Set(classes.flatMap((one) => one.workloads));
  return {
    pods: [...pods].sort(),
    workloads: [...workloads].map(refOfWorkload),
    addresses: [...new Set(classes.flatMap((one) => one.networks))],
  };
}

export function shownEnds({ pods, workloads, networks }: EndSet): AnsweredEnds {
  return {
    pods: pods.map(({ pod }) => nameOf(pod)).sort(),
    workloads: workloads.map(refOfWorkload),
    addresses: networks.map(({ cidr }) => cidr),
  };
}
