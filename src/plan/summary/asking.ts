// Verdicts on single connections in both worlds, of pods, of workloads wherever their pods may be, and of addresses; each pair of
// kinds of ends is asked once.

import type { PodFact } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import type { IpFamily } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Destination } from "../../analysis/needs.ts";
import type { End } from "../../policy/evaluate.ts";
import type { Comparison } from "../../verdicts/comparison.ts";
import type { Kind, Role } from "../../verdicts/ends/kinds.ts";
import { onNode } from "../../verdicts/ends/kinds.ts";
import type { WorkloadEnd } from "../../verdicts/ends/templates.ts";
import type { ClassVerdict } from "../../verdicts/walk.ts";
import type { Age } from "../../verdicts/worlds.ts";

/** A workload stands for its pods, which may have any address. */
export type Place = End | WorkloadEnd;

/** What needs a connection. */
export type Client = PodFact | WorkloadEnd;

/** What is needed, in one family. */
export interface Server extends Pick<Destination, "protocol" | "port"> {
  readonly at: Place;
  readonly family: IpFamily;
}

export function isWorkload(one: Client | Place): one is WorkloadEnd {
  return "workload" in one;
}

export class Asking {
  /** In the order of their keys. */
  readonly workloads: readonly WorkloadEnd[];
  readonly #families: ReadonlySet<IpFamily>;
  readonly #comparisons: ReadonlyMap<IpFamily, Comparison>;
  /** By the key of a pod or a workload. */
  readonly #kinds = new Map<Comparison, Readonly<Record<Role, ReadonlyMap<string, Kind>>>>();
  readonly #onNodes = new Map<Kind, Map<string, Kind>>();
  readonly #known = new Map<Kind, Map<Kind, Map<string, ClassVerdict>>>();

  /** `families`: those that pods have. */
  constructor(comparisons: readonly Comparison[], families: ReadonlySet<IpFamily>) {
    this.#families = families;
    this.#comparisons = new Map(comparisons.map((one) => [one.frame.family, one]));
    for (const comparison of comparisons) {
      const byKey = (role: Role) =>
        new Map(
          comparison.kinds[role].flatMap((kind) =>
            [...kind.pods, ...kind.workloads].map(({ key }) => [key, kind] as const),
          ),
        );
      this.#kinds.set(comparison, { from: byKey("from"), to: byKey("to") });
    }
    const ends = comparisons.slice(0, 1).flatMap(({ kinds }) => kinds.from.flatMap((one) => one.workloads));
    this.workloads = ends.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** It reached one of them, and reaches none. */
  losesAll(client: Client, servers: readonly Server[]): boolean {
    const asked = servers.flatMap((to) => {
      const from = isItself(client, to) ? null : this.#placeOf(client, to.family);
      return from === null ? [] : [{ from, to }];
    });
    const known = asked.filter(({ from, to }) => this.#verdict("new", from, to) !== null);
    if (known.length < asked.length || known.length === 0) return false;
    return (
      known.every(({ from, to }) => this.#verdict("new", from, to) === "deny") &&
      known.some(({ from, to }) => this.#verdict("old", from, to) === "allow")
    );
  }

  /** `node`: of the destination, where it is a workload. */
  loses(from: End, to: Server, node: string | null = null): boolean {
    const [old, next] = [this.#verdict("old", from, to, node), this.#verdict("new", from, to, node)];
    return old === "allow" && next === "deny";
  }

  /** null: it has no address of the family. */
  #placeOf(client: Client, family: IpFamily): Place | null {
    if (isWorkload(client)) return this.#families.has(family) ? client : null;
    const ip = client.ips.find((one) => familyOf(one) === family);
    return ip === undefined ? null : { ip, pod: client };
  }

  /** null: they are no ends of both worlds. */
  #verdict(
    age: Age,
    from: Place,
    { at, family, protocol, port }: Server,
    node: string | null = null,
  ): ClassVerdict | null {
    const comparison = this.#comparisons.get(family);
    if (comparison === undefined || (!isWorkload(from) && familyOf(from.ip) !== family)) return null;
    const [source, kind] = [this.#kindOf(comparison, "from", from), this.#kindOf(comparison, "to", at)];
    if (source === null || kind === null) return null;
    const target = node === null ? kind : this.#onNode(kind, node);
    const pairs = this.#known.get(source) ?? new Map<Kind, Map<string, ClassVerdict>>();
    this.#known.set(source, pairs);
    const verdicts = pairs.get(target) ?? new Map<string, ClassVerdict>();
    pairs.set(target, verdicts);
    const key = `${age} ${protocol} ${port}`;
    const point = { axis: protocol, number: port, source: null };
    const verdict = verdicts.get(key) ?? comparison.verdictAt(age, source, target, point);
    verdicts.set(key, verdict);
    return verdict;
  }

  #onNode(kind: Kind, node: string): Kind {
    const known = this.#onNodes.get(kind) ?? new Map<string, Kind>();
    this.#onNodes.set(kind, known);
    const made = known.get(node) ?? onNode(kind, node);
    known.set(node, made);
    return made;
  }

  #kindOf(comparison: Comparison, role: Role, place: Place): Kind | null {
    const kinds = this.#kinds.get(comparison)?.[role];
    if (isWorkload(place)) return kinds?.get(place.key) ?? null;
    const { ip, pod } = place;
    if (pod !== null) return kinds?.get(podKey(pod.namespace, pod.name)) ?? null;
    const piece = comparison.frame.space.pieceOf(ip);
    return comparison.kinds[role].find(({ pieces }) => pieces.includes(piece)) ?? null;
  }
}

function isItself(client: Client, { at }: Server): boolean {
  return isWorkload(client) ? isWorkload(at) && at.key === client.key : !isWorkload(at) && at.pod === client;
}
