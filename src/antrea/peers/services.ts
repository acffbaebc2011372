// `toServices`: connections that reached their endpoint through a Service's own address. Each Service is a rule's part of its
// own, since the ports of one say nothing of another's pods. A connection knows no more than that a load balancer led it to
// its endpoint: Services with one endpoint and port are not distinguished (docs/antrea.md).

import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import { namespacesNamed } from "../../model/selectable.ts";
import type { Service, ServicePort } from "../../model/service.ts";
import { readService, serviceKind } from "../../model/service.ts";
import type { Action, Peer, PortMatch, Rule } from "../../policy/ir.ts";
import { everyAddress } from "./blocks.ts";
import type { Reading } from "../reading.ts";
import { readNamespacedName } from "./selectors.ts";

/** Where connections through one Service arrive. */
export interface ServiceBackends {
  /** `NAMESPACE/NAME`. */
  readonly service: string;
  readonly peers: readonly Peer[];
  readonly ports: readonly PortMatch[];
  /** Nobody here knows where they arrive. */
  readonly isOpen: boolean;
}

/** What a rule says of connections through a Service. */
type Through = Pick<Rule, "share" | "action" | "peers" | "ports" | "translated">;

const apart = ["to", "ports", "protocols", "l7Protocols"];

/** `rule` has toServices. Each Service once. */
export function readToServices(rule: Field, reading: Reading): readonly ServiceBackends[] | null {
  const field = rule.at("toServices");
  const [other] = apart.filter((name) => rule.at(name).items().length > 0);
  if (other !== undefined) rule.at(other).error("must not be beside toServices");
  const items = field.list(0, Infinity);
  const services = items && readAll(items, (item) => readOne(item, reading));
  if (services === null || other !== undefined) return null;
  if (rule.at("action").raw === "Reject")
    field.warn(
      "a client of the Service gets no answer where Reject refuses the connection: it behaves like Drop",
      "Unsupported",
    );
  return [...new Map(services.map((one) => [one.service, one])).values()];
}

/** One rule a Service; one for all where a part of what is denied is not known. */
export function rulesThrough(action: Action, services: readonly ServiceBackends[]): readonly Through[] {
  const translated = true;
  if (action !== "allow" && services.some(({ isOpen }) => isOpen))
    return [{ share: null, action: "deny", peers: everyAddress, ports: null, translated }];
  return services.map(({ service, peers, ports }) => ({ share: service, action, peers, ports, translated }));
}

function readOne(field: Field, reading: Reading): ServiceBackends | null {
  const named = readNamespacedName(field, reading.namespace);
  if (named === null) return null;
  const service = `${named.namespace}/${named.name}`;
  const object = reading.resolve(serviceKind, named.namespace, named.name);
  const nothing: ServiceBackends = { service, peers: [], ports: [], isOpen: false };
  if (object === null) {
    field.warn(`there is no Service ${service}, so this matches nothing`, "MissingReference");
    return nothing;
  }
  const read = readService(object);
  if (!read.isBalanced) {
    field.warn(`Service ${service} has no address of its own, so this matches nothing`, "Unsupported");
    return nothing;
  }
  const fault = faultOf(read);
  if (fault === null) return { ...nothing, ...behind(read) };
  reading.close(field, `Service ${service} ${fault}`);
  return { ...nothing, isOpen: true };
}

/** Why its endpoints are unknown. */
function faultOf({ selector, isWhole }: Service): string | null {
  if (!isWhole) return "cannot be read";
  return selector === null ? "has no selector: its endpoints are not known here" : null;
}

function behind({ namespace, selector, ports }: Service): Pick<ServiceBackends, "peers" | "ports"> {
  if (selector === null) return { peers: [], ports: [] };
  const peer: Peer = { kind: "pods", namespaces: namespacesNamed([namespace]), pods: selector };
  return { peers: [peer], ports: ports.map(portOf) };
}

function portOf({ protocol, target }: ServicePort): PortMatch {
  return typeof target === "number"
    ? { kind: "port", protocol, port: target }
    : { kind: "named", name: target, protocol };
}
