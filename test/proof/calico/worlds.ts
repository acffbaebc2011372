// Random clusters with Calico's policies, written as manifests: the judge reads these, and the product reads the same by its own
// parsers. Every pod has a service account that exists, and every namespace exists.

import fc from "fast-check";
import { everyKind, installed } from "../../../src/dialects.ts";
import { readableKinds } from "../../../src/informers/objects/kinds.ts";
import type { NodeFact } from "../../../src/model/facts.ts";
import type { WorldObject } from "../../../src/model/object.ts";
import { apiVersionOf } from "../../../src/model/object.ts";
import { account, globalSet, networkSet, podOf, slice, space } from "../../oracle/calico/build.ts";
import type { Manifest } from "../../oracle/calico/manifests.ts";
import { node } from "../../support/facts.ts";
import { nodeNames, spaces } from "../pods.ts";
import { networks, portNames, portNumbers } from "../rules.ts";
import type { ProofWorld } from "../worlds.ts";
import { zone } from "../worlds.ts";
import { calicoMeaning, calicoWords } from "./meaning.ts";
import { policies } from "./policies.ts";
import { serviceNames } from "./rules.ts";
import { accountNames, labels } from "./selectors.ts";

/** The kinds of a cluster whose policies Calico's model orders. */
export const calicoInstalled = installed({ ...everyKind, "policy-model": "calico" });

/** Of the clusters that they are proved in: a Log before a rule of its criteria is that rule's log. */
export const calicoCluster = {
  ...{ installed: calicoInstalled.dialects, tierLayout: calicoInstalled.tierLayout, logs: true },
} as const;

export interface CalicoWorld extends ProofWorld {
  /** All but the nodes, of which Calico's policies do not speak. */
  readonly manifests: readonly Manifest[];
  readonly nodes: readonly NodeFact[];
}

const port = fc.tuple(
  fc.constantFrom(...portNames),
  fc.constantFrom("TCP", "UDP", "SCTP"),
  // The last two are source ports of packets.
  fc.constantFrom(...portNumbers, 8443, 30_000, 40_000),
);
const states = ["live", "live", "live", "live", "live", "live", "hostNetwork", "completed"] as const;

const pod = fc.record({
  table: labels,
  home: fc.constantFrom(...nodeNames),
  subnet: fc.constantFrom<number>(0, 1),
  runsAs: fc.constantFrom(...accountNames),
  ports: fc.array(port, { maxLength: 3 }),
  state: fc.constantFrom(...states),
  only: fc.constantFrom(null, null, null, 4, 6),
});
type PodDraft = typeof pod extends fc.Arbitrary<infer Draft> ? Draft : never;

/** The first pods are live, and of both families. */
const certain = 3;
const slots = spaces.flatMap((namespace) => ["one", "two", "three"].map((name) => ({ namespace, name })));

/** Each node has a network of its own, and `zone` has a pod. */
function inOwnNetwork(slot: number, draft: PodDraft): PodDraft {
  const home = slot === 0 ? zone : draft.home;
  return { ...draft, home, subnet: nodeNames.indexOf(home) };
}

function podIn(slot: number, { table, home, subnet, runsAs, ports, ...rest }: PodDraft): Manifest {
  const { namespace, name } = slots[slot] ?? { namespace: "", name: "" };
  const [state, only] = slot < certain ? (["live", null] as const) : [rest.state, rest.only];
  const number = nodeNames.indexOf(home) + 1;
  const ips =
    state === "hostNetwork"
      ? [`172.18.0.${number}`, `fd18::${number}`]
      : [`10.0.${subnet}.${16 + slot}`, `fd00:0:0:${subnet}::1${slot.toString(16)}`];
  return podOf(namespace, name, {
    ...{ labels: table, ips: ips.filter((_, at) => only === null || only === (at === 0 ? 4 : 6)) },
    ...{ account: runsAs, ports, phase: state === "completed" ? "Succeeded" : "Running" },
    spec: { nodeName: home, ...(state === "hostNetwork" ? { hostNetwork: true } : {}) },
  });
}

/** Networks with host bits and single addresses among them, as network sets may have them. */
const setNets = fc.uniqueArray(
  fc.constantFrom(...networks, "203.0.113.7", "2001:db8::7", "172.18.0.2/31", "198.51.100.7/24"),
  { maxLength: 3 },
);
const set = fc.record({ table: labels, nets: setNets });
/** Of endpoints that are pods or not, and that the pods' own labels need not select. */
const sliceDraft = fc
  .constantFrom<readonly string[][]>(
    [
      slots.flatMap((_, slot) => [`10.0.0.${16 + slot}`, `10.0.1.${16 + slot}`]),
      ["172.18.0.2", "203.0.113.7", "203.0.113.0", "198.51.100.7"],
    ],
    [
      slots.flatMap((_, slot) => [0, 1].map((subnet) => `fd00:0:0:${subnet}::1${slot.toString(16)}`)),
      ["fd18::2", "2001:db8::7", "2001:db8::", "fd18::3"],
    ],
  )
  .chain(([inside = [], outside = []]) =>
    fc.record({
      addresses: fc.uniqueArray(fc.constantFrom(...inside, ...outside), { minLength: 4, size: "+1" }),
      ports: fc.uniqueArray(
        fc.tuple(fc.constantFrom("TCP", "UDP", "SCTP"), fc.constantFrom(...portNumbers, 8443)),
        { minLength: 1, maxLength: 4, selector: String },
      ),
    }),
  );
