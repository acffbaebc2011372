// What one membership says of the rows that depend on it. Lists of addresses are made once an event: `renew` says that
// the members have changed.

import type { Groups } from "../../src/groups/index.ts";
import { Content } from "../../src/nbdb/desired/content.ts";
import { SetContents } from "../../src/nbdb/desired/set-contents.ts";
import type { DesiredAddressSet, NamedPortSet } from "../../src/nbdb/rows/render.ts";

export class View {
  readonly content: Content;
  readonly #groups: Groups;
  #lists: SetContents;

  constructor(groups: Groups, zone: string | null) {
    this.#groups = groups;
    this.content = new Content(groups, zone);
    this.#lists = new SetContents(groups, this.content.namedPorts);
  }

  renew(): void {
    this.#lists = new SetContents(this.#groups, this.content.namedPorts);
  }

  addresses(set: DesiredAddressSet | NamedPortSet): readonly string[] {
    return this.#lists.of(set);
  }
}
