// Three kinds named NetworkPolicy in three API groups, side by side: each has objects, keys, stores, records and rows of
// its own, and what becomes of one of them touches no other.

import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { dialects as installed } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { apiVersionOf, keyOf, shownAmong, splitKey } from "../../src/model/object.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import { dialectsByKind, kindsToRead, ownersOf } from "../../src/policy/contracts/dialect.ts";
import { tiers } from "../../src/policy/ir.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, openNorthbound, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { FastWorld } from "../support/kube-world.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp } from "../support/policies.ts";
import { toyDialect } from "../support/toy-dialect.ts";

const kubernetes = toyDialect({
  ...{
    group: "networking.k8s.io",
    namespaced: true,
    tier: tiers.admin,
    ownerType: "KubernetesNetworkPolicy",
  },
});
const antrea = toyDialect({
  ...{ group: "crd.antrea.io", namespaced: false, tier: tiers.admin, ownerType: "AntreaNetworkPolicy" },
});
const calico = toyDialect({
  ...{
    group: "projectcalico.org",
    namespaced: false,
    tier: tiers.baseline,
    ownerType: "CalicoNetworkPolicy",
  },
});
const three = [kubernetes, antrea, calico];
const dialects = [...installed, ...three];
const kinds = kindsToRead(dialects);
const policies = [
  kubernetes.policy("web", { app: "web", from: "k" }, "shop"),
  antrea.policy("web", { app: "web", from: "a" }),
  calico.policy("web", { app: "web", from: "c" }),
];
const world: readonly WorldObject[] = [
  namespace("shop"),
  ...["web", "k", "a", "c"].map((app, n) => pod("shop", app, { labels: { app }, ips: [`10.0.0.${n + 1}`] })),
  anp("web", {}),
  ...policies,
];
const policyKeys = [
  "NetworkPolicy.networking.k8s.io/shop/web",
  "NetworkPolicy.crd.antrea.io/web",
  "NetworkPolicy.projectcalico.org/web",
];
const options = { families: ["v4" as const], zone: null, installed: dialects };

/** Owner type, name and addresses of the peers of every ACL; then the address sets that no ACL names. */
const sets = ({ ACL, Address_Set }: Tables) => {
  const isNamed = ({ name }: { readonly name: string }, match: string) => match.includes(`$${name}`);
  const peers = ACL.map(({ external_ids: ids, match }) => {
    const named = Address_Set.filter((set) => isNamed(set, match));
    return [ids[keys.ownerType], ids[keys.name], ...named.flatMap(({ addresses }) => addresses)];
  });
  const left = Address_Set.filter((set) => !ACL.some(({ match }) => isNamed(set, match)));
  return [...peers.sort(), ...left.map(({ addresses }) => ["named by no ACL", ...addresses])];
};

const wanted = [
  ["AntreaNetworkPolicy", "web", "10.0.0.3"],
  ["CalicoNetworkPolicy", "web", "10.0.0.4"],
  ["KubernetesNetworkPolicy", "shop:web", "10.0.0.2"],
];

describe("keys", () => {
  test("have the group, and are split as they were built", () => {
    expect(policies.map(keyOf)).toEqual(policyKeys);
    expect(keyOf(world[1]!)).toBe("Pod/shop/web");
    for (const object of world) {
      const { kind, namespace: of, name } = splitKey(keyOf(object));
      expect([kind, of, name]).toEqual([
        object.kind,
        "namespace" in object ? object.namespace : null,
        object.name,
      ]);
    }
    expect(splitKey(keyOf(policies[1]!)).group).toBe("crd.antrea.io");
    expect(splitKey(keyOf(world[0]!)).group).toBe("");
  });

  test("are shown without the group where no other installed kind has the name", () => {
    const shown = shownAmong(kinds.policies);
    expect(policies.map(keyOf).map(shown)).toEqual(policyKeys);
    expect(shown(keyOf(anp("web", {})))).toBe("AdminNetworkPolicy/web");
    expect(shownAmong([kubernetes.kind])(keyOf(policies[0]!))).toBe("NetworkPolicy/shop/web");
  });

  test("two dialects of one kind, and two kinds of one owner type, are a bug", () => {
    expect(() => dialectsByKind([antrea, antrea])).toThrow("two dialects of NetworkPolicy.crd.antrea.io");
    const twin = {
      group: "other.io",
      namespaced: false,
      tier: tiers.admin,
      ownerType: "KubernetesNetworkPolicy",
    };
    expect(() => ownersOf([kubernetes, toyDialect(twin)])).toThrow("one owner type");
  });
});

