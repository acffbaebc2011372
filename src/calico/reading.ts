// What every reader of this folder is given. A rule in which a part was closed is closed: an Allow matches nothing then, and any
// other action denies everything.

import { PolicyReading } from "../kubernetes/policy-reading.ts";
import type { Field, Problems } from "../model/reader.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";

export class Reading extends PolicyReading {
  /** How names of domains are resolved. */
  readonly names: NamesMode;

  constructor(namespace: string | null, resolve: Resolve, closed: Problems, names: NamesMode) {
    super(namespace, resolve, closed);
    this.names = names;
  }

  override closeUnknown(field: Field, known: readonly string[]): boolean {
    return super.closeUnknown(field, known, "UnknownField");
  }
}
