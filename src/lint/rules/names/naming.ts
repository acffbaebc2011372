// Rules that allow names of domains, the pods that they are about, and addresses outside the cluster by what every rule sees alike.
// What was recorded of the names is theirs: an address that the rule matches is not outside.

import { everyAddress, familyOf, ipFamilies } from "../../../model/ip.ts";
import { hostNamesLike } from "../../../model/selectors/host-names.ts";
import type { HostNameGroup, Rule } from "../../../policy/ir.ts";
import type { End } from "../../../policy/evaluate.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import type { Contribution, Row } from "../../../verdicts/row.ts";
import { effectOf } from "../../../verdicts/row.ts";
import type { Traffic } from "../../../verdicts/traffic.ts";
import { noTraffic } from "../../../verdicts/traffic.ts";
import { isDomainField } from "../../../unknowns/unknowns.ts";
import type { Context } from "../../context.ts";
import type { Party } from "../../parties.ts";
import { partiesIn } from "../../parties.ts";
import type { Written } from "../../written.ts";
import { peersWritten } from "../../written.ts";
import { partsOf } from "../order.ts";

export function namesOf({ peers }: Pick<Rule, "peers">): readonly HostNameGroup[] {
  return peers.filter((peer) => peer.kind === "hostNames");
}

/** Egress rules that allow names, those that are compiled from one rule together, in the order of evaluation. */
export function namingRules(context: Context): readonly (readonly [OrderedRule, ...OrderedRule[]])[] {
  return context.entries().flatMap((entry) => {
    const { rule, direction } = entry;
    if (direction !== "egress" || rule.action !== "allow" || namesOf(rule).length === 0) return [];
    const [first, ...others] = partsOf(entry, context);
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

/** A pod, or a workload wherever its pods may be, that rules are about. */
export interface Client {
  readonly party: Party;
  /** Each with the rules that are about it. */
  readonly ends: readonly { readonly end: End; readonly rules: ReadonlySet<OrderedRule> }[];
}

/** Rules and rows are asked once for ends that every rule sees alike. */
export class Surroundings {
  readonly clients: readonly Client[];
  readonly #context: Context;
  readonly #outside: readonly End[];
  readonly #rows = new Map<string, readonly (Row | null)[]>();

  constructor(context: Context) {
    this.#context = context;
    const { reach } = context;
    this.#outside = reach.addresses(allAddresses).map(({ end }) => end);
    const known = new Map<string, ReadonlySet<OrderedRule>>();
    const rulesOf = (end: End): ReadonlySet<OrderedRule> => {
      const sign = signOf(end, context);
      const rules = known.get(sign) ?? new Set(reach.rulesOf("egress", end));
      known.set(sign, rules);
      return rules;
    };
    this.clients = partiesIn(context).map((party) => ({
      party,
      ends: party.ends.map((end) => ({ end, rules: rulesOf(end) })),
    }));
  }

  /** What the policies say of connections from the end to addresses outside; null: none applies. */
  rowsOf(end: End): readonly (Row | null)[] {
    const sign = signOf(end, this.#context);
    const known = this.#rows.get(sign);
    if (known !== undefined) return known;
    const to = this.#outside.filter(({ ip }) => familyOf(ip) === familyOf(end.ip));
    const rows = [...new Set(to.map((one) => this.#context.reach.meeting(end, one).egress))];
    this.#rows.set(sign, rows);
    return rows;
  }
}

const allAddresses = ipFamilies.map((family) => ({ cidr: everyAddress(family), except: [] }));

/** Of one family: rules see addresses of another one otherwise. */
function signOf(end: End, { reach }: Context): string {
  return `${familyOf(end.ip)} ${reach.signOf(end)}`;
}

/** What denies some of the traffic; null: nothing does. */
export function denialIn({ says }: Row, traffic: Traffic): Contribution | null {
  return says.find((one) => effectOf(one) === "deny" && (one.said & traffic) !== noTraffic) ?? null;
}

/** The names of a rule that are learned, as they are written, in order. */
export function namesWritten(context: Context, entry: OrderedRule): readonly Written[] {
  const learned = new Set(namesOf(entry.rule).map(({ names }) => names.text));
  return peersWritten(context, entry).written.filter(({ path, text }) => {
    const names = isDomainField(path) ? hostNamesLike(text) : null;
    return names !== null && learned.has(names.text);
  });
}
