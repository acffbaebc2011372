// Kinds of policy that the source does not follow now, though it followed them before: what their policies say may have
// changed. Their rows stay, and the other kinds go on. Reads only; call `look` now and then.

import type { KindText, ObjectKey } from "../model/object.ts";
import { kindTextOf } from "../model/object.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";

/** A kind as the source follows it. */
export interface FollowedKind {
  readonly kindText: KindText;
  /** Why the API server does not let us read it; null: it does, or the failure is another. */
  readonly forbidden: string | null;
}

export class NotFollowed {
  readonly #kinds: () => readonly FollowedKind[];
  #reasons: ReadonlyMap<KindText, string> = new Map();

  constructor(kinds: () => readonly FollowedKind[]) {
    this.#kinds = kinds;
  }

  look(): void {
    this.#reasons = new Map(
      this.#kinds().flatMap(({ kindText, forbidden }) =>
        forbidden === null ? [] : [[kindText, forbidden] as const],
      ),
    );
  }

  /** `generation`: of the object that the rows are of. */
  of(key: ObjectKey, generation: number | null): Unenforced | null {
    const reason = this.#reasons.get(kindTextOf(key));
    if (reason === undefined) return null;
    const shown = generation === null ? "the version read last" : `generation ${generation}`;
    return {
      reason: "KindNotFollowed",
      message: `${shown} is in force, and later ones are not read: ${reason}`,
    };
  }
}
