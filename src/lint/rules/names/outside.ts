// NG031 and NG032: what policies say of addresses outside the cluster that a rule of names does not name. If nothing denies them the
// names restrict nothing; if a rule rejects them, the first connection to a new address fails. Of pods that were not read nothing is
// said, and nothing is concluded from what a policy that was not read may deny.

import { familyOf } from "../../../model/ip.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import type { Contribution } from "../../../verdicts/row.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule, partOf } from "../../draft.ts";
import { ruleIn } from "../../words.ts";
import type { Client } from "./naming.ts";
import { denialIn, namingRules, Surroundings } from "./naming.ts";

export function* idleNames(context: Context): Generator<Draft> {
  if (!isWhole(context)) return;
  for (const [entry, denials] of denialsBehind(context)) {
    if (denials.length > 0) continue;
    yield {
      ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "peers") },
      message: "restricts nothing: nothing denies what it does not name, so every address outside is allowed",
      fix: "add a rule that denies the other addresses, such as the networks 0.0.0.0/0 and ::/0",
    };
  }
}

export function* rejectedNames(context: Context): Generator<Draft> {
  for (const [entry, denials] of denialsBehind(context)) {
    const rejecting = denials.flatMap(({ entry: by }) => (by?.rule.action === "reject" ? [by] : []));
    const [first] = rejecting;
    if (first === undefined) continue;
    const name = ruleIn(entry.policy, first.policy, first.direction, first.rule);
    yield {
      ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "peers") },
      message: `${name} rejects what it does not name: a connection to a new address, before that is allowed, fails at once`,
      fix: "drop it there instead: TCP then repeats its first packet after a second",
      related: rejecting.map(ofRule),
    };
  }
}

/** Nothing that was not read may deny. */
function isWhole({ open, foreign, notAsked, unread, records }: Context): boolean {
  if (open.isAnywhere || notAsked.length > 0 || unread.length > 0) return false;
  return foreign.length === 0 && records.every(({ policy }) => policy !== null);
}

/** By rule that allows names to some pod, what denies other addresses outside on its ports to its pods, each once. */
function* denialsBehind(
  context: Context,
): Generator<readonly [entry: OrderedRule, denials: readonly Contribution[]]> {
  const rules = namingRules(context);
  if (rules.length === 0) return;
  const surroundings = new Surroundings(context);
  for (const parts of rules) {
    const about = surroundings.clients.flatMap(({ ends }) => endsOf(parts, ends));
    const denials = about.flatMap(([part, end]) => {
      const traffic = context.reach.trafficOf(part, familyOf(end.ip));
      return surroundings.rowsOf(end).flatMap((row) => (row && denialIn(row, traffic)) ?? []);
    });
    const each = new Map(denials.map((one) => [one.entry ?? one.policy, one]));
    if (about.length > 0) yield [parts[0], [...each.values()]];
  }
}

function endsOf(parts: readonly OrderedRule[], ends: Client["ends"]) {
  return ends.flatMap(({ end, rules }) =>
    parts.filter((part) => rules.has(part)).map((part) => [part, end] as const),
  );
}
