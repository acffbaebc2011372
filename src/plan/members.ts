// The ends of classes with their names: pods in the order of their keys, networks, a title. Equal sets of kinds are one object,
// and equal lists of pods have one number, because classes repeat them.

import type { Ref } from "../analysis/ref.ts";
import { refOfWorkload } from "../analysis/ref.ts";
import type { PodKey } from "../model/facts.ts";
import type { Cidr } from "../model/ip.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Ends, Titles } from "./titles/ends-shown.ts";
import type { Comparison } from "../verdicts/comparison.ts";
import { Interner } from "../verdicts/interner.ts";

export interface Members {
  readonly pods: readonly PodKey[];
  readonly workloads: readonly Ref[];
  readonly addresses: readonly Cidr[];
  /** Equal for equal pods and workloads, in whichever family. */
  readonly podsId: number;
  /** The pod that was taken out; null: none. */
  readonly other: PodKey | null;
}

export class MembersOf {
  readonly #titles: Titles;
  readonly #known = new Map<Comparison, Map<string, Members>>();
  readonly #lists = new Map<string, (readonly PodKey[])[]>();
  /** By the number of a list of pods and the text of a list of workloads. */
  readonly #podsIds = new Interner();
  readonly #ids = new Map<readonly PodKey[], number>();
  readonly #shown = new Map<Members, Ends>();

  constructor(titles: Titles) {
    this.#titles = titles;
  }

  of(comparison: Comparison, role: Role, kinds: readonly number[]): Members {
    const known = this.#known.get(comparison) ?? new Map<string, Members>();
    this.#known.set(comparison, known);
    const key = `${role} ${kinds.join()}`;
    const found = known.get(key) ?? this.#made(comparison, role, kinds);
    known.set(key, found);
    return found;
  }

  /** Of both families; their pods and workloads are equal. */
  joined(members: Members, { addresses }: Members): Members {
    return { ...members, addresses: [...members.addresses, ...addresses] };
  }

  /** A pod that is the only end on the other side is never meant on this one, unless it is alone here too. */
  without(members: Members, other: Members): Members {
    const [only] = other.pods;
    if (only === undefined || countOf(other) !== 1) return members;
    const rest = members.pods.filter((key) => key !== only);
    if (rest.length === members.pods.length || countOf({ ...members, pods: rest }) === 0) return members;
    return { ...this.#members(rest, members.workloads, members.addresses), other: only };
  }

  shown(members: Members): Ends {
    const known = this.#shown.get(members);
    if (known !== undefined) return known;
    const { pods, workloads, addresses, other } = members;
    const ends = { title: this.#titles.of(members, other), pods, workloads, addresses };
    this.#shown.set(members, ends);
    return ends;
  }

  #made({ kinds, frame }: Comparison, role: Role, numbers: readonly number[]): Members {
    const chosen = numbers.flatMap((at) => kinds[role][at] ?? []);
    const sorted = chosen.flatMap(({ pods }) => pods).sort((a, b) => a.rank - b.rank);
    const made = chosen.flatMap(({ workloads }) => workloads).sort((a, b) => (a.key < b.key ? -1 : 1));
    return this.#members(
      sorted.map(({ key }) => key),
      made.map(({ workload }) => refOfWorkload(workload.new)),
      frame.space.networksOf(chosen.flatMap(({ pieces }) => pieces)),
    );
  }

  #members(keys: readonly PodKey[], workloads: readonly Ref[], addresses: readonly Cidr[]): Members {
    const pods = this.#interned(keys);
    const texts = workloads.map((one) => JSON.stringify(one));
    const podsId = this.#podsIds.of([this.#ids.get(pods) ?? 0, ...texts].join(" "));
    return { pods, workloads, addresses, podsId, other: null };
  }

  /** The first list that was equal. */
  #interned(pods: readonly PodKey[]): readonly PodKey[] {
    const text = [pods.length, pods[0], pods[pods.length >> 1], pods.at(-1)].join(" ");
    const alike = this.#lists.get(text) ?? [];
    const same = alike.find((list) => list.every((key, at) => key === pods[at]));
    if (same !== undefined) return same;
    this.#lists.set(text, [...alike, pods]);
    this.#ids.set(pods, this.#ids.size);
    return pods;
  }
}

/** How many there are to show. */
export function countOf({
  pods,
  workloads,
  addresses,
}: Pick<Members, "pods" | "workloads" | "addresses">): number {
  return pods.length + workloads.length + addresses.length;
}
