// The status writer against a server on this machine that keeps what is applied to it; the writer's view of it lags, as
// a watch does, until the test updates it.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { HandClock, LineLogger, ScriptedApi, type Sent } from "../../../test/support/scripted-api.ts";
import { anp } from "../../../test/support/policies.ts";
import type { ObjectKey, PolicyObject } from "../../model/object.ts";
import { apiVersionOf, objectKey, shownAmong } from "../../model/object.ts";
import type { SeenStatus } from "../read/conditions.ts";
import { noStatus, readConditions, readStatus } from "../read/conditions.ts";
import { conditionWords } from "../../kubernetes/conditions.ts";
import { StatusWriter } from "./status-writer.ts";
import type { PolicyOutcome } from "./zone-condition.ts";

const resource = {
  group: "policy.networking.k8s.io",
  version: "v1alpha1",
  kind: "AdminNetworkPolicy",
  resource: "adminnetworkpolicies",
  namespaced: false,
};
const path = `/apis/${apiVersionOf(resource)}/${resource.resource}`;
const key = objectKey(resource, null, "a");
const { type } = conditionWords();
const ready: PolicyOutcome = {
  type: type("z1"),
  status: "True",
  reason: "SetupSucceeded",
  message: "in force",
};
const failed: PolicyOutcome = { ...ready, status: "False", reason: "SetupFailed", message: "not in force" };

function policy(name = "a", generation = 1, uid = `uid-${name}`): PolicyObject {
  return { ...anp(name, {}), uid, generation };
}

let server: ScriptedApi;
let clock: HandClock;
let logger: LineLogger;
/** What a watch has delivered so far. Frozen: a writer that changes what it has read throws. */
let seen: Map<ObjectKey, SeenStatus>;
let seconds: number;
let faults: unknown[];
let running: StatusWriter[];

beforeEach(async () => {
  server = new ScriptedApi();
  await server.start();
  clock = new HandClock();
  logger = new LineLogger();
  seen = new Map();
  seconds = 0;
  faults = [];
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((writer) => writer.stop()));
  await server.stop();
  expect(faults).toEqual([]);
  expect(clock.tasks).toBe(0);
});

function writer(zone: string | null = "z1"): StatusWriter {
  const made = new StatusWriter({
    api: server.api,
    statusOf: (of) => seen.get(of) ?? noStatus,
    zone,
    shown: shownAmong([resource]),
    clock,
    random: () => 1,
    logger,
    fatal: (error) => faults.push(error),
    date: () => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds, 123)),
  });
  running.push(made);
  return made;
}

const applied = () => server.sent.flatMap(({ body }) => readConditions(body));
/** The watch delivers the last write. */
function catchUp(of: ObjectKey = key): void {
  const last: Sent | undefined = server.sent.at(-1);
  const { uid, conditions, fields } = readStatus(last?.body);
  for (const condition of conditions) Object.freeze(condition);
  seen.set(of, Object.freeze({ uid, conditions: Object.freeze(conditions), fields: Object.freeze(fields) }));
}

