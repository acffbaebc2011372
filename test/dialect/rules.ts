// The rules of one direction of a TrafficPolicy: each has an action, peers, and as it likes a subject of its own, addresses of
// the subject's own side, traffic, logging, and on egress that it is about connections through Services alone.

import { readSelector } from "../../src/kubernetes/selector.ts";
import { chosen } from "../../src/kubernetes/shape.ts";
import { hostNamesLike } from "../../src/model/selectors/host-names.ts";
import type { Protocol } from "../../src/model/facts.ts";
import { parseCidr } from "../../src/model/ip.ts";
import type { Field } from "../../src/model/reader.ts";
import { readAll } from "../../src/model/reader.ts";
import { everything } from "../../src/model/selector.ts";
import type { Resolve } from "../../src/policy/contracts/resolve.ts";
import type {
  Action,
  Addresses,
  EndPorts,
  Peer,
  PortList,
  PortMatch,
  PortRange,
  Rule,
} from "../../src/policy/ir.ts";
import { readPods, readSubject } from "./subjects.ts";

const actions: readonly Action[] = ["allow", "deny", "pass", "reject"];
const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];

export function readRules(field: Field, resolve: Resolve): readonly Rule[] | null {
  if (!field.present) return [];
  const items = field.list(0, 100);
  return items && readAll(items, (item, index) => readRule(item, index, resolve));
}

function readRule(field: Field, index: number, resolve: Resolve): Rule | null {
  const action = oneOf(field.at("action"), actions);
  const subject = field.at("appliedTo").present ? readSubject(field.at("appliedTo"), resolve) : null;
  const peers = readEach(field.at("peers"), (peer) => readPeer(peer, resolve));
  const ports = field.at("traffic").present ? readEach(field.at("traffic"), readTraffic) : null;
  const label = field.at("logLabel").present ? field.at("logLabel").string() : null;
  if (action === null || peers === null) return null;
  const logging = label === null ? null : ({ severity: "info", label } as const);
  const through = field.at("throughService").raw === true ? { translated: true as const } : {};
  const own = field.at("ownAddresses").present ? { own: readAddresses(field.at("ownAddresses")) } : {};
  return {
    ...{ index, share: null, name: "", action, subject, peers: peers.flat(), ports, logging },
    ...{ ...own, ...through },
  };
}

/** `{networks: […], except: […]}` */
function readAddresses(field: Field): Addresses {
  const networks = (name: string) =>
    field
      .at(name)
      .items()
      .flatMap(({ raw }) => parseCidr(String(raw)) ?? []);
  return { networks: networks("networks"), except: networks("except") };
}

function readPeer(field: Field, resolve: Resolve): readonly Peer[] | null {
  const kind = chosen(field, ["pods", "set", "narrowed", "nodes", "hosts", "network", "everyone", "same"]);
  if (kind === null || kind === "none") return field.error("is no peer");
  const own = field.at(kind);
  switch (kind) {
    case "pods":
    case "set":
      return readPods(field, resolve);
    case "narrowed": {
      const groups = readPods(own.at("of"), resolve);
      return groups?.map((pods) => ({ kind, pods, ...readAddresses(own.at("by")) })) ?? null;
    }
    case "nodes":
      return readNodes(own);
    case "hosts":
      return readHostNames(own);
    case "network":
      return readNetwork(own);
    case "everyone":
      return [{ kind: "everything" }];
    case "same":
      return readSame(own);
  }
}

function readNodes(own: Field): readonly Peer[] | null {
  const nodes = readSelector(own);
  return nodes && [{ kind: "nodes", nodes }];
}

function readHostNames(own: Field): readonly Peer[] | null {
  const names = hostNamesLike(own.string() ?? "");
  return names === null ? own.error("is no pattern of host names") : [{ kind: "hostNames", names }];
}

