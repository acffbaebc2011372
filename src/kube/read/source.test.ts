// The whole source against a scripted API server. Time runs two hundred times as fast, with the timings of production.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type ApiObject, type Asked, definitionPath } from "../../../test/support/fake-api-server.ts";
import { eventually } from "../../../test/support/eventually.ts";
import {
  adminNetworkPolicies as anps,
  FastWorld,
  nodes,
  pods,
  policy,
  policyKinds,
} from "../../../test/support/kube-world.ts";
import { traffic } from "../../../test/dialect/index.ts";
import { dialects } from "../../dialects.ts";
import { factKinds, objectKey } from "../../model/object.ts";
import type { Dialect } from "../../policy/contracts/dialect.ts";
import { kindsToRead } from "../../policy/contracts/dialect.ts";
import { defaultTiming } from "../transport/timing.ts";

let world: FastWorld;
beforeEach(async () => {
  world = await FastWorld.open();
});
afterEach(async () => {
  await world.close();
});

const pod = (name: string, labels: object = {}, more: object = {}): ApiObject => ({
  metadata: { name, namespace: "web", labels },
  spec: { nodeName: "n" },
  status: { podIPs: [{ ip: "10.0.0.1" }] },
  ...more,
});
const podKey = (name: string) => objectKey(factKinds.Pod, "web", name);
const keyOfPolicy = (name: string) => objectKey(policyKinds[0]!, null, name);
const onWatch = (collection: string) => (asked: Asked) => asked.collection === collection && asked.watch;
const onList = (collection: string) => (asked: Asked) => asked.collection === collection && !asked.watch;
const statsOf = (resource: string) =>
  world.source.resources.find((state) => state.resource === resource)!.stats;
/** The open watch, once the source has its response: the response takes time. */
const stream = async (collection = pods) => {
  const resource = collection.slice(collection.lastIndexOf("/") + 1);
  await eventually(() => {
    expect(world.server.streams(collection)).toHaveLength(1);
    expect(statsOf(resource).watches).toBe(world.server.answered(collection));
  });
  return world.server.streams(collection)[0]!;
};

/** The CRD is deleted: the policy of before stays readable, and readiness waits. */
const crdLeaves = async () => {
  const watching = await stream(anps);
  world.server.unknown.add(anps);
  watching.end();
  await eventually(() => {
    expect(world.source.pending).toHaveLength(1);
  });
  expect(world.source.read(keyOfPolicy("a"))).not.toBeNull();
};