describe("what is written", () => {
  test("goes where the object was read", async () => {
    const status = writer();
    const readAs = { group: "crd.policy.test", version: "v1", name: "stored-a" };
    status.report({ ...policy(), readAs }, resource, ready);
    await status.idle();
    expect(server.sent).toMatchObject([
      {
        path: `/apis/crd.policy.test/v1/${resource.resource}/stored-a/status`,
        body: { apiVersion: "crd.policy.test/v1", kind: resource.kind, metadata: { name: "stored-a" } },
      },
    ]);
  });

  test("our condition and nothing else, as server-side apply of the zone", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    await status.idle();
    expect(server.sent).toEqual([
      {
        method: "PATCH",
        path: `${path}/a/status`,
        query: { fieldManager: "z1", force: "true" },
        contentType: "application/apply-patch+yaml",
        body: {
          apiVersion: apiVersionOf(resource),
          kind: resource.kind,
          metadata: { name: "a" },
          status: {
            conditions: [
              {
                type: "Ready-In-Zone-z1",
                status: "True",
                reason: "SetupSucceeded",
                message: "in force",
                observedGeneration: 1,
                lastTransitionTime: "2026-01-01T00:00:00Z",
              },
            ],
          },
        },
      },
    ]);
    expect(status.stats).toEqual({ writes: 1, skipped: 0, failures: 0 });
  });

  test("the only zone is global; a zone whose name is too long for a manager keeps it in the condition", async () => {
    const long = `${"n".repeat(63)}.${"m".repeat(63)}.${"o".repeat(63)}`;
    for (const zone of [null, long, `${long}x`]) {
      const status = writer(zone);
      status.report(policy(), resource, { ...ready, type: type(zone) });
      await status.idle();
    }
    expect(applied().map(({ type }) => type)).toEqual([
      "Ready-In-Zone-global",
      `Ready-In-Zone-${long}`,
      `Ready-In-Zone-${long}x`,
    ]);
    const managers = server.sent.map(({ query }) => query["fieldManager"] ?? "");
    expect(managers[0]).toBe("northgate");
    expect(managers.slice(1).map((manager) => manager.length)).toEqual([128, 128]);
    expect(new Set(managers).size).toBe(3);
  });

  test("a generation that is not known is not claimed", async () => {
    const status = writer();
    status.report({ ...policy(), generation: null }, resource, ready);
    await status.idle();
    expect(server.sent[0]?.body).not.toHaveProperty("status.conditions.0.observedGeneration");
  });

  test("a message is cut to the limit, between characters, and is the same the next time", async () => {
    const status = writer();
    for (const message of [
      "x".repeat(32_766),
      "x".repeat(32_767),
      "\u{1F512}".repeat(20_000),
      "half \ud800 one",
    ]) {
      status.report(policy(), resource, { ...failed, message });
      await status.idle();
      catchUp();
      status.report(policy(), resource, { ...failed, message });
      await status.idle();
    }
    const messages = applied().map(({ message }) => message);
    expect(messages.map((message) => Buffer.byteLength(message))).toEqual([32_766, 32_766, 32_763, 12]);
    expect(messages[1]).toMatch(/^x+\.\.\.$/);
    expect(messages[2]).toMatch(/^\u{1F512}+\.\.\.$/u);
    expect(messages[3]).toBe("half \ufffd one");
  });
});

describe("what is not written", () => {
  test("what the object says already, since before we started or since we said so", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    await status.idle();
    catchUp();
    const restarted = writer();
    for (let n = 0; n < 100; n++) {
      status.report(policy(), resource, ready);
      restarted.report(policy(), resource, ready);
      await restarted.idle();
    }
    expect(server.sent).toHaveLength(1);
    expect(restarted.stats).toEqual({ writes: 0, skipped: 100, failures: 0 });
  });

  test("what was written a moment ago, though it is not seen yet", async () => {
    const status = writer();
    for (let n = 0; n < 100; n++) {
      status.report(policy(), resource, ready);
      await status.idle();
    }
    expect(server.sent).toHaveLength(1);
  });

  test("flips within one moment that come to nothing", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    await status.idle();
    catchUp();
    status.report(policy(), resource, failed);
    status.report(policy(), resource, ready);
    await status.idle();
    expect(server.sent).toHaveLength(1);
  });

  test("what a policy that is gone was to say", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    status.forget(key);
    await status.idle();
    expect(server.sent).toHaveLength(0);
    server.script = () => ({ status: 404 });
    status.report(policy(), resource, ready);
    await status.idle();
    expect(server.sent).toHaveLength(1);
    expect(status.stats).toEqual({ writes: 0, skipped: 0, failures: 0 });
  });
});

