// The last resolution of a rule's named ports, in the form that --named-ports sets: addresses listed in the ACLs'
// matches, or address sets that the matches refer to. Invariant of sets: a set exists exactly while a destination has
// its number, and the ACLs refer to the sets that exist; so an added or removed pod changes elements of sets and no
// ACL.

import { append } from "../../lib/append.ts";
import { isReused } from "../../lib/identity.ts";
import type { IpAddress } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Protocol } from "../../model/facts.ts";
import type { DesiredAcl } from "../rows/acl.ts";
import type { Destination } from "../../contents/destination-lists.ts";
import type { NamedPorts, PortNumber, PortNumberKey } from "../../contents/named-ports.ts";
import { desiredAcl, movedAcl } from "../rows/acl.ts";
import { conjunction, namedPortSetElement, namedPortTerm } from "../rows/match/match.ts";
import { fromSource } from "../rows/match/traffic.ts";
import { declaredElement } from "../rows/match/declared-ports.ts";
import { hashedName, namedPortSetIds } from "../rows/names.ts";
import type { NamedPortRule, NamedPortSet } from "../rows/unit.ts";

/** The new resolution, and where the rows may now differ from the database. */
export interface Resolution {
  readonly ports: ResolvedPorts;
  /** Ids of the rule's ACLs, old and new, whose text may have changed. */
  readonly acls: readonly string[];
  /** By Address_Set name: addresses to compare in the rule's sets, old and new. */
  readonly sets: ReadonlyMap<string, ReadonlySet<string> | "all">;
  /** By Address_Set name: the contents of sets, where a walk over all destinations has found them. */
  readonly contents: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What an Address_Set row holds now, including elements that are not desired. */
export type Present = (set: string) => Iterable<string>;

/** The part of a match that names destinations, for each protocol that one has. */
type Terms = ReadonlyMap<Protocol, string>;

/** Immutable: resolving again gives another object. */
export interface ResolvedPorts {
  readonly acls: readonly DesiredAcl[];
  readonly sets: readonly NamedPortSet[];
  /** Resolves again at some addresses, or for every destination. */
  resolve(addresses: ReadonlySet<IpAddress> | "all", ports: NamedPorts<string>, present: Present): Resolution;
  /** The same destinations for the edited rule; null: the rule must be resolved again. */
  carriedTo(named: NamedPortRule): ResolvedPorts | null;
}

export function resolvedPorts(named: NamedPortRule): ResolvedPorts {
  return named.form === "sets" ? new PortsInSets(named) : new ListedPorts(named);
}

/** Every destination is an element of a match, so every change gives a new match. */
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

  /** The terms are cut out of the matches and not kept beside them, since both may be long. */
  #terms(protocols: readonly Protocol[]): Terms {
    const from = conjunction([this.#named.prefix, ""]).length;
    const termAt = (at: number): string => this.acls[at]?.row.match.slice(from) ?? "";
    return new Map(protocols.map((protocol, at) => [protocol, termAt(at)]));
  }

  /** Each once, in the order of the destinations. */
  #elements(ports: NamedPorts<string>): ReadonlyMap<Protocol, Iterable<string>> {
    const elements = new Map<Protocol, string[]>();
    let before: Destination<string> | null = null;
    let isDistinct = this.#named.wanted.length === 1 && this.#named.declared.length === 0;
    for (const wanted of this.#named.wanted) {
      for (const destination of ports.destinations(this.#named, wanted)) {
        const { protocol, label } = destination;
        // With one name, two elements can be equal only at the same address.
        if (before?.ip === destination.ip) isDistinct = false;
        before = destination;
        append(elements, protocol, fromSource(label, protocol, wanted.source));
      }
    }
    for (const port of this.#named.declared) {
      const element = declaredElement(port, (end, names) =>
        ports.declaredAt(this.#named, end, port.protocol, names),
      );
      if (element !== null) elements.set(port.protocol, [...(elements.get(port.protocol) ?? []), element]);
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

  /** The sets belong to the rule: a rule that takes its place keeps them. */
  carriedTo(named: NamedPortRule): ResolvedPorts | null {
    const { rule } = this.#named;
    const isInPlace = named.rule.index === rule.index && named.rule.share === rule.share;
    if (this.#sets === null || named.form !== "sets" || !isInPlace) return null;
    const sets = new Map(Array.from(this.#sets, ([key, set]) => [key, { ...set, named }]));
    const acls =
      carriedAcls(named, this.#named, this.acls) ?? aclsOf(named, termsOf(elementsOf([...sets.values()])));
    return new PortsInSets(named, sets, acls);
  }

  /** The sets that may hold the addresses; null when a port number was added or may have been removed. */
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
      // The walk ends at the first address in the row that still has the number: before it are only removed ones.
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

/** The same matches, when only the policy's head or place changed; null: the matches must be built again. */
function carriedAcls(
  named: NamedPortRule,
  before: NamedPortRule,
  acls: readonly DesiredAcl[],
): readonly DesiredAcl[] | null {
  if (!isReused(before.rule, named.rule) || named.prefix !== before.prefix) return null;
  if (!isReused(before.policy.marks, named.policy.marks)) return null;
  return acls.map((acl) => movedAcl(acl, named));
}
