// What `northgate explain` says of the packets of a world, as an opinion that is compared with the judges': a fourth voice
// that is judged itself. It is asked as a user asks, by the texts of both ends, where a text can say the packet.

import { everyDialect } from "../../src/dialects.ts";
import type { Answer, RuleStep, Side } from "../../src/explain/answer.ts";
import { AskedWorld } from "../../src/explain/asked.ts";
import { explain } from "../../src/explain/explain.ts";
import type { Sides } from "../../src/explain/side.ts";
import { sidesOf } from "../../src/explain/sides.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { isApiObject } from "../../src/model/object.ts";
import { askedProtocols } from "../../src/model/protocols.ts";
import type { Connection, End, Step } from "../../src/policy/evaluate.ts";
import type { Direction, Policy } from "../../src/policy/ir.ts";
import type { Hearing, Meaning, Opinion, Words } from "./judges.ts";
import { compiled, usualWords } from "./judges.ts";
import { meaningOfNetworkPolicy } from "./network-policies.ts";

/** Null: equal priorities leave it open. */
export function explainedOf(
  objects: readonly WorldObject[],
  { networkPolicies = [], zone = null, installed, words = usualWords }: Hearing = {},
): Meaning {
  const policies = [...compiled(objects, installed), ...networkPolicies.map(meaningOfNetworkPolicy)];
  const facts = new FactStore();
  for (const object of objects) if (!isApiObject(object)) facts.put(object);
  const asked = new AskedWorld(
    { facts, records: () => [], policies: () => policies },
    { dialects: installed ?? everyDialect.dialects, placeOf: () => null },
  );
  const isHeard = ({ pod }: End) => pod !== null && (zone === null || pod.node === zone);
  return {
    opinion: (connection) => {
      const { sides, answer } = askedAbout(asked, connection);
      const met: Met[] = [];
      for (const [direction, end] of [
        ["egress", connection.from],
        ["ingress", connection.to],
      ] as const) {
        const side = sides[direction];
        if (!isHeard(end) || side === null) continue;
        if (side.verdict === "unknown" || side.by === "tie") return null;
        met.push({ direction, side });
        if (side.verdict === "deny") break;
      }
      const denied = met.some(({ side }) => side.verdict === "deny");
      // In a database for one node the other side is not heard, but told.
      const verdict = zone === null && answer !== null ? answer.verdict === "deny" : denied;
      return { verdict: verdict ? "drop" : "allow", rules: met.flatMap((one) => textsOf(one, asked, words)) };
    },
  };
}

interface Met {
  readonly direction: Direction;
  readonly side: Side;
}

function askedAbout(
  asked: AskedWorld,
  connection: Connection,
): { readonly sides: Sides; readonly answer: Answer | null } {
  const { from, to, sourcePort, icmp, port } = connection;
  const protocol = askedProtocols.find((one) => one === connection.protocol);
  if (protocol === undefined || sourcePort !== undefined || icmp !== undefined)
    return { sides: sidesOf(asked, connection, { isDetailed: false }), answer: null };
  const question = { from: textOf(from), to: textOf(to), protocol, port: protocol === "icmp" ? null : port };
  const answer = explain(asked, question, { isDetailed: false });
  return { sides: answer, answer };
}

function textOf({ ip, pod }: End): string {
  return pod === null ? ip : `${pod.namespace}/${pod.name}@${ip}`;
}

/** The passes and who decided, as the judges name them. */
function textsOf({ direction, side }: Met, asked: AskedWorld, words: Words): Opinion["rules"] {
  const { steps, by, policy, rule = null } = side;
  const decided = policy === undefined || by === "tie" ? [] : [{ policy, rule }];
  return [...steps, ...decided].flatMap((step) => words.ofStep(stepOf(direction, step, asked)) ?? []);
}

function stepOf(
  direction: Direction,
  { policy: ref, rule: told }: Pick<RuleStep, "policy" | "rule">,
  asked: AskedWorld,
): Step {
  const policy = asked.policies[asked.rankOf(ref)];
  if (policy === undefined)
    throw new Error(`explain names a policy that is not there: ${JSON.stringify(ref)}`);
  return { policy, direction, rule: told === null ? null : ruleOf(policy, direction, told) };
}

function ruleOf(policy: Policy, direction: Direction, told: NonNullable<RuleStep["rule"]>) {
  const rule = policy.rules[direction].find(({ index }) => index === told.index);
  if (rule === undefined) throw new Error(`explain names a rule that is not there: ${JSON.stringify(told)}`);
  // What it says of the rule is judged, too.
  return { ...rule, action: told.action };
}
