// A witness with its own connection to one server: it sees every committed state, and judges each change of rows when it
// comes. What must never be: rows that nobody edited change or go, a row is written while another instance holds the claim,
// an older edition follows a newer one, a row of somebody else's moves.

import { performance } from "node:perf_hooks";
import { ownerOf, rowOwners } from "../../src/nbdb/rows/owners.ts";
import { type Northbound, northbound } from "../../src/nbdb/rows/schema.ts";
import { claimIn, placeOf } from "../../src/nbdb/write/claim.ts";
import { openSession, type RowChange, type SocketSession } from "../../src/ovsdb/index.ts";
import { actualTables } from "../../test/support/actual-tables.ts";
import { owners } from "../../test/support/controller.ts";
import { differences, type Difference, type Images, imagesOf, policyIn } from "./images.ts";
import { editionIn, names } from "./world.ts";

export interface Claimed {
  /** Of the process that holds the claim. */
  readonly pid: number;
  /** On the clock of `performance`. */
  readonly atMs: number;
}

export interface Rules {
  /** Rows of this policy are the same in everything that is edited. */
  readonly isSteady: (policy: string) => boolean;
  /** Whether the process has the policy that only some have; null: nobody knows the process, or there is none such. */
  readonly hasOwn: (pid: number) => boolean | null;
}

const ownedBy = rowOwners(owners);

export function isOurs(externalIds: ReadonlyMap<string, string>): boolean {
  return ownerOf(externalIds, ownedBy) !== null;
}

export class Observer {
  /** In the order in which they were made. */
  readonly claims: Claimed[] = [];
  /** What must never be and was, a sentence each. */
  readonly wrongs: string[] = [];
  /** Changes of rows that no edit concerned, counted by row. */
  lost = 0;
  /** Changes of rows of ours, whoever meant them, and removals among them, while it judges. */
  readonly changes = { all: 0, removals: 0 };
  images: Images = new Map();
  readonly #session: SocketSession<Northbound>;
  readonly #rules: Rules;
  #edition = -1;
  #judges = false;

  constructor(remote: string, rules: Rules) {
    this.#rules = rules;
    this.#session = openSession({
      remotes: remote,
      database: northbound,
      monitors: {
        ...{ ACL: {}, Address_Set: {}, Port_Group: {}, Logical_Switch_Port: {} },
        NB_Global: { columns: ["external_ids"] },
      },
      retry: { initialMs: 10, maxMs: 200 },
    });
    this.#session.subscribe({
      ready: () => {
        this.#look(false);
      },
      changed: (changes) => {
        // What a fill brings is the work of nobody knows whom.
        if (!this.#session.ready) return;
        if (this.#judges) this.#others(changes);
        this.#look(this.#judges);
      },
    });
  }

  async opened(): Promise<void> {
    await this.#session.opened();
  }

  get ready(): boolean {
    return this.#session.ready;
  }

  /** The process that holds the claim. */
  get holder(): number | null {
    return this.claims.at(-1)?.pid ?? null;
  }

  /** Some process holds the claim, dead or alive. */
  get isClaimed(): boolean {
    return claimIn(this.#session.cache) !== null;
  }

  /** The claim says that its holder does not see its source, so another instance may take it at any moment. */
  get isHolderBlind(): boolean {
    return claimIn(this.#session.cache)?.isBlind === true;
  }

  /** From now on changes are judged. */
  judge(judges: boolean): void {
    this.#judges = judges;
  }

  /** The database is another one from now on: editions begin anew. */
  forget(): void {
    this.#edition = -1;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  #look(judges: boolean): void {
    const before = this.images;
    const holdersBefore = this.holder;
    this.images = imagesOf(actualTables(this.#session.cache));
    const claim = claimIn(this.#session.cache);
    const pid = claim === null ? null : Number(/pid (\d+)$/.exec(placeOf(claim))?.[1]);
    if (pid !== null && pid !== holdersBefore) this.claims.push({ pid, atMs: performance.now() });
    const changed = differences(before, this.images);
    for (const one of changed) this.#editionOf(one, judges);
    if (!judges) return;
    this.changes.all += changed.length;
    this.changes.removals += changed.filter(({ after }) => after === null).length;
    for (const one of changed) {
      const policy = policyIn(one.key);
      if (this.#rules.isSteady(policy)) {
        this.lost++;
        this.wrongs.push(`${one.key} ${one.after === null ? "went" : "changed"} and nobody edited it`);
      }
      if (policy === names.own) this.#own(one, [holdersBefore, pid]);
    }
    if (changed.length > 0 && pid === null) this.wrongs.push("rows changed while nobody held the claim");
  }

  #others(changes: readonly RowChange<Northbound>[]): void {
    for (const { table, before, after } of changes) {
      if (table === "NB_Global" || table === "Logical_Switch_Port") continue;
      const ids = (after ?? before) as { readonly external_ids: ReadonlyMap<string, string> };
      if (!isOurs(ids.external_ids)) this.wrongs.push(`a row of others changed in ${table}`);
    }
  }

  /** An update may bring a change of the claim and rows at once: then either holder may have written them. */
  #own({ key, after }: Difference, holders: readonly (number | null)[]): void {
    const wants = holders.map((pid) => (pid === null ? null : this.#rules.hasOwn(pid)));
    if (!wants.includes(after !== null))
      this.wrongs.push(
        `${key} ${after === null ? "went" : "came"} under the claim of an instance that wants the opposite`,
      );
  }

  #editionOf({ key, after }: Difference, judges: boolean): void {
    if (policyIn(key) !== names.counted || after === null) return;
    const edition = editionIn(after);
    if (edition === null) return;
    if (judges && edition < this.#edition)
      this.wrongs.push(`edition ${edition} of ${names.counted} followed edition ${this.#edition}`);
    this.#edition = edition;
  }
}
