// What a packet filter refuses, with the part of the policy that it is about.

import { describe, expect, test } from "@jest/globals";
import { everything } from "../model/selector.ts";
import type { Peer, Policy, PortMatch, Rule } from "../policy/ir.ts";
import { everyPeer, tiers } from "../policy/ir.ts";
import { refusalsOf } from "./admission.ts";

const rule: Rule = {
  ...{ index: 0, name: "", action: "allow", share: null, subject: null, peers: everyPeer },
  ...{ ports: null, logging: null },
};
const ref = { group: "test", kind: "Test", namespace: null, name: "one" };
const policy: Policy = {
  ...{ key: "Test.test/one" as Policy["key"], ref, ownerType: "Test", shortKind: "T" },
  ...{ tier: tiers.admin, priority: 1, subject: [], rules: { ingress: [rule], egress: [] } },
  unmatched: { ingress: "deny", egress: "next" },
  logging: { allow: null, deny: null, pass: null, reject: null },
};
const withRule = (change: Partial<Rule>): Policy => ({
  ...policy,
  rules: { egress: [], ingress: [{ ...rule, ...change }] },
});
const future = { kind: "ofTheFuture" };

test("a policy of today is admitted", () => {
  expect(refusalsOf(policy)).toEqual([]);
});

describe("it refuses", () => {
  test("rules that follow no connections", () => {
    expect(refusalsOf({ ...policy, stateless: true })).toEqual([
      {
        code: "Unsupported",
        part: { kind: "policy" },
        message: "the packet filter has no rules for it: its rules follow no connections",
      },
    ]);
  });

  test.each<[string, Policy, object]>([
    ["an action", withRule({ action: "ofTheFuture" as Rule["action"] }), { field: "action" }],
    ["a peer", withRule({ peers: [future as unknown as Peer] }), { field: "peers" }],
    [
      "a peer of the subject's namespace",
      withRule({ peers: [{ kind: "sameNamespaces", keys: [], pods: everything }] }),
      { field: "peers" },
    ],
    [
      "addresses of no pod of a group",
      withRule({ peers: [{ kind: "others", pods: [], networks: [], except: [] }] }),
      { field: "peers" },
    ],
    [
      "ports that pods declare at both ends",
      withRule({ ports: [{ kind: "declared", protocol: "tcp", from: null, to: null }] }),
      { field: "ports" },
    ],
    ["ports", withRule({ ports: [future as unknown as PortMatch] }), { field: "ports" }],
    ["a port", withRule({ ports: [{ kind: "port", protocol: "tcp", port: 70_000 }] }), { field: "ports" }],
    [
      "a tier's end",
      { ...policy, unmatched: { ingress: "ofTheFuture" as "deny", egress: "next" } },
      { kind: "unmatched", direction: "ingress" },
    ],
  ])("%s that it does not know", (_what, given, part) => {
    expect(refusalsOf(given)).toEqual([
      expect.objectContaining({ code: "Unsupported", part: expect.objectContaining(part) }),
    ]);
  });
});
