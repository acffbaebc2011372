import { expect, test } from "@jest/globals";
import { isOnPodNetwork, podKey } from "./facts.ts";
import { pod } from "../../test/support/facts.ts";

test("a pod is on the pod network when it is scheduled there and not completed", () => {
  expect(isOnPodNetwork(pod("a", "b"))).toBe(true);
  expect(isOnPodNetwork(pod("a", "b", { node: null }))).toBe(false);
  expect(isOnPodNetwork(pod("a", "b", { hostNetwork: true }))).toBe(false);
  expect(isOnPodNetwork(pod("a", "b", { completed: true }))).toBe(false);
});

test("a pod key is namespace and name", () => {
  expect(podKey("a", "b")).toBe("a/b");
});
