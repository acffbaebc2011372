// Texts of users → what they ask for, by their form alone: whether it is there, end-sets.ts says. The grammar:
//
//   ADDRESS, CIDR, internet, a name of DNS with a dot, without a namespace
//   NAMESPACE/POD, NAMESPACE/POD@ADDRESS, NAMESPACE/*, NAMESPACE/[SELECTOR]; * for NAMESPACE is every namespace
//   KIND/NAME, NAMESPACE/KIND/NAME, with KIND as kubectl has it: pod, deploy, sts, ds, rs, job, cj, svc, node
//   svc/NAME:PORT, by number or by name
//
// A first word that is a KIND is one: of a namespace with such a name, write NAMESPACE/pod/NAME.

import type { Cidr, IpAddress } from "../model/ip.ts";
import { parseCidr, parseIp } from "../model/ip.ts";
import type { GroupKind } from "../model/object.ts";
import { quote } from "../model/quote.ts";
import type { Selector } from "../model/selector.ts";
import { canonicalHostName } from "../model/selectors/host-names.ts";
import { everything } from "../model/selector.ts";
import type { Workload } from "../model/workload.ts";
import { isDnsLabel, isDnsSubdomain } from "../model/syntax.ts";
import { NoSelector, parseLabelSelector } from "./label-selector.ts";

/** A sentence about what was asked. */
export class NoSuchEnd extends Error {
  override readonly name = "NoSuchEnd";
}

export type EndQuery =
  | { readonly kind: "internet" }
  | { readonly kind: "address"; readonly ip: IpAddress }
  | { readonly kind: "network"; readonly cidr: Cidr }
  | { readonly kind: "node"; readonly name: string }
  /** In lower case, without the final dot. */
  | { readonly kind: "hostName"; readonly name: string }
  /** `ip`: one of its addresses; null: all. */
  | { readonly kind: "pod"; readonly namespace: string; readonly name: string; readonly ip: IpAddress | null }
  /** `namespace` null: every one. `selectorText`: as it was asked; null: none was. */
  | {
      readonly kind: "pods";
      readonly namespace: string | null;
      readonly selector: Selector;
      readonly selectorText: string | null;
    }
  | { readonly kind: "workload"; readonly of: GroupKind; readonly namespace: string; readonly name: string }
  /** `port`: of the Service, a number or a name; null: all. */
  | {
      readonly kind: "service";
      readonly namespace: string;
      readonly name: string;
      readonly port: string | null;
    };

export type NamedKind = "pod" | "service" | "node" | GroupKind;

const apps = (kind: string): GroupKind => ({ group: "apps", kind });
const batch = (kind: string): GroupKind => ({ group: "batch", kind });

/** Kubernetes' short name, singular and plural; the first is how it is shown. */
const kinds: readonly (readonly [words: readonly string[], kind: NamedKind])[] = [
  [["pod", "po", "pods"], "pod"],
  [["svc", "service", "services"], "service"],
  [["node", "no", "nodes"], "node"],
  [["deploy", "deployment", "deployments"], apps("Deployment")],
  [["sts", "statefulset", "statefulsets"], apps("StatefulSet")],
  [["ds", "daemonset", "daemonsets"], apps("DaemonSet")],
  [["rs", "replicaset", "replicasets"], apps("ReplicaSet")],
  [["job", "jobs"], batch("Job")],
  [["cj", "cronjob", "cronjobs"], batch("CronJob")],
];
const byWord: ReadonlyMap<string, NamedKind> = new Map(
  kinds.flatMap(([words, kind]) => words.map((word) => [word, kind] as const)),
);

/** The word for a kind of workload: `deploy`. */
export function wordOf({ kind }: GroupKind): string {
  const found = kinds.find(([, one]) => typeof one !== "string" && one.kind === kind);
  return found?.[0][0] ?? kind;
}

/** How each kind of which ends are named is shown. */
export const kindWords: readonly { readonly word: string; readonly kind: NamedKind }[] = kinds.map(
  ([[word = ""], kind]) => ({ word, kind }),
);

/** null: no word of a kind. */
export function kindOfWord(word: string): NamedKind | null {
  return byWord.get(word) ?? null;
}

/** For help and errors. */
export const endForms =
  "ADDRESS, CIDR, internet, NAMESPACE/POD, NAMESPACE/*, NAMESPACE/[SELECTOR], or [NAMESPACE/]KIND/NAME with pod, deploy, sts, ds, " +
  "rs, job, cj, svc or node for KIND";

/** `namespace`: of names that have none; null: `default`, and a name alone is no pod. Throws NoSuchEnd. */
export function parseEnd(text: string, namespace: string | null = null): EndQuery {
  const addresses = addressesIn(text);
  if (addresses !== null) return addresses;
  const bracket = /^([^/]+)\/\[([^\]]*)\]$/.exec(text);
  if (bracket !== null) return selected(text, bracket[1] ?? "", bracket[2] ?? "");
  const [first = "", second, third, ...more] = text.split("/");
  if (more.length > 0) throw unread(text);
  if (third !== undefined) return ofKind(text, byWord.get(second ?? ""), first, third);
  if (second !== undefined) return ofTwo(text, first, second, namespace);
  if (namespace === null && isHostName(first)) return { kind: "hostName", name: canonicalHostName(first) };
  if (namespace === null) throw unread(text);
  return podIn(text, namespace, first);
}

