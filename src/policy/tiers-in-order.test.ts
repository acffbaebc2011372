import { expect, test } from "@jest/globals";
import { irPolicy } from "../../test/support/ir.ts";
import { tiersInOrder } from "./tiers-in-order.ts";

const [first, second, third] = [1, 2, 3].map((priority) => irPolicy(`p${priority}`, { priority }));

const keysOf = (policies: Parameters<typeof tiersInOrder>[0]) =>
  tiersInOrder(policies).flatMap(({ turns }) => turns.flat().map(({ key }) => key));

test("the order of one list is made once", () => {
  const policies = [second!, first!];
  expect(keysOf(policies)).toEqual([first!.key, second!.key]);
  expect(tiersInOrder(policies)).toBe(tiersInOrder(policies));
});

test("a list whose members were changed is ordered again", () => {
  const policies = [second!, third!];
  tiersInOrder(policies);
  policies.push(first!);
  expect(keysOf(policies)).toEqual([first, second, third].map((one) => one!.key));
  policies[0] = third!;
  policies.length = 2;
  expect(keysOf(policies)).toEqual([third!.key, third!.key]);
});
