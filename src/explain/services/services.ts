// A connection to a Service: to one of its addresses, or to a node at one of its node ports. OVN replaces the destination by
// a backend's before egress rules see the packet, so the answer is that of the backends where all have the same. Backends are
// the pods that the Service's selector selects, each with the port of its own that the Service's port leads to.

import type { AskedService } from "../../analysis/end-sets.ts";
import type { NamedEnd } from "../../analysis/ends.ts";
import { unplaced } from "../../analysis/ends.ts";
import type { PodFact } from "../../model/facts.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import { contains } from "../../model/cidr.ts";
import type { IpAddress } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import { selects } from "../../model/selector.ts";
import type { Service, ServicePort } from "../../model/service.ts";
import { targetOf } from "../../model/service.ts";
import type { Workload } from "../../model/workload.ts";
import type { Connection } from "../../policy/evaluate.ts";
import type { Backend, Caveat, Side } from "../answer.ts";
import type { AskedWorld } from "../asked.ts";

/** A pod behind a Service, and the port of the pod. */
export interface Endpoint {
  readonly pod: PodFact;
  /** Of whose template the pod is; null: it is there. */
  readonly workload: Workload | null;
  readonly ip: IpAddress;
  readonly port: number;
}

/** What a connection's destination leads to. */
export interface ServiceDestination {
  /** null: an address of some Service that is not known. */
  readonly service: Service | null;
  /** null: the Service has no such port. */
  readonly port: ServicePort | null;
  readonly endpoints: readonly Endpoint[];
}

type Destination = Pick<Connection, "protocol" | "port">;

/** Null: it is no Service's. A node's address is one at a node port alone, unless it is the Service's own too. */
export function behind(
  asked: AskedWorld,
  { ip, kind }: NamedEnd,
  destination: Destination,
): ServiceDestination | null {
  const { services, serviceNetworks } = asked;
  if (kind === "pod") return null;
  const own = services.filter(({ ips }) => ips.includes(ip));
  const through = (
    list: readonly Service[],
    isPort: (port: ServicePort) => boolean,
  ): ServiceDestination | null => {
    for (const service of list) {
      const port = service.ports.find((one) => one.protocol === destination.protocol && isPort(one));
      if (port !== undefined) return { service, port, endpoints: endpointsOf(asked, service, port, ip) };
    }
    return null;
  };
  const known = through(own, ({ port }) => port === destination.port);
  if (known !== null) return known;
  if (kind !== "address") return through(services, ({ nodePort }) => nodePort === destination.port);
  const [service] = own;
  if (service !== undefined) return { service, port: null, endpoints: [] };
  const isService = serviceNetworks.some((one) => contains(one, ip));
  return isService ? { service: null, port: null, endpoints: [] } : null;
}

/** `ip`: of the family that is asked. */
export function behindNamed(
  asked: AskedWorld,
  { service, ports }: AskedService,
  ip: IpAddress,
  { protocol, port: number }: Destination,
): ServiceDestination {
  const port = ports.find((one) => one.protocol === protocol && one.port === number) ?? null;
  return { service, port, endpoints: port === null ? [] : endpointsOf(asked, service, port, ip) };
}

function endpointsOf(
  { facts, workloads }: AskedWorld,
  { namespace, selector }: Service,
  port: ServicePort,
  ip: IpAddress,
): readonly Endpoint[] {
  if (selector === null) return [];
  const endpoints: Endpoint[] = [];
  for (const pod of facts.pods.values()) {
    if (pod.namespace !== namespace || !isRunning(pod) || !selects(selector, pod.labels)) continue;
    const address = pod.ips.find((one) => familyOf(one) === familyOf(ip));
    const number = targetOf(pod, port);
    if (address !== undefined && number !== null)
      endpoints.push({ pod, workload: null, ip: address, port: number });
  }
  for (const workload of workloads) {
    const { template: pod } = workload;
    const number = targetOf(pod, port);
    if (pod.namespace === namespace && selects(selector, pod.labels) && number !== null)
      endpoints.push({ pod, workload, ip: unplaced[familyOf(ip)], port: number });
  }
  return endpoints;
}

/** On its node's network too. */
function isRunning({ node, completed }: PodFact): boolean {
  return node !== null && !completed;
}

/** The connection as it arrives at the backend. `isBalanced`: a load balancer leads it there; a headless Service only names it. */
export function connectionTo(
  { pod, ip, port }: Endpoint,
  connection: Connection,
  isBalanced: boolean,
): Connection {
  const to = { ip, pod: isOnPodNetwork(pod) ? pod : null };
  return { ...connection, to, port, ...(isBalanced ? { translated: true } : {}) };
}

/** The side of all backends: of the first, and open where others end otherwise. */
export function commonSide(sides: readonly (Side | null)[]): Side | null {
  const [first = null, ...others] = sides;
  if (first === null || others.every((side) => side?.verdict === first.verdict)) return first;
  return { ...first, verdict: "unknown" };
}

/** What is reported beside the answer. `ip`: null: the Service was asked for by its name. */
export function serviceCaveat(
  ip: IpAddress | null,
  { protocol, port: asked }: Destination,
  { service, port }: ServiceDestination,
  backends: readonly Backend[],
): Caveat {
  const name = service === null ? "a Service" : `Service ${service.namespace}/${service.name}`;
  const what = protocol === "icmp" ? "icmp" : `${protocol} ${asked}`;
  const text = ip === null ? name : `${ip} is an address of ${name}`;
  const at =
    ip !== null && port?.nodePort === asked ? `${ip} leads to ${name} at its node port ${asked}` : text;
  return { code: "ServiceAddress", text: `${at}${endingOf(service, port, what, backends)}` };
}

function endingOf(
  service: Service | null,
  port: ServicePort | null,
  what: string,
  backends: readonly Backend[],
): string {
  if (service === null)
    return ": egress rules see the pod that it leads to; which one is not known: ask about one";
  if (port === null) {
    const has = service.ports.map((one) => `${one.protocol} ${one.port}`).join(", ");
    return `, which has no port ${what}${has === "" ? "" : `; it has ${has}`}`;
  }
  if (service.selector === null)
    return ": egress rules see the endpoint that it leads to, and it has no selector: its endpoints are not known";
  const [first, ...others] = backends;
  if (first === undefined) return `, and no pod behind its port ${port.port} is known`;
  const are = others.length === 0 ? "a pod" : `${backends.length} pods`;
  const isOne = others.every(({ verdict }) => verdict === first.verdict);
  const verdict = isOne ? "the verdict is that of each" : "the verdict depends on which of them it leads to";
  return `: egress rules see the pod that it leads to, and ${are} ${others.length === 0 ? "is" : "are"} behind it; ${verdict}`;
}
