// Desired rows without a database: what `northgate render` prints, and what tests compare a database with.

import type { IpFamily } from "../../model/ip.ts";
import type { Backend, Refusal } from "../../policy/contracts/backend.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import type { Membership } from "../../policy/contracts/membership.ts";
import type { UnmatchedPort } from "../../policy/contracts/unmatched-port.ts";
import { UnitPending } from "../pending.ts";
import type { ExistingAcls } from "../rows/unit.ts";
import type { Layout } from "../rows/layout.ts";
import type { KindedMode, Sampling } from "../rows/render-mode.ts";
import { Content } from "./content.ts";
import { Desired } from "./desired.ts";
import { resolveNamedPorts } from "./resolve.ts";
import { SetContents } from "./set-contents.ts";
import type { SampledTables, Tables } from "../rows/records.ts";
import { sampledTables } from "./sampled-tables.ts";
import { desiredTables } from "./tables.ts";
import { unmatchedPortsOf } from "./unmatched-ports.ts";

export class Preview implements Pick<
  Backend,
  "serve" | "admit" | "upsert" | "remove" | "takeContested" | "freeze"
> {
  readonly #desired: Desired;
  readonly #membership: Membership;
  readonly #content: Content;
  readonly #sampling: Sampling | null;

  constructor(membership: Membership, mode: KindedMode, layout?: Layout) {
    this.#membership = membership;
    this.#content = new Content(membership, mode.zone);
    this.#desired = new Desired(mode, layout);
    this.#sampling = mode.sampling ?? null;
  }

  serve(families: readonly IpFamily[]): void {
    this.#desired.serve(families);
  }

  admit(policy: Policy): readonly Refusal[] {
    return this.#desired.admit(policy);
  }

  upsert(policy: Policy): void {
    this.#desired.upsert(policy);
  }

  remove(key: PolicyKey): void {
    this.#desired.remove(key);
  }

  takeContested(): readonly PolicyKey[] {
    return this.#desired.takeContested();
  }

  /** Without a database there are no rows to protect. */
  freeze(): void {
    // Nothing is desired for the key as it is.
  }

  /** The policy's named ports that no container port of its destinations has. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    return unmatchedPortsOf(key, this.#desired, this.#content);
  }

  /** What a database gets in which policies' rows have these places; an empty one unless given. */
  tables(existing: ExistingAcls = new Map()): Tables {
    this.#desired.adopt(existing);
    this.#desired.settle();
    const { namedPorts } = this.#content;
    const contents = new SetContents(this.#membership, namedPorts);
    for (const state of this.#desired.states())
      resolveNamedPorts(state, new UnitPending(true), { namedPorts, contents, present: () => [] });
    return desiredTables(this.#desired.states(), this.#content, contents);
  }

  /** As `tables`, with what ACLs are sampled with, where they are. */
  sampledTables(): Tables | SampledTables {
    const tables = this.tables();
    const sampling = this.#sampling;
    return sampling === null ? tables : sampledTables(tables, this.#desired.states(), sampling);
  }
}
