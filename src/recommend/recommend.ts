// Recorded connections → NetworkPolicies that allow them and nothing else to the pods of the namespaces, and how much of the record they
// cover. In each namespace one policy isolates every pod, and one for each workload with connections says what is allowed. Pure; what
// exists stays as it is.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { countOf } from "../flows/changes.ts";
import { aloneIn, contains } from "../model/cidr.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { Cidr } from "../model/ip.ts";
import { quote } from "../model/quote.ts";
import type { FlowRecord } from "../observe/record/record.ts";
import type { Direction } from "../policy/ir.ts";
import type { ExistingPolicies } from "./existing.ts";
import { newlyIsolated } from "./existing.ts";
import type { LabelSelectorManifest, PolicyManifest } from "./manifest.ts";
import type { PodClass } from "./pod-classes.ts";
import { PodClasses } from "./pod-classes.ts";
import type { CoveredNamespace, Recommendation, Widened } from "./report.ts";
import { SeenPeers } from "./rules.ts";
import type { AllowedFlow, SeenEnd } from "./seen.ts";
import { seenIn } from "./seen.ts";

const directions = ["ingress", "egress"] as const satisfies readonly Direction[];
const typeNames = { ingress: "Ingress", egress: "Egress" } as const;
const longestName = 253;

/** `namespaces`: none: those in which a recorded connection has an end. Throws NoSuchEnd of a namespace that is not there. */
export function recommend(
  record: FlowRecord,
  asked: AskedWorld,
  existing: ExistingPolicies,
  namespaces: readonly string[],
): Recommendation {
  const { pods } = asked.facts;
  const classes = new PodClasses(pods.values(), asked.workloads);
  const missing = namespaces.find((name) => !asked.facts.namespaces.has(name));
  if (missing !== undefined) throw new NoSuchEnd(`there is no namespace ${quote(missing)}`);
  const { allowed, leftOut } = seenIn(record, asked, classes);
  const all = [...new Set(allowed.flatMap(({ from, to }) => [from, to].flatMap(namespaceOf)))];
  const chosen = (namespaces.length === 0 ? all : all.filter((one) => namespaces.includes(one))).sort();
  const isCovered = ({ from, to }: AllowedFlow): boolean =>
    [from, to].some((end) => namespaceOf(end).some((name) => chosen.includes(name)));
  const covered = allowed.filter(isCovered);
  const peers = peersOf(covered, new Set(chosen));
  const avoided = avoidedIn(asked);
  const made = chosen.map((namespace) => madeIn(namespace, { classes, peers, asked, existing, avoided }));
  const silent = namespaces.filter((name) => !chosen.includes(name));
  return {
    policies: made.flatMap(({ policies }) => policies),
    coverage: {
      recorded: countOf(record.connections),
      covered: countOf(covered.map(({ flow }) => flow)),
      elsewhere: countOf(allowed.filter((one) => !isCovered(one)).map(({ flow }) => flow)),
      namespaces: made.map(({ namespace }) => namespace),
      unseen: silent.toSorted(),
      widened: made.flatMap(({ widened }) => widened),
      leftOut: leftOut.toSorted((a, b) => b.connections - a.connections),
    },
  };
}

function namespaceOf(end: SeenEnd): readonly string[] {
  return typeof end === "string" ? [] : [end.namespace];
}

type Peers = ReadonlyMap<PodClass, Readonly<Record<Direction, SeenPeers>>>;

/** Of the classes in the namespaces. */
function peersOf(covered: readonly AllowedFlow[], namespaces: ReadonlySet<string>): Peers {
  const peers = new Map<PodClass, Readonly<Record<Direction, SeenPeers>>>();
  const of = (own: PodClass) => {
    const known = peers.get(own) ?? {
      ingress: new SeenPeers(own.namespace),
      egress: new SeenPeers(own.namespace),
    };
    peers.set(own, known);
    return known;
  };
  for (const { from, to, port } of covered) {
    if (port === null) continue;
    if (typeof from !== "string" && namespaces.has(from.namespace)) of(from).egress.add(to, port);
    if (typeof to !== "string" && namespaces.has(to.namespace)) of(to).ingress.add(from, port);
  }
  return peers;
}

