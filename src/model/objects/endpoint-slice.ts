// An EndpointSlice as the program knows it: where connections through its Service arrive, whether the endpoints are ready or
// not. Lenient, since an API server has checked it: what cannot be read is left out, and `isWhole` says so.

import type { Protocol } from "../facts.ts";
import type { IpAddress } from "../ip.ts";
import { parseIp } from "../ip.ts";
import type { ObjectKind, ReferencedObject } from "../object.ts";
import { Field, Problems } from "../reader.ts";

export const endpointSliceKind: ObjectKind = {
  ...{ group: "discovery.k8s.io", version: "v1", kind: "EndpointSlice", resource: "endpointslices" },
  ...{ namespaced: true, holds: ["addressType", "endpoints", "ports"] },
};

/** The label with the name of the Service. */
export const serviceNameLabel = "kubernetes.io/service-name";

export interface EndpointSlice {
  /** Each once. Of a slice of names (`FQDN`): none. */
  readonly addresses: readonly IpAddress[];
  /** Those with a number; an entry without one says nothing of ports. */
  readonly ports: readonly EndpointPort[];
  /** Whether all of it could be read. */
  readonly isWhole: boolean;
}

export interface EndpointPort {
  readonly protocol: Protocol;
  /** 1..65535. */
  readonly port: number;
}

export function readEndpointSlice({ spec }: Pick<ReferencedObject, "spec">): EndpointSlice {
  const problems = new Problems();
  const slice = new Field(problems, "", spec);
  const endpoints = slice.at("addressType").raw === "FQDN" ? [] : listIn(slice, "endpoints");
  const addresses = endpoints.flatMap(readAddresses);
  const ports = listIn(slice, "ports").flatMap(readPort);
  return { addresses: [...new Set(addresses)], ports, isWhole: !problems.failed };
}

function listIn(parent: Field, name: string): readonly Field[] {
  const field = parent.at(name);
  return field.present ? (field.list(0, Infinity) ?? []) : [];
}

function readAddresses(endpoint: Field): readonly IpAddress[] {
  return endpoint.object() ? listIn(endpoint, "addresses").flatMap(readAddress) : [];
}

function readAddress(field: Field): readonly IpAddress[] {
  const text = field.string();
  const ip = text === null ? null : parseIp(text);
  if (ip === null) field.error("is not an address");
  return ip === null ? [] : [ip];
}

const protocols: ReadonlyMap<unknown, Protocol> = new Map([
  [undefined, "tcp"],
  [null, "tcp"],
  ["TCP", "tcp"],
  ["UDP", "udp"],
  ["SCTP", "sctp"],
]);

function readPort(field: Field): readonly EndpointPort[] {
  const number = field.at("port");
  if (!field.object() || !number.present) return [];
  const port = number.integer(1, 65535);
  const protocol = protocols.get(field.at("protocol").raw);
  if (protocol === undefined) field.at("protocol").error("is not one with ports");
  return protocol === undefined || port === null ? [] : [{ protocol, port }];
}
