import { expect, test } from "@jest/globals";
import { calicoNp, gnp } from "../../oracle/calico/build.ts";
import { wordBeside } from "./beside-words.ts";

const open = { order: 1000, ingress: [{ action: "Allow" }] } as const;
const both = "an allow of the NetworkPolicies' order";

test("a policy of the NetworkPolicies' order may allow in their place, in its own direction", () => {
  const word = wordBeside([gnp("q", open), calicoNp("q", open, "a")]);
  expect(word("a NetworkPolicy allows ingress")).toBe(both);
  expect(word("CalicoGlobalNetworkPolicy/q ingress 0 allow")).toBe(both);
  expect(word("CalicoNetworkPolicy/a:q ingress 0 allow")).toBe(both);
  for (const other of [
    "CalicoGlobalNetworkPolicy/q ingress 0 deny",
    "CalicoNetworkPolicy/b:q ingress 0 allow",
    "CalicoGlobalNetworkPolicy/r ingress 0 allow",
    "the end of a tier denies ingress",
  ])
    expect(word(other)).toBe(other);
});

test("where one of them passes, who allows is not compared", () => {
  const word = wordBeside([gnp("q", { order: 1000, ingress: [{ action: "Pass" }] })]);
  expect(word("a NetworkPolicy allows ingress")).toBeNull();
  expect(word("CalicoGlobalNetworkPolicy/q ingress 0 allow")).toBeNull();
});

test("a Pass that the rows have as an allow is not compared, in any tier", () => {
  const rules = [{ action: "Allow" }, { action: "Pass" }] as const;
  const word = wordBeside([gnp("q", { order: 1, tier: "first", egress: rules })]);
  expect(word("CalicoGlobalNetworkPolicy/q egress 1 allow")).toBeNull();
  expect(word("CalicoGlobalNetworkPolicy/q egress 0 allow")).toBe(
    "CalicoGlobalNetworkPolicy/q egress 0 allow",
  );
  expect(word("a NetworkPolicy allows egress")).toBe(both);
});

test("policies of another order or tier have their own words", () => {
  const elsewhere = [gnp("q", { ...open, order: 999 }), gnp("r", { ...open, tier: "first" })];
  for (const rule of [
    "CalicoGlobalNetworkPolicy/q ingress 0 allow",
    "CalicoGlobalNetworkPolicy/r ingress 0 allow",
  ])
    expect(wordBeside(elsewhere)(rule)).toBe(rule);
});
