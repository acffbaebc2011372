// Calico's policies on a real API server, by the service account of the manifests: as Calico stores them, as its API has them, and
// while a cluster goes from one to the other. Rows as of a fresh start on the same objects at each step; a restart and a migration
// write none.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import type { KubernetesObject } from "../test/kube/api.ts";
import { established } from "../test/kube/crds.ts";
import { eventually } from "../test/support/eventually.ts";
import { account, made, policies, quarantine, shop, slice, stored, web, world } from "./calico-world.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { say } from "./harness.ts";

const versions = { "crd.projectcalico.org": "v1", "projectcalico.org": "v3" } as const;
type Group = keyof typeof versions;
const crd = "crd.projectcalico.org";
const v3 = "projectcalico.org";

const resources = ["globalnetworkpolicies", "globalnetworksets", "networkpolicies", "networksets", "tiers"];
const inGroup = (group: Group) => resources.map((resource) => `${resource}.${group}`);
const others =
  "serviceaccounts,endpointslices.discovery.k8s.io,networkpolicies.networking.k8s.io,clusternetworkpolicies";

/** Our definition of the resource, for the group. */
function definition(group: Group, resource: string): unknown {
  const file = fileURLToPath(new URL(`../manifests/crds/calico/${resource}.yaml`, import.meta.url));
  const ours = parse(readFileSync(file, "utf8")) as {
    readonly spec: { readonly versions: readonly object[] };
  };
  const spec = {
    ...ours.spec,
    group,
    versions: ours.spec.versions.map((one) => ({ ...one, name: versions[group] })),
  };
  return { ...ours, metadata: { name: `${resource}.${group}` }, spec };
}

const options = { kinds: others, networkPolicy: true, calico: true };

await describeEndToEnd("Calico's policies", options, (harness) => {
  const plane = () => harness().plane;

  async function apply(...objects: readonly object[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    // What kubectl knows of the kinds that there are lags behind the server.
    await eventually(
      () =>
        plane()
          .kubectl(["apply", "-f", "-"], { input })
          .then(() => undefined),
      20_000,
    );
  }
  /** `crd`: the objects as Calico stores them. */
  const put = (group: Group, ...objects: readonly KubernetesObject[]) =>
    apply(...(group === crd ? objects.map(stored) : objects));

  async function serve(group: Group): Promise<void> {
    const definitions = resources.map((resource) => definition(group, resource));
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: definitions });
    await plane().kubectl(["create", "-f", "-"], { input });
    await established(
      plane(),
      inGroup(group).map((name) => `crd/${name}`),
    );
  }
  const end = (group: Group) => plane().kubectl(["delete", "crd", ...inGroup(group)], { timeoutMs: 200_000 });

  /** Rows as of a fresh start on the objects of the group and of no other. */
  async function convergedOn(group: Group): Promise<void> {
    harness().kinds = [others, ...inGroup(group)].join();
    await harness().converged();
  }
  const readsAs = (group: Group) =>
    eventually(() => {
      const to = `${group}/${versions[group]}`;
      const moved = harness()
        .run.log()
        .filter((line) => line["to"] === to)
        // Named with its group where another one has the same.
        .map((line) => String(line["resource"]).replace(/\..*/, ""));
      expect([...new Set(moved)].sort()).toEqual(resources);
    }, 60_000);
  /** Every row, with its UUID: a row that is removed and made again is another. */
  const rows = () =>
    Promise.all(
      ["ACL", "Address_Set", "Port_Group"].map((table) => harness().ovn.nbctl("--format=csv", "list", table)),
    );
  const operations = async () => (await harness().run.metrics()).value("northgate_nb_operations_total");
  /** Of the rule about the bad ones. */
  const actionOfBad = async () => {
    const { tables } = await harness().rows();
    return tables.ACL.find(({ name }) => name === "GNP:quarantine:Ingress:0")?.action;
  };
  /** Ends the program, and starts it on what is there. Returns the operations of its first pass. */
  async function restart(...args: readonly string[]): Promise<number | null> {
    await harness().end();
    await harness().start({ args }).ready();
    return operations();
  }

  test(
    "as Calico stores them: the annotation's names and labels count, and changes of what they select are followed",
    async () => {
      await harness().objects.apply(...world);
      await serve(crd);
      await put(crd, ...policies());
      await harness().start().ready();
      await convergedOn(crd);
      const { tables } = await harness().rows();
      const matches = tables.ACL.map(({ match }) => match).join("\n");
      for (const net of ["203.0.113.0/24", "198.51.100.16/28"]) expect(matches).toContain(net);
      const tiers = tables.ACL.map(({ external_ids: ids }) => ids["calico-tier"]);
      expect(new Set(tiers)).toEqual(new Set(["security", "platform", "default", undefined]));
      expect(await actionOfBad()).toBe("drop");

      await harness().objects.apply(account("low"), slice("10.244.0.11", "10.244.0.12"));
      await convergedOn(crd);
      const partners = made("NetworkSet", "partners", { nets: ["198.51.100.7"] }, { in: shop });
      await put(crd, partners);
      await convergedOn(crd);
      await put(crd, ...policies());
      await harness().objects.apply(account("high"), slice("10.244.0.11"));
      await convergedOn(crd);
      expect(await restart()).toBe(0);
    },
    slow,
  );

  test(
    "while the program runs, the other group comes and the first one goes: no row is written",
    async () => {
      const [before, count] = [await rows(), await operations()];
      await serve(v3);
      await put(v3, ...policies());
      await end(crd);
      await readsAs(v3);
      await convergedOn(v3);
      expect(await rows()).toEqual(before);
      expect(await operations()).toBe(count);
      // What is read now is followed there.
      await put(v3, web({ order: 5 }), quarantine("Allow"));
      await convergedOn(v3);
      expect(await actionOfBad()).toBe("allow-related");
      expect(await restart()).toBe(0);
    },
    slow,
  );

  test(
    "where both are served, the stored ones count, unless the other group is asked for",
    async () => {
      await serve(crd);
      await put(crd, ...policies());
      // Read where it was read before, until that ends.
      expect(await actionOfBad()).toBe("allow-related");
      expect(await restart()).toBeGreaterThan(0);
      await convergedOn(crd);
      expect(await actionOfBad()).toBe("drop");
      expect(await restart("--calico-api=v3")).toBeGreaterThan(0);
      await convergedOn(v3);
      expect(await actionOfBad()).toBe("allow-related");
      expect(await restart("--calico-api=v3")).toBe(0);
    },
    slow,
  );

  test(
    "one group goes before the other comes, empty at first: no row is written",
    async () => {
      await end(v3);
      await restart();
      await convergedOn(crd);
      const [before, count] = [await rows(), await operations()];
      const started = performance.now();
      await end(crd);
      await eventually(async () => {
        expect(await harness().run.readiness()).toContain(`globalnetworkpolicies.${v3} is missing`);
      }, 60_000);
      say(`the group is seen to be gone after ${Math.round(performance.now() - started)} ms`);
      await serve(v3);
      await readsAs(v3);
      expect(await rows()).toEqual(before);
      await put(v3, ...policies());
      await convergedOn(v3);
      await harness().run.ready();
      expect(await rows()).toEqual(before);
      expect(await operations()).toBe(count);
      expect(await restart()).toBe(0);
    },
    slow,
  );
});
