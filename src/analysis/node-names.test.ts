// A network whose addresses are all nodes' is named by them; any other by itself.

import { expect, test } from "@jest/globals";
import { network } from "../../test/support/ir.ts";
import { ip } from "../../test/support/facts.ts";
import { NodeNames } from "./node-names.ts";

const names = new NodeNames(
  new Map([
    [ip("172.18.0.2"), "a"],
    [ip("172.18.0.3"), "b"],
    [ip("fd00::2"), "a"],
  ]),
);

test.each([
  ["both of a network", ["172.18.0.2/31"], ["nodes a and b"]],
  ["one by two addresses", ["172.18.0.2/32", "fd00::2/128"], ["node a"]],
  ["beside others", ["10.0.0.0/8", "172.18.0.3/32"], ["node b", "10.0.0.0/8"]],
  ["not all of a network", ["172.18.0.0/30"], ["172.18.0.0/30"]],
])("%s", (_, networks, expected) => {
  expect(names.namesOf(networks.map(network))).toEqual(expected);
});
