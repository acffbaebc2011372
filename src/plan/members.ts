// The ends of classes with their names: pods in the order of their keys, networks, a title. Equal sets of kinds are one object,
// and equal lists of pods have one number, because classes repeat them.

import type { PodKey } from "../model/facts.ts";
import type { Cidr } from "../model/ip.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Ends, Titles } from "./ends-shown.ts";
import type { Comparison } from "../verdicts/comparison.ts";

export interface Members {
  readonly pods: readonly PodKey[];
  readonly addresses: readonly Cidr[];
  /** Equal for equal pods, in whichever family. */
  readonly podsId: number;
  /** The pod that was taken out; null: none. */
  readonly other: PodKey | null;
}

export class MembersOf {
  readonly #titles: Titles;
  readonly #known = new Map<Comparison, Map<string, Members>>();
  readonly #lists = new Map<string, (readonly PodKey[])[]>();
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

  /** Of both families; their pods are equal. */
  joined(members: Members, { addresses }: Members): Members {
    return { ...members, addresses: [...members.addresses, ...addresses] };
  }

  /** A pod that is the only end on the other side is never meant on this one, unless it is alone here too. */
  without(members: Members, other: Members): Members {
    const [only] = other.pods;
    if (only === undefined || other.pods.length + other.addresses.length !== 1) return members;
    const rest = members.pods.filter((key) => key !== only);
    if (rest.length === members.pods.length || rest.length + members.addresses.length === 0) return members;
    const pods = this.#interned(rest);
    return { pods, addresses: members.addresses, podsId: this.#ids.get(pods) ?? 0, other: only };
  }

  shown(members: Members): Ends {
    const known = this.#shown.get(members);
    if (known !== undefined) return known;
    const { pods, addresses, other } = members;
    const ends = { title: this.#titles.of(pods, addresses, other), pods, addresses };
    this.#shown.set(members, ends);
    return ends;
  }

  #made({ kinds, frame }: Comparison, role: Role, numbers: readonly number[]): Members {
    const chosen = numbers.flatMap((at) => kinds[role][at] ?? []);
    const sorted = chosen.flatMap(({ pods }) => pods).sort((a, b) => a.rank - b.rank);
    const pods = this.#interned(sorted.map(({ key }) => key));
    const addresses = frame.space.networksOf(chosen.flatMap(({ pieces }) => pieces));
    return { pods, addresses, podsId: this.#ids.get(pods) ?? 0, other: null };
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
