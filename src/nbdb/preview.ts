// Desired rows without a database: what `northgate render` prints, and what tests compare a database with.

import type { Backend } from "../policy/backend.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Membership } from "../policy/membership.ts";
import { Content } from "./content.ts";
import { Desired } from "./desired.ts";
import type { RenderOptions } from "./render.ts";
import { renderPolicy } from "./render.ts";
import type { Tables } from "./tables.ts";
import { desiredTables } from "./tables.ts";

export class Preview implements Pick<Backend, "upsert" | "remove" | "freeze"> {
  readonly #desired = new Desired();
  readonly #content: Content;
  readonly #options: RenderOptions;

  constructor(membership: Membership, options: RenderOptions) {
    this.#content = new Content(membership, options.zone);
    this.#options = options;
  }

  upsert(policy: Policy): void {
    this.#desired.replace(renderPolicy(policy, this.#options));
  }

  remove(key: PolicyKey): void {
    this.#desired.remove(key);
  }

  /** Without a database there are no rows to protect. */
  freeze(): void {
    // Nothing is desired for the key as it is.
  }

  tables(): Tables {
    return desiredTables(this.#desired.states(), this.#content);
  }
}
