// Why a policy that is written as desired has no effect, or not on all of its subject. Neutral, so that every backend
// reports it alike, and a closed list, so that metrics can start each reason at zero.

export const unenforcedReasons = [
  /** Subject pods have had nothing that rules can act on for a while. */
  "PodsNotConnected",
  /** No Node has the name of the zone, so no pod is local. */
  "NoNodeOfZone",
  /** What is written to belongs to another zone. */
  "ZoneMismatch",
  /** What is written to has no network at all. */
  "NoNetwork",
  /** The traffic of pods does not pass what is written. */
  "RulesBypassed",
  /** It has rules, and none of them can match a connection. */
  "NoRuleInForce",
  /** A name in it never had an address: its rules match none for it. The rest of the policy is in force. */
  "NameNotResolved",
  /** A DNS server does not send what it answers: of a wildcard in it not all addresses are known. The rest is in force. */
  "NameSourceAway",
  /** Its kind is not followed now: it may say something else than its rows. */
  "KindNotFollowed",
  /** Its object says that it is staged: it has no rows. */
  "Staged",
] as const;
export type UnenforcedReason = (typeof unenforcedReasons)[number];

/** Whether the policy is in force but for some names of domains. */
export function isOfNames(reason: string): boolean {
  return reason === "NameNotResolved" || reason === "NameSourceAway";
}

export interface Unenforced {
  readonly reason: UnenforcedReason;
  /** One sentence, without a full stop. */
  readonly message: string;
}
