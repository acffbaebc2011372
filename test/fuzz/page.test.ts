// Whatever bytes a client of the page sends, and whatever users have written into objects, the page answers: with one of a few
// statuses, on a connection that ends, and nothing in the log says that an answer failed. What crosses between its threads stays
// as it was written.

import { expect, jest, test } from "@jest/globals";
import { ObjectLocations, placedPlan } from "../../src/cli/page/object-locations.ts";
import { reportOf } from "../../src/worlds/plan-report.ts";
import { everyDialect, policies, references } from "../../src/dialects.ts";
import { readManifest } from "../../src/informers/directory/manifest.ts";
import { readableKinds } from "../../src/informers/objects/kinds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lint } from "../../src/lint/lint.ts";
import { usualNeeds } from "../../src/analysis/needs.ts";
import type { ObjectKey, WorldObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import type { PlanReport } from "../../src/plan/report.ts";
import { answer } from "../../src/ui/api.ts";
import { serveUi } from "../../src/ui/serving/server.ts";
import type { ShownWorld } from "../../src/ui/world.ts";
import { FedWorld } from "../../src/wiring/page/fed-world.ts";
import { isPageStart, isToThread, readFromThread } from "../../src/wiring/page/page-messages.ts";
import { worldOf } from "../support/asked-world.ts";
import { byDefault } from "../support/backend-config.ts";
import { kindFlags } from "../support/dialects.ts";
import { namespace, pod } from "../support/facts.ts";
import { patience } from "../support/patience.ts";
import { anp, namespacesWith } from "../support/policies.ts";
import { rawRequest } from "../support/raw-request.ts";
import { LineLogger } from "../support/scripted-api.ts";
import { noThreads } from "../support/shown-world.ts";
import { fuzz, runs } from "./fuzz.ts";

jest.setTimeout(patience(600_000));

const mark = "\u0000place x";
const mode = { zone: null, namedPorts: "list" } as const;
const kinds = kindFlags({ networkPolicy: true, antrea: true });

function plan(one: readonly WorldObject[], other: readonly WorldObject[]): PlanReport {
  const world = (objects: readonly WorldObject[]) => {
    const model = offlineModel({ objects, dialects: everyDialect.dialects, families: null, mode });
    return { model, objects, dialects: everyDialect.dialects, placeOf: () => null };
  };
  return reportOf({ old: world(one), new: world(other) }, { ...byDefault, againstText: "dir:old" });
}

const denied = anp("closed", {
  ingress: [{ name: mark, action: "Deny", from: [namespacesWith({ tenant: "red" })] }],
});
// Its priority is refused.
const asked = worldOf([denied, anp("refused", { priority: 1_000_000 })]);
const cluster = [
  ...[namespace("red", { tenant: "red" }), namespace("blue")],
  ...[pod("red", "web", { ips: ["10.0.0.1"] }), pod("blue", "db", { ips: ["10.0.0.2"] })],
];
const report = plan(cluster, [...cluster, denied]);
const findings = { value: new Map([[keyOf(denied), []]]), revision: "1" };
const world: ShownWorld = {
  ...{
    isReady: true,
    from: "here",
    revision: "1",
    asked,
    facts: asked.facts,
    policyCount: 1,
    problems: [mark],
  },
  ...{ workloads: [], cni: "ovn" },
  membership: { pods: () => new Set() },
  findings: () => findings,
  plan: { against: "old", report: () => ({ value: report, revision: "1" }) },
  live: { counts: [], unenforced: [], pending: [], writer: null, whyNotInForce: () => null },
  ...{ record: () => null, lastChange: null, ...noThreads },
};

const head = (line: string, ...headers: readonly string[]) =>
  Buffer.from([line, "Host: policies.example.com", ...headers, "", ""].join("\r\n"), "latin1");
const requests = [
  ...[
    "/",
    "//",
    "//[",
    "//a:b",
    "http://[",
    "http://localhost/",
    "*",
    "/%",
    "/?",
    "/#",
    "/main.js",
    "/nowhere",
    "/\\",
    "/ui",
  ],
  ...[
    "/api/state",
    "/api/pods?q=web%20red&limit=3",
    "/api/pods?q=10.0.0.2",
    "/api/pods?limit=x",
    "/api/pod?pod=red/web",
  ],
  ...["/api/pod?pod=blue/db-0&limit=1", "/api/pod?pod=none/such", "/api/policies?q=closed&offset=0&limit=9"],
  ...[
    "/api/explain?from=red/web&to=blue/db-0&protocol=tcp&port=80",
    "/api/explain?from=red/web&to=1.2.3.4&protocol=icmp",
  ],
  ...["/api/explain?from=&to=&protocol=&port=", "/api/findings?policy=a&policy=b", "/api/plan", "/api/board"],
  ...["/api/search?q=web%20red", "/api/namespace?namespace=red", "/api/namespace?namespace=__proto__"],
  ...["/api/matrix?from=1&to=x", "/api/matrix/cell?from=red&to=blue", "/api/matrix/of?namespace=red"],
  ...[
    "/api/policy?policy=x&offset=1",
    "/api/policy?policy=AdminNetworkPolicy.policy.networking.k8s.io/closed",
  ],
  ...["/api/plan/classes?from=red&to=blue&limit=3", "/api/__proto__", "/constructor?__proto__=1"],
].map((target) => head(`GET ${target} HTTP/1.1`));
const others = [
  head("HEAD / HTTP/1.1", 'If-None-Match: "x"', "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"),
  head("GET / HTTP/1.1", "Sec-Fetch-Site: cross-site", "Authorization: Bearer x"),
  head("HEAD /api/events HTTP/1.1"),
  head("POST /api/compare HTTP/1.1", "Content-Type: application/yaml", "Content-Length: 0"),
  head("POST /api/compare HTTP/1.1", "Origin: http://policies.example.com", "Transfer-Encoding: chunked"),
  head("POST /api/state HTTP/1.1", "Content-Length: 7", "Expect: 100-continue"),
  head("GET / HTTP/1.0", "Connection: Upgrade", "Upgrade: websocket"),
  head("CONNECT a:1 HTTP/1.1"),
  head("GET / HTTP/1.1", "Transfer-Encoding: chunked", "Host: evil.example"),
];

test("requests: one of a few statuses, and the next one is answered", async () => {
  const logger = new LineLogger();
  const options = { host: "127.0.0.1", port: 0, basePath: "", hosts: ["policies.example.com"], tls: null };
  const server = await serveUi({ ...options, gate: null, world, clock: systemClock, logger, rest: 0 });
  const seen = new Set<string>();
  try {
    const untouched = await fuzz(
      "requests",
      /src\/(http\/(target|reply)|ui\/(api|pods))\.ts/,
      [...requests, ...others],
      async (bytes) => {
        // Node waits for a request that has not begun; the end of the head makes the others whole.
        if (bytes.toString("latin1").trim() === "") return;
        const text = await rawRequest(server.address, Buffer.concat([bytes, Buffer.from("\r\n\r\n")]));
        const status = /^HTTP\/1\.1 (\d{3}) /.exec(text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ""))?.[1];
        // None: Node ends the connection of a CONNECT.
        seen.add(status ?? "none");
        if (status === "200") expect(text).toContain("content-security-policy: default-src 'none'");
      },
      runs / 8,
    );
    expect(untouched).toEqual([]);
    const expected = [
      "200",
      "304",
      "308",
      "400",
      "403",
      "404",
      "405",
      "408",
      "413",
      "415",
      "417",
      "421",
      "431",
      "500",
      "505",
      "none",
    ];
    expect([...seen].filter((status) => !expected.includes(status) || status === "500")).toEqual([]);
    expect(logger.lines).toEqual([]);
  } finally {
    await server.close();
  }
});

