// Kinds of ends: the pods' addresses and all other addresses, put together where no policy can distinguish them. A pod on the
// pod network is known by its groups, what its namespace shares, the container ports that rules name, and the networks its
// address is in; any other address by networks and nodes. What is outside the pod network is an address, as for the judge.

import type { AddressRange } from "../../analysis/address-space.ts";
import { AddressSpace, numberOf, rangeOf } from "../../analysis/address-space.ts";
import { aloneIn } from "../../model/cidr.ts";
import type { NamedPort, NamespaceFact, PodFact } from "../../model/facts.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import type { FactStore } from "../../model/fact-store.ts";
import type { IpAddress, IpFamily } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import { canonicalLabels } from "../../model/labels.ts";
import { namespaceLabels, podLabels } from "../../model/selectable.ts";
import { selects } from "../../model/selector.ts";
import type { End } from "../../policy/evaluate.ts";
import type { GroupKey, SubjectGroup } from "../../policy/ir.ts";
import { groupKey } from "../../policy/ir.ts";
import type { Vocabulary } from "./vocabulary.ts";
import type { Work } from "./work.ts";

export interface Kind {
  readonly family: IpFamily;
  /** Those that have an end of this kind; none: addresses. */
  readonly pods: ReadonlySet<PodFact>;
  /** One of the ends. */
  readonly example: End;
  readonly groups: ReadonlySet<GroupKey>;
  readonly networks: ReadonlySet<string>;
  /** By text, the selectors of nodes that have the address. */
  readonly nodes: ReadonlySet<string>;
  /** By list of keys, what the pod's namespace has in common with others; a list is missing where it lacks a key. */
  readonly shares: ReadonlyMap<string, string>;
  /** Named container ports that rules name. */
  readonly declared: readonly NamedPort[];
}

interface Growing extends Kind {
  readonly pods: Set<PodFact>;
}

type OfPod = Pick<Kind, "groups" | "shares">;
type OfAddress = Pick<Kind, "networks" | "nodes">;

/** A network peer, read once. */
interface Network {
  readonly key: string;
  readonly family: IpFamily;
  readonly whole: AddressRange;
  readonly except: readonly AddressRange[];
}

const families: readonly IpFamily[] = ["v4", "v6"];
const noPod: OfPod = { groups: new Set(), shares: new Map() };

export type Facts = Pick<FactStore, "pods" | "namespaces" | "nodes">;

export class Kinds {
  readonly #facts: Facts;
  readonly #words: Vocabulary;
  readonly #work: Work;
  readonly #spaces: Readonly<Record<IpFamily, AddressSpace>>;
  readonly #networks: readonly Network[];
  readonly #ofPiece = new Map<string, OfAddress>();
  readonly #ofIdentity = new Map<string, OfPod>();
  readonly #texts = new Map<string, number>();
  readonly #kinds = new Map<string, Growing>();

