// The internet: what is globally reachable, without what the cluster has of it.

import { expect, test } from "@jest/globals";
import { node, pod } from "../../test/support/facts.ts";
import { FactStore } from "../model/fact-store.ts";
import { contains } from "../model/cidr.ts";
import type { NodeFact, PodFact } from "../model/facts.ts";
import { parseCidr, parseIp } from "../model/ip.ts";
import { internetIn } from "./internet.ts";

function isInternet(text: string, facts: readonly (NodeFact | PodFact)[] = []): boolean {
  const ip = parseIp(text);
  const store = new FactStore();
  for (const fact of facts) store.put(fact);
  return (
    ip !== null &&
    internetIn(store).some(
      ({ cidr, except }) => contains(cidr, ip) && !except.some((one) => contains(one, ip)),
    )
  );
}

test.each([
  ["8.8.8.8", true],
  ["172.32.0.1", true],
  ["223.255.255.255", true],
  ["2606:4700::1", true],
  ["10.1.2.3", false],
  ["192.0.2.1", false],
  ["192.0.0.8", false],
  ["203.0.113.9", false],
  ["224.0.0.1", false],
  ["2001:db8::1", false],
  ["fd00::1", false],
  ["fe80::1", false],
])("%s: %s", (text, expected) => {
  expect(isInternet(text)).toBe(expected);
});

test("nothing of the cluster is in it: nodes, their pod networks, pods on their networks; in both families", () => {
  const networks = ["198.18.0.0/24", "100.0.0.0/24", "2a00:1::/64"].flatMap((text) => parseCidr(text) ?? []);
  const facts = [
    { ...node("n", {}, ["8.8.8.8", "2606:4700::1"]), podNetworks: networks },
    pod("shop", "agent", { hostNetwork: true, ips: ["9.9.9.9"] }),
  ];
  const texts = ["8.8.8.8", "2606:4700::1", "100.0.0.7", "2a00:1::7", "9.9.9.9"];
  expect(texts.filter((text) => isInternet(text, facts))).toEqual([]);
  expect(texts.filter((text) => isInternet(text))).toEqual(texts);
  expect(isInternet("100.0.1.7", facts)).toBe(true);
});
