// Kinds that are switched off or not named, on real processes and a real database: their rows stay to the last byte, and a
// set that one of their ACLs names is never taken away, whoever else may have had it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { everyDialect, everyKind, installed } from "../../src/dialects.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { samplingOwnerType } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { KubernetesObject } from "../kube/api.ts";
import * as kube from "../kube/objects.ts";
import { actualTables } from "../support/actual-tables.ts";
import { openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { clearRows } from "../support/ports.ts";
import type { Running } from "../support/program.ts";
import { northgate, startNorthgate } from "../support/program.ts";
import { kindFlags } from "../support/dialects.ts";

/** Without that of samples, which is of no kind and has one writer as every row has. */
const typesOf = (kinds: Parameters<typeof rowOwners>[0]) =>
  [...rowOwners(kinds).keys()].filter((type) => type !== samplingOwnerType);
const ownerTypes = (...args: Parameters<typeof kindFlags>) => typesOf(installed(kindFlags(...args)).owners);

test("no owner type has rows of kinds on both sides of a switch, so that a kind that is off shares no set with one that is on", () => {
  const admin = ownerTypes({ admin: true, networkPolicy: false });
  const own = ownerTypes({ admin: false, networkPolicy: true });
  const antrea = ownerTypes({ admin: false, networkPolicy: false, antrea: true });
  const all = [...admin, ...own, ...antrea];
  expect(all.filter((type, i) => all.indexOf(type) !== i)).toEqual([]);
  // Kinds of another policy model are never followed beside these.
  const model = typesOf(installed({ ...everyKind, "policy-model": "calico" }).owners);
  const others = model.filter((type) => !all.includes(type));
  expect([...all, ...others].sort()).toEqual(typesOf(everyDialect.owners).sort());
});

const byApp = { matchLabels: { app: "web" } };
const cluster = kube.clusterPolicy("c", {
  ...{ tier: "Admin", priority: 1, subject: { namespaces: {} } },
  ingress: [{ action: "Deny", from: [{ pods: { namespaceSelector: {}, podSelector: byApp } }] }],
});
const namespaced: KubernetesObject = {
  ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "n", namespace: "a" } },
  spec: { podSelector: {}, ingress: [{ from: [{ namespaceSelector: {}, podSelector: byApp }] }] },
};
const antrea: KubernetesObject = {
  ...{ apiVersion: "crd.antrea.io/v1beta1", kind: "ClusterNetworkPolicy", metadata: { name: "c" } },
  spec: {
    ...{ priority: 5, appliedTo: [{ podSelector: {} }] },
    ingress: [{ action: "Drop", from: [{ namespaceSelector: {}, podSelector: byApp }] }],
  },
};
const facts = (address: string) => [
  kube.namespace("a"),
  kube.node("n1", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24"] }),
  kube.pod("a", "web", { node: "n1", labels: { app: "web" }, ips: [address] }),
  kube.pod("a", "db", { node: "n1", labels: { app: "db" }, ips: ["10.0.0.9"] }),
];
const ofCluster = ["ClusterNetworkPolicy", "NorthgateSelector"];
const ofAntrea = ["AntreaClusterNetworkPolicy", "AntreaNetworkPolicy", "NorthgateAntreaSelector"];
const ofNamespaced = ["NetworkPolicy", "NetpolNamespace", "PodSelector"];

await describeWithOvn("kinds that are off", () => {
  let ovn: Ovn;
  let folder: string;
  let running: Running | null = null;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    folder = mkdtempSync(join(tmpdir(), "ng-kinds-"));
  });
  afterEach(async () => {
    await running?.end("SIGKILL");
    running = null;
    await ovn.nbctl("clear", "NB_Global", ".", "external_ids");
    rmSync(folder, { recursive: true });
  });

  const write = (...items: readonly KubernetesObject[]) => {
    writeFileSync(join(folder, "w.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  };
  /** Runs on the objects until the rows are as asked for, and ends. */
  const run = async (
    flags: readonly string[],
    items: readonly KubernetesObject[],
    until: () => Promise<void>,
  ) => {
    write(...items);
    running = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0", ...flags],
    ]);
    await eventually(until, 30_000);
    expect(await running.end()).toBe(0);
    running = null;
  };
  const rows = async (types: readonly string[]) => {
    const session = openNorthbound(ovn.nb, {}, { installed: everyDialect.dialects });
    await session.opened();
    const { Port_Group, Address_Set, ACL } = actualTables(session.cache, rowOwners(everyDialect.owners));
    await session.close();
    const all = [...Port_Group, ...Address_Set, ...ACL];
    return all.filter(({ external_ids }) => types.includes(external_ids[keys.ownerType] ?? ""));
  };
  const addressesOf = async (types: readonly string[]) =>
    (await rows(types)).flatMap((row) => ("addresses" in row ? row.addresses : []));
  const both = async () => {
    const flags = ["--enable-network-policy=true", "--enable-antrea-policy=true"];
    await run(flags, [...facts("10.0.0.1"), cluster, namespaced, antrea], async () => {
      const addresses = await addressesOf(["NorthgateSelector", "NorthgateAntreaSelector", "PodSelector"]);
      expect(addresses).toEqual(["10.0.0.1", "10.0.0.1", "10.0.0.1"]);
    });
  };
  const offs = [
    { kind: "NetworkPolicy", flags: [], stay: ofNamespaced, own: ofCluster, change: cluster },
    {
      kind: "ClusterNetworkPolicy",
      flags: ["--enable-admin-network-policy=false", "--enable-network-policy=true"],
      ...{ stay: ofCluster, own: ofNamespaced, change: namespaced },
    },
    {
      kind: "ClusterNetworkPolicy.crd.antrea.io",
      ...{ flags: [], stay: ofAntrea, own: ofCluster, change: cluster },
    },
    {
      kind: "ClusterNetworkPolicy, with Antrea's",
      flags: ["--enable-admin-network-policy=false", "--enable-antrea-policy=true"],
      ...{ stay: ofCluster, own: ofAntrea, change: antrea },
    },
  ] as const;

  test.each(offs)("a run without $kind leaves its rows and sets, and follows the rest", async (off) => {
    await both();
    const before = await rows(off.stay);
    expect(before.length).toBeGreaterThan(2);
    // Both kinds select web, whose address is another now; then the kind that is on has no policy.
    await run(off.flags, [...facts("10.0.0.2"), off.change], async () => {
      expect(await addressesOf(off.own)).toEqual(["10.0.0.2"]);
    });
    expect(await rows(off.stay)).toEqual(before);
    await run(off.flags, facts("10.0.0.2"), async () => {
      expect(await rows(off.own)).toEqual([]);
    });
    expect(await rows(off.stay)).toEqual(before);
  });

  describe("at a cleanup", () => {
    const cleanup = (kind: string) =>
      northgate("cleanup", `--nb=${ovn.nb}`, "--no-conditions", `--kind=${kind}`, "--yes");
    const offKinds = [
      { kind: "ClusterNetworkPolicy", own: ofCluster, other: "NetworkPolicy", set: "NorthgateSelector" },
      { kind: "NetworkPolicy", own: ofNamespaced, other: "AdminNetworkPolicy", set: "PodSelector" },
      { kind: "NetworkPolicy", own: ofNamespaced, other: "ClusterNetworkPolicy", set: "PodSelector" },
    ] as const;

    test.each(offKinds)(
      "of $kind a $set set that an ACL of $other names stays, all else goes",
      async (one) => {
        const { kind, own, other, set } = one;
        await both();
        const kept = (await rows([set])).flatMap((row) => ("addresses" in row ? [row] : []));
        const ids = (id: string) =>
          [`owner-controller=default-network-controller`, `owner-type=${other}`, "name=a:o", `id=${id}`].map(
            (pair) => `external_ids:k8s.ovn.org/${pair.replace("=", '="')}"`,
          );
        await ovn.nbctl(
          ...["--", "--id=@acl", "create", "ACL", "direction=to-lport", "priority=5", "action=allow"],
          ...[`match="ip4.src == $${kept[0]?.name ?? ""}"`, ...ids("acl")],
          ...["--", "create", "Port_Group", "name=other", "acls=@acl", ...ids("group")],
        );
        const mine: readonly string[] = own;
        const others = [...ofCluster, ...ofNamespaced, other].filter((type) => !mine.includes(type));
        const before = await rows(others);
        expect(cleanup(kind).code).toBe(0);
        expect(await rows(own)).toEqual(kept);
        expect(await rows(others)).toEqual(before);
      },
    );
  });
});
