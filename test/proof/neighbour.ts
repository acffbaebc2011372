// The other writer on the Northbound database: brings its tier 2 rows there before the controller works, and says afterwards
// which of them are no longer what they were. They carry the same owner-controller as the controller's own rows.

import type { WorldObject } from "../../src/model/object.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import type { NetworkPolicy } from "./network-policies.ts";
import type { ForeignRows } from "./network-policy-rows.ts";
import { mark, rowsOf } from "./network-policy-rows.ts";
import { sorted } from "./worlds.ts";

export class Neighbour {
  readonly #ovn: Ovn;
  readonly #zone: string | null;
  #rows: ForeignRows = { commands: [], groups: [], sets: [] };
  #written: readonly string[] = [];

  constructor(ovn: Ovn, zone: string | null) {
    this.#ovn = ovn;
    this.#zone = zone;
  }

  /** The ports of the world's pods must be there. */
  async become(objects: readonly WorldObject[], policies: readonly NetworkPolicy[]): Promise<void> {
    const rows = rowsOf(policies, { ...sorted(objects), zone: this.#zone });
    const ended = [
      ...this.#rows.groups.flatMap((name) => ["--", "destroy", "Port_Group", name]),
      ...this.#rows.sets.flatMap((name) => ["--", "destroy", "Address_Set", name]),
    ];
    // Their names are taken again.
    if (ended.length > 0) await this.#ovn.nbctl(...ended);
    if (rows.commands.length > 0) await this.#ovn.nbctl(...rows.commands);
    this.#rows = rows;
    this.#written = await this.#read();
  }

  /** A sentence for each row that was changed, removed or added since it was written. */
  async changes(): Promise<readonly string[]> {
    const [before, now] = [new Set(this.#written), new Set(await this.#read())];
    return [
      ...[...before.difference(now)].map((row) => `a row of another owner is no longer so: ${row}`),
      ...[...now.difference(before)].map((row) => `a row of another owner has become: ${row}`),
    ];
  }

  async #read(): Promise<readonly string[]> {
    if (this.#rows.commands.length === 0) return [];
    const finds = ["ACL", "Address_Set", "Port_Group"].flatMap((table) => [
      ...["--", "find", table, `external_ids:${mark}=true`],
    ]);
    const printed = await this.#ovn.nbctl("--format=csv", "--no-headings", ...finds);
    return printed.split("\n").filter((line) => line !== "");
  }
}