function readNetwork(own: Field): readonly Peer[] | null {
  const [cidr = null, ...except] = own.items().map(({ raw }) => parseCidr(String(raw)));
  const good = except.filter((one) => one !== null);
  return cidr === null ? own.error("is no network") : [{ kind: "network", cidr, except: good }];
}

function readSame(own: Field): readonly Peer[] | null {
  const pods = own.at("pods").present ? readSelector(own.at("pods")) : everything;
  const keys = own
    .at("keys")
    .items()
    .map(({ raw }) => String(raw));
  return pods && [{ kind: "sameNamespaces", keys, pods }];
}

const trafficKinds = [
  ...(["port", "range", "name", "declared"] as const),
  ...(["number", "numbers", "icmp", "otherIcmp"] as const),
] as const;

function readTraffic(field: Field): PortMatch | null {
  const kind = chosen(field, trafficKinds);
  if (kind === null || kind === "none") return field.error("is no traffic");
  const own = field.at(kind);
  switch (kind) {
    case "port":
    case "range":
      return readPorts(own, kind);
    case "name":
      return readNamed(own);
    case "declared":
      return readDeclared(own);
    case "number": {
      const number = own.integer(0, 255);
      return number === null ? null : { kind: "protocol", number };
    }
    case "numbers": {
      const numbers = readEach(own, (item) => item.integer(0, 255));
      return numbers && { kind: "protocols", numbers };
    }
    case "otherIcmp":
    case "icmp":
      return readIcmp(own, kind);
  }
}

function readIcmp(own: Field, kind: "icmp" | "otherIcmp"): PortMatch | null {
  const family = own.at("family").present ? oneOf(own.at("family"), ["v4", "v6"] as const) : null;
  const [type, code] = [numberAt(own, "type"), numberAt(own, "code")];
  if (kind === "icmp") return { kind, family, type, code };
  return family === null || type === null ? null : { kind, family, type, code };
}

function readPorts(own: Field, kind: "port" | "range"): PortMatch | null {
  const protocol = oneOf(own.at("protocol"), protocols);
  const [start, end] = [numberAt(own, "start"), numberAt(own, "end")];
  if (protocol === null || start === null) return null;
  const source = rangeOf(own.at("source"));
  return kind === "port"
    ? { kind, protocol, port: start, ...source }
    : { kind, protocol, start, end: end ?? start, ...source };
}

function readNamed(own: Field): PortMatch | null {
  const name = own.at("name").string();
  const protocol = own.at("protocol").present ? oneOf(own.at("protocol"), protocols) : null;
  if (name === null) return null;
  return { kind: "named", name, ...(protocol && { protocol }), ...rangeOf(own.at("source")) };
}

/** Each end is a list of ports, with `except`, another one. */
function readDeclared(own: Field): PortMatch | null {
  const protocol = oneOf(own.at("protocol"), protocols);
  const end = (name: string): EndPorts | null =>
    own.at(name).present ? { ...portsIn(own.at(name)), except: portsIn(own.at(name).at("except")) } : null;
  return protocol && { kind: "declared", protocol, from: end("from"), to: end("to") };
}

function portsIn(field: Field): PortList {
  const names = field
    .at("names")
    .items()
    .map(({ raw }) => String(raw));
  return {
    ranges: field
      .at("ranges")
      .items()
      .flatMap((item) => rangeOf(item).source ?? []),
    names,
  };
}

function rangeOf(field: Field): { readonly source?: PortRange } {
  const [start, end] = [numberAt(field, "start"), numberAt(field, "end")];
  return start === null || end === null ? {} : { source: { start, end } };
}

function numberAt(field: Field, name: string): number | null {
  return field.at(name).present ? field.at(name).integer(0, 65535) : null;
}

function oneOf<T extends string>(field: Field, words: readonly T[]): T | null {
  return words.find((word) => word === field.raw) ?? field.error(`must be one of ${words.join(", ")}`);
}

function readEach<T>(field: Field, read: (item: Field) => T | null): readonly T[] | null {
  const items = field.list(0, 100);
  return items && readAll(items, read);
}