describe("what is believed", () => {
  test("a quick flip is judged by what was written, not by an old sight of the object", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    await status.idle();
    catchUp();
    status.report(policy(), resource, failed);
    await status.idle();
    status.report(policy(), resource, ready);
    await status.idle();
    expect(applied().map((condition) => condition.status)).toEqual(["True", "False", "True"]);
  });

  test("a write that failed is not done: the next report, even of what was there before, is written", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    await status.idle();
    catchUp();
    server.script = () => ({ status: 504 });
    status.report(policy(), resource, failed);
    await status.idle();
    server.script = () => ({ status: 200 });
    // It is unknown whether the server performed the lost request.
    status.report(policy(), resource, ready);
    clock.elapse(1000);
    await status.idle();
    expect(applied().map((condition) => condition.status)).toEqual(["True", "False", "True"]);
    expect(status.stats).toEqual({ writes: 2, skipped: 0, failures: 1 });
  });

  test("a failed write is taken up again by itself, and repeated reports do not multiply it", async () => {
    const status = writer();
    server.script = () => ({ status: 503 });
    for (let n = 0; n < 10; n++) {
      status.report(policy(), resource, ready);
      await status.idle();
    }
    expect(server.sent).toHaveLength(1);
    server.script = () => ({ status: 200 });
    clock.elapse(1000);
    await status.idle();
    expect(server.sent).toHaveLength(2);
    expect(status.stats).toEqual({ writes: 1, skipped: 9, failures: 1 });
  });

  test("what somebody took away is put back, ever more rarely when it is never seen", async () => {
    const status = writer();
    const reports = async (minutes: number) => {
      for (let n = 0; n < minutes; n++) {
        status.report(policy(), resource, ready);
        await status.idle();
        clock.elapse(60_000);
      }
    };
    await reports(1);
    catchUp();
    await reports(5);
    expect(server.sent).toHaveLength(1);
    seen.delete(key);
    await reports(1);
    expect(server.sent).toHaveLength(2);
    await reports(600);
    // A watch that is cut off: 1, 2, 4 … 60 minutes.
    expect(server.sent.length).toBeLessThan(18);
    catchUp();
    await reports(1);
    const before = server.sent.length;
    await reports(100);
    expect(server.sent).toHaveLength(before);
    seen.delete(key);
    await reports(1);
    expect(server.sent).toHaveLength(before + 1);
    await reports(1);
    expect(server.sent).toHaveLength(before + 2);
  });

  test("a policy made anew under the same name is another one", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    await status.idle();
    catchUp();
    seen.delete(key);
    status.report(policy("a", 1, "another"), resource, ready);
    await status.idle();
    expect(server.sent).toHaveLength(2);
    // A late answer that shows another object does not prove that ours has the condition.
    server.script = () => ({ status: 200, body: { metadata: { uid: "a third" } } });
    status.report(policy("a", 2, "another"), resource, ready);
    await status.idle();
    server.script = () => ({ status: 200 });
    status.report(policy("a", 2, "another"), resource, ready);
    await status.idle();
    expect(server.sent).toHaveLength(4);
  });

  test("what was reported of a policy is not told of another that has its name by now", async () => {
    const status = writer();
    status.report(policy(), resource, ready);
    await status.idle();
    const told = server.sent.length;
    const another = { ...noStatus, uid: "another" };
    seen.set(key, another);
    status.seen(key);
    clock.elapse(3_600_000);
    // What is late is about the first one.
    status.report(policy(), resource, ready);
    clock.elapse(3_600_000);
    await status.idle();
    expect(server.sent).toHaveLength(told);
    expect(logger.lines).toEqual([]);
    status.report(policy("a", 1, "another"), resource, failed);
    await status.idle();
    expect(applied().map((condition) => condition.status)).toEqual(["True", "False"]);
  });

  test("a write that waits for the server is dropped when another policy has the name", async () => {
    const status = writer();
    server.script = () => ({ status: 503 });
    status.report(policy(), resource, ready);
    await status.idle();
    server.script = () => ({ status: 200 });
    const told = server.sent.length;
    seen.set(key, { ...noStatus, uid: "another" });
    status.seen(key);
    clock.elapse(3_600_000);
    await status.idle();
    expect(server.sent).toHaveLength(told);
    expect(status.stats).toEqual({ writes: 0, skipped: 0, failures: 1 });
  });
});