describe("a start", () => {
  test("absorbs every page of every kind, then says synced, and asks no more than once for each", async () => {
    // A busy machine may need longer for a page than an answer may stand still, or a server unasked.
    await world.close();
    world = await FastWorld.open({ progressMs: 3_600_000, probeMs: 3_600_000 });
    for (let n = 0; n < 1203; n++) world.server.put(pods, pod(`p-${n}`));
    world.server.put(nodes, { metadata: { name: "n" }, spec: { podCIDRs: ["fd00::/64", "10.0.0.0/24"] } });
    world.server.put(anps, policy("a", 5));
    await world.synced();
    expect(world.log.filter((line) => line.startsWith("Pod/"))).toHaveLength(1203);
    expect(world.source.read(podKey("p-1202"))).toMatchObject({ kind: "Pod", ips: ["10.0.0.1"] });
    expect(world.source.read(objectKey(factKinds.Node, null, "n"))).toMatchObject({
      podFamilies: ["v4", "v6"],
    });
    expect(world.source.read(keyOfPolicy("a"))).toMatchObject({ spec: { priority: 5 } });
    expect(world.source.read(keyOfPolicy("b"))).toBeNull();
    expect(world.source.pending).toEqual([]);
    await stream();
    expect(world.server.count(pods, false)).toBe(3);
    expect(world.server.count(anps, false)).toBe(1);
    expect(world.api.requests).toBe(3 + 4 + 5);
    expect(statsOf("pods")).toMatchObject({ requests: 4, lists: 1, watches: 1, events: 0, failures: 0 });
  });

  test("asks for bookmarks, for a time of its own and from the version of the list", async () => {
    await world.synced();
    await stream();
    const { query } = world.server.asked.find(onWatch(pods))!;
    expect(query.get("allowWatchBookmarks")).toBe("true");
    expect(query.get("resourceVersion")).toBe("100");
    const seconds = Number(query.get("timeoutSeconds"));
    expect(seconds).toBeGreaterThanOrEqual(300);
    expect(seconds).toBeLessThanOrEqual(600);
    const { query: first } = world.server.asked.find(onList(pods))!;
    expect([first.get("limit"), first.has("resourceVersion")]).toEqual(["500", false]);
  });

  test("begins a list anew, with larger pages, when its continuation has expired", async () => {
    for (let n = 0; n < 1203; n++) world.server.put(pods, pod(`p-${n}`));
    let compactions = 0;
    world.server.fault = (asked) => {
      if (onList(pods)(asked) && asked.query.has("continue") && compactions++ < 1) world.server.compact();
      return null;
    };
    await world.synced();
    expect(world.source.resources.find(({ resource }) => resource === "pods")?.objects).toBe(1203);
    const limits = world.server.asked.filter(onList(pods)).map(({ query }) => query.get("limit"));
    expect(limits).toEqual(["500", "500", "2000"]);
    expect(statsOf("pods")).toMatchObject({ lists: 1, relists: { continuation: 1 } });
  });

  test.each([
    ["a reset", "reset" as const],
    ["half an answer", "half" as const],
    ["no answer", "hang" as const],
    ["an error of the server", { status: 503 }],
    ["an answer that is no list", { status: 200, body: { metadata: { resourceVersion: "7" } } }],
    ["an answer that is no JSON", { status: 200, body: "hello" }],
    ["too many requests", { status: 429, headers: { "Retry-After": "7" } }],
  ])("goes on after %s, and is not synced before", async (_, fault) => {
    world.server.put(pods, pod("a"));
    world.server.fault = (asked) => (onList(pods)(asked) ? fault : null);
    world.start();
    await eventually(() => {
      expect(world.source.pending.join()).toMatch(/pods: (?!the first)/);
    });
    expect(world.log).not.toContain("synced");
    world.server.fault = () => null;
    await world.synced();
    expect(world.source.read(podKey("a"))).not.toBeNull();
    await stream();
    expect(world.logged("pods")).toEqual([
      "warn a resource cannot be watched and will be retried",
      "info a resource is watched again",
    ]);
  });
});

