// Random clusters fit for packets: three nodes on one Northbound database, one or both families, and every kind of pod that
// must not be taken for another. Live pods have addresses of their own, and none of them is a node's: with a shared address
// the API speaks of the pod and rows can only speak of the address.

import fc from "fast-check";
import type { HostNameFact, NodeFact, PodFact } from "../../src/model/facts.ts";
import type { IpAddress, IpFamily } from "../../src/model/ip.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { isApiObject, isNode, isPod, isReferenced } from "../../src/model/object.ts";
import { labels, sometimes } from "../scenarios/worlds.ts";
import { namespace, node } from "../support/facts.ts";
import type { Witness } from "./judges.ts";
import type { Answered } from "./names/answers.ts";
import type { NetworkPolicy } from "./network-policies.ts";
import { nameLabel } from "./network-policies.ts";
import type { PodDraft } from "./pods.ts";
import { certain, nodeNames, podDraft, podOf, slots, spaces } from "./pods.ts";
import { networkPolicies, policies } from "./rules.ts";

/** Where another writer's rows stand in the way. */
export interface Stricter {
  /** The word for a rule that decides. Rules that another writer's place puts in another order have one; null: it is not compared. */
  readonly word: (rule: string) => string | null;
}

/** A cluster, and the number from which its packets are drawn. */
export interface ProofWorld {
  readonly objects: readonly WorldObject[];
  /** Those whose rows another owner writes; none unless told. */
  readonly networkPolicies?: readonly NetworkPolicy[];
  /** What explain and the meaning as compiled are told in place of `objects` and `networkPolicies`. */
  readonly told?: readonly WorldObject[];
  /** Rows may drop what is allowed: where another writer's rows stand in the way. They let through nothing more. */
  readonly mayBeStricter?: Stricter;
  readonly salt: number;
  /** Whether there are packets of what only some kinds of policies speak of. */
  readonly unusual?: boolean;
  /** Whether every packet tells its source port: where rules may exclude some, a port that no rule names does not say enough. */
  readonly tellsSourcePorts?: boolean;
  /** What DNS answers, where the controller resolves names; `objects` has the facts that this is meant to make. */
  readonly answers?: readonly Answered[];
  /** Where packets go, beside the addresses of every world. */
  readonly destinations?: readonly IpAddress[];
  /** Says what the packets are held against; the meaning of the policies as compiled, unless there is one. */
  readonly witness?: Witness;
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

const drawnWorld = fc.record({
  families,
  tables: fc.tuple(...spaces.map(() => fc.option(labels, { freq: 8 }))),
  pods: fc.tuple(
    ...slots.map((_, slot) => (slot < certain ? podDraft.map((one) => [one]) : sometimes(podDraft))),
  ),
  nodes: fc.tuple(...nodeNames.map(() => sometimes(nodeDraft))),
  policies,
  networkPolicies: networkPolicies(spaces),
  salt: fc.nat(),
});

type DrawnWorld = typeof drawnWorld extends fc.Arbitrary<infer World> ? World : never;

function worldOf(drawn: DrawnWorld, placed: (draft: PodDraft, slot: number) => PodDraft): ProofWorld {
  const reused = drawn.pods[0]?.map((first) => placed(first, 0).subnet)[0] ?? 0;
  const world: ProofWorld = {
    objects: [
      ...spaces.flatMap((name, at) => {
        const table = drawn.tables[at] ?? null;
        return table === null ? [] : [namespace(name, { ...table, [nameLabel]: name })];
      }),
      ...drawn.nodes.flatMap((one, at) => one.map((given) => nodeOf(at, drawn.families, given))),
      ...drawn.pods.flatMap((one, slot) =>
        one.map((given) => podOf(slot, drawn.families, placed(given, slot), reused)),
      ),
      ...drawn.policies,
    ],
    networkPolicies: drawn.networkPolicies,
    salt: drawn.salt,
  };
  return Object.assign(world, { [fc.toStringMethod]: () => worldText(world) });
}

/** Nodes share the pods' networks, as they do with a CNI that gives addresses out centrally. */
export const proofWorld: fc.Arbitrary<ProofWorld> = drawnWorld.map((drawn) =>
  worldOf(drawn, (draft) => draft),
);

export const zone = "node-1";

/** Each node has a network of its own, and `zone` has a pod. */
export const zonedWorld: fc.Arbitrary<ProofWorld> = drawnWorld.map((drawn) =>
  worldOf(drawn, (draft, slot) => {
    const home = slot === 0 ? zone : draft.home;
    return { ...draft, home, subnet: nodeNames.indexOf(home) };
  }),
);

export interface Sorted {
  readonly namespaces: ReadonlyMap<string, Extract<WorldObject, { kind: "Namespace" }>>;
  readonly nodes: readonly NodeFact[];
  readonly pods: readonly PodFact[];
  readonly policies: readonly PolicyObject[];
  readonly names: readonly HostNameFact[];
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
    names: objects.filter((object): object is HostNameFact => object.kind === "HostName"),
    policies: objects.filter(
      (object): object is PolicyObject => isApiObject(object) && !isReferenced(object),
    ),
  };
}

/** One object a line, for a person who looks at a counter-example. */
export function worldText({ objects, networkPolicies: others = [], answers = [], salt }: ProofWorld): string {
  const lines = objects.map((object) =>
    JSON.stringify(object, (key, value: unknown) => {
      if (value instanceof Map) return Object.fromEntries(value as ReadonlyMap<string, unknown>);
      return key === "apiVersion" || value === null ? undefined : value;
    }),
  );
  const foreign = others.map((policy) => `NetworkPolicy ${JSON.stringify(policy)}`);
  const answered = answers.map(({ name, addresses }) => `DNS answers ${name}: ${addresses.join(", ")}`);
  return ["", ...lines, ...foreign, ...answered, `salt ${salt}`].join("\n  ");
}
