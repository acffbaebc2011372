// `services` of one side of a rule: where connections through a Service arrive, by its EndpointSlices. Policies act behind the
// load balancer, so that the Service's own address says nothing (Calico's felix/labelindex, ServiceIndex).

import { aloneIn } from "../../model/cidr.ts";
import type { EndpointPort, EndpointSlice } from "../../model/objects/endpoint-slice.ts";
import {
  endpointSliceKind,
  readEndpointSlice,
  serviceNameLabel,
} from "../../model/objects/endpoint-slice.ts";
import type { Cidr, IpAddress } from "../../model/ip.ts";
import type { Field } from "../../model/reader.ts";
import { requirements } from "../../model/selector.ts";
import { isDnsLabel } from "../../model/syntax.ts";
import type { Reading } from "../reading.ts";

/** Where a side is: in a rule of the direction, the peer's or the own one. */
export interface SidePlace {
  readonly isEgress: boolean;
  readonly isPeer: boolean;
  /** Whether the rule allows. */
  readonly isAllow: boolean;
}

/** Addresses of a Service's endpoints, each a network of one. */
export interface ServiceEnd {
  readonly nets: readonly Cidr[];
  /** null: any, and any protocol. */
  readonly port: EndpointPort | null;
}

const never = ["selector", "notSelector", "namespaceSelector", "nets", "notNets", "serviceAccounts"];
const ports = ["ports", "notPorts"];

/** Each port once; empty: nothing matches. "none": the field is absent. null: an error was reported. */
export function readServices(
  side: Field,
  place: SidePlace,
  reading: Reading,
): readonly ServiceEnd[] | "none" | null {
  const field = side.at("services");
  if (!field.present) return "none";
  if (!field.object() || !isAlone(side, place)) return null;
  const name = readName(field.at("name"));
  const namespace = readNamespace(field, reading);
  if (name === null || namespace === null) return null;
  reading.closeUnknown(field, ["name", "namespace"]);
  const slices = slicesOf(field, namespace, name, reading);
  if (place.isEgress) return byPort(slices);
  const addresses = slices.flatMap((slice) => slice.addresses);
  return addresses.length === 0 ? [] : [{ nets: netsOf(addresses), port: null }];
}

function isAlone(side: Field, { isEgress, isPeer }: SidePlace): boolean {
  const field = side.at("services");
  const before = field.findings;
  if (!isPeer) field.error("must only be the destination of an egress rule or the source of an ingress rule");
  for (const other of isEgress ? [...never, ...ports] : never)
    if (side.has(other)) field.error(`must not be beside ${other}`);
  return field.findings === before;
}

function readNamespace(field: Field, reading: Reading): string | null {
  const namespace = field.at("namespace");
  if (namespace.present && namespace.raw !== "") return readName(namespace);
  return reading.namespace ?? field.error("must have a namespace in a GlobalNetworkPolicy");
}

function readName(field: Field): string | null {
  const name = field.string();
  if (name === null || isDnsLabel(name)) return name;
  return field.error(`${field.quoted} is not a valid name`, "InvalidName");
}

/** A slice that cannot be read closes the rule. */
function slicesOf(field: Field, namespace: string, name: string, reading: Reading): readonly EndpointSlice[] {
  const ofService = requirements([{ operator: "In", key: serviceNameLabel, values: [name] }]);
  const objects = reading.resolve.labelled(endpointSliceKind, namespace, ofService);
  if (objects.length === 0)
    field.warn(
      `there is no EndpointSlice of Service ${namespace}/${name}, so this matches nothing`,
      "MissingReference",
    );
  return objects.map((object) => {
    const slice = readEndpointSlice(object);
    if (!slice.isWhole) reading.close(field, `EndpointSlice ${namespace}/${object.name} cannot be read`);
    return slice;
  });
}

function byPort(slices: readonly EndpointSlice[]): readonly ServiceEnd[] {
  const all = slices.flatMap(({ addresses, ports: list }) => list.map((port) => ({ port, addresses })));
  const grouped = Map.groupBy(all, ({ port: { protocol, port } }) => `${protocol} ${port}`);
  const keys = [...grouped.keys()].sort();
  return keys.flatMap((key) => {
    const ends = grouped.get(key) ?? [];
    const addresses = ends.flatMap((end) => end.addresses);
    const [first] = ends;
    return first === undefined || addresses.length === 0
      ? []
      : [{ nets: netsOf(addresses), port: first.port }];
  });
}

/** In the order of their text, whatever the slices are called. */
function netsOf(addresses: readonly IpAddress[]): readonly Cidr[] {
  return [...new Set(addresses)].sort().map(aloneIn);
}
