// What stands before the destinations of named ports: the peers' term where the names alone would say too much.

import { expect, test } from "@jest/globals";
import { podGroup } from "../../../../test/support/facts.ts";
import type { RuleText } from "../../../../test/support/ir.ts";
import { irPolicy, irRule, network } from "../../../../test/support/ir.ts";
import { everything } from "../../../model/selector.ts";
import type { Direction } from "../../../policy/ir.ts";
import { unitOfPolicy } from "../unit.ts";
import { renderNamedPorts } from "./named-port-rule.ts";

const everyPod = podGroup(everything);
const some = { networks: [network("10.0.0.0/24")], except: [] };
const places = {
  place: () => ({ tier: 1, priority: 1 }),
  end: () => ({ tier: 1, priority: 1 }),
  isOpenEnd: () => false,
};

function prefixOf(direction: Direction, zone: string | null, text: RuleText): string | null {
  const policy = irPolicy("p");
  const rule = irRule(0, { peers: [everyPod], ports: [{ kind: "named", name: "http" }], ...text });
  const frame = { policy, direction, rule, place: { tier: 1, priority: 1 }, isExit: false };
  const portGroup = { unit: unitOfPolicy(policy.key), name: "pg", externalIds: new Map(), subjects: [] };
  const options = { places, families: ["v4"], zone, namedPorts: "list" } as const;
  return renderNamedPorts(frame, portGroup, { subject: "S", peers: "P" }, options)?.prefix ?? null;
}

test.each<readonly [string, Direction, RuleText, string]>([
  ["pods", "egress", {}, "S"],
  ["pods, from some addresses of the subject", "egress", { own: some }, "S && P"],
  [
    "pods by some of their addresses",
    "egress",
    { peers: [{ kind: "narrowed", pods: everyPod, ...some }] },
    "S && P",
  ],
  [
    "a network",
    "egress",
    { peers: [{ kind: "network", cidr: network("10.0.0.0/24"), except: [] }] },
    "S && P",
  ],
  ["the subject's own pods", "ingress", {}, "S && P"],
])("of a rule about %s (%s)", (_what, direction, text, prefix) => {
  expect(prefixOf(direction, null, text)).toBe(prefix);
});

test("the addresses name a zone's own pods, and a rule without names has none", () => {
  expect(prefixOf("ingress", "node", {})).toBe("P");
  expect(prefixOf("egress", null, { ports: null })).toBeNull();
});
