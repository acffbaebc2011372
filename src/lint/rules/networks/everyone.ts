// NG024: peers that are everyone where a reader may think of fewer: a list of peers that is empty, a rule without any field beside
// others, and a network of all addresses by which pods are allowed.

import { refText } from "../../../analysis/ref.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import { effectOfRule } from "../../../verdicts/row.ts";
import { isEverybody } from "../../closing.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule, partOf } from "../../draft.ts";
import { peersIn, valueAt } from "../../written.ts";
import { fromTo, heldByNetworks } from "./networks.ts";

export function* everyone(context: Context): Generator<Draft> {
  for (const entry of context.entries()) {
    if (!entry.rule.peers.some(isEverybody)) continue;
    const object = context.record(entry.policy.key)?.object;
    const dialect = context.dialectOf(entry.policy.key);
    const written = peersIn(context, entry);
    const whole = valueAt(object, dialect.fieldOf(partOf(entry)));
    if (Array.isArray(written) && written.length === 0) yield ofEmptyList(entry);
    else if (isEmptyObject(whole)) yield* ofEmptyRule(entry);
  }
  yield* ofAllAddresses(context);
}

function ofEmptyList(entry: OrderedRule): Draft {
  return {
    ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "peers"), about: "empty list" },
    message: "an empty list of peers is everyone, outside the cluster too",
    fix: "leave the field out to say so; to match nobody, remove the rule",
  };
}

function* ofEmptyRule(entry: OrderedRule): Generator<Draft> {
  const { policy, direction } = entry;
  const others = policy.rules[direction].length - 1;
  if (others === 0 || policy.rules[direction].some((rule) => effectOfRule(rule) !== "allow")) return;
  yield {
    ...{ severity: "info", target: ofRule(entry), field: partOf(entry), about: "empty rule" },
    message: `{} is everyone on every port, so the other ${direction} rules of ${refText(policy.ref)} allow nothing more`,
    fix: "remove it, or the other rules",
  };
}

function* ofAllAddresses(context: Context): Generator<Draft> {
  const held = heldByNetworks(context, (entry) => effectOfRule(entry.rule) === "allow" && hasAll(entry));
  for (const [entry, ends] of held) {
    const { from, to } = fromTo(entry, ends);
    yield {
      ...{ severity: "info", target: ofRule(entry), field: partOf(entry, "peers"), about: "all addresses" },
      message: `a network of all addresses is every pod too: it allows connections between pods, from ${from} to ${to}`,
      fix: "except the pod network if only what is outside is meant",
    };
  }
}

function hasAll({ rule }: OrderedRule): boolean {
  return rule.peers.some((peer) => peer.kind === "network" && isEverybody(peer));
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
