// NG022: networks that are the address of a pod, which the next pod does not have, or of Services, which no rule ever sees: a
// connection to a Service is evaluated where it leads to, at the address of a pod or of another endpoint.

import { aloneIn, contains } from "../../../model/cidr.ts";
import { isOnPodNetwork } from "../../../model/facts.ts";
import type { Cidr, IpAddress } from "../../../model/ip.ts";
import { familyOf } from "../../../model/ip.ts";
import type { Service } from "../../../model/service.ts";
import { excerptOf } from "../../../lib/text/few.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule } from "../../draft.ts";
import { fieldsOfNetworks } from "../../written.ts";
import { partsOf } from "../order.ts";

/** The shortest prefixes that kube-apiserver takes as --service-cluster-ip-range: at most 20 bits are left for addresses. */
const widest = { v4: 12, v6: 108 } as const;
const shown = 3;

interface Known {
  readonly pods: ReadonlyMap<Cidr, string>;
  readonly services: ReadonlyMap<Cidr, Service>;
  readonly clusterIps: readonly (readonly [IpAddress, Service])[];
  /** Of pods and nodes. */
  readonly others: readonly IpAddress[];
}

export function* temporaryAddresses(context: Context): Generator<Draft> {
  const known = knownIn(context);
  for (const entry of context.entries()) {
    const networks = partsOf(entry, context).flatMap(({ rule }) =>
      rule.peers.flatMap((peer) => (peer.kind === "network" ? [peer.cidr] : [])),
    );
    for (const [cidr, field] of fieldsOfNetworks(context, entry, networks))
      yield* ofNetwork(entry, cidr, field, known);
  }
}

function knownIn({ facts, services }: Context): Known {
  const pods = [...facts.pods.values()].filter(isOnPodNetwork);
  const clusterIps = services.flatMap((service) => service.clusterIps.map((ip) => [ip, service] as const));
  return {
    pods: new Map(
      pods.flatMap(({ namespace, name, ips }) => ips.map((ip) => [aloneIn(ip), `${namespace}/${name}`])),
    ),
    services: new Map(clusterIps.map(([ip, service]) => [aloneIn(ip), service])),
    clusterIps,
    others: [
      ...[...facts.pods.values()].flatMap(({ ips }) => ips),
      ...[...facts.nodes].flatMap(({ ips }) => ips),
    ],
  };
}

function* ofNetwork(entry: OrderedRule, cidr: Cidr, field: string, known: Known): Generator<Draft> {
  const common = { target: ofRule(entry), field, about: cidr };
  const service = known.services.get(cidr);
  const pod = known.pods.get(cidr);
  if (service !== undefined)
    yield {
      ...{ ...common, severity: "warning" },
      message: `${cidr} is the address of ${nameOf(service)}, which no rule sees: a connection to it is evaluated at its endpoints`,
      fix: `name ${service.selector === null ? "the addresses of its endpoints" : "its pods by their labels"}, with their own ports`,
    };
  else if (pod !== undefined)
    yield {
      ...{ ...common, severity: "warning" },
      message: `${cidr} is the address of pod ${pod}: the pod that replaces it has another`,
      fix: "name the pods by their labels",
    };
  else yield* ofRange(common, cidr, known);
}

/** A network that can be the one of Services, and has addresses of them alone. */
function* ofRange(
  common: Pick<Draft, "target" | "field" | "about">,
  cidr: Cidr,
  { clusterIps, others }: Known,
): Generator<Draft> {
  if (others.length === 0 || prefixOf(cidr) < widest[familyOf(cidr)]) return;
  const held = clusterIps.filter(([ip]) => contains(cidr, ip));
  if (held.length === 0 || others.some((ip) => contains(cidr, ip))) return;
  const names = [...new Set(held.map(([, service]) => nameOf(service)))];
  yield {
    ...{ ...common, severity: "info" },
    message:
      `of the known addresses ${cidr} holds those of ${excerptOf(names.length, names.slice(0, shown))} alone, which no rule ` +
      "sees: a connection to a Service is evaluated at its endpoints",
    fix: "name the pods behind the Services by their labels, with their own ports",
  };
}

function prefixOf(cidr: Cidr): number {
  return Number(cidr.slice(cidr.indexOf("/") + 1));
}

function nameOf({ namespace, name }: Service): string {
  return `Service ${namespace}/${name}`;
}
