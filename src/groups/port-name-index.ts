// Which members declare a container port of a name, by identity, so that a query for a group does not iterate its
// members. Invariant: a member is listed once under each of its port names, however many ports share the name.

import type { Identity, MatchedGroup, Member } from "./identity.ts";
import { Multimap } from "../lib/multimap.ts";

type Declaring<Key> = Multimap<Identity<Key>, Member<Key>>;

export class PortNameIndex<Key> {
  readonly #byName = new Map<string, Declaring<Key>>();

  add(member: Member<Key>): void {
    for (const name of namesOf(member)) {
      const declaring: Declaring<Key> = this.#byName.get(name) ?? new Multimap();
      declaring.add(member.identity, member);
      this.#byName.set(name, declaring);
    }
  }

  remove(member: Member<Key>): void {
    for (const name of namesOf(member)) {
      const declaring = this.#byName.get(name);
      declaring?.remove(member.identity, member);
      if (declaring?.size === 0) this.#byName.delete(name);
    }
  }

  /** Walks the shorter of the group's identities and the identities that declare the name. */
  *membersOf(group: MatchedGroup<Key>, name: string): Generator<Member<Key>, void> {
    const declaring = this.#byName.get(name);
    if (declaring === undefined) return;
    if (group.identities.size <= declaring.size) {
      for (const identity of group.identities) yield* declaring.get(identity);
      return;
    }
    for (const identity of declaring.keys())
      if (group.identities.has(identity)) yield* declaring.get(identity);
  }
}

function namesOf<Key>(member: Member<Key>): Set<string> {
  return new Set(member.ports.map(({ name }) => name));
}
