// Objects that are kept although the API group that is read now does not have them: the group that they were read under is not served
// any more, which is no decision about any of them.

import type { GroupVersion } from "../model/object.ts";
import { apiVersionOf } from "../model/object.ts";

export interface HeldObjects {
  readonly kind: string;
  /** Where the kind's objects are read now. */
  readonly readAs: GroupVersion;
  /** How many objects are kept. */
  readonly held: number;
}

/** One line for each kind of which objects are kept. */
export function heldLines(kinds: readonly HeldObjects[]): readonly string[] {
  return kinds
    .filter(({ held }) => held > 0)
    .map(
      ({ kind, readAs, held }) =>
        `${kind}: ${held} ${held === 1 ? "object is" : "objects are"} kept as last read: the API group that served them ` +
        `is not served any more, and ${apiVersionOf(readAs)}, which is read now, does not have them ` +
        `(create them there; a restart of Northgate removes what is still missing)`,
    );
}
