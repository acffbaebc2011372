// What a rule's named ports were last resolved to, in the form that --named-ports asks for: addresses listed in the ACLs'
// matches, or address sets that the matches refer to. Invariant of sets: one exists exactly while a destination has its
// number, and the ACLs refer to those that exist; so a pod that comes or goes changes elements of sets and no ACL.

import type { IpAddress } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Protocol } from "../../model/facts.ts";
import type { DesiredAcl } from "../rows/acl.ts";
import type { Destination } from "../../contents/destination-lists.ts";
import type { NamedPorts, PortNumber, PortNumberKey } from "../../contents/named-ports.ts";
import { desiredAcl, movedAcl } from "../rows/acl.ts";
import { conjunction, namedPortSetElement, namedPortTerm } from "../rows/match.ts";
import { fromSource } from "../rows/traffic.ts";
import { hashedName, namedPortSetIds } from "../rows/names.ts";
import type { NamedPortRule, NamedPortSet } from "../rows/unit.ts";

/** What names were resolved to, and where the rows may differ from the database by it. */
export interface Resolution {
  readonly ports: ResolvedPorts;
  /** Ids of ACLs that were or are the rule's own, when they may read otherwise. */
  readonly acls: readonly string[];
  /** By Address_Set name: those that were or are the rule's own. */
  readonly sets: ReadonlyMap<string, ReadonlySet<string> | "all">;
  /** By Address_Set name: the contents of sets that were found by a walk over all destinations. */
  readonly contents: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What an Address_Set row holds at the moment; it may hold what nobody desires. */
export type Present = (set: string) => Iterable<string>;

/** The part of a match that names destinations, for each protocol that one has. */
type Terms = ReadonlyMap<Protocol, string>;

/** Never changes: what is resolved again is another object. */
export interface ResolvedPorts {
  readonly acls: readonly DesiredAcl[];
  readonly sets: readonly NamedPortSet[];
  /** Looks again at some addresses, or at every destination. */
  resolve(addresses: ReadonlySet<IpAddress> | "all", ports: NamedPorts<string>, present: Present): Resolution;
  /** The same destinations for the rule as it reads now; null: it is to be resolved anew. */
  carriedTo(named: NamedPortRule): ResolvedPorts | null;
}

export function resolvedPorts(named: NamedPortRule): ResolvedPorts {
  return named.form === "sets" ? new PortsInSets(named) : new ListedPorts(named);
}

/** Every destination is an element of a match, so whatever changes is a new match. */
class ListedPorts implements ResolvedPorts {
  readonly #named: NamedPortRule;
  readonly sets: readonly NamedPortSet[] = [];
  /** null: not resolved yet. */
  readonly #protocols: readonly Protocol[] | null;
  readonly acls: readonly DesiredAcl[];

  constructor(
    named: NamedPortRule,
    protocols: readonly Protocol[] | null = null,
    acls: readonly DesiredAcl[] = [],
  ) {
    this.#named = named;
    this.#protocols = protocols;
    this.acls = acls;
  }

