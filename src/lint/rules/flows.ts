// NG020: rules of which OVN makes very many flows. OVN's expressions cannot say "not this protocol", so that a rule about all
// protocols but one lists the others, and OVN makes a flow for each pair of a listed protocol and an address: a list of protocols
// never becomes a part of a conjunctive match, as lists of addresses and of ports do.

import type { FactStore } from "../../model/fact-store.ts";
import type { PodGroup } from "../../policy/ir.ts";
import { isSelected } from "../../policy/matching.ts";
import type { EndTerm } from "../../policy/normal-form.ts";
import { formOf } from "../../policy/normal-form.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofRule, partOf } from "../draft.ts";
import { counted } from "../words.ts";
import { partsOf } from "./order.ts";

/** From about here on, ovn-controller needs many seconds (docs/lint.md). */
const many = 100_000;
/** About as many networks are left where one address is taken out of a network of pods. */
const networksBesideOne = 16;

export function* manyFlows(context: Context): Generator<Draft> {
  for (const entry of context.entries()) {
    const flows = partsOf(entry, context).reduce((sum, part) => sum + flowsOf(part, context.facts), 0);
    if (flows < many) continue;
    yield {
      ...{ severity: "warning", target: ofRule(entry), field: partOf(entry) },
      message: `OVN makes about ${counted(flows, "flow")} of it: one for each pair of an IP protocol and an address`,
      fix: "name the protocols that it is about, or fewer addresses",
    };
  }
}

/** Of lists of protocols alone: the flows of all else are as many as its parts, not as many as their pairs. */
function flowsOf({ rule, direction }: OrderedRule, facts: FactStore): number {
  const { source, destination, traffic } = formOf(rule, direction);
  const listed = (traffic ?? []).reduce((sum, { protocols }) => sum + (protocols?.length ?? 0), 0);
  if (listed <= 1) return 0;
  const ends = [...(source ?? []), ...(destination ?? [])];
  return listed * ends.reduce((sum, end) => sum + elementsOf(end, facts), 0);
}

/** Addresses and networks in the rows of an end; those of nodes and of the subject's own namespaces, which are few, are left out. */
function elementsOf({ anyOf, noneOf }: EndTerm, facts: FactStore): number {
  const taken = noneOf.networks.length + addressesOf(noneOf.pods, facts);
  return anyOf.networks.length + addressesOf(anyOf.pods, facts) + networksBesideOne * taken;
}

function addressesOf(groups: readonly PodGroup[], facts: FactStore): number {
  if (groups.length === 0) return 0;
  let count = 0;
  for (const pod of facts.pods.values()) {
    const [ip] = pod.ips;
    if (ip !== undefined && isSelected({ ip, pod }, groups, facts)) count += pod.ips.length;
  }
  return count;
}
