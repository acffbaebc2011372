// v1 Pod → PodFact. Addresses are read from the status, or from OVN-Kubernetes' own annotation, which is set earlier. A
// malformed address refuses the pod; a malformed named port is left out with a warning.

import type { NamedPort, Owner, PodFact, Protocol } from "../../model/facts.ts";
import type { IpAddress } from "../../model/ip.ts";
import { parseIp } from "../../model/ip.ts";
import { groupOf } from "../../model/object.ts";
import { Field, Problems, parseJson } from "../../model/reader.ts";
import { isPortName } from "../../model/syntax.ts";
import type { Parsed } from "./object.ts";
import { parsed, readLabels, readName, readNamespaceOf } from "./object.ts";

export const podNetworks = "k8s.ovn.org/pod-networks";
const protocols: ReadonlyMap<unknown, Protocol> = new Map([
  ["TCP", "tcp"],
  ["UDP", "udp"],
  ["SCTP", "sctp"],
]);

export function parsePod(value: unknown): Parsed<PodFact> {
  return parsed(value, (root) => {
    const namespace = readNamespaceOf(root);
    const name = readName(root.at("metadata").at("name"));
    const labels = readLabels(root);
    const spec = root.at("spec");
    const node = readNode(spec.at("nodeName"));
    const own = readPodSpec(spec);
    const phase = root.at("status").at("phase");
    const completed = phase.present && ["Succeeded", "Failed"].includes(phase.string() ?? "");
    const ips = readIps(root);
    if (namespace === null || name === null || labels === null || own === null) return null;
    // A plan lists the fields of a changed pod in this order.
    const { serviceAccount, hostNetwork, ports } = own;
    return {
      ...{ kind: "Pod", namespace, name, labels, node, serviceAccount, hostNetwork, completed, ips, ports },
    };
  });
}

/** What a pod and a template of pods say alike; null: it is refused. */
export function readPodSpec(spec: Field): Pick<PodFact, "serviceAccount" | "hostNetwork" | "ports"> | null {
  const account = spec.at("serviceAccountName");
  const serviceAccount = account.present && account.raw !== "" ? readName(account) : "default";
  const hostNetwork = spec.at("hostNetwork").present ? spec.at("hostNetwork").boolean() : false;
  const ports = portsIn([...spec.at("containers").items(), ...sidecarsOf(spec)]);
  return serviceAccount === null || hostNetwork === null ? null : { serviceAccount, hostNetwork, ports };
}

/** As `parsePod`, with what only commands that read ask for: a controller holds nothing that it does not use. */
export function parseWholePod(value: unknown): Parsed<PodFact> {
  const { object, problems } = parsePod(value);
  const root = new Field(new Problems(), "", value);
  const owner = readOwner(root);
  const more = { mountsToken: mountsToken(root.at("spec")), ...(owner === null ? {} : { owner }) };
  return { object: object && { ...object, ...more }, problems };
}

/** The controller of the object; where none is said to be it, the first owner. */
export function readOwner(root: Field): Owner | null {
  const owners = root.at("metadata").at("ownerReferences").items();
  const owner = owners.find((one) => one.at("controller").raw === true) ?? owners[0];
  if (owner === undefined) return null;
  const [kind, name] = [textAt(owner, "kind"), textAt(owner, "name")];
  return kind === "" || name === "" ? null : { group: groupOf(textAt(owner, "apiVersion")), kind, name };
}

function textAt(field: Field, name: string): string {
  const { raw } = field.at(name);
  return typeof raw === "string" ? raw : "";
}

/** The API server adds the volume when it admits a pod, unless the pod or its service account says no; a manifest may lack it. */
export function mountsToken(spec: Field): boolean {
  const sources = spec
    .at("volumes")
    .items()
    .flatMap((volume) => volume.at("projected").at("sources").items());
  const asksForIt = spec.at("automountServiceAccountToken").raw === true;
  return asksForIt || sources.some((source) => source.has("serviceAccountToken"));
}

function readNode(field: Field): string | null {
  return field.present && field.raw !== "" ? readName(field) : null;
}

function readIps(root: Field): readonly IpAddress[] {
  const status = root.at("status");
  const list = status.at("podIPs");
  const entries = list.present ? (list.list(0, Infinity) ?? []) : [];
  const listed = entries.flatMap((entry) => readIp(entry.at("ip")));
  if (listed.length > 0) return [...new Set(listed)];
  const annotated = annotatedIps(root.at("metadata").at("annotations").at(podNetworks));
  return annotated.length > 0 ? annotated : readIp(status.at("podIP"));
}

/** One address or none: the API writes a missing address as an absent or an empty text. */
function readIp(field: Field): readonly IpAddress[] {
  if (!field.present || field.raw === "") return [];
  const ip = typeof field.raw === "string" ? parseIp(field.raw) : null;
  if (ip !== null) return [ip];
  field.error(`${field.quoted} is not an IP address`, "InvalidAddress");
  return [];
}

/** Addresses on the network `default`: {"default": {"ip_addresses": ["10.244.1.4/24"], "ip_address": "10.244.1.4/24"}}. */
function annotatedIps(annotation: Field): readonly IpAddress[] {
  if (!annotation.present) return [];
  const network = annotation.with(parseJson(String(annotation.raw))).at("default");
  const several = network.at("ip_addresses").items();
  const fields = several.length > 0 ? several : [network.at("ip_address")].filter((field) => field.present);
  const ips = fields.map((field) => (typeof field.raw === "string" ? parseIp(withoutMask(field.raw)) : null));
  const good = ips.filter((ip) => ip !== null);
  if (!network.isObject || good.length < ips.length)
    annotation.warn(`${annotation.quoted} has no readable addresses of the default network and is ignored`);
  return good.length < ips.length ? [] : [...new Set(good)];
}

function withoutMask(text: string): string {
  const slash = text.indexOf("/");
  return slash < 0 ? text : text.slice(0, slash);
}

/** Init containers that run beside the others: as the API server does for Services, their ports count after those of `containers`. */
function sidecarsOf(spec: Field): readonly Field[] {
  return spec
    .at("initContainers")
    .items()
    .filter((container) => container.at("restartPolicy").raw === "Always");
}

function portsIn(containers: readonly Field[]): readonly NamedPort[] {
  return containers.flatMap((container) => container.at("ports").items().flatMap(readNamedPort));
}

/** Policies cannot refer to ports without a name. */
function readNamedPort(field: Field): readonly NamedPort[] {
  const name = field.at("name");
  const number = field.at("containerPort").raw;
  const given = field.at("protocol");
  const protocol = given.present ? protocols.get(given.raw) : "tcp";
  if (!name.present) return [];
  if (typeof name.raw !== "string" || !isPortName(name.raw)) return leftOut(name, "a port name");
  if (protocol === undefined) return leftOut(given, "TCP, UDP or SCTP", "UnknownProtocol");
  if (typeof number !== "number" || !Number.isInteger(number) || number < 1 || number > 65535)
    return leftOut(field.at("containerPort"), "an integer from 1 to 65535");
  return [{ name: name.raw, protocol, port: number }];
}

function leftOut(field: Field, wanted: string, code?: "UnknownProtocol"): readonly [] {
  field.warn(`${field.quoted} is not ${wanted}, so this port is left out`, code);
  return [];
}
