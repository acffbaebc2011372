// What identifies a finding in every run: the rule of the catalogue, the policy, the content of its rule, and what distinguishes
// it from others there. Code scanners compare fingerprints between versions, so one never changes when its message is worded
// otherwise: a message that is a part of it counts with its first wording.

import { createHash } from "node:crypto";
import type { Target } from "./draft.ts";

/** What messages of dialects say now, and the words of version 1. */
const reworded: readonly (readonly [now: string, first: string])[] = [
  ["the selector would select more than intended", "the selector would select more than was meant"],
  [", so this selects nothing", ", so that this selects nothing"],
  [", so this matches nothing", ", so that this matches nothing"],
  ["has no members, so it selects nothing", "says no members, so that it selects nothing"],
  ["domain names are not resolved here", "nobody here resolves domain names"],
  ["where Reject refuses the connection: it behaves like Drop", "where Reject refuses it: it sees a drop"],
  [
    "the content of connections is not inspected here, so the rule drops",
    "nobody here looks into connections, so that the rule drops",
  ],
  [
    "domainNames cannot be enforced here: they are not resolved, so",
    "domainNames cannot be enforced here: nobody resolves them, so",
  ],
  ["honoured only with --stateless-network-policy", "obeyed only with --stateless-network-policy"],
];

/** The rule's content without its place in the list: a rule that is moved keeps its findings. */
export function fingerprintOf(id: string, { key, at }: Target, about: string): string {
  const content = at === null ? null : [at.direction, { ...at.rule, index: 0 }];
  const said = reworded.reduce((text, [now, first]) => text.replaceAll(now, first), about);
  return createHash("sha256")
    .update(JSON.stringify([id, key, content, said]))
    .digest("hex")
    .slice(0, 32);
}
