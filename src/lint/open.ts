// What lint does not know: what a selector selects where it uses labels of a namespace that was not read, whether a rule of
// domain names matches, and what policies of kinds that are not read say. Findings that rest on these are not made; NG000 says so.

import { completionsOf } from "../unknowns/completions.ts";
import type { Cni } from "../cni/answers.ts";
import { hasOpenRange } from "../cni/port-ranges.ts";
import type { PluginReading } from "../cni/reading.ts";
import type { OpenRule } from "../unknowns/possible.ts";
import { possibleOn } from "../unknowns/possible.ts";
import { selectsNamespace } from "../unknowns/asked-labels.ts";
import type { ReadRecord } from "../unknowns/unknowns.ts";
import { unknownsOf } from "../unknowns/unknowns.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import { couldConcern } from "../unknowns/foreign.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { FactStore } from "../model/fact-store.ts";
import { podLabels } from "../model/selectable.ts";
import { selects } from "../model/selector.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Peer, Policy, PolicyKey, PodGroup, Rule } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { peersAsked } from "../policy/peers.ts";
import { peerTerms } from "../policy/normal-form.ts";
import { contains } from "../model/cidr.ts";
import type { Workload } from "../model/workload.ts";
import type { OrderedRule } from "../verdicts/entries.ts";
import { subjectOf } from "../verdicts/entries.ts";

/** The part of a context that is asked. */
interface Asked {
  readonly facts: Pick<FactStore, "namespaces" | "nodes" | "hostNames">;
  /** Templates of workloads too. */
  readonly pods: readonly PodFact[];
  readonly foreign: readonly ForeignPolicy[];
  readonly policies: readonly Policy[];
  readonly records: readonly Omit<ReadRecord, "rejected">[];
  readonly plugin: PluginReading | null;
  readonly cni: Cni | null;
  readonly workloads: readonly Workload[];
  dialectOf(key: PolicyKey): Dialect;
}

export class Open {
  readonly #asked: Asked;
  /** Pods that policies apply to, in namespaces that were not read. */
  readonly #pods: readonly PodFact[];
  readonly #groups = new Map<string, ReadonlySet<string>>();
  readonly #unknown: ReadonlySet<Rule>;
  /** Of these, those that have all of their names. */
  readonly #unanswered: ReadonlySet<Rule>;
  readonly #ofPlugin: ReadonlyMap<Rule, OpenRule>;
  #anywhere: boolean | null = null;

  constructor(asked: Asked) {
    this.#asked = asked;
    const { pods, facts } = asked;
    const { namespaces } = facts;
    const isUnread = (name: string): boolean => namespaces.get(name)?.isUnread === true;
    this.#pods = pods.filter((pod) => isOnPodNetwork(pod) && isUnread(pod.namespace));
    const records = asked.records.map((record) => ({ ...record, rejected: false }));
    const unknowns = unknownsOf(records, [], facts.hostNames, (key) => asked.dialectOf(key));
    this.#unknown = new Set(unknowns.rules.keys());
    const unanswered = [...unknowns.rules.values()].filter((one) => one.lacksAnswersOnly === true);
    this.#unanswered = new Set(unanswered.map(({ rule }) => rule));
    const open = asked.plugin?.open ?? [];
    this.#ofPlugin = new Map(open.map(({ rule, actions }) => [rule, { actions, byPeers: true }]));
  }

  /**
   * Whether the names in the rule are not resolved, or the network plugin leaves open whether its networks, which hold addresses of
   * pods, are about pods, or which ports it is about: what it matches is unknown, whatever is enforced.
   */
  isDoubtful(entry: Pick<OrderedRule, "policy" | "rule">): boolean {
    return this.lacksAnswers(entry) || this.isDoubtfulWhateverAnswers(entry);
  }

  /** Whether the rule has all of its names, and answers to them are not recorded. */
  lacksAnswers({ rule }: Pick<OrderedRule, "rule">): boolean {
    return this.#unanswered.has(rule);
  }

