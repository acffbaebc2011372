// NG008 to NG011: connections that a cluster needs and its policies deny. Every pod and every workload is asked; those that one
// rule denies are one finding, under that rule. Where policies of equal priority disagree nothing is reported here: NG003 reports it.

import {
  apiServers,
  dnsPorts,
  dnsServers,
  probePorts,
  scrapePorts,
  sourcesOf,
} from "../../analysis/needs.ts";
import type { NodeFact, PodFact } from "../../model/facts.ts";
import { familyOf } from "../../model/ip.ts";
import type { Workload } from "../../model/workload.ts";
import type { End } from "../../policy/evaluate.ts";
import { directions } from "../../policy/ir.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import type { Party, Target } from "../parties.ts";
import { askingEnds, nounsOf, partiesIn, placesOf, targetOf, targetsAt } from "../parties.ts";
import type { Denial, Denied, DeniedEnds } from "./denials.ts";
import { byDecider, deciderOf } from "./denials.ts";

export function* noDns(context: Context): Generator<Draft> {
  const { needs, facts } = context;
  const clients = partiesIn(context);
  const workloads = clients.filter(({ workload }) => workload !== null);
  for (const [protocol, severity] of [
    ["udp", "error"],
    ["tcp", "warning"],
  ] as const) {
    const servers = [
      ...dnsServers(needs, facts, protocol).map(targetOf),
      ...workloads.flatMap((one) => targetsAt(one, protocol, dnsPorts(needs, one.pod, protocol))),
    ];
    const denied = clients.flatMap((client) => deniedAll(client, servers, context));
    const where = portsText(servers);
    yield* byDecider(denied, {
      ...{ severity, total: clients.length, nouns: nounsOf(clients), what: `reach DNS over ${where}` },
      fix: `allow ${where} to the DNS pods, and at the DNS pods from these pods: both sides decide`,
    });
  }
}

export function* noApiServer(context: Context): Generator<Draft> {
  const clients = partiesIn(context);
  const servers = apiServers(context.needs, context.facts).map(targetOf);
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
  const parties = partiesIn(context);
  const nodes = new Map(Array.from(context.facts.nodes, (node) => [node.name, node]));
  const denied = parties.flatMap((party): readonly Denied[] => {
    if (party.workload !== null) return unprobedAnywhere(party.workload, party, context);
    const own = nodes.get(party.pod.node ?? "");
    return own === undefined ? [] : unprobed(own, party, context);
  });
  yield* byDecider(denied, {
    ...{ severity: "error", total: parties.length, nouns: nounsOf(parties) },
    ...{ what: "be probed by their own nodes", fix: "allow ingress from the nodes' addresses" },
  });
}

/** Its pods may run on any node: none of them may probe. */
function unprobedAnywhere(workload: Workload, party: Party, context: Context): readonly Denied[] {
  let first: readonly Denied[] = [];
  for (const node of context.facts.nodes) {
    const denied = unprobed(node, { ...party, ends: placesOf(workload, context, node.name) }, context);
    if (denied.length === 0) return [];
    first = first.length > 0 ? first : denied;
  }
  return first;
}

/** What denies a node its probes of the party: on a declared port, or on every port where none is declared. */
function unprobed(node: NodeFact, party: Party, context: Context): readonly Denied[] {
  const { pod } = party;
  const sources = sourcesOf(node);
  const ports = probePorts(pod);
  const tried = targetsAt(party, "tcp", ports.length > 0 ? ports : [1]).filter(
    ({ ends }) => ports.length > 0 || sources.some((from) => deniesEveryPort(from, ends, context)),
  );
  const found = sources.flatMap((from) => tried.flatMap((to) => denialOf([from], to, context) ?? []));
  return found.slice(0, 1).map((denial) => ({ ...denial, pod }));
}

function deniesEveryPort(from: End, ends: readonly End[], { reach }: Context): boolean {
  return ends.every(
    (end) => familyOf(from.ip) === familyOf(end.ip) && reach.deniesAll("ingress", from, end, "tcp"),
  );
}

export function* noMonitoring(context: Context): Generator<Draft> {
  const { monitoring } = context.needs;
  if (monitoring === null) return;
  const parties = partiesIn(context);
  const scrapers = parties.filter(({ pod }) => pod.namespace === monitoring);
  const scraped = parties.filter(({ pod }) => scrapePorts(pod).length > 0);
  const denied = scraped.flatMap((party): readonly Denied[] => {
    const targets = targetsAt(party, "tcp", scrapePorts(party.pod));
    const refused = targets.flatMap((to) => deniedFromAll(scrapers, to, context) ?? []);
    return refused.slice(0, 1).map((denial) => ({ ...denial, pod: party.pod }));
  });
  yield* byDecider(denied, {
    ...{ severity: "warning", total: scraped.length, nouns: nounsOf(scraped) },
    what: `be scraped from namespace ${monitoring}`,
    fix: `allow ingress from namespace ${monitoring} on their metrics ports, and egress there`,
  });
}

/** The denial by which the client reaches none of the targets; none: it may reach one, or there is none. */
function deniedAll(client: Party, targets: readonly Target[], context: Context): readonly Denied[] {
  const asked = targets.flatMap((to) => {
    const froms = askingEnds(client, to);
    return froms.length === 0 ? [] : [denialOf(froms, to, context)];
  });
  const denials = asked.flatMap((denial) => denial ?? []);
  const [first] = denials;
  return first !== undefined && denials.length === asked.length ? [{ ...first, pod: client.pod }] : [];
}

/** The denial of all sources; null: one may reach it, or there is none. */
function deniedFromAll(sources: readonly Party[], to: Target, context: Context): DeniedEnds | null {
  const asked = sources.flatMap((source) => {
    const froms = askingEnds(source, to);
    return froms.length === 0 ? [] : [denialOf(froms, to, context)];
  });
  return asked.includes(null) ? null : (asked[0] ?? null);
}

/** What denies every end of the target to every one of the ends; null: a connection is allowed, or it is open. */
function denialOf(froms: readonly End[], to: Target, context: Context): DeniedEnds | null {
  const found = new Map<OrderedRule | string, Denial>();
  for (const from of froms)
    for (const end of to.ends) {
      const denial = denialBetween(from, { ...to, end }, context);
      if (denial === null) return null;
      const who = deciderOf(denial);
      if (!found.has(who)) found.set(who, denial);
    }
  const [first, ...otherwise] = found.values();
  return first === undefined ? null : { ...first, otherwise };
}

function denialBetween(from: End, to: Target & { readonly end: End }, context: Context): Denial | null {
  const { end, protocol, port } = to;
  if (familyOf(from.ip) !== familyOf(end.ip)) return null;
  const { reach, open } = context;
  // The source's side is first, as on the way of a packet.
  for (const direction of directions.toReversed()) {
    const { verdict, by } = reach.side(direction, from, end, reach.at(protocol, port));
    if (verdict !== "deny" || by === null) continue;
    return open.isOpenFor({ from, to: end, protocol, port }) ? null : { direction, by };
  }
  return null;
}

function portsText(targets: readonly Target[]): string {
  const ports = new Set(targets.map(({ protocol, port }) => `${protocol} ${port}`));
  return [...ports].join(" or ");
}
