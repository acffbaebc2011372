// Where names of declared ports lead, at the rule's own end and at its peers'.

import { expect, test } from "@jest/globals";
import { namedPort, namespace, pod, podGroup } from "../../test/support/facts.ts";
import { Groups } from "../groups/index.ts";
import { FactStore } from "../model/fact-store.ts";
import { everything } from "../model/selector.ts";
import { groupKey } from "../policy/ir.ts";
import { DestinationLists } from "./destination-lists.ts";
import { LocalPods } from "./local-pods.ts";
import { NamedPorts } from "./named-ports.ts";

const every = podGroup(everything);
const facts = new FactStore();
const groups = new Groups(facts);
groups.retain(every);
for (const fact of [
  namespace("a"),
  pod("a", "here", { node: "here", ips: ["10.0.0.1", "fd00::1"], ports: [namedPort("web", 80)] }),
  pod("a", "there", {
    node: "there",
    ips: ["10.0.0.2"],
    ports: [namedPort("web", 81), namedPort("dns", 53)],
  }),
]) {
  const change = facts.put(fact);
  if (change !== null) groups.follow(change);
}

const query = (direction: "ingress" | "egress") => ({
  ...{ direction, destinations: [groupKey(every)], sources: [groupKey(every)] },
  ...{ wanted: [], portNames: ["dns", "web"], destinationNames: [] },
});

test.each([
  [
    "a database for all nodes",
    null,
    "ingress",
    "to",
    ["10.0.0.1 80", "10.0.0.2 81", "10.0.0.2 53", "fd00::1 80"],
  ],
  ["a node's: the own end of an ingress rule", "here", "ingress", "to", ["10.0.0.1 80", "fd00::1 80"]],
  ["its peers", "here", "ingress", "from", ["10.0.0.1 80", "10.0.0.2 81", "10.0.0.2 53", "fd00::1 80"]],
  ["the own end of an egress rule", "there", "egress", "from", ["10.0.0.2 81", "10.0.0.2 53"]],
  [
    "its peers, of egress",
    "there",
    "egress",
    "to",
    ["10.0.0.1 80", "10.0.0.2 81", "10.0.0.2 53", "fd00::1 80"],
  ],
] as const)("%s", (_, zone, direction, end, expected) => {
  const lists = new DestinationLists(groups, () => "", false);
  const named = new NamedPorts(groups, new LocalPods(groups, zone), lists);
  const found = named.declaredAt(query(direction), end, "tcp", ["web", "dns"]);
  expect(found.map(({ ip, port }) => `${ip} ${port}`).sort()).toEqual([...expected].sort());
  expect(named.declaredAt(query(direction), end, "udp", ["web", "dns"])).toEqual([]);
});
