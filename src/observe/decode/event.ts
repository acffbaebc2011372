// What was seen of a connection: who, where to, and which rule has judged it. One packet may have several, one for each rule on its
// way: a rule that passes and one that decides, on both sides.

import type { IpAddress } from "../../model/ip.ts";
import type { AskedProtocol } from "../../model/protocols.ts";
import type { Action } from "../../policy/ir.ts";
import type { ObservedRule } from "../rule.ts";

export const seenVerdicts = ["allowed", "dropped", "rejected", "passed"] as const;
export type SeenVerdict = (typeof seenVerdicts)[number];

export const verdictOf: Readonly<Record<Action, SeenVerdict>> = {
  ...{ allow: "allowed", deny: "dropped", reject: "rejected", pass: "passed" },
};

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export interface SeenEnd {
  readonly ip: IpAddress;
  /** At the time of the packet; null: no pod that the databases of the node know. */
  readonly pod: PodName | null;
}

export interface SeenEvent {
  /** ISO 8601, in UTC. */
  readonly time: string;
  /** null: the rule is not known. */
  readonly verdict: SeenVerdict | null;
  readonly connection: "new" | "established";
  /** The client, but where `isReply` is null. */
  readonly from: SeenEnd;
  readonly to: SeenEnd;
  /** A number: another protocol of IP. */
  readonly protocol: AskedProtocol | number;
  /** null: the protocol has none. */
  readonly sourcePort: number | null;
  readonly port: number | null;
  readonly icmp: { readonly type: number; readonly code: number } | null;
  /** Whether the packet went from the server to the client; null: it is not known which of the ends is the client. */
  readonly isReply: boolean | null;
  /** null: the number of the sample is none of a rule. */
  readonly rule: ObservedRule | null;
  /** Of the sample. */
  readonly number: number;
}
