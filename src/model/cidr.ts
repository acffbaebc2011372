// Arithmetic on networks.

import ipaddr from "ipaddr.js";
import type { Cidr, IpAddress } from "./ip.ts";
import { familyOf } from "./ip.ts";

/** Whether the address lies in the network; never for another family. */
export function contains(cidr: Cidr, ip: IpAddress): boolean {
  if (familyOf(cidr) !== familyOf(ip)) return false;
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return ipaddr.parse(ip).match(network, bits);
}