/** Networks of pods, and addresses of pods in none of them; made once, when it is asked for. */
function avoidedIn({ facts }: AskedWorld): () => readonly Cidr[] {
  let made: readonly Cidr[] | null = null;
  return () => {
    if (made !== null) return made;
    const networks = [...new Set([...facts.nodes].flatMap(({ podNetworks = [] }) => podNetworks))];
    const own = [...facts.pods.values()].filter(isOnPodNetwork).flatMap(({ ips }) => ips);
    const others = own.filter((ip) => !networks.some((network) => contains(network, ip))).map(aloneIn);
    return (made = [...networks, ...others]);
  };
}

interface Making {
  readonly classes: PodClasses;
  readonly peers: Peers;
  readonly asked: AskedWorld;
  readonly existing: ExistingPolicies;
  readonly avoided: () => readonly Cidr[];
}

interface MadeNamespace {
  readonly policies: readonly PolicyManifest[];
  readonly namespace: CoveredNamespace;
  readonly widened: readonly Widened[];
}

function madeIn(namespace: string, { classes, peers, asked, existing, avoided }: Making): MadeNamespace {
  const names = new Names(existing.namesIn(namespace));
  const everyPod = { podSelector: {}, policyTypes: ["Ingress", "Egress"] as const };
  const policies = [policyOf(namespace, names.free("default-deny"), everyPod)];
  const widened: Widened[] = [];
  const own = classes.in(namespace);
  for (const one of own) {
    const seen = peers.get(one);
    if (seen === undefined) continue;
    const name = names.free(one.name);
    const parts = directions.map((direction) => {
      const made = seen[direction].rules(direction, avoided);
      widened.push(...made.widened.map((wide) => ({ ...{ namespace, policy: name, direction }, ...wide })));
      return { direction, rules: made.rules };
    });
    policies.push(policyOf(namespace, name, specOf(one.selector, parts)));
  }
  const isDns = ({ egress }: Readonly<Record<Direction, SeenPeers>>): boolean =>
    egress.has({ protocol: "udp", port: 53 }) && !egress.has({ protocol: "tcp", port: 53 });
  const dnsByUdpAlone = own.filter((one) => isDns(peers.get(one) ?? noPeers)).map(({ name }) => name);
  return {
    policies,
    widened,
    namespace: {
      name: namespace,
      existing: existing.namesIn(namespace),
      newlyIsolated: newlyIsolated(own, asked),
      silent: own.filter((one) => !peers.has(one)).map(({ name }) => name),
      dnsByUdpAlone,
    },
  };
}

const noPeers = { ingress: new SeenPeers(""), egress: new SeenPeers("") };

function specOf(
  podSelector: LabelSelectorManifest,
  parts: readonly { readonly direction: Direction; readonly rules: PolicyManifest["spec"]["ingress"] }[],
): PolicyManifest["spec"] {
  const said = parts.filter(({ rules = [] }) => rules.length > 0);
  return {
    podSelector,
    policyTypes: said.map(({ direction }) => typeNames[direction]),
    ...Object.fromEntries(said.map(({ direction, rules }) => [direction, rules])),
  };
}

function policyOf(namespace: string, name: string, spec: PolicyManifest["spec"]): PolicyManifest {
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name, namespace }, spec };
}

/** Names that no NetworkPolicy of the namespace has. */
class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  free(name: string): string {
    for (let turn = 1; ; turn++) {
      const tail = turn === 1 ? "" : `-${turn}`;
      const whole = `recommended-${name}`.slice(0, longestName - tail.length).replace(/[-.]+$/, "") + tail;
      if (this.#taken.has(whole)) continue;
      this.#taken.add(whole);
      return whole;
    }
  }
}
