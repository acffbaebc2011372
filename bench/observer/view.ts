// What one membership says of the rows that depend on it. Lists of addresses are made once an event: `renew` says that
// the members have changed.

import type { Groups } from "../../src/groups/index.ts";
import { Content } from "../../src/nbdb/desired/content.ts";
import { SetContents } from "../../src/nbdb/desired/set-contents.ts";
import type { DesiredAddressSet, NamedPortSet } from "../../src/nbdb/rows/unit.ts";

export class View {
  readonly content: Content;
  readonly #groups: Groups;
  #contents: SetContents;

  constructor(groups: Groups, zone: string | null) {
    this.#groups = groups;
    this.content = new Content(groups, zone);
    this.#contents = new SetContents(groups, this.content.namedPorts);
  }

  renew(): void {
    this.#contents = new SetContents(this.#groups, this.content.namedPorts);
  }

  get contents(): SetContents {
    return this.#contents;
  }

  addresses(set: DesiredAddressSet | NamedPortSet): readonly string[] {
    return this.#contents.of(set);
  }
}
