// Kinds that two API groups may serve, on a real API server and a real Northbound database: a change of groups keeps every policy and
// writes no row, although one of the groups keeps name and labels in another form; and what is written to an object is written where
// it was read.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { hasParts, slow } from "../../e2e/describe.ts";
import { StatusWriter } from "../../src/kube/index.ts";
import { conditionWords } from "../../src/kubernetes/conditions.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { isApiObject, objectKey, shownAmong } from "../../src/model/object.ts";
import { createAll } from "../kube/bulk.ts";
import { established } from "../kube/crds.ts";
import { namespace, pod } from "../kube/objects.ts";
import { Reader } from "../kube/reader.ts";
import { describeWithControlPlane } from "../kube/support.ts";
import { eventually } from "../support/eventually.ts";
import type { ExtendedProgram } from "../support/extended-program.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";
import { LineLogger } from "../support/scripted-api.ts";
import { trafficPolicyKind } from "./kinds.ts";
import { trafficProgram } from "./program.ts";
import { keptIn } from "./stored.ts";

const own = "traffic.test";
const preferred = "crd.traffic.test";

/** A CRD of one of the kinds, which takes any spec and any status. */
function definition(group: string, kind: string, resource: string): object {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: open, status: open } };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${resource}.${group}` },
    spec: {
      ...{ group, scope: "Cluster", names: { kind, plural: resource } },
      versions: [{ ...version, subresources: { status: {} } }],
    },
  };
}

const kinds = { trafficpolicies: "TrafficPolicy", podsets: "PodSet" };
const resources = Object.keys(kinds);
const definitions = (group: string) =>
  Object.entries(kinds).map(([resource, kind]) => definition(group, kind, resource));

/** What an object is called where its group keeps it. */
const nameIn = (group: string, name: string) => (group === preferred ? `stored-${name}` : name);
/** An object of one of the groups: of the preferred one with its name and its labels in the annotation. */
function object(group: string, kind: string, name: string, labels: object, spec: object): object {
  const annotations = { [keptIn]: JSON.stringify({ name, labels }) };
  const metadata = group === preferred ? { name: nameIn(group, name), annotations } : { name, labels };
  return { ...{ apiVersion: `${group}/v1`, kind, metadata }, spec };
}
const policy = (group: string, name: string) =>
  object(
    group,
    "TrafficPolicy",
    name,
    {},
    {
      ...{ tier: "admin", priority: 3 },
      // By the labels of a PodSet.
      appliedTo: [{ sets: { matchLabels: { holds: "shop" } } }],
      ingress: [{ action: "deny", peers: [{ pods: { namespaces: { matchLabels: { team: "guests" } } } }] }],
    },
  );
const set = (group: string) =>
  object(group, "PodSet", "shops", { holds: "shop" }, { pods: { matchLabels: { app: "web" } } });

if (await hasParts())
  await describeWithControlPlane("a kind that two API groups may serve", (plane) => {
    let ovn: Ovn;
    let program: ExtendedProgram;
    let folder: string;
    let running: Running | null = null;
    const readers: Reader[] = [];

    const apply = async (...objects: readonly object[]) => {
      const file = join(folder, "objects.json");
      writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
      await plane().kubectl(["apply", "-f", file]);
    };
    const inGroup = (group: string) => resources.map((resource) => `${resource}.${group}`);
    const serve = async (group: string) => {
      await apply(...definitions(group));
      await established(
        plane(),
        inGroup(group).map((name) => `crd/${name}`),
      );
    };
    const end = (group: string) =>
      plane().kubectl(["delete", "crd", ...inGroup(group), "--ignore-not-found"], { timeoutMs: 200_000 });
    /** Every row, with its UUID: a row that is removed and made again is another. */
    const rows = async () =>
      Promise.all(
        ["ACL", "Address_Set", "Port_Group"].map((table) => ovn.nbctl("--format=csv", "list", table)),
      );
    const hasRows = (...names: readonly string[]) =>
      eventually(async () => {
        const said = await ovn.nbctl("--bare", "--columns=name", "list", "ACL");
        const found = said.split("\n").filter((line) => line.startsWith("TP:"));
        expect(found.sort()).toEqual(names.map((name) => `TP:${name}:Ingress:0`).sort());
      }, slow);
    const readsAs = (group: string) =>
      eventually(() => {
        const moved = running?.log().filter(({ to }) => to === `${group}/v1`) ?? [];
        expect(moved.map(({ resource }) => resource).sort()).toEqual(resources.toSorted());
      }, slow);
    const readiness = async () => {
      const served = running?.log().find(({ message }) => message === "metrics are served");
      return (await fetch(`${String(served?.["address"])}/readyz`)).text();
    };
    const start = () => {
      running = startNorthgate(
        [
          "--source=kube",
          `--kubeconfig=${plane().kubeconfig}`,
          `--nb=${ovn.nb}`,
          "--enable-traffic-policy=true",
        ].concat(["--metrics-bind-address=127.0.0.1:0", "--enable-network-policy=false"]),
        ...([{}, {}, "json"] as const),
        program.main,
      );
    };

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "ng-groups-"));
      program = trafficProgram();
      ovn = await startOvn({ northd: false });
      const { api } = plane();
      await createAll(api, [namespace("shop", { team: "shop" }), namespace("guests", { team: "guests" })]);
      await createAll(api, [
        pod("shop", "web", { ips: ["10.0.0.1"], labels: { app: "web" } }),
        pod("guests", "one", { ips: ["10.0.0.2"] }),
      ]);
    }, slow);
    afterEach(async () => {
      await running?.end("SIGKILL");
      running = null;
      await Promise.all(readers.splice(0).map((reader) => reader.stop()));
      for (const group of [preferred, own]) await end(group);
    }, slow);
    afterAll(async () => {
      await ovn.stop();
      program.remove();
      rmSync(folder, { recursive: true });
    });

    test(
      "the rows are those of the policies, whichever serves them; a change of groups writes none, and deletes none",
      async () => {
        await serve(own);
        await apply(policy(own, "guests"), set(own));
        start();
        await hasRows("guests");
        const before = await rows();
        // Both: what is read stays where it is, until that ends.
        await serve(preferred);
        await apply(policy(preferred, "guests"), set(preferred));
        await end(own);
        await readsAs(preferred);
        expect(await rows()).toEqual(before);
        // In use where it is read now: a change and a deletion are seen.
        await apply(policy(preferred, "more"));
        await hasRows("guests", "more");
        // A program that begins here has nothing to write.
        const both = await rows();
        await running?.end();
        start();
        await eventually(async () => {
          expect(await readiness()).toMatch(/^ok\n/);
        }, slow);
        expect(await rows()).toEqual(both);
        await plane().kubectl(["delete", `trafficpolicies.${preferred}`, nameIn(preferred, "more")]);
        await hasRows("guests");
        expect(await rows()).toEqual(before);
        // Back, without the policy: it stays.
        await serve(own);
        await apply(set(own));
        await end(preferred);
        await readsAs(own);
        const note = "TrafficPolicy: 1 object is kept as last read";
        await eventually(async () => {
          expect(await readiness()).toContain(note);
        }, slow);
        expect(await rows()).toEqual(before);
        await apply(policy(own, "guests"));
        await eventually(async () => {
          expect(await readiness()).not.toContain(note);
        }, slow);
        expect(await rows()).toEqual(before);
      },
      slow,
    );

    test(
      "a status is written under the group that the object was read under",
      async () => {
        for (const group of [own, preferred]) {
          await serve(group);
          await apply(policy(group, "guests"));
        }
        const reader = await Reader.of(plane().kubeconfig, [trafficPolicyKind]);
        readers.push(reader);
        const key = objectKey(trafficPolicyKind, null, "guests");
        await eventually(() => {
          expect(reader.known.has(key)).toBe(true);
        }, slow);
        const faults: unknown[] = [];
        const writer = new StatusWriter({
          ...{ api: reader.api, statusOf: (of) => reader.source.statusOf(of), zone: null },
          ...{ shown: shownAmong([trafficPolicyKind]), clock: systemClock, random: Math.random },
          ...{ logger: new LineLogger(), fatal: (error) => faults.push(error) },
        });
        const object = reader.known.get(key);
        if (object === undefined || !isApiObject(object)) throw new Error("it is no policy");
        const outcome = { status: "True", reason: "Fits", message: "in force" } as const;
        writer.report(object satisfies PolicyObject, trafficPolicyKind, {
          ...outcome,
          type: conditionWords().type(null),
        });
        await writer.idle();
        await writer.stop();
        const statusIn = async (group: string) =>
          (await plane().api.object("GET", `/apis/${group}/v1/trafficpolicies/${nameIn(group, "guests")}`))
            .status;
        expect(await statusIn(preferred)).toMatchObject({ conditions: [outcome] });
        expect([await statusIn(own), faults]).toEqual([undefined, []]);
      },
      slow,
    );
  });
else test.todo("needs OVN and a control plane");
