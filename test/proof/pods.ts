// Random pods of every kind that must not be taken for another, written as the API has them and read as the controller reads
// them: a Terminating pod and one of several containers are facts only behind that door.

import fc from "fast-check";
import { parsePod } from "../../src/informers/objects/pod.ts";
import type { PodFact, Protocol } from "../../src/model/facts.ts";
import type { IpFamily } from "../../src/model/ip.ts";
import { labels } from "../scenarios/worlds.ts";
import { portNames, portNumbers } from "./rules.ts";

export const nodeNames = ["node-1", "node-2", "node-3"];
export const spaces = ["a", "b", "a-namespace-whose-name-takes-all-the-sixty-three-characters-xyz"];
const podNames = ["one", "two", `three-${"with-a-name-longer-than-sixty-three-characters-".repeat(2)}x`];
export const slots = spaces.flatMap((space) => podNames.map((name) => ({ space, name })));
/** These are always there, on the network and of every family of the world, so that no world is without packets. */
export const certain = 3;

/** In every pod that is not plainly alive, so that a counter-example shows it: facts say no more of a Terminating pod. */
export const stateLabel = "state";

const v4Of = (slot: number, subnet: number) => `10.0.${subnet}.${16 + slot}`;
const v6Of = (slot: number, subnet: number) => `fd00:0:0:${subnet}::1${slot.toString(16)}`;

export type State = "live" | "terminating" | "hostNetwork" | "completed" | "unscheduled" | "withoutAddress";
const state = fc.oneof(
  { weight: 8, arbitrary: fc.constant<State>("live") },
  {
    weight: 8,
    arbitrary: fc.constantFrom<State>(
      ...(["terminating", "hostNetwork", "completed", "unscheduled", "withoutAddress"] as const),
      // Their addresses are somebody else's: the most to get wrong.
      ...(["hostNetwork", "completed", "completed"] as const),
    ),
  },
);

interface DeclaredPort {
  readonly container: number;
  readonly name: string;
  readonly protocol: Protocol;
  readonly containerPort: number;
}

const declaredPort: fc.Arbitrary<DeclaredPort> = fc.record({
  container: fc.constantFrom(0, 1),
  name: fc.constantFrom(...portNames),
  protocol: fc.constantFrom("tcp" as const, "udp" as const, "sctp" as const),
  containerPort: fc.constantFrom(...portNumbers, 8443),
});

export interface PodDraft {
  readonly state: State;
  readonly table: Readonly<Record<string, string>>;
  readonly home: string;
  readonly subnet: number;
  readonly only: IpFamily | null;
  readonly ports: readonly DeclaredPort[];
}

export const podDraft: fc.Arbitrary<PodDraft> = fc.record({
  state,
  table: labels,
  home: fc.constantFrom(...nodeNames),
  subnet: fc.constantFrom(0, 1),
  only: fc.option(fc.constantFrom("v4" as const, "v6" as const), { freq: 2, nil: null }),
  ports: fc.array(declaredPort, { maxLength: 4 }),
});

/** `reused`: the subnet of slot 0, whose address a completed pod had before. */
export function podOf(slot: number, families: readonly IpFamily[], drawn: PodDraft, reused: number): PodFact {
  const { space, name } = slots[slot] ?? { space: "", name: "" };
  const { table, home, only, subnet } = drawn;
  const current = slot < certain && drawn.state !== "terminating" ? "live" : drawn.state;
  const own = families.filter((family) => slot < certain || only === null || family === only);
  const ips = own.flatMap((family) => addressOf(current, slot, { family, home, subnet, reused }));
  const { object: fact } = parsePod({
    metadata: {
      namespace: space,
      name,
      labels: current === "live" ? table : { ...table, [stateLabel]: current },
      ...(current === "terminating" ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: {
      ...(current === "unscheduled" ? {} : { nodeName: home }),
      hostNetwork: current === "hostNetwork",
      containers: [0, 1].map((container) => containerOf(container, drawn.ports)),
    },
    status: {
      phase: current === "completed" ? "Succeeded" : "Running",
      podIPs: ips.map((ip) => ({ ip })),
    },
  });
  if (fact === null) throw new Error(`the generator made a pod that is refused: ${space}/${name}`);
  return fact;
}

function containerOf(container: number, ports: readonly DeclaredPort[]) {
  const own = ports.filter((port) => port.container === container);
  return {
    name: `c${container}`,
    ports: own.map(({ name, protocol, containerPort }) => ({
      name,
      protocol: protocol.toUpperCase(),
      containerPort,
    })),
  };
}

interface Place {
  readonly family: IpFamily;
  readonly home: string;
  readonly subnet: number;
  readonly reused: number;
}

function addressOf(current: State, slot: number, { family, home, subnet, reused }: Place): readonly string[] {
  const number = nodeNames.indexOf(home) + 1;
  const given = (to: number, of: number) => [family === "v4" ? v4Of(to, of) : v6Of(to, of)];
  const ofState: Readonly<Record<State, readonly string[]>> = {
    live: given(slot, subnet),
    terminating: given(slot, subnet),
    // The node's own.
    hostNetwork: [family === "v4" ? `172.18.0.${number}` : `fd18::${number}`],
    // Given to a pod that lives.
    completed: given(0, reused),
    unscheduled: [],
    withoutAddress: [],
  };
  return ofState[current];
}
