// When the API server last answered for a resource: lists, events and probes count, refusals and errors do not.

import { afterEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import type { Asked } from "../../../test/support/fake-api-server.ts";
import { adminNetworkPolicies as anps, FastWorld, pods } from "../../../test/support/kube-world.ts";
import { defaultTiming } from "../transport/timing.ts";

let world: FastWorld;
afterEach(async () => {
  await world.close();
});

const isProbe = ({ watch, query }: Asked) => !watch && query.get("limit") === "1";
const probes = (collection: string) =>
  world.server.asked.filter((asked) => asked.collection === collection && isProbe(asked)).length;
const stateOf = (resource: string) => world.source.resources.find((state) => state.resource === resource)!;
async function probing(): Promise<void> {
  world = await FastWorld.open({ probeMs: defaultTiming.probeMs });
  await world.synced();
}

test("a quiet cluster is asked for one object of each kind, and is in contact", async () => {
  await probing();
  const before = stateOf("pods").contactMs;
  await eventually(() => {
    expect(probes(pods)).toBeGreaterThanOrEqual(3);
    expect(stateOf("pods").contactMs).toBeGreaterThan(before);
  });
  expect(probes(anps)).toBeGreaterThanOrEqual(1);
  // They are no lists: nothing is absorbed from them, and no list is counted.
  expect(stateOf("pods").stats).toMatchObject({ lists: 1, requests: 2 });
});

describe.each([429, 500, 503, 401, 403])("an answer %i", (status) => {
  test("to everything is no contact", async () => {
    await probing();
    world.server.fault = () => ({ status });
    const before = { pods: probes(pods) };
    // An answer of before may be under way.
    await eventually(() => {
      expect(probes(pods)).toBeGreaterThan(before.pods + 1);
    });
    const { contactMs } = stateOf("pods");
    await eventually(() => {
      expect(probes(pods)).toBeGreaterThan(before.pods + 4);
    });
    expect(stateOf("pods").contactMs).toBe(contactMs);
    world.server.fault = () => null;
    await eventually(() => {
      expect(stateOf("pods").contactMs).toBeGreaterThan(contactMs);
    });
  });
});

test("while nothing is watched, an answer to a probe is no contact: changes do not arrive", async () => {
  await probing();
  world.server.fault = ({ collection, watch }) => (collection === pods && watch ? { status: 500 } : null);
  world.server.streams(pods)[0]?.cut();
  await eventually(() => {
    expect(stateOf("pods").failure).not.toBeNull();
  });
  const { contactMs, currentMs } = stateOf("pods");
  const before = probes(pods);
  await eventually(() => {
    expect(probes(pods)).toBeGreaterThan(before + 4);
  });
  expect(stateOf("pods")).toMatchObject({ contactMs, currentMs });
  world.server.fault = () => null;
  await eventually(() => {
    expect(stateOf("pods").currentMs).toBeGreaterThan(currentMs);
  });
  expect(world.server.streams(pods)).toHaveLength(1);
});

test("an event is contact, and so is a bookmark", async () => {
  world = await FastWorld.open();
  await world.synced();
  await eventually(() => {
    expect(world.server.streams(pods)).toHaveLength(1);
  });
  const before = stateOf("pods").contactMs;
  world.server.put(pods, { metadata: { name: "p", namespace: "web" }, spec: {}, status: {} });
  await eventually(() => {
    expect(stateOf("pods").contactMs).toBeGreaterThan(before);
  });
  const after = stateOf("pods").contactMs;
  world.server.streams(pods)[0]?.bookmark();
  await eventually(() => {
    expect(stateOf("pods").contactMs).toBeGreaterThan(after);
  });
  expect(probes(pods)).toBe(0);
});

test("what could not be followed is tried again as soon as a probe is answered", async () => {
  // Without the probe, the next try comes after the longest wait.
  const never = 1_000_000_000;
  world = await FastWorld.open({
    probeMs: defaultTiming.probeMs,
    initialBackoffMs: never,
    maxBackoffMs: never,
  });
  await world.synced();
  world.server.fault = ({ collection, watch }) => (collection === pods && watch ? { status: 500 } : null);
  world.server.streams(pods)[0]?.cut();
  world.server.fault = ({ collection }) => (collection === pods ? { status: 500 } : null);
  await eventually(() => {
    expect(probes(pods)).toBeGreaterThanOrEqual(2);
  });
  world.server.fault = () => null;
  await eventually(() => {
    expect(world.server.streams(pods)).toHaveLength(1);
  });
});

test("a kind that the server does not serve, or that is not for us, needs no contact; one that is unreachable does", async () => {
  await probing();
  world.server.fault = ({ collection }) => (collection === anps ? { status: 403 } : null);
  world.server.streams(anps)[0]?.end();
  await eventually(() => {
    expect(stateOf("adminnetworkpolicies").needsContact).toBe(false);
  });
  world.server.fault = ({ collection }) => (collection === anps ? { status: 500 } : null);
  await eventually(() => {
    expect(stateOf("adminnetworkpolicies").needsContact).toBe(true);
  });
});