describe("what the server refuses", () => {
  test("403 is told once, and again when it changes; readiness names it; it is taken up when allowed", async () => {
    let status = 403;
    world.server.fault = (asked) => (asked.collection === pods && status > 0 ? { status } : null);
    world.start();
    await eventually(() => {
      expect(world.server.count(pods, false)).toBeGreaterThan(3);
    });
    expect(world.source.pending).toEqual(["pods: the API server forbids it (403: no)"]);
    expect(world.logged("pods")).toHaveLength(1);
    status = 401;
    await eventually(() => {
      expect(world.source.pending.join()).toMatch("401");
    });
    expect(world.logged("pods")).toHaveLength(2);
    expect(world.log).not.toContain("synced");
    status = 0;
    await world.synced();
    await eventually(() => {
      expect(world.source.pending).toEqual([]);
    });
  });

  test("a missing CRD blocks synced, and is picked up within ten seconds of its installation", async () => {
    world.server.unknown.add(anps);
    world.start();
    await eventually(() => {
      expect(world.server.count(anps, false)).toBeGreaterThan(8);
    });
    expect(world.source.pending).toEqual([
      "adminnetworkpolicies: the API server does not know this resource (CRD missing?)",
    ]);
    expect(world.logged("adminnetworkpolicies")).toHaveLength(1);
    expect(world.log).not.toContain("synced");
    expect(Math.max(...world.waits.filter((ms) => ms < 30_000))).toBeLessThanOrEqual(10_000);
    world.server.unknown.clear();
    world.server.put(anps, policy("a", 5));
    await world.synced();
    expect(world.source.read(keyOfPolicy("a"))).not.toBeNull();
  });

  describe("a missing CRD, where somebody knows how many of its policies have rows,", () => {
    let rows: number | null;
    const begun = async (known: number | null) => {
      rows = known;
      await world.close();
      world = await FastWorld.open({}, { policies: policyKinds, existing: () => rows });
      world.server.unknown.add(anps);
      world.start();
    };
    const asked = (times: number) =>
      eventually(() => {
        expect(world.server.count(anps, false)).toBeGreaterThan(times);
      });
    const toldOfIt = () => world.logged("adminnetworkpolicies");

    test("is not waited for when none has, is told once, and is picked up when it comes", async () => {
      await begun(0);
      await world.synced();
      expect(world.source.pending).toEqual([]);
      await asked(5);
      expect(toldOfIt()).toEqual([
        "info the API server does not serve a resource, and no rows of it exist: Northgate does not wait for it",
      ]);
      // The database is away, or a stranger writes rows: what was decided stays.
      rows = null;
      await asked(8);
      rows = 3;
      await asked(11);
      expect(world.source.pending).toEqual([]);
      world.server.unknown.clear();
      world.server.put(anps, policy("a", 5));
      await eventually(() => {
        expect(world.source.read(keyOfPolicy("a"))).not.toBeNull();
      });
    });

    test("is waited for while one has, and while nobody can say", async () => {
      await begun(null);
      await asked(3);
      expect([world.log.includes("synced"), world.source.pending.length, toldOfIt()]).toEqual([false, 1, []]);
      rows = 2;
      world.source.reconsider();
      await asked(6);
      expect([world.log.includes("synced"), world.source.pending.length]).toEqual([false, 1]);
      expect(toldOfIt()).toEqual(["warn a resource cannot be watched and will be retried"]);
      world.server.unknown.clear();
      await world.synced();
    });

    test("is not waited for as soon as it is known that none has", async () => {
      await begun(null);
      await asked(3);
      rows = 0;
      world.source.reconsider();
      await world.synced();
      expect([world.source.pending, toldOfIt().length]).toEqual([[], 1]);
    });

    test("is waited for while policies of it were read, whatever rows there are", async () => {
      await begun(0);
      world.server.unknown.clear();
      world.server.put(anps, policy("a", 5));
      await world.synced();
      await crdLeaves();
    });
  });

  test("a CRD that is removed later leaves what was in force, and readiness says so", async () => {
    world.server.put(anps, policy("a", 5));
    await world.synced();
    await crdLeaves();
    world.server.unknown.clear();
    world.server.remove(anps, policy("a", 5));
    await eventually(() => {
      expect(world.source.read(keyOfPolicy("a"))).toBeNull();
      expect(world.source.pending).toEqual([]);
    });
  });

  describe.each([
    { of: "the CRD", definitions: true, path: definitionPath(anps), questions: 3 },
    {
      ...{ of: "discovery, by who may not read the CRD", definitions: false },
      ...{ path: "/apis/policy.networking.k8s.io/v1alpha1", questions: 3 },
    },
  ])("a CRD that is deleted while it is followed, asked of $of,", ({ definitions, path, questions }) => {
    const begun = async (how: { readonly missingIsEmpty?: boolean } = {}) => {
      await world.close();
      world = await FastWorld.open({}, { policies: policyKinds, ...how });
      world.server.definitions = definitions;
      for (const name of ["a", "b"]) world.server.put(anps, policy(name, 5));
      await world.synced();
      await stream(anps);
    };
    const isMissing = () =>
      world.source.resources.filter(({ missing }) => missing !== null).map(({ resource }) => resource);
    const asked = () => world.server.count(path, false);

    /** As the server does: first the objects, then the kind, then the watch. */
    const takenAlong = async () => {
      world.server.leaving.add(anps);
      for (const name of ["a", "b"]) world.server.remove(anps, policy(name, 5));
      await eventually(() => {
        expect(isMissing()).toEqual(["adminnetworkpolicies"]);
      });
      world.server.unknown.add(anps);
      for (const watching of world.server.streams(anps)) watching.end();
      await eventually(() => {
        expect(world.source.pending).toHaveLength(1);
      });
    };

    test("takes its policies along, and they stay until the CRD is back without them", async () => {
      await begun();
      await takenAlong();
      for (const name of ["a", "b"]) expect(world.source.read(keyOfPolicy(name))).not.toBeNull();
      await world.told([]);
      world.server.leaving.clear();
      world.server.unknown.clear();
      world.server.put(anps, policy("b", 5));
      await eventually(() => {
        expect(world.source.read(keyOfPolicy("a"))).toBeNull();
      });
      expect(world.source.read(keyOfPolicy("b"))).not.toBeNull();
      await eventually(() => {
        expect([isMissing(), world.source.pending]).toEqual([[], []]);
      });
    });

    test("is back without a policy, and the watch after the list begins late: the policy is removed", async () => {
      await begun();
      await takenAlong();
      let late = 1;
      world.server.fault = ({ collection, watch }) =>
        collection === anps && watch && late-- > 0 ? "hang" : null;
      world.server.put(anps, policy("b", 5));
      world.server.leaving.clear();
      world.server.unknown.clear();
      await eventually(() => {
        expect(world.source.read(keyOfPolicy("a"))).toBeNull();
        expect(world.source.pending).toEqual([]);
      });
      expect(world.source.read(keyOfPolicy("b"))).not.toBeNull();
      // By the list that found the kind again, not by a later one.
      const [resource] = world.source.resources.filter((one) => one.resource === "adminnetworkpolicies");
      expect(resource?.stats.lists).toBe(2);
    });

    test("is back with all of its policies: nothing was ever gone", async () => {
      await begun();
      world.server.leaving.add(anps);
      world.server.remove(anps, policy("a", 5));
      await eventually(() => {
        expect(isMissing()).toEqual(["adminnetworkpolicies"]);
      });
      world.server.unknown.add(anps);
      for (const watching of world.server.streams(anps)) watching.end();
      await eventually(() => {
        expect(world.source.pending).toHaveLength(1);
      });
      world.server.put(anps, policy("a", 5));
      world.server.leaving.clear();
      world.server.unknown.clear();
      await eventually(() => {
        expect([isMissing(), world.source.pending]).toEqual([[], []]);
      });
      await world.told([]);
    });

    test("is an empty kind for who insists, at the start and later", async () => {
      await begun({ missingIsEmpty: true });
      world.server.unknown.add(anps);
      for (const watching of world.server.streams(anps)) watching.end();
      await eventually(() => {
        expect(world.source.read(keyOfPolicy("a"))).toBeNull();
      });
      expect([isMissing(), world.source.pending]).toEqual([[], []]);
      await world.close();
      world = await FastWorld.open({}, { policies: policyKinds, missingIsEmpty: true });
      world.server.unknown.add(anps);
      await world.synced();
      expect([isMissing(), world.source.pending]).toEqual([[], []]);
    });

    test("is asked about once for many deletions, and an answer that does not come is waited for", async () => {
      await begun();
      const before = asked();
      let faults = 2;
      world.server.fault = ({ collection }) => (collection === path && faults-- > 0 ? { status: 503 } : null);
      for (const name of ["a", "b"]) world.server.remove(anps, policy(name, 5));
      await eventually(() => {
        for (const name of ["a", "b"]) expect(world.source.read(keyOfPolicy(name))).toBeNull();
      });
      expect(asked() - before).toBe(questions);
      expect(isMissing()).toEqual([]);
    });

    test("is not gone because a server in trouble says so: it is asked again while it is followed", async () => {
      await begun();
      let faults = 2;
      world.server.fault = ({ collection, watch }) =>
        !watch && collection !== anps && faults-- > 0 ? { status: 404 } : null;
      world.server.remove(anps, policy("a", 5));
      // Nothing else happens on the server, and its bookmarks say so.
      await eventually(() => {
        for (const watching of world.server.streams(anps)) watching.bookmark();
        expect(world.source.read(keyOfPolicy("a"))).toBeNull();
      });
      expect([isMissing(), faults < 0]).toEqual([[], true]);
      expect(statsOf("adminnetworkpolicies")).toMatchObject({ lists: 1 });
    });

    test("a policy that is made anew before its deletion is believed was never gone", async () => {
      await begun();
      world.server.remove(anps, policy("a", 5));
      world.server.put(anps, policy("a", 5));
      world.server.remove(anps, policy("b", 5));
      await eventually(() => {
        expect(world.source.read(keyOfPolicy("b"))).toBeNull();
      });
      await world.told([keyOfPolicy("b")]);
      expect(world.source.read(keyOfPolicy("a"))).not.toBeNull();
    });
  });

  test("a deletion is believed at once where the CRD stays, and where no CRD has the kind", async () => {
    await world.close();
    const networkPolicies = {
      ...{ group: "networking.k8s.io", version: "v1", kind: "NetworkPolicy" },
      ...{ resource: "networkpolicies", namespaced: true },
    };
    const served = "/apis/networking.k8s.io/v1/networkpolicies";
    world = await FastWorld.open({}, { policies: [...policyKinds, networkPolicies] });
    const own = { metadata: { name: "own", namespace: "web", uid: "uid-own", generation: 1 }, spec: {} };
    world.server.put(anps, policy("a", 5));
    world.server.put(served, own);
    await world.synced();
    await Promise.all([stream(anps), stream(served)]);
    const [waited, asked] = [world.waits.length, world.server.asked.length];
    world.server.remove(served, own);
    await eventually(() => {
      expect(world.source.read(objectKey(networkPolicies, "web", "own"))).toBeNull();
    });
    expect(world.server.asked.slice(asked)).toEqual([]);
    world.server.remove(anps, policy("a", 5));
    await eventually(() => {
      expect(world.source.read(keyOfPolicy("a"))).toBeNull();
    });
    expect(world.server.asked.slice(asked).map(({ collection }) => collection)).toEqual([
      definitionPath(anps),
    ]);
    expect(world.waits.slice(waited).filter((ms) => ms === defaultTiming.departureMs)).toEqual([]);
  });

  test("429 is waited out for as long as it says", async () => {
    let left = 1;
    world.server.fault = (asked) =>
      onWatch(pods)(asked) && left-- > 0 ? { status: 429, headers: { "Retry-After": "7" } } : null;
    await world.synced();
    await stream();
    expect(world.waits.some((ms) => ms >= 7000 && ms < 7600)).toBe(true);
    expect(statsOf("pods")).toMatchObject({ lists: 1, watches: 1, failures: 1 });
  });
});

