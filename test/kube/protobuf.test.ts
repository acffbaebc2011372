// A real API server read both ways: what it sends as protobuf is what it sends as JSON, in lists of several pages, in watches, and where it
// refuses. The objects are drawn at random, and the server fills in what it fills in.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ReadableKind } from "../../src/informers/objects/kinds.ts";
import { readableKinds } from "../../src/informers/objects/kinds.ts";
import { HttpApi, failureOf, listServiceNetworks, openKubeconfig } from "../../src/kube/index.ts";
import { list } from "../../src/kube/read/list.ts";
import { shapeOf } from "../../src/kube/read/shapes/shape-of.ts";
import type { WatchEvent } from "../../src/kube/read/watch.ts";
import { watch } from "../../src/kube/read/watch.ts";
import { failureOfAnswer } from "../../src/kube/transport/failure.ts";
import { collectionPath } from "../../src/kube/transport/paths.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Field, Problems } from "../../src/model/reader.ts";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";
import type { KubernetesObject } from "./api.ts";
import { createAll, patch, remove } from "./bulk.ts";
import type { PodWords } from "./objects.ts";
import { namespace, node, pod } from "./objects.ts";
import { describeWithControlPlane } from "./support.ts";

const pods = 60;
/** Fewer than there are pods: a list has several pages. */
const pageSize = 25;
const slow = patience(90_000);

const portName = fc.constantFrom("http", "dns", "metrics");
const port = fc.record({
  name: portName,
  containerPort: fc.integer({ min: 1, max: 65_535 }),
  protocol: fc.constantFrom("TCP", "UDP", "SCTP"),
});
const container = fc.record(
  {
    ports: fc.uniqueArray(port, { maxLength: 3, selector: ({ name }) => name }),
    resources: fc.constant({ requests: { cpu: "100m", memory: "1Gi" } }),
    readinessProbe: fc.constant({ httpGet: { port: "http", path: "/ready" }, periodSeconds: 5 }),
    restartPolicy: fc.constant("Always"),
  },
  { requiredKeys: [] },
);
const drawn = fc.record(
  {
    labels: fc.dictionary(
      fc.constantFrom("app", "tier", "example.com/team"),
      fc.constantFrom("", "a", "b-1"),
    ),
    annotations: fc.dictionary(
      fc.constantFrom("k8s.ovn.org/pod-networks", "example.com/note"),
      fc.constantFrom('{"default":{"ip_addresses":["10.244.1.4/24"]}}', "é", ""),
    ),
    ports: fc.uniqueArray(port, { maxLength: 2, selector: ({ name }) => name }),
    sidecar: container,
    node: fc.constantFrom("n-1", "n-2"),
    account: fc.constantFrom("default", "robot"),
    host: fc.boolean(),
    token: fc.boolean(),
    owner: fc.boolean(),
    ips: fc.constantFrom([], ["10.1.2.3"], ["10.1.2.4", "fd00::4"], ["fd00::5"]),
    phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed"),
  },
  { requiredKeys: [] },
);

type Drawn = Partial<typeof drawn extends fc.Arbitrary<infer D> ? D : never>;

function podOf(words: Drawn, at: number): KubernetesObject {
  const { annotations = {}, ports = [], host = false, owner = false } = words;
  const base = pod("web", `p-${at}`, { ...wordsOf(words), hostNetwork: host });
  const declared = host ? ports.map((one) => ({ ...one, hostPort: one.containerPort })) : ports;
  const owners = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "u", controller: true }];
  return {
    ...base,
    metadata: { ...base.metadata, annotations, ...(owner ? { ownerReferences: owners } : {}) },
    spec: {
      ...(base.spec as object),
      containers: [{ name: "main", image: "none", ports: declared }],
      ...besideIt(words),
      ...tokenOf(words),
    },
  };
}

