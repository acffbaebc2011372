// Whether a rule of a Calico policy matches a connection: every criterion that is given has to hold, and of a list one entry.

import type { Family } from "./addresses.ts";
import { familyOfText, isWithin } from "./addresses.ts";
import type { CalicoConnection } from "./connection.ts";
import type { Endpoint, Endpoints } from "./endpoints.ts";
import { has, protocolNumbers } from "./endpoints.ts";
import type { CalicoEntity, CalicoRule, IcmpFields } from "./manifests.ts";
import { parseSelector } from "./selector.ts";

/** Of the rule's policy. */
export interface Place {
  readonly endpoints: Endpoints;
  /** Of a policy that has one; null: it is global. */
  readonly namespace: string | null;
}

export function ruleMatches(rule: CalicoRule, connection: CalicoConnection, place: Place): boolean {
  const { protocol, notProtocol, source = {}, destination = {} } = rule;
  if (protocol !== undefined && numberOf(protocol) !== connection.protocol) return false;
  if (notProtocol !== undefined && numberOf(notProtocol) === connection.protocol) return false;
  if (!hasFamily(rule, familyOfText(connection.from.ip))) return false;
  if (isGiven(rule.icmp) && !isIcmp(rule.icmp, connection)) return false;
  if (isGiven(rule.notICMP) && isIcmp(rule.notICMP, connection)) return false;
  const { from, to, port, sourcePort } = connection;
  const side = (entity: CalicoEntity, ip: string, number: number | null) =>
    isMeant(entity, ip, place) &&
    hasPort(entity, { ip, protocol: connection.protocol, port: number }, place) &&
    isOfService(entity, ip, place, entity === destination ? connection : null);
  return side(source, from.ip, sourcePort) && side(destination, to.ip, port);
}

/**
 * An endpoint of the Service that is named, ready or not, and at one of its slice's own ports where it is the destination; null:
 * it is the source.
 */
function isOfService(
  { services }: CalicoEntity,
  ip: string,
  { endpoints, namespace }: Place,
  destined: Pick<CalicoConnection, "protocol" | "port"> | null,
): boolean {
  if (services === undefined) return true;
  const slices = endpoints.ofService(services.namespace ?? namespace ?? "", services.name);
  return slices.some((slice) => {
    const isThere = slice.endpoints.some(({ addresses }) => addresses.some((one) => isWithin(ip, one)));
    if (!isThere || destined === null) return isThere;
    return (slice.ports ?? []).some(
      ({ protocol = "TCP", port }) =>
        port !== undefined && port === destined.port && protocolNumbers[protocol] === destined.protocol,
    );
  });
}

function numberOf(protocol: string | number): number {
  return protocolNumbers[protocol] ?? Number(protocol);
}

/** Networks of either side speak of one family, even those that are excluded. */
function hasFamily({ ipVersion, source = {}, destination = {} }: CalicoRule, family: Family): boolean {
  if (ipVersion !== undefined && ipVersion !== family) return false;
  const named = [source, destination].flatMap(({ nets = [], notNets = [] }) => [...nets, ...notNets]);
  return named.every((net) => familyOfText(net) === family);
}

function isGiven(fields: IcmpFields | undefined): fields is IcmpFields {
  return fields?.type !== undefined;
}

function isIcmp({ type, code }: IcmpFields, { icmp }: CalicoConnection): boolean {
  return icmp !== null && icmp.type === type && (code === undefined || icmp.code === code);
}

/** By address: networks, and the scope of the selectors. */
function isMeant(entity: CalicoEntity, ip: string, place: Place): boolean {
  const { nets = [], notNets = [], selector, notSelector, namespaceSelector, serviceAccounts } = entity;
  if (nets.length > 0 && !nets.some((net) => isWithin(ip, net))) return false;
  if (notNets.some((net) => isWithin(ip, net))) return false;
  const isNegative = isText(notSelector);
  const isPositive =
    isText(selector) ||
    isText(namespaceSelector) ||
    namesAccounts(serviceAccounts) ||
    (isNegative && place.namespace !== null);
  const having = place.endpoints.all.filter((endpoint) => has(endpoint, ip));
  if (isPositive) return having.some((endpoint) => isInScope(entity, endpoint, place));
  if (!isNegative) return true;
  const excluded = parseSelector(notSelector).holds;
  return !having.some(({ labels }) => excluded(labels));
}

function namesAccounts(accounts: CalicoEntity["serviceAccounts"]): boolean {
  return (accounts?.names ?? []).length > 0 || isText(accounts?.selector);
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function isInScope(entity: CalicoEntity, endpoint: Endpoint, place: Place): boolean {
  const {
    selector = "",
    notSelector,
    serviceAccounts: { names = [], selector: accounts = "" } = {},
  } = entity;
  if (!isInNamespaces(entity.namespaceSelector, endpoint, place)) return false;
  const account = endpoint.labels.get("projectcalico.org/serviceaccount");
  if (names.length > 0 && (account === undefined || !names.includes(account))) return false;
  if (!parseSelector(accounts).holds(endpoint.accountLabels)) return false;
  if (!parseSelector(selector).holds(endpoint.labels)) return false;
  return !isText(notSelector) || !parseSelector(notSelector).holds(endpoint.labels);
}

function isInNamespaces(text: string | undefined, endpoint: Endpoint, { namespace }: Place): boolean {
  if (!isText(text)) return namespace === null || endpoint.namespace === namespace;
  const { alone, holds } = parseSelector(text);
  if (alone === "all") return endpoint.namespace !== null;
  if (alone === "global") return endpoint.namespace === null;
  return holds(endpoint.namespaceLabels);
}

interface PortOfAddress {
  readonly ip: string;
  readonly protocol: number;
  readonly port: number | null;
}

function hasPort({ ports = [], notPorts = [] }: CalicoEntity, at: PortOfAddress, place: Place): boolean {
  const isOne = (entry: number | string) => isPort(entry, at, place);
  return (ports.length === 0 || ports.some(isOne)) && !notPorts.some(isOne);
}

/** A number, a range or a name, which is what the endpoints with that address make of it. */
function isPort(
  entry: number | string,
  { ip, protocol, port }: PortOfAddress,
  { endpoints }: Place,
): boolean {
  if (port === null) return false;
  const [, first, last = first] = /^(\d+)(?::(\d+))?$/.exec(String(entry)) ?? [];
  if (first !== undefined) return Number(first) <= port && port <= Number(last);
  return endpoints.all.some(
    (endpoint) =>
      has(endpoint, ip) &&
      endpoint.ports.some((one) => one.name === entry && one.protocol === protocol && one.port === port),
  );
}