describe("a watch", () => {
  test("tells additions, changes and deletions, and only what differs", async () => {
    await world.synced();
    await stream();
    world.server.put(pods, pod("a", { app: "x" }));
    await world.told(["Pod/web/a"]);
    world.server.put(
      pods,
      pod("a", { app: "x" }, { status: { podIPs: [{ ip: "10.0.0.1" }], phase: "Running" } }),
    );
    world.server.put(pods, pod("b"));
    await world.told(["Pod/web/b"]);
    world.server.put(pods, pod("a", { app: "y" }));
    await world.told(["Pod/web/a"]);
    world.server.remove(pods, pod("a"));
    await world.told(["Pod/web/a"]);
    expect(world.source.read(podKey("a"))).toBeNull();
    expect(statsOf("pods").events).toBe(5);
  });

  test("of a policy is not woken by status and managed fields; its conditions are there to read", async () => {
    world.server.put(anps, policy("a", 5));
    await world.synced();
    await stream(anps);
    const key = keyOfPolicy("a");
    expect(world.source.conditionsOf(key)).toEqual([]);
    await world.told([]);
    const condition = {
      type: "Ready-In-Zone-z",
      status: "True",
      reason: "R",
      message: "m",
      observedGeneration: 1,
    };
    const written = policy("a", 5, { managedFields: [{}] }, { conditions: [condition, { type: 5 }] });
    world.server.put(anps, written);
    await eventually(() => {
      expect(world.source.conditionsOf(key)).toEqual([{ ...condition, lastTransitionTime: null }]);
    });
    world.server.put(anps, policy("a", 5, { uid: "made again" }));
    await world.told([key]);
    expect(world.source.conditionsOf(key)).toEqual([]);
    world.server.remove(anps, written);
    await world.told([key]);
  });

  test("that is cut in the middle of a line resumes where it was, without a list", async () => {
    await world.synced();
    (await stream()).bookmark();
    world.server.put(pods, pod("a"));
    await world.told(["Pod/web/a"]);
    const { fault } = world.server;
    world.server.fault = (asked) => (asked.collection === pods ? { status: 500 } : null);
    (await stream()).cut();
    world.server.put(pods, pod("b"));
    world.server.remove(pods, pod("a"));
    await eventually(() => {
      expect(world.source.resources.find(({ resource }) => resource === "pods")?.failure).toMatch("500");
    });
    world.server.fault = fault;
    await world.told(["Pod/web/b", "Pod/web/a"]);
    expect(statsOf("pods")).toMatchObject({ lists: 1, bookmarks: 1 });
    expect(world.source.read(podKey("b"))).not.toBeNull();
  });

  test("that expired is followed by a list, which tells the deletions that were missed", async () => {
    world.server.put(pods, pod("a"));
    world.server.put(pods, pod("b"));
    await world.synced();
    const watching = await stream();
    watching.freeze();
    world.server.remove(pods, pod("a"));
    world.server.put(pods, pod("b", { changed: "yes" }));
    world.server.compact();
    await world.told([]);
    await eventually(() => {
      expect(world.source.read(podKey("a"))).toBeNull();
    });
    expect(new Set(world.log.slice(-2))).toEqual(new Set(["Pod/web/a", "Pod/web/b"]));
    expect(statsOf("pods")).toMatchObject({ lists: 2, relists: { expired: 1 } });
  });

  test("that is refused as expired, or as it was asked for, is followed by a list", async () => {
    const answers = [410, 400];
    world.server.fault = (asked) => {
      const status = onWatch(pods)(asked) ? answers.shift() : undefined;
      return status === undefined ? null : { status };
    };
    await world.synced();
    await stream();
    expect(statsOf("pods")).toMatchObject({ lists: 3, relists: { expired: 1, refused: 1 } });
  });

  test("resumes from a bookmark when its own last change has been compacted", async () => {
    world.server.put(pods, pod("a"));
    await world.synced();
    const watching = await stream();
    world.server.put(nodes, { metadata: { name: "n" } });
    world.server.compact();
    watching.bookmark();
    await eventually(() => {
      expect(statsOf("pods").bookmarks).toBe(1);
    });
    watching.end();
    world.server.put(pods, pod("b"));
    await eventually(() => {
      expect(world.source.read(podKey("b"))).not.toBeNull();
    });
    expect(statsOf("pods").lists).toBe(1);
  });

  test("that is half open is given up when not even a bookmark comes", async () => {
    await world.synced();
    (await stream()).freeze();
    world.server.put(pods, pod("a"));
    await eventually(() => {
      expect(world.source.read(podKey("a"))).not.toBeNull();
    });
    expect(world.waits).toContain(180_000);
    expect(statsOf("pods")).toMatchObject({ lists: 1, watches: 2, failures: 1 });
  });

  test("that is slow is not given up", async () => {
    await world.synced();
    const watching = await stream();
    const line = JSON.stringify({
      type: "ADDED",
      object: { ...pod("a"), metadata: { ...pod("a").metadata, resourceVersion: "101" } },
    });
    for (let at = 0; at < line.length; at += 60) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      watching.write(line.slice(at, at + 60));
    }
    watching.write("\n");
    await world.told(["Pod/web/a"]);
    expect(statsOf("pods")).toMatchObject({ watches: 1, failures: 0 });
  });

  test.each([
    [
      "errors",
      (watching: { error(code: number): void }) => {
        watching.error(500);
      },
    ],
    [
      "lines that are no events",
      (watching: { write(text: string): void }) => {
        watching.write('{"type":"NEWS"}\n');
      },
    ],
    [
      "lines that are no JSON",
      (watching: { write(text: string): void }) => {
        watching.write("oops\n");
      },
    ],
  ])("that only ever gives %s is followed by a list after three tries", async (_, spoil) => {
    await world.synced();
    for (let n = 0; n < 3; n++) {
      const watching = await stream();
      spoil(watching);
      await eventually(() => {
        expect(world.server.streams(pods)).not.toContain(watching);
      });
    }
    await eventually(() => {
      expect(statsOf("pods")).toMatchObject({ lists: 2, relists: { stuck: 1 } });
    });
  });

  test("of a server whose data are those of a backup is followed by a list", async () => {
    world.server.put(pods, pod("a"));
    await world.synced();
    const watching = await stream();
    world.server.restore(new Map([[pods, [pod("old")]]]));
    watching.bookmark();
    await eventually(() => {
      expect(world.source.read(podKey("a"))).toBeNull();
    });
    expect(world.source.read(podKey("old"))).not.toBeNull();
    expect(statsOf("pods").relists.reset).toBe(1);
  });
});

