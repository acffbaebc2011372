// The worlds that are possible where the Namespace of an end was not read (namespaces.ts): one for each way in which its
// unknown labels can make a difference to this connection. The judge is asked in each of them; they hold the namespaces of
// the two ends alone. Invariant: a verdict is that of some completion of the unknown labels exactly when it is that of one
// of the worlds. Where there are too many it says so, and any verdict must be taken for possible.

import type { NamespaceFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import { podLabels } from "../model/selectable.ts";
import { selects } from "../model/selector.ts";
import { matchesOwn, matchesPortAlone, matchesWay } from "../analysis/parts.ts";
import type { Connection, End, World } from "../policy/evaluate.ts";
import type { Direction, PodGroup, Policy, Rule, SameNamespaces } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import type { EndTerm } from "../policy/normal-form.ts";
import { isOfNodes } from "../policy/matching.ts";
import { endsOf, nothingElse, peerTerms, subjectForm } from "../policy/normal-form.ts";
import { AskedLabels, selectsNamespace, some } from "./asked-labels.ts";

/** A part of a policy that depends on unknown labels. */
export interface OpenPart {
  readonly policy: Policy;
  readonly direction: Direction;
  /** null: the policy's subject. */
  readonly rule: Rule | null;
}

export interface Completions {
  /** null: there are too many to ask about. */
  readonly worlds: readonly World[] | null;
  /** By the name of the namespace, the labels that are asked for. */
  readonly unknown: ReadonlyMap<string, readonly string[]>;
  readonly parts: readonly OpenPart[];
}

/** Worlds that are judged. */
const mostWorlds = 500;

/** null: no unknown label can make a difference. */
export function completionsOf(
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Completions | null {
  const ends = [connection.from, connection.to].map((end) => namespaceOf(end, world));
  const unread = ends.filter((one) => one?.isUnread === true);
  if (unread.length === 0) return null;
  const asked = new Asking(connection, world);
  for (const policy of policies) for (const direction of directions) asked.look(policy, direction);
  return asked.result();
}

function namespaceOf({ pod }: End, world: World): NamespaceFact | undefined {
  return pod === null || !isOnPodNetwork(pod) ? undefined : world.namespaces.get(pod.namespace);
}

/** Goes through the policies and collects what they ask of the two namespaces. */
class Asking {
  readonly #connection: Connection;
  readonly #world: World;
  readonly #asked = new Map<string, AskedLabels>();
  readonly #parts: OpenPart[] = [];

  constructor(connection: Connection, world: World) {
    this.#connection = connection;
    this.#world = world;
  }

  look(policy: Policy, direction: Direction): void {
    const { from, to } = this.#connection;
    const [subject, peer] = direction === "egress" ? [from, to] : [to, from];
    if (policy.unmatched[direction] === "deny" && this.#isOpen(subject, subjectForm(policy.subject).pods))
      this.#parts.push({ policy, direction, rule: null });
    for (const rule of policy.rules[direction]) {
      const met = { policy, direction, rule, connection: this.#connection, world: this.#world };
      const { pods, ofNodes, ...others } = subjectForm(rule.subject ?? policy.subject);
      nothingElse(others);
      if (
        some([isOfNodes(subject, ofNodes), ...pods.map((group) => this.#selects(group, subject))]) === false
      )
        continue;
      if (!matchesWay(met) || !matchesOwn(met) || !matchesPortAlone(met)) continue;
      const isOpen = [
        this.#isOpen(subject, pods),
        ...peerTerms(rule).map((term) => this.#isOpenTerm(term, peer, subject)),
      ];
      if (isOpen.includes(true)) this.#parts.push({ policy, direction, rule });
    }
  }

  result(): Completions | null {
    if (this.#asked.size === 0) return null;
    const unknown = new Map(Array.from(this.#asked, ([name, { keys }]) => [name, keys]));
    return { worlds: this.#worlds(), unknown, parts: this.#parts };
  }

  #worlds(): readonly World[] | null {
    const [one, other] = this.#asked.values();
    if (one !== undefined && other !== undefined) {
      one.share(other);
      other.share(one);
    }
    const { from, to } = this.#connection;
    const known = [from, to].flatMap((end) => namespaceOf(end, this.#world) ?? []);
    const { nodes, hostNames } = this.#world;
    let worlds: readonly World[] = [{ nodes, hostNames, namespaces: byName(known) }];
    for (const asked of this.#asked.values()) {
      const completions = asked.completions();
      if (completions === null || completions.length * worlds.length > mostWorlds) return null;
      worlds = worlds.flatMap(({ namespaces }) =>
        completions.map((fact) => ({ nodes, hostNames, namespaces: byName([...namespaces.values(), fact]) })),
      );
    }
    return worlds;
  }

  /** Whether it depends on unknown labels that a group selects the end; asks for them. */
  #isOpen(end: End, groups: readonly PodGroup[]): boolean {
    const open = groups.filter((group) => this.#selects(group, end) === null);
    const namespace = namespaceOf(end, this.#world);
    if (namespace === undefined) return false;
    for (const group of open) this.#askedOf(namespace).ask(group.namespaces);
    return open.length > 0;
  }

  #isOpenTerm(term: EndTerm, end: End, subject: End): boolean {
    const open = endsOf(term).flatMap(({ pods, sameNamespaces }) => [
      this.#isOpen(end, pods),
      ...sameNamespaces.map((one) => this.#isOpenShare(one, end, subject)),
    ]);
    return open.includes(true);
  }

  #isOpenShare({ keys, pods }: SameNamespaces, end: End, subject: End): boolean {
    if (keys.length === 0) return false;
    const [own, other] = [namespaceOf(subject, this.#world), namespaceOf(end, this.#world)];
    if (own === undefined || other === undefined || end.pod === null) return false;
    if (!selects(pods, podLabels(end.pod))) return false;
    const unread = [own, other].filter(({ isUnread }) => isUnread === true);
    for (const key of keys)
      for (const namespace of unread) this.#askedOf(namespace).compare(key, namespace === own ? other : own);
    return unread.length > 0;
  }

  #selects(group: PodGroup, end: End): boolean | null {
    const { pod } = end;
    const namespace = namespaceOf(end, this.#world);
    if (pod === null || !isOnPodNetwork(pod)) return false;
    if (namespace === undefined || !selects(group.pods, podLabels(pod))) return false;
    return selectsNamespace(group.namespaces, namespace);
  }

  #askedOf(namespace: NamespaceFact): AskedLabels {
    const known = this.#asked.get(namespace.name);
    if (known !== undefined) return known;
    const asked = new AskedLabels(namespace);
    this.#asked.set(namespace.name, asked);
    return asked;
  }
}

function byName(facts: readonly NamespaceFact[]): ReadonlyMap<string, NamespaceFact> {
  return new Map(facts.map((fact) => [fact.name, fact]));
}