  constructor(facts: Facts, words: Vocabulary, work: Work) {
    this.#facts = facts;
    this.#words = words;
    this.#work = work;
    const networks = [...words.networks.values()].flatMap(({ cidr, except }) => [cidr, ...except]);
    this.#networks = Array.from(words.networks, ([key, { cidr, except }]) => ({
      ...{ key, family: familyOf(cidr), whole: rangeOf(cidr), except: except.map(rangeOf) },
    }));
    const nodes = [...words.nodes.values()].flatMap((ips) => [...ips].map(aloneIn));
    const taken = [...facts.pods.values()].filter(isOnPodNetwork).flatMap(({ ips }) => ips);
    const spaceOf = (family: IpFamily) => new AddressSpace(family, [...networks, ...nodes], taken);
    this.#spaces = { v4: spaceOf("v4"), v6: spaceOf("v6") };
    for (const pod of facts.pods.values())
      if (isOnPodNetwork(pod)) for (const ip of pod.ips) this.#of({ ip, pod }).pods.add(pod);
    this.#addAddresses();
  }

  all(): Iterable<Kind> {
    return this.#kinds.values();
  }

  /** The kind of an end of this world. */
  of(end: End): Kind {
    return this.#of(end);
  }

  #of({ ip, pod }: End): Growing {
    const onNetwork = pod !== null && isOnPodNetwork(pod) ? pod : null;
    const ofPod = onNetwork === null ? noPod : this.#ofPod(onNetwork);
    const declared = onNetwork === null ? [] : this.#declared(onNetwork);
    const ofAddress = this.#ofAddress(ip);
    const ports = declared.map(({ name, protocol, port }) => [name, protocol, port]);
    const key = [
      ...[familyOf(ip), onNetwork !== null, this.#text([[...ofPod.groups], [...ofPod.shares]])],
      ...[this.#text([[...ofAddress.networks], [...ofAddress.nodes]]), this.#text(ports)],
    ].join();
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const kind = { family: familyOf(ip), pods: new Set<PodFact>(), example: { ip, pod: onNetwork } };
    const made: Growing = { ...kind, ...ofPod, ...ofAddress, declared };
    this.#kinds.set(key, made);
    return made;
  }

  /** One address of each piece that is no pod's. */
  #addAddresses(): void {
    for (const family of families) {
      const space = this.#spaces[family];
      for (let piece = 0; piece < space.size; piece++) {
        const ip = space.freeIn(piece);
        if (ip !== null) this.of({ ip, pod: null });
      }
    }
  }

  #ofAddress(ip: IpAddress): OfAddress {
    const family = familyOf(ip);
    const piece = `${family} ${this.#spaces[family].pieceOf(ip)}`;
    const known = this.#ofPiece.get(piece);
    if (known !== undefined) return known;
    const number = numberOf(ip);
    const { nodes } = this.#words;
    this.#work.matches += this.#networks.length + nodes.size;
    const holds = ({ first, last }: AddressRange): boolean => first <= number && number <= last;
    const within = this.#networks.filter(
      (one) => one.family === family && holds(one.whole) && !one.except.some(holds),
    );
    const of = {
      networks: new Set(within.map(({ key }) => key)),
      nodes: new Set([...nodes].filter(([, ips]) => ips.has(ip)).map(([text]) => text)),
    };
    this.#ofPiece.set(piece, of);
    return of;
  }

  #ofPod(pod: PodFact): OfPod {
    const { groups } = this.#words;
    const ofLabels = this.#ofLabels(pod);
    const onNode = pod.node === null ? null : groupKey({ kind: "podsOfNode", node: pod.node });
    if (onNode === null || !groups.has(onNode)) return ofLabels;
    return { ...ofLabels, groups: new Set([...ofLabels.groups, onNode]) };
  }

  /** Without the group of its node's pods. */
  #ofLabels(pod: PodFact): OfPod {
    const identity = JSON.stringify([pod.namespace, pod.serviceAccount, canonicalLabels(pod.labels)]);
    const known = this.#ofIdentity.get(identity);
    if (known !== undefined) return known;
    const namespace = this.#facts.namespaces.get(pod.namespace);
    const { groups, shared } = this.#words;
    this.#work.matches += groups.size;
    const of = {
      groups: new Set([...groups].filter(([, group]) => isIn(pod, namespace, group)).map(([key]) => key)),
      shares: new Map([...shared].flatMap(([key, keys]) => shareOf(key, keys, namespace))),
    };
    this.#ofIdentity.set(identity, of);
    return of;
  }

  /** A short name of a value: equal values have the same. */
  #text(value: unknown): number {
    const text = JSON.stringify(value);
    const known = this.#texts.get(text) ?? this.#texts.size;
    this.#texts.set(text, known);
    return known;
  }

  /** Names lead to pods of known namespaces alone. */
  #declared({ namespace, ports }: PodFact): readonly NamedPort[] {
    if (!this.#facts.namespaces.has(namespace)) return [];
    return ports.filter(({ name }) => this.#words.portNames.has(name));
  }
}

function isIn(pod: PodFact, namespace: NamespaceFact | undefined, group: SubjectGroup): boolean {
  if (group.kind === "podsOfNode" || namespace === undefined) return false;
  return selects(group.namespaces, namespaceLabels(namespace)) && selects(group.pods, podLabels(pod));
}

function shareOf(
  key: string,
  keys: readonly string[],
  namespace: NamespaceFact | undefined,
): readonly (readonly [string, string])[] {
  if (namespace === undefined || keys.some((one) => !namespace.labels.has(one))) return [];
  const values = keys.map((one) => [one, namespace.labels.get(one)]);
  return [[key, keys.length === 0 ? namespace.name : JSON.stringify(values.sort())]];
}
