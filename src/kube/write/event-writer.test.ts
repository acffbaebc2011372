// The event writer against a server on this machine that remembers the names it has accepted, as an API server does.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { HandClock, ScriptedApi, type Sent } from "../../../test/support/scripted-api.ts";
import { anp } from "../../../test/support/policies.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { PolicyObject } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import { EventWriter } from "./event-writer.ts";

const warning = { type: "Warning", reason: "ANPWithDuplicatePriority", message: "two of them" } as const;
const object: PolicyObject = { ...anp("a", {}), uid: "uid-a", generation: 3 };

let server: ScriptedApi;
let clock: HandClock;
let running: EventWriter[];

beforeEach(async () => {
  server = new ScriptedApi();
  const taken = new Set<string>();
  server.script = (sent) => {
    const name = nameOf(sent);
    if (taken.has(name)) return { status: 409 };
    taken.add(name);
    return { status: 201 };
  };
  await server.start();
  clock = new HandClock();
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((writer) => writer.stop()));
  await server.stop();
});

function writer(): EventWriter {
  const date = () => new Date(Date.UTC(2026, 0, 1));
  const made = new EventWriter({ api: server.api, clock, random: () => 1, logger: silentLogger, date });
  running.push(made);
  return made;
}

function nameOf({ body }: Sent): string {
  return String(new Field(new Problems(), "", body).at("metadata").at("name").raw);
}

const names = () => server.sent.map(nameOf);

test("an event is about the object where it was read", async () => {
  const events = writer();
  const readAs = { group: "crd.policy.test", version: "v1", name: "stored-a" };
  events.emit({ ...object, readAs }, warning);
  await events.idle();
  const involvedObject = { apiVersion: "crd.policy.test/v1", kind: "AdminNetworkPolicy", name: "stored-a" };
  expect(server.sent).toMatchObject([{ body: { involvedObject } }]);
});

test("an event names the object fully, in the namespace of what is in none", async () => {
  const events = writer();
  events.emit(object, warning);
  await events.idle();
  expect(server.sent).toEqual([
    {
      method: "POST",
      path: "/api/v1/namespaces/default/events",
      query: {},
      contentType: "application/json",
      body: {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: expect.stringMatching(/^a\.[0-9a-f]{16}$/), namespace: "default" },
        involvedObject: {
          apiVersion: "policy.networking.k8s.io/v1alpha1",
          kind: "AdminNetworkPolicy",
          name: "a",
          uid: "uid-a",
        },
        type: "Warning",
        reason: "ANPWithDuplicatePriority",
        message: "two of them",
        source: { component: "northgate" },
        reportingComponent: "northgate",
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        count: 1,
      },
    },
  ]);
});

test("the same is told once, also after a restart; another object, reason or message is another event", async () => {
  const events = writer();
  for (let n = 0; n < 10; n++) {
    events.emit(object, warning);
    await events.idle();
  }
  expect(events.stats).toEqual({ writes: 1, skipped: 9, failures: 0 });
  const restarted = writer();
  restarted.emit(object, warning);
  await restarted.idle();
  expect(names()).toHaveLength(2);
  expect(restarted.stats).toEqual({ writes: 0, skipped: 1, failures: 0 });
  events.emit({ ...object, uid: "made anew" }, warning);
  events.emit(object, { ...warning, message: "three of them" });
  events.emit(object, { ...warning, reason: "Other" });
  await events.idle();
  expect(events.stats.writes).toBe(4);
  expect(new Set(names()).size).toBe(4);
});

test("a forgotten object's events may be told again; the server knows them", async () => {
  const events = writer();
  events.emit(object, warning);
  events.forget("uid-a");
  events.emit(object, warning);
  await events.idle();
  expect(events.stats.writes).toBe(1);
  events.forget("uid-a");
  events.emit(object, warning);
  await events.idle();
  expect(events.stats).toEqual({ writes: 1, skipped: 1, failures: 0 });
});

test("long names and long messages fit", async () => {
  const events = writer();
  const long = { ...object, name: `${"n".repeat(235)}.${"m".repeat(17)}` };
  events.emit(long, { ...warning, message: "\u00e4".repeat(2000) });
  await events.idle();
  expect(names()[0]).toMatch(/^n{235}\.[0-9a-f]{16}$/);
  const message = new Field(new Problems(), "", server.sent[0]?.body).at("message").raw;
  expect(Buffer.byteLength(String(message))).toBeLessThanOrEqual(1024);
});

test("an event of a namespaced policy is where the policy is", async () => {
  const events = writer();
  events.emit({ ...object, namespace: "shop" }, warning);
  await events.idle();
  expect(server.sent[0]).toMatchObject({
    path: "/api/v1/namespaces/shop/events",
    body: { metadata: { namespace: "shop" }, involvedObject: { namespace: "shop" } },
  });
});

test("an object that no server has made has no events", async () => {
  const events = writer();
  events.emit(anp("a", {}), warning);
  await events.idle();
  expect(server.sent).toEqual([]);
});

test("trouble is waited out for a while; what was given up may be told again", async () => {
  const events = writer();
  const { script } = server;
  server.script = () => "reset";
  events.emit(object, warning);
  for (let n = 0; n < 20; n++) {
    await events.idle();
    clock.elapse(31_000);
  }
  expect(server.sent).toHaveLength(8);
  expect(clock.tasks).toBe(0);
  server.script = script;
  events.emit(object, warning);
  await events.idle();
  expect(events.stats).toEqual({ writes: 1, skipped: 0, failures: 8 });
});

test("a flood while the server is away is bounded", async () => {
  const events = writer();
  server.script = () => ({ status: 503 });
  for (let n = 0; n < 5000; n++) events.emit(object, { ...warning, message: `${n}` });
  await events.idle();
  expect(events.stats.failures).toBe(4000 + 4);
  expect(server.sent).toHaveLength(4);
});