test("a directory with all three gives each dialect its own object", () => {
  const folder = mkdtempSync(join(tmpdir(), "namesakes-"));
  try {
    const manifest = (dialect: (typeof three)[number], spec: object, version?: string) =>
      JSON.stringify({
        apiVersion: version ?? apiVersionOf(dialect.kind),
        ...{ kind: "NetworkPolicy", metadata: { name: "web", namespace: "shop" }, spec },
      });
    const texts = [
      manifest(kubernetes, { app: "web", from: "k" }),
      manifest(antrea, { app: "web", from: "a" }),
      manifest(calico, { app: "web", from: "c" }),
      manifest(calico, {}, "projectcalico.org/v3"),
    ];
    writeFileSync(join(folder, "all.yaml"), texts.join("\n---\n"));
    const { objects, problems } = loadManifests([folder], kinds.policies, kinds.references);
    expect(objects).toEqual(policies);
    expect(problems.map(({ problem }) => problem.message)).toEqual([
      'NetworkPolicy is read from projectcalico.org/v1, not from "projectcalico.org/v3"',
    ]);
    expect(sets(freshTables([...world.slice(0, 5), ...objects], options))).toEqual(wanted);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an API server with all three is followed in three stores, and a deletion in one is told of one", async () => {
  const served = await FastWorld.open({}, kinds);
  try {
    const places = three.map(({ kind }) => `/apis/${apiVersionOf(kind)}/networkpolicies`);
    const object = (from: string) => ({
      metadata: { name: "web", namespace: "shop" },
      spec: { app: "web", from },
    });
    for (const [n, place] of places.entries()) served.server.put(place, object("kac".charAt(n)));
    await served.synced();
    const read = () => policies.map((policy) => served.source.read(keyOf(policy)));
    expect(read()).toEqual(policies);
    expect(
      served.source.resources.map(({ resource }) => resource).filter((name) => name.startsWith("network")),
    ).toEqual(three.map(({ kind }) => `networkpolicies.${kind.group}`));
    await eventually(() => {
      expect(served.server.streams(places[1])).toHaveLength(1);
    });
    served.server.remove(places[1]!, object("a"));
    await served.told([policyKeys[1]!]);
    expect(read()).toEqual([policies[0], null, policies[2]]);
  } finally {
    await served.close();
  }
});

await describeWithOvn("namesakes on a real ovsdb-server", () => {
  let ovn: Ovn;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });

  test("each has rows of its own; a deletion takes only its own, also when nobody saw it", async () => {
    const session = openNorthbound(ovn.nb, {}, { installed: dialects });
    await session.opened();
    const rows = () => sets(actualTables(session.cache, rowOwners(ownersOf(dialects))));
    const settled = (expected: unknown) =>
      eventually(() => {
        expect(rows()).toEqual(expected);
      });
    const first = startController(session, new MemorySource(world), options);
    await settled(wanted);
    // Rows are seen before the commit that wrote them has ended.
    await eventually(() => {
      expect([...first.settled].sort()).toEqual([keyOf(anp("web", {})), ...policyKeys].sort());
    });
    for (const dialect of three) expect(dialect.compiled).toContain(keyOf(dialect.policy("web", {}, "shop")));
    first.source.delete(keyOf(policies[1]!));
    await settled(wanted.slice(1));
    await first.stop();
    const { transactions } = session.stats;
    const second = startController(
      session,
      new MemorySource(world.filter((one) => one !== policies[1])),
      options,
    );
    await eventually(() => {
      expect(second.loop.reconciled).toBe(true);
    });
    expect(session.stats.transactions).toBe(transactions);
    await second.stop();
    const left = world.filter((one) => one !== policies[0] && one !== policies[1]);
    const third = startController(session, new MemorySource(left), options);
    await settled(wanted.slice(1, 2));
    await third.stop();
    await session.close();
  });
});
