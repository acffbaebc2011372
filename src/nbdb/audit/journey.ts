// The stages at which a connection's first packet meets ACLs (ovn-nb(5), ACL; ovn-northd(8), "Logical Switch Datapaths"):
// those of the source's switch, then those of the destination's, each from-lport before load balancing, from-lport after it,
// and to-lport. Between two switches lies a router: the packet leaves the one and enters the other by a router's port.

import type { Balancing, Ports, RowConnection } from "./packet.ts";
import type { AclLevel } from "./stages.ts";
import type { DatabaseRows, SwitchRows } from "./database-rows.ts";

export interface Stage extends Ports {
  /** Whose pod's switch it is: the source's or the destination's. */
  readonly side: "egress" | "ingress";
  readonly on: SwitchRows;
  readonly places: readonly AclLevel[];
  /** Where the packet is on its way through the load balancer of the source's switch. */
  readonly balancing: Balancing;
}

/** An end without a port here has no stages. */
export function journey(rows: DatabaseRows, { from, to }: RowConnection): readonly Stage[] {
  const first = from.port === null ? null : rows.switchOf(from.port);
  const last = to.port === null ? null : rows.switchOf(to.port);
  const inport = from.port === null ? [] : [from.port];
  const outport = to.port === null ? [] : [to.port];
  if (first !== null && first === last)
    return [...entering("egress", first, inport), leaving("ingress", first, inport, outport)];
  return [
    ...(first === null ? [] : across("egress", first, inport, routerOf(first))),
    ...(last === null ? [] : across("ingress", last, routerOf(last), outport)),
  ];
}

type Names = readonly string[];

function across(side: Stage["side"], on: SwitchRows, inport: Names, outport: Names): readonly Stage[] {
  return [...entering(side, on, inport), leaving(side, on, inport, outport)];
}

/** The destination of a packet is not known yet. A switch's stages are those before its load balancer and those behind it. */
function entering(side: Stage["side"], on: SwitchRows, inport: Names): readonly Stage[] {
  const isSource = side === "egress";
  return on.stages.entering.map((places, at) => {
    const balancing = isSource ? (at === 0 ? "before" : "behind") : "elsewhere";
    return { side, on, inport, outport: [""], places, balancing };
  });
}

function leaving(side: Stage["side"], on: SwitchRows, inport: Names, outport: Names): Stage {
  return { side, on, inport, outport, places: on.stages.leaving, balancing: "elsewhere" };
}

/** A switch that is not known to have one has a port that no ACL names. */
function routerOf({ routerPorts }: SwitchRows): Names {
  return routerPorts.length === 0 ? [""] : routerPorts;
}