test("the transition time moves with the status only", async () => {
  const status = writer();
  const say = async (generation: number, outcome: PolicyOutcome) => {
    seconds++;
    status.report(policy("a", generation), resource, outcome);
    await status.idle();
  };
  await say(1, ready);
  await say(2, ready);
  await say(2, failed);
  catchUp();
  await say(2, { ...failed, message: "for another reason" });
  server.script = () => ({ status: 504 });
  await say(3, ready);
  clock.elapse(400);
  await say(4, ready);
  server.script = () => ({ status: 200 });
  clock.elapse(1000);
  await status.idle();
  // A transition that may have been written counts as one.
  server.script = () => ({ status: 504 });
  await say(4, failed);
  await say(4, ready);
  server.script = () => ({ status: 200 });
  clock.elapse(1000);
  await status.idle();
  // A waiting report keeps the time of its first report.
  server.script = () => ({ status: 503 });
  status.report(policy("b"), resource, ready);
  await status.idle();
  await say(4, failed);
  await say(5, failed);
  server.script = () => ({ status: 200 });
  status.forget(objectKey(resource, null, "b"));
  clock.elapse(1000);
  await status.idle();
  const second = applied().map(({ lastTransitionTime }) => Number(lastTransitionTime?.slice(17, 19)));
  expect(second).toEqual([1, 1, 3, 3, 5, 5, 7, 8, 8, 9]);
  expect(applied().at(-1)).toMatchObject({ observedGeneration: 5, status: "False" });
  // After a restart it is taken from the object.
  catchUp();
  const restarted = writer();
  seconds = 40;
  restarted.report(policy("a", 9), resource, failed);
  await restarted.idle();
  expect(applied().at(-1)?.lastTransitionTime).toBe("2026-01-01T00:00:09Z");
});

describe("withdrawing", () => {
  const all = ["a", "b", "c"].map((name) => ({ object: policy(name), resource }));

  test("is an apply of nothing, in place of what waits and after what is under way", async () => {
    const status = writer();
    status.report(policy("b"), resource, failed);
    expect(await status.withdraw(all)).toEqual([]);
    expect(server.sent.map(({ path: at, body }) => [at, body])).toEqual(
      ["b", "a", "c"].map((name) => [
        `${path}/${name}/status`,
        { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name } },
      ]),
    );
    // The writer relies on no earlier write of them any more.
    status.report(policy("a"), resource, ready);
    await status.idle();
    await status.withdraw(all);
    status.report(policy("a"), resource, ready);
    await status.idle();
    expect(server.sent).toHaveLength(8);
  });

  test("says what failed and does not wait for ever", async () => {
    const status = writer();
    server.script = ({ path: at }) => {
      if (at.includes("/a/")) return { status: 403, body: { message: "no RBAC" } };
      return { status: at.includes("/b/") ? 404 : 200 };
    };
    expect(await status.withdraw(all)).toEqual([{ key, reason: expect.stringContaining("no RBAC") }]);
    server.script = () => "reset";
    const result = status.withdraw(all);
    for (let n = 0; n < 60; n++) {
      await status.idle();
      clock.elapse(31_000);
    }
    expect((await result).map((failure) => failure.key)).toHaveLength(3);
  });

  test("ends with the writer", async () => {
    const status = writer();
    server.script = () => "reset";
    const result = status.withdraw(all);
    await status.idle();
    await status.stop();
    expect(await result).toHaveLength(3);
    expect(await status.withdraw(all)).toHaveLength(3);
  });
});