/** Of at least two labels; the last one has a letter. */
function isHostName(text: string): boolean {
  return /^([a-z\d_]([-a-z\d_]*[a-z\d_])?\.)+[a-z\d-]*[a-z][a-z\d-]*\.?$/i.test(text);
}

function addressesIn(text: string): EndQuery | null {
  if (text === "internet") return { kind: "internet" };
  const cidr = parseCidr(text);
  if (cidr !== null) return { kind: "network", cidr };
  const ip = parseIp(text);
  if (ip !== null) return { kind: "address", ip };
  if (meantAsIpv4.test(text)) throw new NoSuchEnd(`${quote(text)} is no IPv4 address or network`);
  return null;
}

/** Numbers with dots between them, and a length of a prefix: no namespace has such a name, and no controller makes a pod of one. */
const meantAsIpv4 = /^\d+(?:\.\d+)+(?:\/\d+)?$/;

/** NAMESPACE/KIND/NAME. */
function ofKind(text: string, kind: NamedKind | undefined, namespace: string, name: string): EndQuery {
  if (kind === undefined || kind === "node") throw unread(text);
  return named(text, kind, namespace, name);
}

/** KIND/NAME, NAMESPACE/* or NAMESPACE/POD. */
function ofTwo(text: string, first: string, name: string, namespace: string | null): EndQuery {
  const kind = byWord.get(first);
  if (kind !== undefined) return named(text, kind, namespace ?? "default", name);
  if (name === "*") return podsOf(first, everything, null);
  return podIn(text, first, name);
}

/** Whether the name is one of a namespace, and says none: KIND/NAME. */
export function lacksNamespace(text: string): boolean {
  const [kind = "", name, ...more] = text.split("/");
  return name !== undefined && more.length === 0 && (byWord.get(kind) ?? "node") !== "node";
}

function selected(text: string, namespace: string, selector: string): EndQuery {
  try {
    return podsOf(namespace, parseLabelSelector(selector), selector.trim());
  } catch (error) {
    if (error instanceof NoSelector) throw new NoSuchEnd(`${quote(text)}: ${error.message}`);
    throw error;
  }
}

function podsOf(namespace: string, selector: Selector, selectorText: string | null): EndQuery {
  return { kind: "pods", namespace: namespace === "*" ? null : namespace, selector, selectorText };
}

function named(text: string, kind: NamedKind, namespace: string, name: string): EndQuery {
  if (kind === "pod") return podIn(text, namespace, name);
  if (kind === "node") return { kind, name };
  const colon = kind === "service" ? name.indexOf(":") : -1;
  const own = colon < 0 ? name : name.slice(0, colon);
  if (!isDnsLabel(namespace) || !isDnsSubdomain(own)) throw unread(text);
  if (kind !== "service") return { kind: "workload", of: kind, namespace, name };
  const port = colon < 0 ? null : name.slice(colon + 1);
  if (port === "") throw new NoSuchEnd(`${quote(text)}: a port is expected behind the colon`);
  return { kind, namespace, name: own, port };
}

function podIn(text: string, namespace: string, name: string): EndQuery {
  const at = name.indexOf("@");
  const own = at < 0 ? name : name.slice(0, at);
  if (!isDnsLabel(namespace) || !isDnsSubdomain(own)) throw unread(text);
  if (at < 0) return { kind: "pod", namespace, name, ip: null };
  const ip = parseIp(name.slice(at + 1));
  if (ip === null) throw new NoSuchEnd(`${quote(text)}: what is behind @ is no IP address`);
  return { kind: "pod", namespace, name: own, ip };
}

function unread(text: string): NoSuchEnd {
  return new NoSuchEnd(`${quote(text)} is no end of a connection: ${endForms}`);
}

/** As it can be asked for. */
export function textOfWorkload({
  group,
  kind,
  namespace,
  name,
}: Pick<Workload, keyof GroupKind | "namespace" | "name">): string {
  return endText({ kind: "workload", of: { group, kind }, namespace, name });
}

/** As it can be asked again, whole. */
export function endText(query: EndQuery): string {
  switch (query.kind) {
    case "internet":
      return query.kind;
    case "address":
      return query.ip;
    case "network":
      return query.cidr;
    case "node":
      return `node/${query.name}`;
    case "hostName":
      return query.name;
    case "pod":
      return `${query.namespace}/${query.name}${query.ip === null ? "" : `@${query.ip}`}`;
    case "pods":
      return `${query.namespace ?? "*"}/${query.selectorText === null ? "*" : `[${query.selectorText}]`}`;
    case "workload":
      return `${query.namespace}/${wordOf(query.of)}/${query.name}`;
    case "service":
      return `${query.namespace}/svc/${query.name}${query.port === null ? "" : `:${query.port}`}`;
  }
}