/** For each namespace and Service. */
const slices = fc.tuple(
  ...spaces.flatMap(() => serviceNames.map(() => fc.array(sliceDraft, { maxLength: 3 }))),
);

function slicesOf(
  lists: readonly (readonly (typeof sliceDraft extends fc.Arbitrary<infer D> ? D : never)[])[],
) {
  const services = spaces.flatMap((namespace) => serviceNames.map((name) => ({ namespace, name })));
  return services.flatMap(({ namespace, name }, at) =>
    (lists[at] ?? []).map((draft, index) => slice(name, `${name}-${index}`, { ...draft, namespace })),
  );
}

const tablesOf = (count: number) => fc.array(labels, { minLength: count, maxLength: count });

const clusterOf = fc.record({
  spaceTables: tablesOf(spaces.length),
  accountTables: tablesOf(spaces.length * accountNames.length),
  pods: fc.tuple(
    ...slots.map((_, slot) => (slot < certain + 2 ? fc.tuple(pod) : fc.array(pod, { maxLength: 1 }))),
  ),
  slices,
  globalSets: fc.array(set, { maxLength: 2 }),
});

const nodes = nodeNames.map((name, at) =>
  node(name, {}, [`172.18.0.${at + 1}`, `fd18::${at + 1}`], ["v4", "v6"]),
);

/** Of how many tiers the rules may pass in a database: three of OVN's tiers are two ways on. */
export const roomForPasses = 2;

export interface WorldOptions {
  /** How many tiers may have rules that pass. */
  readonly passing: number;
  /** For a database of one node; false unless given. */
  readonly zoned?: boolean;
}

export function calicoWorlds({ passing, zoned = false }: WorldOptions): fc.Arbitrary<CalicoWorld> {
  return fc
    .record({
      cluster: clusterOf,
      sets: fc.array(fc.tuple(set, fc.constantFrom(...spaces)), { maxLength: 2 }),
      written: policies(passing),
      salt: fc.nat(),
    })
    .map(({ cluster, sets, written, salt }) => {
      const { spaceTables, accountTables, pods, globalSets } = cluster;
      return calicoWorld(
        [
          ...spaces.map((name, at) => space(name, spaceTables[at])),
          ...spaces.flatMap((name, at) =>
            accountNames.map((one, index) =>
              account(name, one, accountTables[at * accountNames.length + index]),
            ),
          ),
          ...pods.flatMap((list, slot) =>
            list.map((draft) => podIn(slot, zoned ? inOwnNetwork(slot, draft) : draft)),
          ),
          ...slicesOf(cluster.slices),
          ...globalSets.map(({ table, nets }, at) => globalSet(`g-${at}`, table, nets)),
          ...sets.map(([{ table, nets }, namespace], at) => networkSet(`n-${at}`, table, nets, namespace)),
          ...written,
        ],
        salt,
      );
    });
}

export function calicoWorld(manifests: readonly Manifest[], salt: number): CalicoWorld {
  const world: CalicoWorld = {
    ...{ manifests, nodes, salt, unusual: true, tellsSourcePorts: true },
    objects: [...nodes, ...manifests.map(objectOf)],
    witness: { meaning: (zone) => calicoMeaning({ manifests, nodes }, zone), words: calicoWords },
  };
  return Object.assign(world, { [fc.toStringMethod]: () => textOf(world) });
}

const kinds = readableKinds(calicoInstalled.policies, calicoInstalled.references);

/** As the product reads it. */
function objectOf(manifest: Manifest): WorldObject {
  const kind = kinds.find((one) => one.kind === manifest.kind && apiVersionOf(one) === manifest.apiVersion);
  if (kind === undefined) throw new Error(`${manifest.apiVersion} ${manifest.kind} is not read`);
  const { object, problems } = kind.parse(manifest);
  if (object === null)
    throw new Error(`the generator made a refused object: ${JSON.stringify([manifest, problems])}`);
  return object;
}

/** For a person who looks at a counter-example: what is neither a node nor an account without labels. */
function textOf({ manifests, salt }: CalicoWorld): string {
  const shown = manifests.filter(
    ({ kind, metadata: { labels: table = {} } }) =>
      kind !== "ServiceAccount" || Object.keys(table).length > 0,
  );
  return ["", ...shown.map((one) => JSON.stringify(one)), `salt ${salt}`].join("\n  ");
}
