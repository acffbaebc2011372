// A group as people write it, for `external_ids` alone: a reader of a set in ovn-nbctl recognises the selectors. Bounded,
// and without characters that a terminal could take for an instruction. Nothing is read back from it.

import { unreachable } from "../../../lib/invariant.ts";
import type { Cidr } from "../../../model/ip.ts";
import { printable, quote } from "../../../model/quote.ts";
import type { Requirement, Selector } from "../../../model/selector.ts";
import { textOperators } from "../../../model/selector.ts";
import type { PeerGroup, PodGroup } from "../../../policy/ir.ts";

/** Characters of the text that are shown; a longer one ends in dots. */
const shown = 200;

/** As in `namespaces tenant=a; pods app in (db,web)`. Selectors without a requirement are left out: `pods`. */
export function groupText(group: PeerGroup): string {
  if (group.kind === "nodes") return printable(part("nodes", group.nodes), shown);
  if (group.kind === "hostNames") return printable(part("host names", group.names), shown);
  const namespaces = part("namespaces", group.namespaces);
  return printable(`${namespaces}; ${part("pods", group.pods)}`, shown);
}

/** What is left without the pods of these groups and without the networks. */
export function othersText(groups: readonly PodGroup[], networks: readonly Cidr[]): string {
  return printable(`all but ${[...groups.map(groupText), ...networks].join(" or ")}`, shown);
}

function part(kind: string, selector: Selector): string {
  const text = selectorText(selector);
  return text === "" ? kind : `${kind} ${text}`;
}

/** As kubectl's `--selector`, with words for what that cannot say. */
function selectorText(selector: Selector): string {
  switch (selector.kind) {
    case "requirements":
      return selector.requirements.map(requirementText).join(",");
    case "and":
    case "or":
      return `(${selector.operands.map(selectorText).join(` ${selector.kind} `)})`;
    case "not":
      return `not (${selectorText(selector.operand)})`;
    default:
      return unreachable(selector);
  }
}

function requirementText(requirement: Requirement): string {
  const { key, operator } = requirement;
  switch (operator) {
    case "In":
    case "NotIn": {
      const { values } = requirement;
      const [only] = values;
      if (only !== undefined && values.length === 1) return `${key}${operator === "In" ? "=" : "!="}${only}`;
      return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
    }
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "Contains":
    case "StartsWith":
    case "EndsWith":
      return `${key} ${textOperators[operator]} ${quote(requirement.text)}`;
    default:
      return unreachable(operator);
  }
}
