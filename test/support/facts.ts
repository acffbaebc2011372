// Facts for tests, written short: a pod on the pod network unless said otherwise, without labels or ports.

import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import { parseIp, type IpAddress } from "../../src/model/ip.ts";

export function ip(text: string): IpAddress {
  const address = parseIp(text);
  if (address === null) throw new Error(`not an address: ${text}`);
  return address;
}

export function pod(
  namespace: string,
  name: string,
  node: string | null,
  ...ips: readonly string[]
): PodFact {
  const rest = { hostNetwork: false, completed: false, labels: new Map<string, string>(), ports: [] };
  return { kind: "Pod", namespace, name, node, ips: ips.map(ip), ...rest };
}

export function node(name: string): NodeFact {
  return { kind: "Node", name, labels: new Map(), ips: [] };
}
