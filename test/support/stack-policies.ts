// Random policies of the stack of tiers: few tiers, many passes, few different subjects and peers.

import fc from "fast-check";
import { everything } from "../../src/model/selector.ts";
import type { Peer, Tier } from "../../src/policy/ir.ts";
import { podGroup, withLabels } from "./facts.ts";
import type { PolicyText, RuleText } from "./ir.ts";

/** Of equal orders with different names, before and behind all others, with fractions. */
const someTiers: readonly Tier[] = [
  { name: "first", order: -Infinity },
  { name: "b", order: 0.25 },
  { name: "a", order: 0.25 },
  { name: "negative", order: -3 },
  { name: "default", order: 1_000_000 },
  { name: "last", order: Infinity },
  { name: "later", order: Infinity },
];

const crowded = someTiers.filter(({ name }) => ["a", "default"].includes(name));

export const stackSubjects = fc.constantFrom(
  [podGroup(everything)],
  [podGroup(everything)],
  [podGroup(everything, withLabels({ app: "x" }))],
  [podGroup(withLabels({ tenant: "x" }))],
);
const peers: fc.Arbitrary<readonly Peer[]> = fc.constantFrom<readonly Peer[]>(
  [{ kind: "everything" }],
  [{ kind: "everything" }],
  [podGroup(everything, withLabels({ app: "y" }))],
  [podGroup(withLabels({ zone: "y" }))],
);
export const stackRules: fc.Arbitrary<RuleText> = fc.record({
  action: fc.constantFrom("allow", "deny", "pass"),
  peers,
  ports: fc.constantFrom(null, null, [{ kind: "port", protocol: "tcp", port: 80 } as const]),
  subject: fc.constantFrom(null, null, null, [podGroup(everything, withLabels({ app: "x" }))]),
});
const rules = fc.oneof(
  fc.array(stackRules, { maxLength: 3 }),
  // What Enterprise's tiers mostly end with.
  fc
    .array(stackRules, { maxLength: 1 })
    .map((some) => [...some, { action: "pass", peers: [{ kind: "everything" }] } as const]),
);
const ends = fc.constantFrom<"next" | "deny">("next", "deny");
/** Of these priorities. */
export const stackTexts = (priorities: readonly number[]): fc.Arbitrary<PolicyText> =>
  fc.record({
    // Mostly two tiers, so that policies meet in one.
    tier: fc.constantFrom(...someTiers, ...crowded, ...crowded, ...crowded),
    priority: fc.constantFrom(...priorities),
    subject: stackSubjects,
    unmatched: fc.record({ ingress: ends, egress: ends }),
    ingress: rules,
    egress: fc.oneof(fc.constant([]), rules),
  });
