// v1 Node → NodeFact. A node's addresses are read from its host-cidrs annotation, as in OVN-Kubernetes; without a usable
// annotation, from its status. That of its management port is read from an annotation alone: in a cluster without it, the
// address that OVN-Kubernetes would give to the node may be a pod's.

import type { NodeAddresses, NodeFact } from "../../model/facts.ts";
import { nthIn } from "../../model/cidr.ts";
import type { Cidr, IpAddress, IpFamily } from "../../model/ip.ts";
import { familyOf, ipFamilies, parseCidr, parseIp } from "../../model/ip.ts";
import type { Field } from "../../model/reader.ts";
import { parseJson } from "../../model/reader.ts";
import type { Parsed } from "./object.ts";
import { parsed, readLabels, readName } from "./object.ts";

const hostCidrs = "k8s.ovn.org/host-cidrs";
const nodeSubnets = "k8s.ovn.org/node-subnets";
export const nodeAnnotations: readonly string[] = [hostCidrs, nodeSubnets];
/** Types of status.addresses that hold an IP; Hostname, InternalDNS and ExternalDNS are names. */
const ipTypes: ReadonlySet<unknown> = new Set(["InternalIP", "ExternalIP"]);

export function parseNode(value: unknown, of: NodeAddresses = "status"): Parsed<NodeFact> {
  return parsed(value, (root) => {
    const name = readName(root.at("metadata").at("name"));
    const labels = readLabels(root);
    if (name === null || labels === null) return null;
    const annotations = root.at("metadata").at("annotations");
    const ips = annotatedIps(annotations.at(hostCidrs)) ?? statusIps(root.at("status").at("addresses"));
    const managementIps = readManagementIps(annotations.at(nodeSubnets));
    const podNetworks = readNetworks(root.at("spec"));
    const all = of === "flannel" ? [...ips, ...podNetworks.flatMap(flannelIps)] : ips;
    return {
      ...{ kind: "Node", name, labels, ips: [...new Set(all)], podFamilies: familiesOf(podNetworks) },
      ...(podNetworks.length === 0 ? {} : { podNetworks }),
      ...(managementIps.length === 0 ? {} : { managementIps }),
    };
  });
}

/** null when there is no annotation or when it is malformed. */
function annotatedIps(annotation: Field): readonly IpAddress[] | null {
  if (!annotation.present) return null;
  const list = parseJson(String(annotation.raw));
  const ips = Array.isArray(list) ? list.map(addressOf) : [null];
  const good = ips.filter((ip) => ip !== null);
  if (good.length === ips.length) return good;
  annotation.warn(`${annotation.quoted} is not a JSON list of CIDRs; status.addresses is used instead`);
  return null;
}

/** From `{"default": ["10.244.0.0/24", …]}`, or one network in place of the list. */
function readManagementIps(annotation: Field): readonly IpAddress[] {
  if (!annotation.present) return [];
  const value = parseJson(String(annotation.raw));
  const subnets: unknown = typeof value === "object" && value !== null && "default" in value && value.default;
  const list: readonly unknown[] = Array.isArray(subnets) ? subnets : [subnets];
  const cidrs = list.map((subnet) => (typeof subnet === "string" ? parseCidr(subnet) : null));
  const good = cidrs.filter((cidr) => cidr !== null);
  if (good.length === cidrs.length) return [...new Set(good.flatMap((cidr) => nthIn(cidr, 2) ?? []))];
  annotation.warn(`${annotation.quoted} does not say networks; the management port has no known address`);
  return [];
}

function addressOf(cidr: unknown): IpAddress | null {
  if (typeof cidr !== "string" || parseCidr(cidr) === null) return null;
  return parseIp(cidr.slice(0, cidr.indexOf("/")));
}

function statusIps(addresses: Field): readonly IpAddress[] {
  if (!addresses.present) return [];
  const entries = addresses.list(0, Infinity) ?? [];
  return entries.flatMap((entry) => {
    if (!ipTypes.has(entry.at("type").raw)) return [];
    const address = entry.at("address");
    const ip = typeof address.raw === "string" ? parseIp(address.raw) : null;
    if (ip !== null) return [ip];
    address.warn(`${address.quoted} is not an IP address and is left out`, "InvalidAddress");
    return [];
  });
}

/** Of the VXLAN interface and of the bridge. */
function flannelIps(network: Cidr): readonly IpAddress[] {
  return ([0, 1] as const).flatMap((nth) => nthIn(network, nth) ?? []);
}

/** From podCIDRs, or from podCIDR where there are none. */
function readNetworks(spec: Field): readonly Cidr[] {
  const several = spec.at("podCIDRs").items();
  const fields =
    several.length > 0 ? several : [spec.at("podCIDR")].filter(({ present, raw }) => present && raw !== "");
  return [...new Set(fields.map(networkAt))].filter((network) => network !== null);
}

function familiesOf(networks: readonly Cidr[]): readonly IpFamily[] {
  const families = new Set(networks.map(familyOf));
  return ipFamilies.filter((family) => families.has(family));
}

function networkAt(field: Field): Cidr | null {
  const cidr = typeof field.raw === "string" ? parseCidr(field.raw) : null;
  if (cidr !== null) return cidr;
  field.warn(`${field.quoted} is not a CIDR and is left out`, "InvalidCIDR");
  return null;
}
