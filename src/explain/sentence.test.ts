// The answer as a sentence: it says the verdict, the side that makes it, and who decides there.

import { expect, test } from "@jest/globals";
import { allow, answered, deny } from "../../test/support/asked-world.ts";
import { anp, np } from "../../test/support/policies.ts";
import type { WorldObject } from "../model/object.ts";
import { sentenceOf } from "./sentence.ts";

const out = { podSelector: {}, policyTypes: ["Egress"] };

test.each<readonly [readonly WorldObject[], string]>([
  [
    [],
    "red/web may open tcp 80 to blue/db-0: on its way out, no policy decides, so it is allowed; where it arrives, no policy decides, so it is allowed",
  ],
  [
    [anp("p", { egress: [deny] })],
    "red/web may not open tcp 80 to blue/db-0: on its way out, egress[0] of AdminNetworkPolicy p denies it",
  ],
  [
    [anp("p", { egress: [allow] })],
    "red/web may open tcp 80 to blue/db-0: on its way out, egress[0] of AdminNetworkPolicy p allows it; where it arrives, no policy decides, so it is allowed",
  ],
  [
    [np("n", out, "red"), np("m", out, "red")],
    "red/web may not open tcp 80 to blue/db-0: on its way out, NetworkPolicy red/n, with 1 more, isolates the pod, and no rule allows it",
  ],
  [
    [anp("p", { egress: [deny] }), anp("q", { egress: [allow] })],
    "It is unknown whether red/web may open tcp 80 to blue/db-0: AdminNetworkPolicy p egress[0] Deny and AdminNetworkPolicy q egress[0] Allow match, in the admin tier with equal priority: which of them decides is open",
  ],
])("of answer %#", (objects, sentence) => {
  expect(sentenceOf(answered(objects))).toBe(sentence);
});

test("an address and a node are told as what they are", () => {
  expect(sentenceOf(answered([], { to: "192.0.2.7" }))).toMatch(
    /^red\/web may open tcp 80 to 192\.0\.2\.7: .*; where it arrives, policies do not apply$/,
  );
  expect(sentenceOf(answered([], { to: "172.18.0.2", protocol: "icmp", port: null }))).toMatch(
    /^red\/web may open icmp to node n1: /,
  );
});