describe("at the door", () => {
  test("an object that is refused leaves its last fact in force and is reported once for each set of findings", async () => {
    const broken = pod("a", {}, { status: { podIPs: [{ ip: "nonsense" }] } });
    world.server.put(pods, pod("a"));
    await world.synced();
    await stream();
    world.server.put(pods, broken);
    world.server.put(pods, { ...broken, metadata: { ...broken.metadata, annotations: { heartbeat: "1" } } });
    world.server.put(pods, pod("b"));
    await world.told([
      '/api/v1/namespaces/web/pods/a: error: Pod web/a: status.podIPs[0].ip: "nonsense" is not an IP address',
      "Pod/web/b",
    ]);
    expect(world.source.read(podKey("a"))).toMatchObject({ ips: ["10.0.0.1"] });
    world.server.remove(pods, pod("a"));
    await world.told(["Pod/web/a"]);
    expect(world.source.read(podKey("a"))).toBeNull();
  });

  test("replicas share their labels", async () => {
    world.server.put(pods, pod("a", { app: "x", tier: "1" }));
    world.server.put(pods, pod("b", { tier: "1", app: "x" }));
    await world.synced();
    const [a, b] = [world.source.read(podKey("a")), world.source.read(podKey("b"))];
    expect(a !== null && b !== null && "labels" in a && "labels" in b && a.labels === b.labels).toBe(true);
  });
});

