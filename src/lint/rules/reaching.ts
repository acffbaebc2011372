// NG008 to NG011: connections that a cluster needs and its policies deny. Every pod is asked; pods that one rule denies are
// one finding, under that rule. Where policies of equal priority disagree nothing is reported here: NG003 reports it.

import { directions } from "../../policy/ir.ts";
import type { PodFact } from "../../model/facts.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import { podText } from "../../model/workload.ts";
import { familyOf } from "../../model/ip.ts";
import { excerptOf } from "../../lib/few.ts";
import type { End } from "../../policy/evaluate.ts";
import type { Direction } from "../../policy/ir.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import type { Severity } from "../finding.ts";
import type { Destination } from "../../analysis/needs.ts";
import {
  apiServers,
  dnsServers,
  endsOf,
  podsIn,
  probePorts,
  scrapePorts,
  sourcesOf,
} from "../../analysis/needs.ts";
import type { Contribution } from "../../verdicts/row.ts";
import { counted } from "../words.ts";

interface Denial {
  readonly direction: Direction;
  readonly by: Contribution;
}

interface Denied extends Denial {
  readonly pod: PodFact;
  readonly to: Destination;
}

interface Told {
  readonly severity: Severity;
  /** What they cannot: "reach DNS". */
  readonly what: string;
  readonly total: number;
  /** What is counted; pods unless given. */
  readonly nouns?: Nouns;
  /** Which pods are counted; all of the cluster unless given. */
  readonly who?: string;
  readonly fix: string;
}

const shown = 3;

type Nouns = readonly [one: string, several: string];

/** What asks for a connection: a pod, or a workload wherever its pods may be. */
interface Client {
  readonly pod: PodFact;
  readonly ends: readonly End[];
}

function clientsIn({ facts, workloads, reach }: Context): readonly Client[] {
  const reachable = workloads.filter(({ template }) => isOnPodNetwork(template));
  return [
    ...podsIn(facts).map((pod) => ({ pod, ends: endsOf(pod) })),
    ...reachable.map((one) => ({ pod: one.template, ends: reach.placed(one) })),
  ];
}

/** Of one, and of several. */
function nounsOf(clients: readonly Client[]): Nouns {
  const [templates, pods] = [true, false].map((is) =>
    clients.some(({ pod }) => (pod.isTemplate === true) === is),
  );
  if (templates !== true) return ["pod", "pods"];
  return pods === true ? ["pod or workload", "pods and workloads"] : ["workload", "workloads"];
}

export function* noDns(context: Context): Generator<Draft> {
  const clients = clientsIn(context);
  for (const [protocol, severity] of [
    ["udp", "error"],
    ["tcp", "warning"],
  ] as const) {
    const servers = dnsServers(context.needs, context.facts, protocol);
    const denied = clients.flatMap((client) => deniedAll(client, servers, context));
    const where = portsText(servers);
    yield* byDecider(denied, {
      ...{ severity, total: clients.length, nouns: nounsOf(clients), what: `reach DNS over ${where}` },
      fix: `allow ${where} to the DNS pods, and at the DNS pods from these pods: both sides decide`,
    });
  }
}

export function* noApiServer(context: Context): Generator<Draft> {
  const clients = clientsIn(context);
  const servers = apiServers(context.needs, context.facts);
  const denied = clients.flatMap((client) => deniedAll(client, servers, context));
  const nouns = nounsOf(clients);
  const what = `reach the API server at ${portsText(servers)}`;
  const allow = "allow egress to the nodes of the control plane on that port";
  const [using, others] = [true, false].map((mounts) => clients.filter(({ pod }) => isUser(pod) === mounts));
  yield* byDecider(
    denied.filter(({ pod }) => isUser(pod)),
    {
      ...{
        severity: "warning",
        total: using?.length ?? 0,
        nouns,
        what,
        who: "with a service account's token",
      },
      fix: `${allow}, or let them mount no token`,
    },
  );
  yield* byDecider(
    denied.filter(({ pod }) => !isUser(pod)),
    {
      ...{ severity: "info", total: others?.length ?? 0, nouns, what },
      ...(using?.length === 0 ? {} : { who: "without a service account's token" }),
      fix: `none is needed if they are not to use the API; otherwise ${allow}`,
    },
  );
}

function isUser({ mountsToken }: PodFact): boolean {
  return mountsToken === true;
}

export function* noProbes(context: Context): Generator<Draft> {
  const { facts, reach } = context;
  const pods = podsIn(facts);
  const nodes = new Map(Array.from(facts.nodes, (node) => [node.name, sourcesOf(node)]));
  const denied = pods.flatMap((pod): readonly Denied[] => {
    const sources = nodes.get(pod.node ?? "") ?? [];
    const everyPort = (end: End): boolean =>
      sources.some(
        (from) => familyOf(from.ip) === familyOf(end.ip) && reach.deniesAll("ingress", from, end, "tcp"),
      );
    const ports = probePorts(pod);
    const tried = ports.length > 0 ? ports : endsOf(pod).filter(everyPort).map(anyTcp);
    const found = sources.flatMap((from) => tried.flatMap((to) => denialOf(from, to, context) ?? []));
    const [first] = found;
    return first === undefined ? [] : [{ ...first, pod }];
  });
  yield* byDecider(denied, {
    ...{ severity: "error", total: pods.length, what: "be probed by their own nodes" },
    fix: "allow ingress from the nodes' addresses",
  });
}