  /** The same of what holds for all answers that names may have: then answers that are not recorded leave nothing open. */
  isDoubtfulWhateverAnswers({ policy, rule }: Pick<OrderedRule, "policy" | "rule">): boolean {
    const { cni } = this.#asked;
    return (
      (this.#unknown.has(rule) && !this.lacksAnswers({ rule })) ||
      this.#holdsPods(rule) ||
      (cni !== null && hasOpenRange(policy, rule, cni))
    );
  }

  #holdsPods(rule: Rule): boolean {
    const { cni, pods, workloads } = this.#asked;
    if (cni?.podsInNetworks.matches !== "open") return false;
    const networks = peerTerms(rule).flatMap(({ anyOf }) => anyOf.networks);
    if (networks.length === 0) return false;
    return (
      workloads.length > 0 ||
      pods.some(({ ips }) => ips.some((ip) => networks.some((one) => contains(one, ip))))
    );
  }

  /** Whether it is not known what a rule, or the subject of a policy, selects. */
  isOpen({ policy, entry }: { readonly policy: Policy; readonly entry: OrderedRule | null }): boolean {
    return (entry === null ? this.#ofSubject(policy.subject) : this.#ofRule(entry)).size > 0;
  }

  /** The namespaces whose labels decide what the policy selects, in order. */
  namespacesOf(policy: Policy): readonly string[] {
    if (this.#pods.length === 0) return [];
    const entries = directions.flatMap((direction) =>
      policy.rules[direction].map((rule) => ({ policy, direction, rule })),
    );
    const names = [this.#ofSubject(policy.subject), ...entries.map((entry) => this.#ofRule(entry))];
    return [...new Set(names.flatMap((some) => [...some]))].sort();
  }

  /** Whether any policy depends on such labels. */
  get isAnywhere(): boolean {
    return (this.#anywhere ??= this.#asked.policies.some((policy) => this.namespacesOf(policy).length > 0));
  }

  /** Whether the verdict on a connection may be another than the policies that were read say. */
  isOpenFor(connection: Connection): boolean {
    const { facts, policies, foreign } = this.#asked;
    const ends = { egress: connection.from, ingress: connection.to };
    const mayAllow = foreign.some(
      (policy) =>
        policy.effect === "any" &&
        directions.some((direction) =>
          couldConcern(policy, direction, { pod: ends[direction].pod, isNode: false }),
        ),
    );
    return (
      mayAllow ||
      this.#isOpenByPlugin(connection) ||
      (this.#pods.length > 0 && completionsOf(connection, facts, policies) !== null)
    );
  }

  /** Whether a side ends in more than one way. */
  #isOpenByPlugin(connection: Connection): boolean {
    const { plugin, facts } = this.#asked;
    if (plugin === null) return false;
    return directions.some((direction) => {
      const openRuleOf = (rule: Rule): OpenRule | null => this.#ofPlugin.get(rule) ?? null;
      return possibleOn(direction, connection, facts, plugin.possible, openRuleOf).verdicts.size > 1;
    });
  }

  #ofRule({ policy, rule }: OrderedRule): ReadonlySet<string> {
    const peers = rule.peers.flatMap(peersAsked).map((peer) => this.#ofPeer(peer));
    return [this.#ofSubject(subjectOf({ policy, rule })), ...peers].reduce((all, some) => all.union(some));
  }

  #ofPeer(peer: Peer): ReadonlySet<string> {
    if (peer.kind === "pods") return this.#ofGroup(peer);
    if (peer.kind !== "sameNamespaces" || peer.keys.length === 0) return new Set();
    const pods = this.#pods.filter((pod) => selects(peer.pods, podLabels(pod)));
    return new Set(pods.map(({ namespace }) => namespace));
  }

  #ofSubject(subject: Policy["subject"]): ReadonlySet<string> {
    return subject
      .filter((group) => group.kind === "pods")
      .reduce<ReadonlySet<string>>((all, group) => all.union(this.#ofGroup(group)), new Set());
  }

  #ofGroup(group: PodGroup): ReadonlySet<string> {
    const key = `${group.namespaces.text} ${group.pods.text}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const open = this.#pods.filter((pod) => {
      const namespace = this.#asked.facts.namespaces.get(pod.namespace);
      if (namespace === undefined || selectsNamespace(group.namespaces, namespace) !== null) return false;
      return selects(group.pods, podLabels(pod));
    });
    const names = new Set(open.map(({ namespace }) => namespace));
    this.#groups.set(key, names);
    return names;
  }
}
