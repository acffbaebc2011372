// What has happened since the start, as numbers for metrics: connections, messages and answers. Every label value is there from the
// beginning, at 0.

import type { Unlearned } from "./answered.ts";
import type { FrameFault } from "./stream/frame-splitter.ts";

/** Why a connection was not taken. */
export const tapRefusals = ["not a DNS server", "too many connections"] as const;
export type TapRefusal = (typeof tapRefusals)[number];

/** Why a connection ended that was taken. */
export const tapEnds = [
  ...[
    "finished",
    "closed by the sender",
    "failed",
    "replaced",
    "no longer a DNS server",
    "on standby",
    "closed here",
  ],
  ...["handshake too slow", "frame too slow", "idle"],
  ...["frame too long", "control frame too long", "control frame malformed", "control frame out of order"],
  ...["data before the start", "other content type"],
] as const;
export type TapEnd = FrameFault | (typeof tapEnds)[number];

/** What became of a message. */
export const messageFates = [
  ...["answered", "no-data", "no-such-name", "failed"],
  ...["not watched", "no client response", "damaged", "truncated", "other question", "other rcode"],
] as const;
export type MessageFate = Unlearned | (typeof messageFates)[number];

export interface TapCounts {
  readonly taken: number;
  readonly refused: Readonly<Record<TapRefusal, number>>;
  readonly ended: Readonly<Record<TapEnd, number>>;
  readonly messages: Readonly<Record<MessageFate, number>>;
  readonly bytes: number;
  /** How many times a connection waited, because it had sent too much. */
  readonly slowed: number;
}

export class TapCounting implements TapCounts {
  taken = 0;
  readonly refused = zeros(tapRefusals);
  readonly ended = zeros(tapEnds);
  readonly messages = zeros(messageFates);
  bytes = 0;
  slowed = 0;
}

function zeros<K extends string>(keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
}
