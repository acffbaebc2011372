// Policies of a kind that may not be read any more are told apart, with the generation that is in force.

import { expect, test } from "@jest/globals";
import { kindText, objectKey } from "../model/object.ts";
import type { FollowedKind } from "./not-followed.ts";
import { NotFollowed } from "./not-followed.ts";

const anp = { group: "policy.networking.k8s.io", kind: "AdminNetworkPolicy" };
const cnp = { group: "policy.networking.k8s.io", kind: "ClusterNetworkPolicy" };

test("a kind that is forbidden, until it is followed again; others are not concerned", () => {
  let kinds: readonly FollowedKind[] = [
    { kindText: kindText(anp), forbidden: null },
    { kindText: kindText(cnp), forbidden: "the API server forbids it (403)" },
  ];
  const notFollowed = new NotFollowed(() => kinds);
  const [one, other] = [objectKey(anp, null, "a"), objectKey(cnp, null, "c")];
  expect(notFollowed.of(other, 3)).toBeNull();
  notFollowed.look();
  expect(notFollowed.of(one, 3)).toBeNull();
  expect(notFollowed.of(other, 3)).toEqual({
    reason: "KindNotFollowed",
    message: "generation 3 is in force, and later ones are not read: the API server forbids it (403)",
  });
  kinds = kinds.map((kind) => ({ ...kind, forbidden: null }));
  notFollowed.look();
  expect(notFollowed.of(other, 3)).toBeNull();
});
