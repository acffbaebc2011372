// Looks now and then whether the node changes the source of packets between pods, and says so: policies on the node of the receiver
// would see another address. Nothing is refused for it.

import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/logger.ts";
import type { PodPacket } from "../../live/pod-packets.ts";
import { masqueradingRule } from "./masquerade.ts";

/** Milliseconds between two looks. */
const distanceMs = 300_000;

export interface MasqueradeNoteOptions {
  /** What iptables-save prints of the nat tables, by the tool; tools that cannot be used print nothing. */
  readonly read: () => Promise<ReadonlyMap<string, string>>;
  /** Packets that are asked about; none yet: the look is put off. */
  readonly packets: () => readonly PodPacket[];
  readonly clock: Clock;
  readonly logger: Logger;
}

export class MasqueradeNote {
  readonly #options: MasqueradeNoteOptions;
  #lookedAt: number | null = null;
  #rule: string | null = null;

  constructor(options: MasqueradeNoteOptions) {
    this.#options = options;
  }

  /** One sentence, or none. */
  get lines(): readonly string[] {
    return this.#rule === null
      ? []
      : [`packets between pods leave with another source address, which policies see: ${this.#rule}`];
  }

  /** Where the last look was long ago. */
  async look(): Promise<void> {
    const { read, packets, clock, logger } = this.#options;
    const now = clock.now();
    if (this.#lookedAt !== null && now - this.#lookedAt < distanceMs) return;
    const asked = packets();
    if (asked.length === 0) return;
    this.#lookedAt = now;
    const saves = await read();
    const before = this.#rule;
    this.#rule = ruleIn(saves, asked);
    if (this.#rule !== null && this.#rule !== before)
      logger.warn("packets between pods leave with another source address", { rule: this.#rule });
  }
}

/** With the tool that printed it. */
function ruleIn(saves: ReadonlyMap<string, string>, packets: readonly PodPacket[]): string | null {
  for (const [tool, save] of saves)
    for (const packet of packets) {
      const rule = masqueradingRule(save, packet);
      if (rule !== null) return `${tool}: ${rule}`;
    }
  return null;
}
