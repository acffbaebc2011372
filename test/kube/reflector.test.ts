// The source over a real API server and etcd: what a scripted server cannot prove. After each disturbance a reader who was
// only told keys knows what a fresh start would know.

import { afterEach, expect, test } from "@jest/globals";
import { factKinds, objectKey } from "../../src/model/object.ts";
import { eventually } from "../support/eventually.ts";
import { policyKinds } from "../support/kube-world.ts";
import { create, createAll, patch, putStatus, remove, removeAll } from "./bulk.ts";
import { installCrds } from "./crds.ts";
import { adminPolicy, namespace, node, pod } from "./objects.ts";
import { Reader } from "./reader.ts";
import { describeWithControlPlane } from "./support.ts";
import { patience } from "../support/patience.ts";

/** A restart of the API server on a busy machine. */
const slow = patience(90_000);

await describeWithControlPlane("a source over a real API server", (plane) => {
  const readers: Reader[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);

  const reading = async (kubeconfig = plane().kubeconfig) => {
    const reader = await Reader.of(kubeconfig);
    readers.push(reader);
    return reader;
  };
  const synced = async (reader: Reader) => {
    await eventually(() => {
      expect([reader.synced, ...reader.source.pending]).toEqual([true]);
    }, slow);
    return reader;
  };
  /** A fresh start knows the same. */
  const equalsAFreshStart = async (reader: Reader) => {
    const fresh = await synced(await reading());
    await eventually(() => {
      expect(reader.known).toEqual(fresh.known);
    }, slow);
  };

  afterEach(async () => {
    const ended = readers.splice(0);
    await Promise.all(ended.map((reader) => reader.stop()));
    expect([...ended.flatMap(({ faults }) => faults), ...unhandled]).toEqual([]);
  });

  test(
    "waits for CRDs, and sees them when they are installed",
    async () => {
      const reader = await reading();
      await eventually(() => {
        expect(reader.source.pending).toEqual(
          policyKinds.map(
            ({ resource }) => `${resource}: the API server does not know this resource (CRD missing?)`,
          ),
        );
      });
      expect([reader.synced, reader.warnings.length]).toEqual([false, policyKinds.length]);
      await installCrds(plane());
      const installed = performance.now();
      await synced(reader);
      expect(performance.now() - installed).toBeLessThan(patience(11_000));
    },
    slow,
  );

  test(
    "follows objects, and is not woken by status",
    async () => {
      const { api } = plane();
      const reader = await synced(await reading());
      await createAll(api, [
        namespace("web", { team: "a" }),
        node("n", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24", "fd00::/64"] }),
      ]);
      const web = pod("web", "a", { node: "n", ips: ["10.0.0.7", "fd00::7"], labels: { app: "x" } });
      await create(api, web);
      const stored = await create(api, adminPolicy("p", { priority: 5, subject: { namespaces: {} } }));
      const key = objectKey(policyKinds[0]!, null, "p");
      await eventually(() => {
        expect(reader.known.get(objectKey(factKinds.Pod, "web", "a"))).toMatchObject({
          ips: ["10.0.0.7", "fd00::7"],
        });
        expect(reader.known.get(objectKey(factKinds.Node, null, "n"))).toMatchObject({
          podFamilies: ["v4", "v6"],
        });
        expect(reader.known.get(key)).toMatchObject({ generation: 1 });
      });
      const before = reader.known.get(key);
      const condition = {
        type: "Ready-In-Zone-z",
        status: "True",
        reason: "SetupSucceeded",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      await putStatus(api, stored, { conditions: [condition] });
      await eventually(() => {
        expect(reader.source.conditionsOf(key)).toMatchObject([{ type: "Ready-In-Zone-z", status: "True" }]);
      });
      expect(reader.known.get(key)).toBe(before);
      await patch(api, web, { metadata: { labels: { app: "y" } } });
      await remove(api, adminPolicy("p", {}));
      await eventually(() => {
        const seen = reader.known.get(objectKey(factKinds.Pod, "web", "a"));
        expect(seen !== undefined && "labels" in seen && seen.labels.get("app")).toBe("y");
        expect(reader.known.has(key)).toBe(false);
      });
      expect(reader.stats("pods")).toMatchObject({ lists: 1, watches: 1, failures: 0 });
    },
    slow,
  );

  test(
    "lists several pages, and asks for nothing while nothing happens",
    async () => {
      const many = Array.from({ length: 620 }, (_, n) =>
        pod("web", `many-${n}`, { labels: { app: "many" } }),
      );
      await createAll(plane().api, many);
      const reader = await synced(await reading());
      expect(reader.source.resources.find(({ resource }) => resource === "pods")?.objects).toBe(621);
      await eventually(() => {
        expect(reader.source.resources.map(({ stats }) => stats.watches)).toEqual([1, 1, 1, 1, 1]);
      });
      const { requests } = reader.api;
      expect(reader.stats("pods").requests).toBe(3);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect(reader.api.requests).toBe(requests);
      await removeAll(plane().api, many);
      await eventually(() => {
        expect(reader.source.resources.find(({ resource }) => resource === "pods")?.objects).toBe(1);
      });
    },
    slow,
  );

  test(
    "outlives restarts of the API server, an etcd that stops, and a history that is compacted",
    async () => {
      const { api } = plane();
      const reader = await synced(await reading());
      const begin = performance.now();
      await plane().restartApiServer("SIGKILL");
      await create(api, pod("web", "after-restart"));
      await equalsAFreshStart(reader);
      await plane().stopEtcd();
      await plane().startEtcd();
      await create(api, pod("web", "after-etcd"));
      await equalsAFreshStart(reader);
      await create(api, adminPolicy("short", { priority: 6, subject: { namespaces: {} } }));
      await remove(api, pod("web", "after-restart"));
      await remove(api, adminPolicy("short", {}));
      await plane().compact();
      await plane().restartApiServer();
      await equalsAFreshStart(reader);
      const relists = reader.source.resources.map(
        ({ resource, stats }) => `${resource} ${JSON.stringify(stats.relists)}`,
      );
      process.stdout.write(
        `relists after ${Math.round(performance.now() - begin)} ms: ${relists.join("; ")}\n`,
      );
      expect(reader.source.pending).toEqual([]);
    },
    3 * slow,
  );

  test(
    "is refused without rights, and goes on when they are given; a rotated token comes into use",
    async () => {
      const kubeconfig = await plane().user({ name: "northgate", by: "token", groups: ["controllers"] });
      const reader = await reading(kubeconfig);
      await eventually(() => {
        expect(reader.source.pending).toHaveLength(5);
        expect(reader.source.pending.join()).toMatch(
          /pods: the API server forbids it \(403: pods is forbidden: User/,
        );
      });
      const resources = "pods,namespaces,nodes";
      const policies = policyKinds.map(({ resource }) => `${resource}.policy.networking.k8s.io`).join();
      await plane().kubectl([
        ...["create", "clusterrole", "reader", "--verb=list,watch"],
        `--resource=${resources},${policies}`,
      ]);
      await plane().kubectl([
        "create",
        "clusterrolebinding",
        "reader",
        "--clusterrole=reader",
        "--group=controllers",
      ]);
      await synced(reader);
      // Rights reach the server's parts one after another: a list may be allowed a moment before its watch is.
      expect(new Set(reader.warnings).size).toBe(5);
      await plane().rotateToken("northgate");
      await create(plane().api, pod("web", "after-rotation"));
      await equalsAFreshStart(reader);
    },
    3 * slow,
  );

  test(
    "connects again when the authority and every certificate are others",
    async () => {
      const reader = await synced(await reading());
      await plane().rotateCertificates("authority");
      await create(plane().api, pod("web", "after-authority"));
      await equalsAFreshStart(reader);
    },
    2 * slow,
  );
});