test("a stop is prompt, in every state, and tells nothing any more", async () => {
  world.server.fault = (asked) => (asked.collection === nodes ? "hang" : null);
  world.server.unknown.add(anps);
  world.start();
  const watching = await stream();
  const before = performance.now();
  await world.source.stop();
  expect(performance.now() - before).toBeLessThan(1000);
  const told = world.log.length;
  world.server.put(pods, pod("late"));
  watching.bookmark();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(world.log).toHaveLength(told);
});

test("a kind of policy that we may not read holds up no other; its policies may exist until it is listed", async () => {
  world.server.put(anps, policy("a", 1));
  world.server.put(pods, pod("p"));
  world.server.fault = ({ collection }) => (collection === anps ? { status: 403 } : null);
  await world.synced();
  expect(world.source.read(podKey("p"))).not.toBeNull();
  expect(world.source.pending).toEqual([expect.stringMatching(/^adminnetworkpolicies: .*403/)]);
  for (const name of ["a", "b"]) expect(world.source.mayExist(keyOfPolicy(name))).toBe(true);
  world.server.fault = () => null;
  await eventually(() => {
    expect(world.source.pending).toEqual([]);
  });
  expect(world.source.read(keyOfPolicy("a"))).not.toBeNull();
  expect(["a", "b"].map((name) => world.source.mayExist(keyOfPolicy(name)))).toEqual([true, false]);
});

test.each([pods, nodes])("facts that we may not read hold up everything: %s", async (collection) => {
  world.server.fault = (asked) => (asked.collection === collection ? { status: 403 } : null);
  world.start();
  await eventually(() => {
    expect(world.source.pending).toEqual([expect.stringMatching(/403/)]);
  });
  expect(world.log).not.toContain("synced");
});

test("what only one dialect asks for is read while that dialect is on", async () => {
  const accounts = "/api/v1/serviceaccounts";
  const requests = async (known: readonly Dialect[]): Promise<number> => {
    await world.close();
    world = await FastWorld.open({}, kindsToRead(known));
    world.start();
    await eventually(() => {
      expect(world.log).toContain("synced");
    });
    return world.server.asked.filter(({ collection }) => collection === accounts).length;
  };
  expect(await requests(dialects)).toBe(0);
  const also = traffic.dialects({ [traffic.switch.flag]: "true" });
  expect(await requests([...dialects, ...also])).toBeGreaterThan(0);
});