test("missing rights are said once, whatever the number of policies", async () => {
  const status = writer();
  server.script = () => ({ status: 403, body: { message: "adminnetworkpolicies/status is forbidden" } });
  for (let n = 0; n < 30; n++) status.report(policy(`p${n}`), resource, ready);
  await status.idle();
  expect(logger.lines).toHaveLength(1);
  expect(logger.lines[0]?.fields["reason"]).toContain("adminnetworkpolicies/status is forbidden");
  for (let n = 0; n < 30; n++) status.report(policy(`p${n}`), resource, ready);
  await status.idle();
  expect(server.sent).toHaveLength(30);
  server.script = () => ({ status: 200 });
  clock.elapse(61_000);
  await status.idle();
  expect(status.stats).toEqual({ writes: 30, skipped: 30, failures: 30 });
});

test("values beside the condition tell the generation, and are written when another program changed one", async () => {
  const status = writer();
  const outcome = { ...ready, fields: { phase: "Realized", observedGeneration: 1 } };
  status.report(policy(), resource, outcome);
  await status.idle();
  expect(server.sent[0]?.body).toMatchObject({ status: outcome.fields });
  expect(server.sent[0]?.body).not.toHaveProperty("status.conditions.0.observedGeneration");
  catchUp();
  status.report(policy(), resource, outcome);
  await status.idle();
  expect(status.stats).toEqual({ writes: 1, skipped: 1, failures: 0 });
  const last = seen.get(key) ?? noStatus;
  seen.set(key, { ...last, fields: { ...outcome.fields, phase: "Failed", another: "stays" } });
  status.seen(key);
  clock.elapse(0);
  await status.idle();
  expect(server.sent).toHaveLength(2);
  expect(server.sent[1]?.body).toMatchObject({ status: outcome.fields });
});

test("where the server keeps neither reason nor message, the status alone is compared", async () => {
  const status = writer();
  status.report(policy(), resource, ready);
  await status.idle();
  catchUp();
  const prune = () => {
    const last = seen.get(key) ?? noStatus;
    seen.set(key, {
      ...last,
      conditions: last.conditions.map((one) => ({ ...one, reason: "", message: "" })),
    });
    status.seen(key);
  };
  prune();
  // Longer than any pause between two repairs.
  clock.elapse(3_600_000);
  status.report(policy(), resource, ready);
  const restarted = writer();
  restarted.report(policy(), resource, ready);
  await Promise.all([status.idle(), restarted.idle()]);
  expect([server.sent.length, logger.lines]).toEqual([1, []]);
  status.report(policy(), resource, failed);
  await status.idle();
  catchUp();
  prune();
  expect(applied().map((condition) => condition.status)).toEqual(["True", "False"]);
  // One of the two alone is no such server.
  const last = seen.get(key) ?? noStatus;
  seen.set(key, { ...last, conditions: last.conditions.map((one) => ({ ...one, reason: "SetupFailed" })) });
  status.seen(key);
  clock.elapse(3_600_000);
  await status.idle();
  expect(server.sent).toHaveLength(3);
});

test("a definition without reason and message is told the rest, and holds up no other kind", async () => {
  const status = writer();
  const message = (field: string) =>
    `.status.conditions[type="Ready"].${field}: field not declared in schema`;
  const hasWords = ({ body }: Sent) => readConditions(body).some((condition) => condition.reason !== "");
  for (const field of ["reason", "message"]) {
    const [from, made] = [server.sent.length, field === "reason" ? status : writer()];
    server.script = (sent) =>
      hasWords(sent) ? { status: 500, body: { message: message(field) } } : { status: 200 };
    made.report(policy(), resource, ready);
    await made.idle();
    expect(server.sent.slice(from).map(hasWords)).toEqual([true, false]);
    expect(made.stats).toEqual({ writes: 1, skipped: 0, failures: 0 });
  }
  status.report(policy("b"), resource, failed);
  await status.idle();
  expect(server.sent.slice(4).map(hasWords)).toEqual([false]);
  // Another field is no such matter.
  server.script = () => ({ status: 500, body: { message: message("type") } });
  status.report(policy("c"), { ...resource, kind: "Another" }, ready);
  await status.idle();
  expect([status.stats.failures, server.sent.length, logger.lines.length]).toEqual([1, 6, 1]);
});
