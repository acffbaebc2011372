// Random clusters fit for packets: three nodes on one Northbound database, one or both families, and every kind of pod that
// must not be taken for another. Live pods have addresses of their own, and none of them is a node's: with a shared address
// the API speaks of the pod and rows can only speak of the address.

import fc from "fast-check";
import type { NamedPort, NodeFact, PodFact } from "../../src/model/facts.ts";
import type { IpFamily } from "../../src/model/ip.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { isNode, isPod } from "../../src/model/object.ts";
import { labels, sometimes } from "../scenarios/worlds.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { policies, portNames, portNumbers } from "./rules.ts";

/** A cluster, and the number from which its packets are drawn. */
export interface ProofWorld {
  readonly objects: readonly WorldObject[];
  readonly salt: number;
}

const nodeNames = ["node-1", "node-2", "node-3"];
const spaces = ["a", "b", "a-namespace-whose-name-takes-all-of-the-sixty-three-characters-x"];
const podNames = ["one", "two", `three-${"with-a-name-longer-than-sixty-three-characters-".repeat(2)}x`];
const slots = spaces.flatMap((space) => podNames.map((name) => ({ space, name })));
/** These are always there, on the network and of every family of the world, so that no world is without packets. */
const certain = 3;

const v4Of = (slot: number, subnet: number) => `10.0.${subnet}.${16 + slot}`;
const v6Of = (slot: number, subnet: number) => `fd00:0:0:${subnet}::1${slot.toString(16)}`;

type State = "live" | "hostNetwork" | "completed" | "unscheduled" | "withoutAddress";
const state = fc.oneof(
  { weight: 8, arbitrary: fc.constant<State>("live") },
  {
    weight: 3,
    arbitrary: fc.constantFrom<State>("hostNetwork", "completed", "unscheduled", "withoutAddress"),
  },
);

const containerPort: fc.Arbitrary<NamedPort> = fc.record({
  name: fc.constantFrom(...portNames),
  protocol: fc.constantFrom("tcp" as const, "udp" as const, "sctp" as const),
  port: fc.constantFrom(...portNumbers, 8443),
});

interface Draft {
  readonly state: State;
  readonly table: Readonly<Record<string, string>>;
  readonly home: string;
  readonly subnet: number;
  readonly only: IpFamily | null;
  readonly ports: readonly NamedPort[];
}

const draft: fc.Arbitrary<Draft> = fc.record({
  state,
  table: labels,
  home: fc.constantFrom(...nodeNames),
  subnet: fc.constantFrom(0, 1),
  only: fc.option(fc.constantFrom("v4" as const, "v6" as const), { freq: 1, nil: null }),
  ports: fc.array(containerPort, { maxLength: 3 }),
});

function podOf(slot: number, families: readonly IpFamily[], drawn: Draft): PodFact {
  const { space, name } = slots[slot] ?? { space: "", name: "" };
  const { table, home, only, ports } = drawn;
  const current = slot < certain ? "live" : drawn.state;
  const number = nodeNames.indexOf(home) + 1;
  const own = families.filter((family) => slot < certain || only === null || family === only);
  const ofFamily: Readonly<Record<State, (family: IpFamily) => string[]>> = {
    live: (family) => [family === "v4" ? v4Of(slot, drawn.subnet) : v6Of(slot, drawn.subnet)],
    // The node's own.
    hostNetwork: (family) => [family === "v4" ? `172.18.0.${number}` : `fd18::${number}`],
    // Given to a pod that lives.
    completed: (family) => [family === "v4" ? v4Of(0, drawn.subnet) : v6Of(0, drawn.subnet)],
    unscheduled: () => [],
    withoutAddress: () => [],
  };
  return pod(space, name, {
    labels: table,
    node: current === "unscheduled" ? null : home,
    hostNetwork: current === "hostNetwork",
    completed: current === "completed",
    ips: own.flatMap(ofFamily[current]),
    ports,
  });
}

const nodeDraft = fc.record({ table: labels, second: fc.boolean(), withNetworks: fc.boolean() });

function nodeOf(
  at: number,
  families: readonly IpFamily[],
  { table, second, withNetworks }: { table: Record<string, string>; second: boolean; withNetworks: boolean },
): NodeFact {
  const number = at + 1;
  const ips = families.flatMap((family) =>
    family === "v4"
      ? [`172.18.0.${number}`, ...(second ? [`192.0.2.${number}`] : [])]
      : [`fd18::${number}`, ...(second ? [`2001:db8:18::${number}`] : [])],
  );
  return node(`node-${number}`, table, ips, withNetworks ? families : []);
}

const families = fc.constantFrom<readonly IpFamily[]>(["v4", "v6"], ["v4"], ["v6"]);

export const proofWorld: fc.Arbitrary<ProofWorld> = fc
  .record({
    families,
    tables: fc.tuple(...spaces.map(() => fc.option(labels, { freq: 8 }))),
    pods: fc.tuple(
      ...slots.map((_, slot) => (slot < certain ? draft.map((one) => [one]) : sometimes(draft))),
    ),
    nodes: fc.tuple(...nodeNames.map(() => sometimes(nodeDraft))),
    policies,
    salt: fc.nat(),
  })
  .map((drawn) => ({
    objects: [
      ...spaces.flatMap((name, at) => {
        const table = drawn.tables[at] ?? null;
        return table === null ? [] : [namespace(name, table)];
      }),
      ...drawn.nodes.flatMap((one, at) => one.map((given) => nodeOf(at, drawn.families, given))),
      ...drawn.pods.flatMap((one, slot) => one.map((given) => podOf(slot, drawn.families, given))),
      ...drawn.policies,
    ],
    salt: drawn.salt,
  }))
  .map((world) => ({ ...world, [fc.toStringMethod]: () => worldText(world) }));

export interface Sorted {
  readonly namespaces: ReadonlyMap<string, Extract<WorldObject, { kind: "Namespace" }>>;
  readonly nodes: readonly NodeFact[];
  readonly pods: readonly PodFact[];
  readonly policies: readonly PolicyObject[];
}

/** The objects of a world by what they are. */
export function sorted(objects: readonly WorldObject[]): Sorted {
  const namespaces = objects.filter(
    (object): object is Extract<WorldObject, { kind: "Namespace" }> => object.kind === "Namespace",
  );
  return {
    namespaces: new Map(namespaces.map((fact) => [fact.name, fact])),
    nodes: objects.filter(isNode),
    pods: objects.filter(isPod),
    policies: objects.filter((object): object is PolicyObject => "spec" in object),
  };
}

/** One object a line, for a person who looks at a counter-example. */
export function worldText({ objects, salt }: ProofWorld): string {
  const lines = objects.map((object) =>
    JSON.stringify(object, (key, value: unknown) => {
      if (value instanceof Map) return Object.fromEntries(value as ReadonlyMap<string, unknown>);
      return key === "apiVersion" || value === null ? undefined : value;
    }),
  );
  return ["", ...lines, `salt ${salt}`].join("\n  ");
}
