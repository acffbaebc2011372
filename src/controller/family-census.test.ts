import { expect, test } from "@jest/globals";
import { node, pod } from "../../test/support/facts.ts";
import { FamilyCensus } from "./family-census.ts";
import { FactStore } from "../model/fact-store.ts";
import type { FactChange } from "../model/fact-store.ts";
import type { Fact } from "../model/object.ts";
import { podKey } from "../model/facts.ts";

/** A census that follows a store. */
function counted() {
  const [facts, census] = [new FactStore(), new FamilyCensus()];
  const drop = (change: FactChange | null): void => {
    if (change !== null) census.follow(change);
  };
  const put = (fact: Fact): void => {
    drop(facts.put(fact));
  };
  return { census, facts, put, drop };
}

test("what nodes or pods show is served, IPv4 first; where neither shows anything, IPv4 is", () => {
  const { census, facts, put, drop } = counted();
  expect(census.families).toEqual(["v4"]);
  put(pod("a", "one", { ips: ["fd00::1"] }));
  expect(census.families).toEqual(["v6"]);
  put(pod("a", "two", { ips: ["10.0.0.2"] }));
  expect(census.families).toEqual(["v4", "v6"]);
  // Ending the other family here would leave its traffic unfiltered.
  put(node("n", {}, ["fd18::1"], ["v6"]));
  expect(census.families).toEqual(["v4", "v6"]);
  drop(facts.dropPod(podKey("a", "two")));
  expect(census.families).toEqual(["v6"]);
  drop(facts.dropPod(podKey("a", "one")));
  expect(census.families).toEqual(["v6"]);
  drop(facts.dropNode("n"));
  expect(census.families).toEqual(["v4"]);
});

test("a pod on the host's network or without an address shows nothing", () => {
  const { census, put } = counted();
  put(pod("a", "host", { ips: ["fd18::1"], hostNetwork: true }));
  put(pod("a", "new", { ips: [] }));
  expect(census.families).toEqual(["v4"]);
});
