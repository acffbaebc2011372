// A node with three pods, each with a label of its name, and a policy that isolates one of them: for connections while things change.

import type { IpAddress } from "../../src/model/ip.ts";
import { everything } from "../../src/model/selector.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import { contractPolicy, rulesOf } from "../backend/policies.ts";
import { podGroup, withLabels } from "../support/facts.ts";
import { TestNode } from "./node.ts";
import { stackAt } from "./stream.ts";

export const own = "node-1";
export const podNames = ["a", "b", "c"] as const;

const places: Readonly<Record<string, readonly IpAddress[]>> = {
  [own]: ["172.18.0.2", "fd18::2"] as IpAddress[],
  a: ["10.0.0.1", "fd00::1"] as IpAddress[],
  b: ["10.0.0.2", "fd00::2"] as IpAddress[],
  c: ["10.0.0.3", "fd00::3"] as IpAddress[],
};

/** Of the node or of a pod. */
export function ipsOf(name: string): readonly IpAddress[] {
  return places[name] ?? [];
}

export const podsOf = (app: string) => podGroup(everything, withLabels({ app }));

/** `b` takes connections from pods with these labels alone. */
export function isolation(...from: readonly string[]): Policy {
  return contractPolicy({
    ...{ name: "isolation", namespace: "x", tier: tiers.namespaced, subject: [podsOf("b")] },
    unmatched: { ingress: "deny", egress: "next" },
    rules: { ingress: rulesOf({ action: "allow", peers: from.map(podsOf) }) },
  });
}

/** Each answers on TCP port 80. */
export function openNode(): Promise<TestNode> {
  return TestNode.open(
    stackAt(own, ipsOf(own)),
    podNames.map((name) => stackAt(name, ipsOf(name))),
  );
}
