// What every reader of this folder is given. A rule in which a part was closed is closed: an Allow matches nothing then, and any
// other action denies everything.

import { PolicyReading } from "../kubernetes/policy-reading.ts";
import type { Field } from "../model/reader.ts";

export class Reading extends PolicyReading {
  override closeUnknown(field: Field, known: readonly string[]): boolean {
    return super.closeUnknown(field, known, "UnknownField");
  }
}
