// NG013: passes that no later tier takes up. A pass leaves the decision to later tiers; where none of them says anything, it
// allows, as the end of all tiers does.

import { compareTiers } from "../../policy/order.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofRule, partOf } from "../draft.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import { noTraffic } from "../../verdicts/traffic.ts";
import type { Row } from "../../verdicts/row.ts";
import { partsOf } from "./order.ts";

export function* passToNothing(context: Context): Generator<Draft> {
  const passes = context.entries().filter(({ rule }) => rule.action === "pass");
  if (passes.length === 0) return;
  const { passing, heard } = heardIn(context.reach.rows());
  for (const entry of passes) {
    const isIdle = (one: OrderedRule) => (passing.has(one) ? !heard.has(one) : !hasLaterVoice(one, context));
    const parts = partsOf(entry, context);
    if (parts.length === 0 || !parts.every(isIdle)) continue;
    // A pass that never decides is reported as such.
    if (["shadowed", "unreachable"].includes(context.reachability.of(entry))) continue;
    const hasLater = parts.some((one) => hasLaterVoice(one, context));
    if (hasLater && context.open.isAnywhere) continue;
    yield {
      ...{ severity: "info", target: ofRule(entry), field: partOf(entry, "action") },
      ...words(hasLater),
    };
  }
}

/** `hasLater`: a later policy may speak of other objects than those that were read. */
function words(hasLater: boolean): Pick<Draft, "message" | "fix"> {
  if (!hasLater)
    return {
      message: "passes without effect: no later tier decides what it matches, so it is allowed",
      fix: "say allow, or add the policy that is to decide",
    };
  return {
    message:
      "passes without effect among today's objects: no later tier decides what it matches of them, so it is allowed",
    fix: "none is needed if the policies that are to decide concern objects that are added later; otherwise use allow",
  };
}

interface Passes {
  /** Rules that pass a connection on. */
  readonly passing: ReadonlySet<OrderedRule>;
  /** Those of which a later tier has something to say on such a connection. */
  readonly heard: ReadonlySet<OrderedRule>;
}

function heardIn(rows: Iterable<Row>): Passes {
  const [passing, heard] = [new Set<OrderedRule>(), new Set<OrderedRule>()];
  for (const { says } of rows)
    for (const { entry, said } of says) {
      if (entry?.rule.action !== "pass" || said === noTraffic) continue;
      passing.add(entry);
      const { tier } = entry.policy;
      if (
        says.some(
          ({ policy, said: own }) => compareTiers(policy.tier, tier) > 0 && (own & said) !== noTraffic,
        )
      )
        heard.add(entry);
    }
  return { passing, heard };
}

function hasLaterVoice({ policy: { tier }, direction }: OrderedRule, { reach }: Context): boolean {
  return reach.policies.some(
    (later) =>
      compareTiers(later.tier, tier) > 0 &&
      (later.rules[direction].length > 0 || later.unmatched[direction] === "deny"),
  );
}