function wordsOf({ labels, ips, node: on, account, phase }: Drawn): PodWords {
  const given = Object.entries({ labels, ips, node: on, account, phase });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** The API server takes probes and resources of init containers only from sidecars. */
function besideIt({ sidecar, host = false }: Drawn): object {
  if (sidecar === undefined) return {};
  const { restartPolicy, ports = [], ...others } = sidecar;
  const own = { name: "beside", image: "none", ports: host ? [] : ports };
  return { initContainers: [restartPolicy === undefined ? own : { ...own, ...others, restartPolicy }] };
}

function tokenOf({ token, account }: Drawn): object {
  if (token === undefined) return {};
  const sources = [{ serviceAccountToken: { path: "token" } }, { configMap: { name: "ca" } }];
  const volumes = [{ name: "token", projected: { sources } }];
  return { automountServiceAccountToken: token, ...(token && account !== undefined ? { volumes } : {}) };
}

await describeWithControlPlane("a real API server, read as JSON and as protobuf", (plane) => {
  const reading = async <T>(objects: "json" | "protobuf", use: (api: HttpApi) => Promise<T>): Promise<T> => {
    const credentials = await openKubeconfig({ path: plane().kubeconfig });
    const api = new HttpApi({ credentials, clock: systemClock, objects });
    try {
      return await use(api);
    } finally {
      api.close();
    }
  };
  const kinds = [false, true].flatMap((wholePods) =>
    readableKinds([], [], { wholePods }).map((kind) => ({ kind, shape: shapeOf(kind, wholePods) })),
  );
  const { signal } = new AbortController();
  const listed = (api: HttpApi, { kind, shape }: (typeof kinds)[number]) => {
    const found: ReturnType<ReadableKind["parse"]>[] = [];
    const absorb = (value: unknown) => found.push(kind.parse(value));
    const asked = () => undefined;
    const request = { api, path: collectionPath(kind), shape, pageSize, signal, asked, absorb };
    return list(request).then((version) => ({ version, found }));
  };
  const [podKind] = kinds.filter(({ kind }) => kind.kind === "Pod");

  test(
    "lists have the same objects",
    async () => {
      const { api } = plane();
      await createAll(api, [
        namespace("web", { team: "a", empty: "" }),
        {
          ...namespace("logged"),
          metadata: { name: "logged", annotations: { "k8s.ovn.org/acl-logging": "{}" } },
        },
        node("n-1", {
          ips: ["192.0.2.1", "fd01::1"],
          podCidrs: ["10.0.0.0/24", "fd00::/64"],
          labels: { zone: "z" },
        }),
        node("n-2", { ips: [] }),
      ]);
      await createAll(api, fc.sample(drawn, pods).map(podOf));
      for (const one of kinds) {
        const text = await reading("json", (client) => listed(client, one));
        const bytes = await reading("protobuf", (client) => listed(client, one));
        expect(bytes.found).toEqual(text.found);
        expect(bytes.found.length).toBeGreaterThan(1);
        expect(bytes.found.every(({ object }) => object !== null)).toBe(true);
      }
      const { headers } = await reading("protobuf", (client) =>
        client.request({ method: "GET", path: "/api/v1/pods", asList: true, shape: podKind!.shape! }),
      );
      expect(headers.get("content-type")).toBe("application/vnd.kubernetes.protobuf");
    },
    slow,
  );

  test(
    "watches have the same events, with their versions",
    async () => {
      const { api } = plane();
      const { version } = await reading("json", (client) => listed(client, podKind!));
      const following = new AbortController();
      const events = (objects: "json" | "protobuf") =>
        reading(objects, async (client) => {
          const { kind, shape } = podKind!;
          const request = {
            api: client,
            path: collectionPath(kind),
            shape,
            version,
            signal: following.signal,
          };
          const seen: unknown[] = [];
          for await (const event of await watch({ ...request, timeoutSeconds: 300, idleMs: slow })) {
            seen.push(factOf(event, kind));
            if (event.type === "deleted") return seen;
          }
          return seen;
        });
      const both = [events("json"), events("protobuf")] as const;
      const [made] = await createAll(api, [pod("web", "new", { ips: ["10.9.9.9"], node: "n-1" })]);
      await patch(api, made!, { metadata: { labels: { app: "", tier: "x" } } });
      await patch(api, made!, { metadata: { annotations: { "example.com/note": "é" } } });
      await remove(api, made!);
      const [text, bytes] = await Promise.all(both);
      following.abort();
      expect(bytes).toEqual(text);
      expect(bytes.length).toBeGreaterThanOrEqual(4);
    },
    slow,
  );

  test(
    "networks of Services are those that the API server was given",
    async () => {
      await eventually(async () => {
        const found = await reading("json", (client) => listServiceNetworks(client, signal));
        expect(found).toEqual(["10.96.0.0/16"]);
      });
    },
    slow,
  );

  test(
    "refusals and expired versions are the same failures",
    async () => {
      const { kind, shape } = podKind!;
      const path = collectionPath(kind);
      const page = (client: HttpApi, query: Readonly<Record<string, string>>) =>
        client.request({
          ...{ method: "GET", path, asList: true, shape: shape! },
          ...{ query: { limit: String(pageSize), ...query } },
        });
      const first = await reading("protobuf", (client) => page(client, {}));
      const metadata = new Field(new Problems(), "", first.body).at("metadata");
      const [rest, version] = [metadata.at("continue").raw, metadata.at("resourceVersion").raw].map(String);
      await createAll(plane().api, [pod("web", "later", { node: "n-1" })]);
      await plane().compact();
      await plane().restartApiServer("SIGKILL");
      const refused = (objects: "json" | "protobuf") =>
        reading(objects, async (client) => {
          const request = { api: client, shape, signal, timeoutSeconds: 300, idleMs: slow };
          const failed = async (where: string, from: string) => {
            try {
              for await (const event of await watch({ ...request, path: where, version: from })) return event;
            } catch (error) {
              return failureOf(error);
            }
            return null;
          };
          const { kind: listed } = failureOfAnswer(await page(client, { continue: rest! }));
          return [listed, await failed(path, version!), await failed(`${path}-none`, "1")];
        });
      const [text, bytes] = [await refused("json"), await refused("protobuf")];
      expect(bytes).toEqual(text);
      expect(bytes).toMatchObject(["expired", { kind: "expired" }, { kind: "missing" }]);
    },
    slow,
  );
});

function factOf(event: WatchEvent, kind: ReadableKind): unknown {
  const { type, version } = event;
  return { type, version, ...(event.type === "bookmark" ? {} : kind.parse(event.object)) };
}
