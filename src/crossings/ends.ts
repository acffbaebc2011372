// The ends of the world as classes: kinds of the engine (verdicts/ends/kinds.ts), divided where something else than the policies
// tells them apart: what was not read of a pod's namespace, an address that several pods have, a node. Addresses of Services are
// no destinations: a load balancer replaces them before policies see a connection. A workload stands for pods that have addresses
// of the families that the cluster has.

import type { PodFact } from "../model/facts.ts";
import { addressesOfNode } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import { aloneIn } from "../model/cidr.ts";
import type { Cidr } from "../model/ip.ts";
import { podLabels } from "../model/selectable.ts";
import type { PortMatch } from "../policy/ir.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { Kind, PodEnd, Role } from "../verdicts/ends/kinds.ts";
import type { WorkloadEnd } from "../verdicts/ends/templates.ts";
import type { Framed } from "../verdicts/frames.ts";
import type { Traffic, TrafficCuts } from "../verdicts/traffic.ts";

/** Ends that every connection treats alike. Pods, workloads that stand for pods, or pieces of the addresses. */
export interface EndClass {
  readonly family: IpFamily;
  readonly kind: Kind;
  readonly pods: readonly PodEnd[];
  readonly workloads: readonly WorkloadEnd[];
  readonly pieces: readonly number[];
  /** Of the connections to it: those that reach it as they are sent. */
  readonly traffic: Traffic;
  /** Its verdicts depend on what was not read, so that explain is asked about each part of the traffic. */
  readonly isDoubtful: boolean;
}

/** Policies apply to pods, those of workloads too. */
export function isSubject({ pods, workloads }: EndClass): boolean {
  return pods.length + workloads.length > 0;
}

/** Those that pods of workloads have: what is served, or what the cluster shows, and what is asked about. */
export function workloadFamilies(
  { families, taken }: AskedWorld,
  networks: readonly Cidr[],
): ReadonlySet<IpFamily> {
  const asked = new Set(networks.map(familyOf));
  const known = new Set(families ?? taken.map(familyOf));
  if (known.size === 0) known.add("v4");
  return asked.size === 1 ? known.union(asked) : known;
}

/** Networks at whose borders ends differ although no policy says so. */
export function bordersIn({ services, serviceNetworks, facts }: AskedWorld): readonly Cidr[] {
  const nodes = [...facts.nodes].flatMap(addressesOfNode);
  return [...serviceNetworks, ...[...services.flatMap(({ ips }) => ips), ...nodes].map(aloneIn)];
}

/** Ports at nodes that lead to Services. */
export function nodePortsIn({ services }: AskedWorld): readonly PortMatch[] {
  return services
    .flatMap(({ ports }) => ports)
    .flatMap(({ protocol, nodePort }) =>
      nodePort === null ? [] : [{ kind: "port", protocol, port: nodePort }],
    );
}

export interface OpenEnds {
  readonly open: ReadonlySet<string>;
  readonly families: ReadonlySet<IpFamily>;
}

/** Of one family. */
export class EndClasses {
  readonly #asked: AskedWorld;
  readonly #framed: Framed;
  readonly #cuts: TrafficCuts;
  readonly #open: ReadonlySet<string>;
  readonly #nodes: ReadonlySet<number>;
  readonly #ofServices: ReadonlySet<number>;
  readonly #aboutNodes: boolean;
  readonly #hasWorkloads: boolean;

  /** `open`: namespaces of which labels are asked that were not read. `families`: those of workloads. */
  constructor(asked: AskedWorld, framed: Framed, cuts: TrafficCuts, { open, families }: OpenEnds) {
    this.#asked = asked;
    this.#hasWorkloads = families.has(framed.frame.family);
    this.#framed = framed;
    this.#cuts = cuts;
    this.#open = open;
    const { space } = framed.frame;
    const { services, serviceNetworks, facts, foreign } = asked;
    const nodes = [...facts.nodes].flatMap(addressesOfNode);
    this.#nodes = new Set(space.piecesHolding(nodes));
    const networks = [...serviceNetworks, ...services.flatMap(({ ips }) => ips).map(aloneIn)];
    this.#ofServices = new Set(networks.flatMap((network) => space.piecesWithin(network, [])));
    this.#aboutNodes = foreign.some(({ isAboutNodes }) => isAboutNodes);
  }

  of(role: Role): readonly EndClass[] {
    return this.#framed.kinds[role].flatMap((kind) => this.#divided(kind, role));
  }

  #divided(kind: Kind, role: Role): readonly EndClass[] {
    const { family } = this.#framed.frame;
    const made = {
      ...{ family, kind, pods: [], workloads: [], pieces: [] },
      ...{ traffic: this.#cuts.direct, isDoubtful: false },
    };
    const pods = Map.groupBy(kind.pods, (pod) => this.#doubtOf(pod));
    const workloads = Map.groupBy(this.#hasWorkloads ? kind.workloads : [], ({ workload }) =>
      this.#doubtAbout(workload.new.template),
    );
    const pieces = kind.pieces.filter((piece) => role === "from" || !this.#ofServices.has(piece));
    const { true: nodes = [], false: others = [] } = Object.groupBy(pieces, (piece) =>
      this.#nodes.has(piece) ? "true" : "false",
    );
    const classes: readonly EndClass[] = [
      ...Array.from(pods, ([doubt, some]) => ({ ...made, pods: some, isDoubtful: doubt !== "" })),
      ...Array.from(workloads, ([doubt, some]) => ({ ...made, workloads: some, isDoubtful: doubt !== "" })),
      { ...made, pieces: others },
      { ...made, pieces: nodes, isDoubtful: this.#aboutNodes, traffic: this.#atNodes(role) },
    ];
    return classes.filter((one) => isSubject(one) || one.pieces.length > 0);
  }

  /** Equal texts: pods that the same is unknown of. "": nothing is. */
  #doubtOf({ key, end }: PodEnd): string {
    const { ip, pod } = end.new;
    if (this.#asked.ends.holders(ip).length > 1) return key;
    return pod === null ? "" : this.#doubtAbout(pod);
  }

  #doubtAbout(pod: PodFact): string {
    if (!this.#open.has(pod.namespace)) return "";
    return `${pod.namespace}/${this.#framed.frame.pods.of(podLabels(pod))}`;
  }

  /** A node port leads to a Service. */
  #atNodes(role: Role): Traffic {
    const { direct } = this.#cuts;
    if (role === "from") return direct;
    const { family } = this.#framed.frame;
    const ports = nodePortsIn(this.#asked);
    const taken = this.#cuts.of({ ports }, family, { from: [], to: [] });
    return direct & ~taken;
  }
}