const manifests = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { a: mark } } },
  {
    ...{
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
    },
    spec: { nodeName: "n1", containers: [] },
    status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }] },
  },
  {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
    metadata: { name: "web", namespace: "shop", annotations: { "northgate/lint-ignore": `NG002: ${mark}` } },
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
  },
  {
    ...{
      apiVersion: "policy.networking.k8s.io/v1alpha1",
      kind: "AdminNetworkPolicy",
      metadata: { name: "a" },
    },
    spec: {
      ...{ priority: 1, subject: { namespaces: {} } },
      ingress: ["Deny", "Allow"].map((action) => ({ name: mark, action, from: [{ namespaces: {} }] })),
      egress: [{ name: "", action: "Pass", to: [{ networks: ["10.0.0.0/8"] }] }],
    },
  },
];
const seeds = [
  ...manifests.map((one) => Buffer.from(JSON.stringify(one))),
  Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests })),
];
const base = readObjects(seeds.at(-1)!);

function readObjects(bytes: Buffer): readonly WorldObject[] {
  const read = readManifest("f.yaml", bytes.toString(), readableKinds(policies, references));
  const objects = (read.definitions ?? []).flatMap(({ object }) => (object === null ? [] : [object]));
  return [...new Map(objects.map((one) => [keyOf(one), one])).values()];
}