  resolve(_: ReadonlySet<IpAddress> | "all", ports: NamedPorts<string>): Resolution {
    const terms = termsOf(this.#elements(ports));
    const now = new ListedPorts(this.#named, [...terms.keys()], aclsOf(this.#named, terms));
    const acls = [...this.acls, ...now.acls].map(({ id }) => id);
    return { ports: now, acls, sets: new Map(), contents: new Map() };
  }

  carriedTo(named: NamedPortRule): ResolvedPorts | null {
    if (this.#protocols === null || named.form !== "list") return null;
    const acls = carriedAcls(named, this.#named, this.acls) ?? aclsOf(named, this.#terms(this.#protocols));
    return new ListedPorts(named, this.#protocols, acls);
  }

  /** They are not kept beside the matches that they are parts of: either may be long. */
  #terms(protocols: readonly Protocol[]): Terms {
    const from = conjunction([this.#named.prefix, ""]).length;
    const termAt = (at: number): string => this.acls[at]?.row.match.slice(from) ?? "";
    return new Map(protocols.map((protocol, at) => [protocol, termAt(at)]));
  }

  /** Each once, in the order of the destinations. */
  #elements(ports: NamedPorts<string>): ReadonlyMap<Protocol, Iterable<string>> {
    const elements = new Map<Protocol, string[]>();
    let before: Destination<string> | null = null;
    let isDistinct = this.#named.wanted.length === 1;
    for (const wanted of this.#named.wanted) {
      for (const destination of ports.destinations(this.#named, wanted)) {
        const { protocol, label } = destination;
        // With one name, only what is at the same address can be the same.
        if (before?.ip === destination.ip) isDistinct = false;
        before = destination;
        const element = fromSource(label, protocol, wanted.source);
        const known = elements.get(protocol);
        if (known === undefined) elements.set(protocol, [element]);
        else known.push(element);
      }
    }
    if (isDistinct) return elements;
    return new Map(Array.from(elements, ([protocol, own]) => [protocol, new Set(own)]));
  }
}

type SetsByNumber = ReadonlyMap<PortNumberKey, NamedPortSet>;

class PortsInSets implements ResolvedPorts {
  readonly #named: NamedPortRule;
  /** null: not resolved yet. */
  readonly #sets: SetsByNumber | null;
  readonly acls: readonly DesiredAcl[];

  constructor(named: NamedPortRule, sets: SetsByNumber | null = null, acls: readonly DesiredAcl[] = []) {
    this.#named = named;
    this.#sets = sets;
    this.acls = acls;
  }

  get sets(): readonly NamedPortSet[] {
    return [...(this.#sets?.values() ?? [])];
  }

  resolve(
    addresses: ReadonlySet<IpAddress> | "all",
    ports: NamedPorts<string>,
    present: Present,
  ): Resolution {
    const touched = addresses === "all" ? null : this.#touched(addresses, ports, present);
    if (touched === null) return this.#resolveAll(ports);
    return { ports: this, acls: [], sets: touched, contents: new Map() };
  }

  /** The sets are the rule's own: they stay with the rule in its place. */
  carriedTo(named: NamedPortRule): ResolvedPorts | null {
    const { rule } = this.#named;
    const isInPlace = named.rule.index === rule.index && named.rule.share === rule.share;
    if (this.#sets === null || named.form !== "sets" || !isInPlace) return null;
    const sets = new Map(Array.from(this.#sets, ([key, set]) => [key, { ...set, named }]));
    const acls =
      carriedAcls(named, this.#named, this.acls) ?? aclsOf(named, termsOf(elementsOf([...sets.values()])));
    return new PortsInSets(named, sets, acls);
  }

  /** The sets that the addresses may be in; null when a number came or may have gone. */
  #touched(
    addresses: ReadonlySet<IpAddress>,
    ports: NamedPorts<string>,
    present: Present,
  ): ReadonlyMap<string, ReadonlySet<string>> | null {
    const known = this.#sets ?? new Map<PortNumberKey, NamedPortSet>();
    const touched = new Map<string, Set<string>>();
    const left = new Set<PortNumberKey>();
    for (const address of addresses) {
      const family = familyOf(address);
      const numbers = ports.numbersAt(this.#named, address);
      if (!numbers.isSubsetOf(known)) return null;
      for (const [key, set] of known) {
        if (set.family !== family) continue;
        touched.set(set.name, (touched.get(set.name) ?? new Set()).add(address));
        if (!numbers.has(key)) left.add(key);
      }
    }
    for (const key of left) {
      const { name } = known.get(key) ?? { name: "" };
      // Among those in the row the first is found, as a rule: the walk is as long as the addresses that go.
      const isHeld = (address: string): boolean =>
        ports.numbersAt(this.#named, address as IpAddress).has(key);
      if (!Iterator.from(present(name)).some(isHeld)) return null;
    }
    return touched;
  }

  #resolveAll(ports: NamedPorts<string>): Resolution {
    const sets = new Map<PortNumberKey, NamedPortSet>();
    const contents = new Map<string, ReadonlySet<string>>();
    for (const [key, { addresses, ...number }] of ports.numbers(this.#named)) {
      const set = this.#sets?.get(key) ?? namedPortSet(this.#named, number);
      sets.set(key, set);
      contents.set(set.name, addresses);
    }
    const now = new PortsInSets(
      this.#named,
      sets,
      aclsOf(this.#named, termsOf(elementsOf([...sets.values()]))),
    );
    return {
      ports: now,
      acls: [...this.acls, ...now.acls].map(({ id }) => id),
      sets: new Map([...this.sets, ...now.sets].map(({ name }) => [name, "all"])),
      contents,
    };
  }
}

function namedPortSet(named: NamedPortRule, number: PortNumber): NamedPortSet {
  const { policy, direction, rule } = named;
  const externalIds = namedPortSetIds(policy, direction, rule, number);
  return { ...number, named, name: hashedName(externalIds), externalIds };
}

/** By protocol: sorted by number, IPv4 first. */
function elementsOf(sets: readonly NamedPortSet[]): ReadonlyMap<Protocol, ReadonlySet<string>> {
  const elements = new Map<Protocol, Set<string>>();
  for (const set of sets.toSorted((a, b) => a.port - b.port || (a.family < b.family ? -1 : 1))) {
    const known = elements.get(set.protocol) ?? new Set<string>();
    elements.set(set.protocol, known.add(fromSource(namedPortSetElement(set), set.protocol, set.source)));
  }
  return elements;
}

function termsOf(elements: ReadonlyMap<Protocol, Iterable<string>>): Terms {
  return new Map(Array.from(elements, ([protocol, own]) => [protocol, namedPortTerm(protocol, [...own])]));
}

/** One for each protocol that at least one destination resolves to. */
function aclsOf(named: NamedPortRule, terms: Terms): readonly DesiredAcl[] {
  return Array.from(terms, ([protocol, term]) =>
    desiredAcl(named, `${protocol}-namedPort`, conjunction([named.prefix, term])),
  );
}

/** The same matches, when all that the policy changed is its place or its logging; null: they are to be put together. */
function carriedAcls(
  named: NamedPortRule,
  before: NamedPortRule,
  acls: readonly DesiredAcl[],
): readonly DesiredAcl[] | null {
  if (named.rule !== before.rule || named.prefix !== before.prefix) return null;
  return acls.map((acl) => movedAcl(acl, named));
}
