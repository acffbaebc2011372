// What the database shows about whether existing rows are enforced: it is for our zone, it has a switch, and the
// policy's local subject pods have ports. Answers null where the database says nothing against it. Reads only.

import { excerptOf } from "../lib/text/few.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import { noNetwork, zoneMismatch } from "./actual/fit.ts";
import type { UnconnectedPodsParts } from "./unconnected-pods.ts";
import { UnconnectedPods } from "./unconnected-pods.ts";
import { unitOfPolicy } from "./rows/unit.ts";

/** Pods that a message names. */
const namedPods = 3;

export class Enforcement {
  /** Hears of what changed. */
  readonly unconnected: UnconnectedPods;
  readonly #parts: UnconnectedPodsParts;

  constructor(parts: UnconnectedPodsParts) {
    this.#parts = parts;
    this.unconnected = new UnconnectedPods(parts);
  }

  /** As Backend.unenforced. Asked when the cache was filled once. */
  of(key: PolicyKey | null): Unenforced | null {
    return key === null ? this.#everywhere() : this.#policy(key);
  }

  #everywhere(): Unenforced | null {
    const { actual, zone } = this.#parts;
    return zoneMismatch(zone, actual.zone) ?? (actual.hasSwitch ? null : noNetwork);
  }

  #policy(key: PolicyKey): Unenforced | null {
    const pods = this.unconnected.overdue(unitOfPolicy(key));
    if (pods.size === 0) return null;
    const named = Iterator.from(pods).take(namedPods).toArray().sort();
    return {
      reason: "PodsNotConnected",
      message: `${pods.size} of its subject pods have no logical switch port: ${excerptOf(pods.size, named)}`,
    };
  }
}
