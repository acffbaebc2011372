// What one membership says of the rows that depend on it. Lists of addresses are made once an event: `renew` says that
// the members have changed.

import type { Groups } from "../../src/groups/index.ts";
import { AddressLists } from "../../src/nbdb/desired/address-lists.ts";
import { Content } from "../../src/nbdb/desired/content.ts";
import type { DesiredAddressSet, NamedPortSet } from "../../src/nbdb/rows/render.ts";

export class View {
  readonly content: Content;
  readonly #groups: Groups;
  #lists: AddressLists;

  constructor(groups: Groups, zone: string | null) {
    this.#groups = groups;
    this.content = new Content(groups, zone);
    this.#lists = new AddressLists(groups, this.content.namedPorts);
  }

  renew(): void {
    this.#lists = new AddressLists(this.#groups, this.content.namedPorts);
  }

  addresses(set: DesiredAddressSet | NamedPortSet): readonly string[] {
    return this.#lists.of(set);
  }
}