/** JSON, or the text itself. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every string in it but those of the fields called place. */
function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === "place" ? [] : [name, ...strings(one)]));
}

test("what crosses between threads: objects are answered about, and reports keep every text", async () => {
  const placeOf = (key: ObjectKey, field: string) => `f.yaml:${key}:${field}`;
  const { dialects } = everyDialect;
  const places = new ObjectLocations(dialects, placeOf);
  const untouched = await fuzz(
    "threads",
    /src\/(wiring\/page\/(fed-world|page-messages)|cli\/page\/ui-places)\.ts/,
    seeds,
    (bytes) => {
      const raw = valueOf(bytes.toString());
      for (const value of [
        raw,
        { kind: raw },
        { kind: "failed", message: raw },
        { kind: "listening", address: raw },
      ]) {
        expect(["listening", "failed", "absorbed", undefined]).toContain(readFromThread(value)?.kind);
        isToThread(value);
        isPageStart({ page: value, world: value });
      }
      const objects = readObjects(bytes);
      const page = new FedWorld(
        { kind: "fed", families: null, kinds, mode: byDefault, from: mark },
        () => noThreads,
      );
      const change = (object: WorldObject) => {
        const key = keyOf(object);
        const kept = base.find((one) => keyOf(one) === key) ?? null;
        return { key, object, kept, isNew: kept === null, places: [{ field: "", place: mark }] };
      };
      page.change(structuredClone([...base, ...objects].map(change)));
      page.change(
        structuredClone(
          base
            .slice(0, 1)
            .map((one) => ({ ...change(one), object: null, kept: null, isNew: false, places: [] })),
        ),
      );
      page.say(
        structuredClone({
          ...{
            counts: [],
            unenforced: [mark],
            pending: [],
            problems: [mark],
            everywhere: null,
            writer: null,
          },
          notInForce: objects.map((one) => [keyOf(one), mark] as const),
        }),
      );
      page.synced();
      for (const [path, query] of [
        ["/api/state", ""],
        ["/api/policies", ""],
        ["/api/pod", "pod=shop/web"],
        ["/api/explain", "from=shop/web&to=1.2.3.4&protocol=tcp&port=80"],
      ] as const)
        expect([path, answer(page, path, new URLSearchParams(query))?.status]).toEqual([
          path,
          expect.any(Number),
        ]);

      const all = [...base, ...objects];
      const model = offlineModel({ objects: all, dialects, families: null, mode });
      const found = lint({
        ...{ policies: model.policies(), records: [...model.records()], facts: model.facts },
        ...{ dialects, placeOf: () => null, needs: usualNeeds },
      });
      const crossed = structuredClone(found.findings);
      const placed = crossed.map((one) => places.ofFinding(one));
      expect(strings(placed)).toEqual(strings(found.findings));
      expect(placed.every(({ place }) => place?.startsWith("f.yaml:") === true)).toBe(true);
      const changes = structuredClone(report);
      expect(strings(placedPlan(changes, { old: places, new: places }))).toEqual(strings(report));
    },
    runs / 16,
  );
  expect(untouched).toEqual([]);
});
