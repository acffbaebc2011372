// Where a connection to a Service's address leads: OVN replaces the address by a backend's before egress rules see the packet.
// Backends are the pods that the Service's selector selects, each with the port of its own that the Service's port leads to.

import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import { selects } from "../model/selector.ts";
import type { Service, ServicePort } from "../model/service.ts";

/** A pod behind a Service, and the port of the pod. */
export interface Endpoint {
  readonly pod: PodFact;
  readonly ip: IpAddress;
  readonly port: number;
}

export function endpointsOf(
  { namespace, selector, ports }: Service,
  { ip, protocol, port }: { readonly ip: IpAddress; readonly protocol: string; readonly port: number },
  pods: Iterable<PodFact>,
): readonly Endpoint[] {
  const asked = ports.find((one) => one.protocol === protocol && one.port === port);
  if (asked === undefined || selector === null) return [];
  const endpoints: Endpoint[] = [];
  for (const pod of pods) {
    if (pod.namespace !== namespace || !isOnPodNetwork(pod) || !selects(selector, pod.labels)) continue;
    const address = pod.ips.find((one) => familyOf(one) === familyOf(ip));
    const number = targetOf(pod, asked);
    if (address !== undefined && number !== null) endpoints.push({ pod, ip: address, port: number });
  }
  return endpoints;
}

function targetOf({ ports }: PodFact, { protocol, target }: ServicePort): number | null {
  if (typeof target === "number") return target;
  return ports.find((one) => one.name === target && one.protocol === protocol)?.port ?? null;
}
