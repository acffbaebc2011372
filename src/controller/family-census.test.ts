import { expect, test } from "@jest/globals";
import { node, pod } from "../../test/support/facts.ts";
import { FamilyCensus } from "./family-census.ts";
import { podKey } from "../model/facts.ts";

test("what nodes or pods show is served, IPv4 first; where neither shows anything, IPv4 is", () => {
  const census = new FamilyCensus();
  expect(census.families).toEqual(["v4"]);
  census.setPod(pod("a", "one", { ips: ["fd00::1"] }));
  expect(census.families).toEqual(["v6"]);
  census.setPod(pod("a", "two", { ips: ["10.0.0.2"] }));
  expect(census.families).toEqual(["v4", "v6"]);
  // A hole in every policy, if it ended the other family.
  census.setNode(node("n", {}, ["fd18::1"], ["v6"]));
  expect(census.families).toEqual(["v4", "v6"]);
  census.deletePod(podKey("a", "two"));
  expect(census.families).toEqual(["v6"]);
  census.deletePod(podKey("a", "one"));
  expect(census.families).toEqual(["v6"]);
  census.deleteNode("n");
  expect(census.families).toEqual(["v4"]);
});

test("a pod on the host's network or without an address shows nothing", () => {
  const census = new FamilyCensus();
  census.setPod(pod("a", "host", { ips: ["fd18::1"], hostNetwork: true }));
  census.setPod(pod("a", "new", { ips: [] }));
  expect(census.families).toEqual(["v4"]);
});
