// Where the backend contract is played: one harness, the programs started on it one after the other, and the questions that
// most of its cases ask.

import { expect } from "@jest/globals";
import type { IpFamily } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { Policy, PolicyKey } from "../../src/policy/ir.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import { hostName, namedPort, namespace, node, pod, podGroup, withLabels } from "../support/facts.ts";
import { eventually } from "../support/eventually.ts";
import { Driver } from "./driver.ts";
import type { GeneratedWorld } from "./generator-world.ts";
import { endsOf } from "./generator-world.ts";
import type { Harness } from "./harness.ts";
import { contractPolicy, rulesOf } from "./policies.ts";

export interface StartOptions {
  readonly families?: readonly IpFamily[];
  readonly mayExist?: (key: PolicyKey) => boolean;
}

/** Namespaces x and y, named after their tenants, with three pods between them, and names of a pod and of what is outside. */
export const smallWorld: GeneratedWorld = {
  namespaces: new Map(["x", "y"].map((name) => [name, namespace(name, { tenant: name })])),
  nodes: [node("n", { role: "edge" }, ["172.18.0.2"])],
  hostNames: [
    hostName("a.example.org", "10.0.1.1", "198.51.100.1"),
    hostName("b.example.org", "2001:db8::1"),
    hostName("example.org", "203.0.113.9"),
  ],
  pods: [
    pod("x", "p", {
      labels: { app: "a" },
      ips: ["10.0.0.1", "fd00::1"],
      ports: [namedPort("http", 8080)],
    }),
    pod("x", "q", { labels: { app: "b" }, ips: ["10.0.0.2", "fd00::2"] }),
    pod("y", "p", { labels: { app: "a" }, ips: ["10.0.1.1", "fd00:0:0:1::1"] }),
  ],
};

export const tenant = (name: string) => podGroup(withLabels({ tenant: name }));

/** Denies tenant y the way to tenant x, on one port and by name. */
export const guard: Policy = contractPolicy({
  name: "guard",
  subject: [tenant("x")],
  rules: {
    ingress: rulesOf({
      peers: [tenant("y")],
      ports: [
        { kind: "port", protocol: "tcp", port: 80 },
        { kind: "named", name: "http" },
      ],
    }),
  },
});

/** Denies tenant x the way to tenant y. */
export const fence: Policy = contractPolicy({
  name: "fence",
  priority: 20,
  subject: [tenant("x")],
  rules: { egress: rulesOf({ peers: [tenant("y")] }) },
});

export class Stage {
  readonly harness: Harness;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  /** A program without facts and policies, over what the store has. */
  async start({ families = ["v4", "v6"], mayExist = () => false }: StartOptions = {}): Promise<Driver> {
    await this.harness.connect();
    const driver = new Driver((membership) => this.harness.backend({ membership, mayExist }));
    driver.backend.serve(families);
    await this.connected(driver);
    return driver;
  }

  /** A program that knows the world and wants the policies; nothing is committed. */
  async startWith(policies: readonly Policy[], options: StartOptions = {}): Promise<Driver> {
    const driver = await this.start(options);
    driver.seeWorld(smallWorld);
    driver.apply(...policies);
    return driver;
  }

  async connected({ backend }: Driver): Promise<void> {
    await eventually(() => {
      expect(backend.ready).toBe(true);
    });
  }

  async state(): Promise<string> {
    return (await this.harness.snapshot()).state;
  }

  /** As `state`, without what depends on history. */
  async withoutHistory(): Promise<string> {
    return (await this.harness.snapshot()).fresh;
  }

  /** What an empty store holds after a program with these policies has started on it. */
  async freshState(policies: readonly Policy[], options: StartOptions = {}): Promise<string> {
    await this.harness.clear();
    const driver = await this.startWith(policies, options);
    await this.settle(driver);
    return this.state();
  }

  /** Commits, and holds that all that is wanted is settled or has been so before. */
  async settle(driver: Driver): Promise<readonly PolicyKey[]> {
    const { settled, refused, interrupted } = await driver.commit();
    expect(interrupted).toBeNull();
    expect([...refused]).toEqual([]);
    return settled;
  }

  /** The stored state gives every connection of the world the verdict that the policies mean. */
  async expectInForce(policies: readonly Policy[], world: GeneratedWorld = smallWorld): Promise<void> {
    const snapshot = await this.harness.snapshot();
    const verdicts = connectionsBetween(world).map((connection) => ({
      between: `${connection.from.ip} ${connection.to.ip} ${connection.port}`,
      stored: snapshot.judge(connection),
      meant: judge(connection, world, policies).verdict,
    }));
    expect(verdicts.filter(({ stored, meant }) => stored !== meant)).toEqual([]);
  }
}

/** Every two ends of different pods, on the ports that the small policies name. */
export function connectionsBetween(world: GeneratedWorld): readonly Connection[] {
  const ends = endsOf(world);
  return ends.flatMap((from) =>
    ends
      .filter((to) => familyOf(from.ip) === familyOf(to.ip) && from.ip !== to.ip)
      .filter((to) => (from.pod ?? to.pod) !== null && from.pod !== to.pod)
      .flatMap((to) => [80, 8080, 81].map((port): Connection => ({ from, to, protocol: "tcp", port }))),
  );
}
