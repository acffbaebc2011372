// NG019: rules that let something through behind another program's rows of their own tier. Those rows are where they are, with the
// denies at the end of what they isolate, so that a rule of a later order is not asked about an isolated pod, though its tier has the
// denies at its end. Asked only where another program's rows stand in the sequence.

import { refText } from "../../analysis/ref.ts";
import { kindText } from "../../model/object.ts";
import type { Policy } from "../../policy/ir.ts";
import { sideOf } from "../../policy/contracts/tier-layout.ts";
import { isSameTier } from "../../policy/order.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import type { Row } from "../../verdicts/row.ts";
import { effectOf } from "../../verdicts/row.ts";
import { noTraffic } from "../../verdicts/traffic.ts";
import type { Beside, Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import { inEveryRow, onceForEachRow } from "../everywhere.ts";
import { partsOf } from "./order.ts";

export function* takenAway(context: Context): Generator<Draft> {
  const { beside } = context;
  if (beside === null) return;
  const found = isolatedFrom(context, beside);
  for (const entry of context.entries()) {
    const [isolating] = partsOf(entry, context).flatMap((part) => found.get(part) ?? []);
    if (isolating === undefined) continue;
    yield {
      ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "action") },
      message:
        `${entry.rule.action === "pass" ? "passes" : "allows"} nothing for pods that ${refText(isolating.ref)} isolates: ` +
        "another program's rows deny that before the policy's are asked",
      fix: `give the policy an order of ${beside.around.priority} or less, or allow it in the policy that isolates`,
      related: [ofPolicy(isolating)],
    };
  }
}

/** By rule that would decide something of an isolated pod, the first policy that isolates it. */
function isolatedFrom(context: Context, beside: Beside): ReadonlyMap<OrderedRule, Policy> {
  const found = new Map<OrderedRule, Policy>();
  const isolatedIn = onceForEachRow((row) => isolatedInRow(row, beside));
  for (const pair of context.reach.pairs())
    for (const [entry, policy] of inEveryRow(pair, isolatedIn))
      if (!found.has(entry)) found.set(entry, policy);
  return found;
}

function isolatedInRow({ says }: Row, { around, kinds }: Beside): ReadonlyMap<OrderedRule, Policy> {
  const found = new Map<OrderedRule, Policy>();
  const isolating = says.find(({ entry, policy }) => entry === null && kinds.has(kindText(policy.ref)));
  if (isolating === undefined) return found;
  for (const said of says) {
    const { entry, policy } = said;
    if (entry === null || said.said === noTraffic) continue;
    if (!isSameTier(policy.tier, around.tier) || sideOf(policy, around) !== "behind") continue;
    if (effectOf(said) !== "deny") found.set(entry, isolating.policy);
  }
  return found;
}
