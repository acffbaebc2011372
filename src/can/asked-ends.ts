// Texts of users → which ends of the world are meant: a pod, an address, a network, the internet. Refuses in one sentence what is
// not there, and an address of a Service: a load balancer replaces it before policies see a connection.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { NamedEnd } from "../analysis/ends.ts";
import { onlyEnd } from "../analysis/ends.ts";
import { internetIn } from "../analysis/internet.ts";
import { aloneIn, contains } from "../model/cidr.ts";
import { podKey } from "../model/facts.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { parseCidr } from "../model/ip.ts";
import { quote } from "../model/quote.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { PodEnd } from "../verdicts/ends/kinds.ts";
import type { AskedEnd } from "./report.ts";

export interface Selection {
  readonly end: AskedEnd;
  readonly isPod: (end: PodEnd) => boolean;
  /** Addresses that no pod has. */
  readonly networks: readonly Cidr[];
  /** Of them, those that are not meant. */
  readonly except: readonly Cidr[];
}

/** Throws NoSuchEnd. */
export function selectionOf(text: string, asked: AskedWorld): Selection {
  if (text === "internet") return internet(asked);
  const network = text.includes("/") ? parseCidr(text) : null;
  if (network !== null) return withinNetwork(text, network);
  const { pod, ip, kind, node } = onlyNamed(text, asked);
  if (kind === "pod" && pod !== null) {
    const isAddress = !text.includes("/") || text.includes("@");
    const ips = isAddress ? [ip] : pod.ips;
    return {
      end: { text, kind, pod: podKey(pod.namespace, pod.name), node, ips },
      isPod: ({ end }) => end.new.pod === pod && ips.includes(end.new.ip),
      ...{ networks: [], except: [] },
    };
  }
  if (kind === "address") refuseService(text, ip, asked);
  const ips = kind === "host" && pod !== null ? pod.ips : [ip];
  const key = pod === null ? null : podKey(pod.namespace, pod.name);
  const end = { text, kind, pod: key, node, ips };
  return { end, isPod: () => false, networks: ips.map(aloneIn), except: [] };
}

/** Throws NoSuchEnd, of a set of several and of a workload whose pods are not there. */
export function onlyNamed(text: string, asked: AskedWorld): NamedEnd {
  const { set } = asked.endNamed(text);
  const only = onlyEnd(set, text);
  if (only === null || set.service !== null)
    throw new NoSuchEnd(`${quote(text)}: can is asked about one pod, node or address, a network or internet`);
  if (only.workload !== null)
    throw new NoSuchEnd(`${quote(text)} has no pods among the objects, and so no address: explain judges it`);
  return asked.ends.pair(only, only).from;
}

/** Its pods, too. */
function withinNetwork(text: string, network: Cidr): Selection {
  return {
    end: { text, kind: "network", pod: null, node: null, ips: [] },
    isPod: ({ end }) => contains(network, end.new.ip),
    ...{ networks: [network], except: [] },
  };
}

function refuseService(text: string, ip: IpAddress, { services, serviceNetworks }: AskedWorld): void {
  const service = services.find(({ ips }) => ips.includes(ip));
  if (service === undefined && !serviceNetworks.some((one) => contains(one, ip))) return;
  const name = service === undefined ? "a Service" : `Service ${service.namespace}/${service.name}`;
  throw new NoSuchEnd(
    `${quote(text)} is an address of ${name}: policies see the pod that it leads to; ask about one`,
  );
}

function internet({ facts }: AskedWorld): Selection {
  const parts = internetIn(facts);
  return {
    end: { text: "internet", kind: "network", pod: null, node: null, ips: [] },
    isPod: () => false,
    networks: parts.map(({ cidr }) => cidr),
    except: parts.flatMap(({ except }) => except),
  };
}
