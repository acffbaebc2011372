// `source` or `destination` of a rule, but its ports: the endpoints that are selected or are a Service's, and the networks that
// addresses are within.

import { negationOf } from "../../model/selectors/folding.ts";
import type { Cidr } from "../../model/ip.ts";
import type { Field } from "../../model/reader.ts";
import type { Selector } from "../../model/selector.ts";
import type { HostNameGroup, PodGroup } from "../../policy/ir.ts";
import type { Reading } from "../reading.ts";
import type { Nets } from "./nets.ts";
import { readNets } from "./nets.ts";
import { readDomains } from "./domains.ts";
import type { ServiceEnd, SidePlace } from "./services.ts";
import { readServices } from "./services.ts";
import type { Selection } from "./selection.ts";
import { podsOf, readSelection } from "./selection.ts";
import { podsByLabels, readSelector } from "./selectors.ts";
import { netsOfSets } from "./sets.ts";

const known = [
  ...["nets", "notNets", "selector", "notSelector", "namespaceSelector", "serviceAccounts"],
  ...["ports", "notPorts", "services", "domains"],
];

/** Pods, and networks of sets. */
export interface Endpoints {
  readonly pods: readonly PodGroup[];
  readonly nets: readonly Cidr[];
}

/** Of the addresses of no endpoint that a selector selects. */
export interface Others {
  /** On the side of the rule's own pods: the other pods. On the peers': those that are selected. */
  readonly pods: readonly PodGroup[];
  /** Of sets that are selected. */
  readonly nets: readonly Cidr[];
}

export interface Side {
  /** null: no endpoints are selected, and any address is meant. */
  readonly selected: Endpoints | null;
  /** With `selected` null; null: there is no such selector. */
  readonly others: Others | null;
  /** Of a side that names a Service, with nothing else beside it; null: none is named. */
  readonly services: readonly ServiceEnd[] | null;
  readonly nets: Nets;
  /** Names of domains, with nothing else beside them. */
  readonly names: readonly HostNameGroup[];
}

/** null: an error was reported. */
export function readSide(side: Field, place: SidePlace, reading: Reading): Side | null {
  if (side.present && !side.object()) return null;
  reading.closeUnknown(side, known);
  const nets = readNets(side);
  const selection = readSelection(side, reading);
  const services = readServices(side, place, reading);
  const names = readDomains(side, place, reading);
  if (nets === null || selection === null || services === null || names === null) return null;
  const any: Side = { selected: null, others: null, services: null, nets, names };
  if (services !== "none") return { ...any, services };
  if (selection === "none") return withoutSelection(side, any, place, reading);
  const selected = endpointsOf(side, selection, reading);
  return selected && { ...any, selected };
}

/** Nothing is selected, but a notSelector may stand alone. `any`: any endpoint of the side's networks. */
function withoutSelection(side: Field, any: Side, place: SidePlace, reading: Reading): Side | null {
  const not = side.at("notSelector");
  const unwanted = not.present ? readSelector(not) : "none";
  if (unwanted === null || unwanted === "none") return any;
  const others = othersThan(side, unwanted, place, reading);
  return others && { ...any, others };
}

function endpointsOf(side: Field, selection: Selection, reading: Reading): Endpoints | null {
  const pods = podsOf(side.at("selector"), selection, reading);
  return pods && { pods, nets: netsOfSets(side, selection, reading) };
}

/** In a GlobalNetworkPolicy: endpoints of every namespace and of none. */
function othersThan(side: Field, labels: Selector, { isPeer }: SidePlace, reading: Reading): Others | null {
  const unwanted: Selection = { labels, namespace: null, namespaces: null, accounts: null };
  const pods = podsByLabels(side.at("notSelector"), isPeer ? labels : negationOf(labels), reading);
  return pods && { pods, nets: netsOfSets(side, unwanted, reading) };
}
