// What a plugin does with `endPort` of a NetworkPolicy. Where it is open whether it knows the field, a rule with a range of ports is
// two: one about the first port of the range, which counts anyhow, and an open one about the others.

import type { PortMatch, Policy, Rule } from "../policy/ir.ts";
import type { Cni } from "./answers.ts";
import { sourceText } from "./answers.ts";
import type { OpenAnswer, OpenedPolicy } from "./open-answer.ts";

type Range = Extract<PortMatch, { kind: "range" }>;

/** The only API whose policies have the field. */
const group = "networking.k8s.io";

/** Whether it is open which ports the policy's rule is about. */
export function hasOpenRange({ ref }: Pick<Policy, "ref">, { ports }: Rule, cni: Cni): boolean {
  return cni.portRanges.covers === "open" && ref.group === group && (ports?.some(isRange) ?? false);
}

/** With the rules that are open by their ranges, too; what is open anyway stays as it is. */
export function splitByRanges(opened: OpenedPolicy, cni: Cni): OpenedPolicy {
  const { policy } = opened;
  const known = new Set(opened.open.map(({ rule }) => rule));
  const open: OpenAnswer[] = [];
  const split = (rules: readonly Rule[]): readonly Rule[] =>
    rules.flatMap((rule) => {
      if (known.has(rule) || !hasOpenRange(policy, rule, cni)) return [rule];
      const rest = { ...rule, ports: (rule.ports ?? []).filter(isRange).map(others) };
      open.push({ policy, rule: rest, actions: [rule.action], text: sourceText(cni, cni.portRanges) });
      return [{ ...rule, ports: (rule.ports ?? []).map(first) }, rest];
    });
  const rules = { ingress: split(policy.rules.ingress), egress: split(policy.rules.egress) };
  if (open.length === 0) return opened;
  return { policy: { ...policy, rules }, open: [...opened.open, ...open] };
}

function isRange(port: PortMatch): port is Range {
  return port.kind === "range" && port.end > port.start;
}

function first(port: PortMatch): PortMatch {
  return isRange(port) ? { ...port, end: port.start } : port;
}

function others(port: Range): PortMatch {
  return { ...port, start: port.start + 1 };
}
