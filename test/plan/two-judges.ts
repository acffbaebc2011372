// A plan against two runs of the judge: every connection of a sample is in exactly one class if the possible verdicts of the
// two worlds (policy/ties.ts) differ, with these verdicts, and in none if they do not. The sample has every pair of pods, nodes
// and addresses at the borders of networks, on every port at which a rule could begin or end, and on every other protocol.

import { contains } from "../../src/model/cidr.ts";
import { objectKey } from "../../src/model/object.ts";
import { judged, type Judged } from "../../src/plan/judged.ts";
import type { VerdictClass } from "../../src/plan/report.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import type { ClassVerdict } from "../../src/verdicts/walk.ts";
import type { Age, Both } from "../../src/verdicts/worlds.ts";
import { both } from "../../src/verdicts/worlds.ts";
import type { Carried } from "../support/can.ts";
import { isCarried } from "../support/can.ts";
import type { Asked, Pair } from "./sample.ts";
import { familyIn, isIn, pairsOf, trafficOf, verdictOf } from "./sample.ts";

export interface Checked {
  readonly connections: number;
  readonly changed: number;
  /** In words; none: the plan is exact on the sample. */
  readonly faults: readonly string[];
}

const namer = () =>
  ({ direction: "egress", index: 0, name: "", action: "allow", word: "Allow", place: null }) as const;

/** The verdict in the world of an age. */
type Judge = (age: Age, pair: Pair, traffic: Carried) => ClassVerdict;

/** Of more connections than `limit`, some at even distances. */
export function checked(worlds: Both<PlanWorld>, limit = 40_000): Checked & { readonly plan: Judged } {
  const plan = judged(worlds, { old: namer, new: namer });
  return { plan, ...checkedClasses(worlds, plan.classes, limit) };
}

/** The classes of a plan that was made elsewhere; `limit` as above. `judge`: the judge of policies alone unless given. */
export function checkedClasses(
  worlds: Both<PlanWorld>,
  all: readonly VerdictClass[],
  limit: number,
  judge: Judge = (age, pair, traffic) => verdictOf(worlds, age, pair, traffic),
): Checked {
  const pairs = pairsOf(worlds);
  const traffic = trafficOf(worlds);
  const total = pairs.length * traffic.length;
  // Not a divisor of the number of kinds of traffic, so that all of them are met.
  const step = total <= limit ? 1 : 2 * Math.ceil(total / limit / 2) + 1;
  const faults: string[] = [];
  let [connections, changed] = [0, 0];
  for (let n = 0; n < total; n += step) {
    const [pair, one] = [pairs[Math.floor(n / traffic.length)], traffic[n % traffic.length]];
    if (pair === undefined || one === undefined || !isIn(familyIn(pair), one)) continue;
    connections++;
    const verdicts = both((age) => judge(age, pair, one));
    const differs = verdicts.old !== verdicts.new;
    if (differs) changed++;
    const classes = all.filter((each) => holds(each, pair, one));
    const isRight = differs
      ? classes.length === 1 && classes[0]?.old === verdicts.old && classes[0].new === verdicts.new
      : classes.length === 0;
    if (!isRight) faults.push(faultText(pair, one, verdicts, classes));
  }
  return { connections, changed, faults };
}

function holds(one: VerdictClass, [from, to]: Pair, traffic: Carried): boolean {
  if (!one.families.includes(familyIn([from, to]) === "v4" ? "IPv4" : "IPv6")) return false;
  const isEnd = ({ pods, workloads, addresses }: VerdictClass["from"], asked: Asked) => {
    if ("ip" in asked) return addresses.some((network) => contains(network, asked.ip));
    if ("key" in asked) return pods.includes(asked.key);
    return workloads.some((ref) => objectKey(ref, ref.namespace, ref.name) === asked.workload);
  };
  return isEnd(one.from, from) && isEnd(one.to, to) && one.traffic.some((each) => isCarried(each, traffic));
}

function faultText(
  [from, to]: Pair,
  traffic: Carried,
  verdicts: Both<string>,
  classes: readonly VerdictClass[],
): string {
  const text = (asked: Asked) =>
    "ip" in asked ? asked.ip : `${"key" in asked ? asked.key : asked.workload} ${asked.family}`;
  const found = classes.map((one) => `${one.old}→${one.new} ${one.from.title} → ${one.to.title}`).join("; ");
  return `${text(from)} → ${text(to)} ${JSON.stringify(traffic)}: ${verdicts.old}→${verdicts.new}, classes: ${found}`;
}
