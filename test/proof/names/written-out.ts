// The meaning of domain names, without the program's: a world in which every rule of names names the networks of the addresses that the
// names lead to. The judge of that world knows nothing of names. Patterns are matched by the words of the two APIs.

import type { PolicyObject, WorldObject } from "../../../src/model/object.ts";
import { isApiObject, isReferenced } from "../../../src/model/object.ts";
import type { Answered } from "./answers.ts";
import { leads, meantFacts } from "./answers.ts";
import { sorted } from "../worlds.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How names are read: a test of the packets reads them wrong. */
export interface Reading {
  /** `*.` is one label or more. */
  readonly matches: (pattern: string, name: string) => boolean;
  /** `*` is any text. */
  readonly matchesText: (pattern: string, name: string) => boolean;
  readonly leads: typeof leads;
}

export const rightReading: Reading = {
  matches: (pattern, name) => {
    const [wanted = [], given = []] = [pattern, name].map((text) =>
      text.toLowerCase().replace(/\.$/, "").split("."),
    );
    if (wanted[0] !== "*") return wanted.join(".") === given.join(".");
    const rest = wanted.slice(1);
    return given.length > rest.length && given.slice(-rest.length).join(".") === rest.join(".");
  },
  matchesText: (pattern, name) => {
    const escaped = pattern.toLowerCase().replace(/\.$/, "").replaceAll(".", "\\.").replaceAll("*", ".*");
    return new RegExp(`^${escaped}$`).test(name);
  },
  leads,
};

/** Of no packet. */
const nowhere = "198.18.0.1/32";

export function writtenOut(
  objects: readonly WorldObject[],
  answered: readonly Answered[],
  { matches, matchesText, leads: mayLead }: Reading = rightReading,
): readonly WorldObject[] {
  const facts = meantFacts(answered, sorted(objects), mayLead);
  const networksOf = (isMeant: (name: string) => boolean): readonly string[] => {
    const ips = new Set(facts.flatMap(({ name, ips: all }) => (isMeant(name) ? all : [])));
    return ips.size === 0 ? [nowhere] : Array.from(ips, (one) => `${one}/${one.includes(":") ? 128 : 32}`);
  };
  const networksOfPeer = ({ domainNames, fqdn }: Fields): readonly string[] | null => {
    if (Array.isArray(domainNames))
      return networksOf((name) => domainNames.some((pattern) => matches(String(pattern), name)));
    if (typeof fqdn !== "string" || isClosed(fqdn)) return null;
    return networksOf((name) => matchesText(fqdn, name));
  };
  return objects.flatMap((object): readonly WorldObject[] => {
    if (isApiObject(object)) return [isReferenced(object) ? object : withPeers(object, networksOfPeer)];
    return object.kind === "HostName" ? [] : [object];
  });
}

/** What rules that allow name: `isText` of the API in which `*` is any text. */
export function patternsIn(
  objects: readonly WorldObject[],
): readonly { readonly text: string; readonly isText: boolean }[] {
  const found: { readonly text: string; readonly isText: boolean }[] = [];
  for (const object of objects)
    if (isApiObject(object) && !isReferenced(object))
      withPeers(object, ({ domainNames, fqdn }) => {
        if (Array.isArray(domainNames))
          found.push(...domainNames.map((text) => ({ text: String(text), isText: false })));
        if (typeof fqdn === "string" && !isClosed(fqdn)) found.push({ text: fqdn, isText: true });
        return null;
      });
  return found;
}

/** A pattern of several `*` is no peer. */
function isClosed(fqdn: string): boolean {
  return fqdn.indexOf("*") !== fqdn.lastIndexOf("*");
}

/** Names in other rules stay: those are closed. */
function withPeers(
  object: PolicyObject,
  networksOfPeer: (peer: Fields) => readonly string[] | null,
): PolicyObject {
  const spec = fieldsOf(object.spec);
  const { egress } = spec;
  if (object.kind === "BaselineAdminNetworkPolicy" || !Array.isArray(egress)) return object;
  const peersOf = (peer: unknown): readonly unknown[] => {
    const networks = networksOfPeer(fieldsOf(peer));
    if (networks === null) return [peer];
    if ("domainNames" in fieldsOf(peer)) return [{ networks }];
    return networks.map((cidr) => ({ ipBlock: { cidr } }));
  };
  const rules = egress.map(fieldsOf).map((rule) => {
    const isAllow = rule["action"] === "Allow" || rule["action"] === "Accept";
    const to = rule["to"];
    return isAllow && Array.isArray(to) ? { ...rule, to: to.flatMap(peersOf) } : rule;
  });
  return { ...object, spec: { ...spec, egress: rules } };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
