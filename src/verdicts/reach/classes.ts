// Classes of ends for one direction: of subjects, kinds to whose side the same rules and the same isolations apply; of peers,
// kinds that the same rules name. A pair of a subject's class and a peer's class meets one list of rules, so that a
// cluster costs what its policies distinguish, not its pods.

import type { NamedPort, PodFact } from "../../model/facts.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { End } from "../../policy/evaluate.ts";
import type { Direction, GroupKey, Policy } from "../../policy/ir.ts";
import { groupKey } from "../../policy/ir.ts";
import type { CompiledRule } from "./compiled.ts";
import { compiled, namesByNetwork, namesOtherwise, sharesOf } from "./compiled.ts";
import type { Kind } from "./kinds.ts";
import type { Order } from "./order.ts";
import type { Work } from "./work.ts";

/** What rules see of an end on one side of the direction. */
interface Sight {
  readonly family: IpFamily;
  /** Bits of the entries' numbers. */
  readonly rules: bigint;
  /** Where this side is the destination: the named container ports. */
  readonly declared: readonly NamedPort[];
  /** As of a kind, for the lists of keys that the rules ask for. */
  readonly shares: ReadonlyMap<string, string>;
}

interface Members {
  readonly pods: Set<PodFact>;
  readonly example: End;
}

export interface SubjectClass extends Sight, Members {
  readonly side: "subject";
  /** Policies that deny what no rule of their tier matches. */
  readonly isolating: readonly Policy[];
}

export interface PeerClass extends Sight, Members {
  readonly side: "peer";
  hasAddress: boolean;
  /** Rules that name the end where its namespace shares values with the subject's. */
  readonly shared: readonly { readonly bit: bigint; readonly keys: string }[];
  /** Bits of the rules that name the end by a network and by nothing else. */
  readonly byNetwork: bigint;
}

export class Classes {
  readonly #direction: Direction;
  readonly #rules: readonly CompiledRule[];
  readonly #policies: readonly (readonly [Policy, readonly GroupKey[]])[];
  readonly #subjects = new Map<string, SubjectClass>();
  readonly #peers = new Map<string, PeerClass>();
  readonly #ofKind = { subject: new Map<Kind, SubjectClass | null>(), peer: new Map<Kind, PeerClass>() };

  constructor({ policies, entries }: Order, direction: Direction, kinds: Iterable<Kind>, work: Work) {
    this.#direction = direction;
    this.#rules = entries[direction].map(compiled);
    this.#policies = policies.map((policy) => [policy, policy.subject.map(groupKey)]);
    for (const kind of kinds) {
      work.matches += 2 * this.#rules.length;
      if (kind.pods.size > 0) this.#addSubject(kind);
      this.#addPeer(kind);
    }
  }

  subjects(): Iterable<SubjectClass> {
    return this.#subjects.values();
  }

  peers(): Iterable<PeerClass> {
    return this.#peers.values();
  }

  /** null: no policy applies to this side. Of a kind that was given. */
  subjectOf(kind: Kind): SubjectClass | null {
    return this.#ofKind.subject.get(kind) ?? null;
  }

  peerOf(kind: Kind): PeerClass | null {
    return this.#ofKind.peer.get(kind) ?? null;
  }

  #addSubject(kind: Kind): void {
    const isIn = (keys: readonly GroupKey[]): boolean => keys.some((key) => kind.groups.has(key));
    const selected = new Set(this.#policies.filter(([, keys]) => isIn(keys)).map(([policy]) => policy));
    const isolating = [...selected].filter(({ unmatched }) => unmatched[this.#direction] === "deny");
    const rules = this.#rules.filter(({ subject, entry }) =>
      subject === null ? selected.has(entry.policy) : isIn(subject),
    );
    if (rules.length === 0 && isolating.length === 0) {
      this.#ofKind.subject.set(kind, null);
      return;
    }
    const asked = new Set(rules.flatMap(({ shared }) => shared.map(({ keys }) => keys)));
    const sight: Sight = {
      ...{ family: kind.family, rules: bitsOf(rules) },
      declared: this.#direction === "ingress" ? kind.declared : [],
      shares: new Map([...kind.shares].filter(([keys]) => asked.has(keys))),
    };
    const key = textOf(
      sight,
      isolating.map((policy) => policy.key),
    );
    const found = this.#subjects.get(key) ?? {
      ...{ side: "subject" as const, ...sight, isolating, pods: new Set<PodFact>(), example: kind.example },
    };
    this.#subjects.set(key, found);
    this.#ofKind.subject.set(kind, found);
    for (const pod of kind.pods) found.pods.add(pod);
  }

  #addPeer(kind: Kind): void {
    const otherwise = this.#rules.filter((rule) => namesOtherwise(rule, kind));
    const named = new Set(otherwise);
    const byNetwork = this.#rules.filter((rule) => !named.has(rule) && namesByNetwork(rule, kind));
    const shared = this.#rules.flatMap((rule) =>
      sharesOf(rule, kind).map((keys) => ({ bit: rule.bit, keys })),
    );
    const asked = new Set(shared.map(({ keys }) => keys));
    const sight: Sight = {
      ...{ family: kind.family, rules: bitsOf(otherwise) | bitsOf(byNetwork) },
      declared: this.#direction === "egress" ? kind.declared : [],
      shares: new Map([...kind.shares].filter(([keys]) => asked.has(keys))),
    };
    const isPod = kind.pods.size > 0;
    const shares = shared.map(({ bit, keys }) => `${bit.toString(36)} ${keys}`);
    // Ends of one class that are pods are distinguished from addresses only by what rules see of them.
    const key = textOf(sight, [bitsOf(byNetwork).toString(36), ...shares]);
    const found = this.#peers.get(key) ?? {
      ...{ side: "peer" as const, ...sight, shared, byNetwork: bitsOf(byNetwork), hasAddress: false },
      ...{ pods: new Set<PodFact>(), example: kind.example },
    };
    if (!isPod) found.hasAddress = true;
    this.#peers.set(key, found);
    this.#ofKind.peer.set(kind, found);
    for (const pod of kind.pods) found.pods.add(pod);
  }
}

/** Through text: as many additions of bits would make as many long numbers. */
function bitsOf(rules: readonly CompiledRule[]): bigint {
  const highest = rules.reduce((most, { entry }) => Math.max(most, entry.number), -1);
  const digits = new Array<string>(highest + 1).fill("0");
  for (const { entry } of rules) digits[highest - entry.number] = "1";
  return highest < 0 ? 0n : BigInt(`0b${digits.join("")}`);
}

function textOf({ family, rules, declared, shares }: Sight, more: readonly string[]): string {
  const ports = declared.map(({ name, protocol, port }) => [name, protocol, port]);
  return JSON.stringify([family, rules.toString(36), ports, [...shares], more]);
}