export function* noMonitoring(context: Context): Generator<Draft> {
  const { monitoring } = context.needs;
  if (monitoring === null) return;
  const pods = podsIn(context.facts);
  const scrapers = pods.filter(({ namespace }) => namespace === monitoring).flatMap(endsOf);
  const scraped = pods.filter((pod) => scrapePorts(pod).length > 0);
  const denied = scraped.flatMap((pod): readonly Denied[] => {
    const ports = scrapePorts(pod);
    const refused = ports.map((to) => deniedFromAll(scrapers, to, context)).filter((one) => one !== null);
    const [first] = refused;
    return first === undefined ? [] : [{ ...first, pod }];
  });
  yield* byDecider(denied, {
    ...{ severity: "warning", total: scraped.length, what: `be scraped from namespace ${monitoring}` },
    fix: `allow ingress from namespace ${monitoring} on their metrics ports, and egress there`,
  });
}

/** The denial by which the client reaches none of the destinations; none: it may reach one, or there is none. */
function deniedAll(
  { pod, ends }: Client,
  destinations: readonly Destination[],
  context: Context,
): readonly Denied[] {
  const asked = destinations.flatMap((to) => {
    const reaching = to.end.pod === pod ? [] : ends.filter(({ ip }) => familyOf(ip) === familyOf(to.end.ip));
    // A pod has one address that counts; of a workload all do.
    const froms = pod.isTemplate === true ? reaching : reaching.slice(0, 1);
    if (froms.length === 0) return [];
    const denials = froms.map((from) => denialOf(from, to, context));
    return [{ to, denial: denials.includes(null) ? null : (denials[0] ?? null) }];
  });
  const denials = asked.flatMap(({ denial }) => denial ?? []);
  const [first] = denials;
  return first !== undefined && denials.length === asked.length ? [{ ...first, pod }] : [];
}

function deniedFromAll(
  sources: readonly End[],
  to: Destination,
  context: Context,
): Omit<Denied, "pod"> | null {
  const asked = sources.filter(({ ip, pod }) => pod !== to.end.pod && familyOf(ip) === familyOf(to.end.ip));
  const denials = asked.flatMap((from) => denialOf(from, to, context) ?? []);
  return denials.length === asked.length ? (denials[0] ?? null) : null;
}

/** null: the connection is allowed, or it is open. */
function denialOf(from: End, to: Destination, { reach, open }: Context): Omit<Denied, "pod"> | null {
  if (familyOf(from.ip) !== familyOf(to.end.ip)) return null;
  const traffic = reach.at(to.protocol, to.port);
  // The source's side is first, as on the way of a packet.
  for (const direction of directions.toReversed()) {
    const { verdict, by } = reach.side(direction, from, to.end, traffic);
    if (verdict !== "deny" || by === null) continue;
    const { protocol, port } = to;
    return open.isOpenFor({ from, to: to.end, protocol, port }) ? null : { direction, by, to };
  }
  return null;
}

function anyTcp(end: End): Destination {
  return { end, protocol: "tcp", port: 1 };
}

function* byDecider(denied: readonly Denied[], told: Told): Generator<Draft> {
  const groups = Map.groupBy(denied, ({ by, direction }) => by.entry ?? `${by.policy.key} ${direction}`);
  for (const list of groups.values()) {
    const [first] = list;
    if (first !== undefined) yield draftOf(first, list, denied.length, told);
  }
}

function draftOf({ by, direction }: Denied, list: readonly Denied[], all: number, told: Told): Draft {
  const { policy, entry } = by;
  const names = list.slice(0, shown).map(({ pod }) => podText(pod));
  const inAll = all === list.length ? "" : ` (in all, ${all} of ${told.total} cannot)`;
  const who = told.who === undefined ? "" : ` ${told.who}`;
  const at = direction === "egress" ? "where it leaves them" : "where it arrives";
  return {
    severity: told.severity,
    target: entry === null ? ofPolicy(policy) : ofRule(entry),
    field: entry === null ? { kind: "unmatched", direction } : partOf(entry),
    message:
      `${list.length} of ${counted(told.total, ...(told.nouns ?? (["pod", "pods"] as const)))}${who} cannot ${told.what}${inAll}: denied ${at}, ` +
      `for ${excerptOf(list.length, names)}`,
    fix: told.fix,
    about: told.what + who,
  };
}

function portsText(destinations: readonly Destination[]): string {
  const ports = new Set(destinations.map(({ protocol, port }) => `${protocol} ${port}`));
  return [...ports].join(" or ");
}
