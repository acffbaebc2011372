// Kinds of policy that the API server does not serve while rows of their policies exist: the CRD was deleted. The
// rows stay as they are, since that is no decision about any policy; this says so, once in the log and for as long as
// it is so in /readyz and a metric. A kind that is missing and has no rows is the source's matter alone.

import type { Logger } from "../lib/logger.ts";
import type { ObjectKind } from "../model/object.ts";

export interface MissingKindsOptions {
  /** Kinds that the source knows not to be served now. */
  readonly missing: () => readonly ObjectKind[];
  /** How many policies of the kind have rows; null: not known now. */
  readonly existing: (kind: ObjectKind) => number | null;
  readonly logger: Logger;
}

export class MissingKinds {
  readonly #options: MissingKindsOptions;
  /** Policies with rows, by the name of the CRD. */
  #known: ReadonlyMap<string, number> = new Map();

  constructor(options: MissingKindsOptions) {
    this.#options = options;
  }

  /** Looks again. Call it now and then; the rows of a kind are counted when it begins to be missing. */
  review(): void {
    const { missing, existing, logger } = this.#options;
    const now = new Map<string, number>();
    for (const kind of missing()) {
      const crd = crdOf(kind);
      const policies = this.#known.get(crd) ?? existing(kind);
      if (policies === null) continue;
      now.set(crd, policies);
      if (policies > 0 && !this.#known.has(crd))
        logger.warn("the API server does not serve a kind, and the rows of its policies are kept", {
          ...{ crd, policies },
          remedy: "install the CRD and its policies again; --allow-empty removes the rows",
        });
    }
    this.#known = now;
  }

  lines(): readonly string[] {
    return Array.from(this.#known)
      .filter(([, policies]) => policies > 0)
      .map(
        ([crd, policies]) =>
          `the CRD ${crd} is missing: rows of ${policies} policies stay as they are (--allow-empty removes them)`,
      );
  }

  /** Policies whose rows stay, of one kind. */
  count(kind: ObjectKind): number {
    return this.#known.get(crdOf(kind)) ?? 0;
  }
}

export function crdOf({ resource, group }: ObjectKind): string {
  return `${resource}.${group}`;
}
