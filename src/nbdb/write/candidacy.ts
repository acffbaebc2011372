// Whether and when this program may take the claim of another one: never before it knows what the policies say, at once from a
// holder that does not see its source, once at the start from a holder with other flags on request, and else when the claim
// looks abandoned. Invariant: the claim of a program of another zone is taken only when it looks abandoned.

import type { Logger } from "../../lib/logger.ts";
import type { Claim } from "./claim.ts";
import { placeOf } from "./claim.ts";
import type { CompetingWriter } from "./competing-writer.ts";
import type { FlagDifference, WriterProfile } from "./writer-profile.ts";
import { flagDifferences } from "./writer-profile.ts";

export interface CandidacyOptions {
  /** What this program would write; null: it only removes rows, and is compatible with every other. */
  readonly profile: WriterProfile | null;
  /** Whether this program knows what the policies say, and what it knows was current after the time; -Infinity: ever. */
  readonly mayClaim: (currentAfterMs: number) => boolean;
  /** Takes the claim once, at the start, from a program with other flags. */
  readonly takeOver: boolean;
  readonly logger: Logger;
}

export class Candidacy {
  readonly #options: CandidacyOptions;
  /** The first moment at which this program may claim is in the future, and it is to take over. */
  #takesOver: boolean;
  #reported = "";

  constructor(options: CandidacyOptions) {
    this.#options = options;
    this.#takesOver = options.takeOver;
  }

  isOfOtherZone({ zone }: Claim): boolean {
    const { profile } = this.#options;
    return profile !== null && zone !== undefined && zone !== profile.zone;
  }

  /** Flags that the holder of the claim has otherwise. */
  differences(claim: Claim | null): readonly FlagDifference[] {
    const { profile } = this.#options;
    return claim === null || profile === null ? [] : flagDifferences(claim.flags, profile.flags);
  }

  /** When the claim may be taken if nothing changes until then. `lock`: the server that gave us its lock. */
  claimableAtMs(competing: CompetingWriter, lock: string): number {
    const { mayClaim } = this.#options;
    if (!mayClaim(-Infinity)) return Infinity;
    const { claim } = competing;
    if (claim !== null && !this.isOfOtherZone(claim)) {
      const takesOver = this.#takesOver && this.differences(claim).length > 0;
      // Or of two that lose their source together, the one that notices later would take the claim for nothing.
      const sees = claim.blindSinceMs !== null && mayClaim(claim.blindSinceMs);
      if (takesOver || sees) return -Infinity;
    }
    this.#takesOver = false;
    return competing.abandonedAtMs(lock);
  }

  /** This program holds the claim. */
  won(): void {
    this.#takesOver = false;
    this.#reported = "";
  }

  /** Logs what differs from the holder's flags: once for each holder. */
  report(claim: Claim | null): void {
    const differences = this.differences(claim);
    if (claim === null || differences.length === 0) return;
    const flags = differences.map(shownDifference).join("; ");
    const text = `${claim.writer} ${flags}`;
    if (text === this.#reported) return;
    this.#reported = text;
    this.#options.logger.warn(
      "the instance that writes has other flags: this one is on standby and is not ready",
      {
        ...{ writer: placeOf(claim), flags },
        remedy: "give all instances the same flags, or start this one with --take-over",
      },
    );
  }
}

export function shownDifference({ flag, theirs, ours }: FlagDifference): string {
  return `--${flag} is ${theirs} there and ${ours} here`;
}
