// Under any sequence of reports, lost answers, server failures and watch delays, the server's status ends as the last
// report, and the writer sent no more requests than there were changes and failures.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anp } from "../../../test/support/policies.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { ObjectKey } from "../../model/object.ts";
import { objectKey, shownAmong } from "../../model/object.ts";
import type { ApiRequest, ApiResponse, KubeApi } from "../transport/api.ts";
import { ApiUnreachable } from "../transport/api.ts";
import type { Condition } from "../read/conditions.ts";
import { noStatus, readConditions } from "../read/conditions.ts";
import { StatusWriter } from "./status-writer.ts";
import type { PolicyOutcome } from "./zone-condition.ts";

const resource = {
  group: "policy.networking.k8s.io",
  version: "v1alpha1",
  kind: "AdminNetworkPolicy",
  resource: "things",
  namespaced: false,
};
const names = ["a", "b", "c", "d", "e", "f"];
const keyOf = (name: string) => objectKey(resource, null, name);
type Weather = "fine" | "down" | "lost" | "busy" | "forbidden";

/** A server that remembers its objects' past statuses, so that a watch can lag. */
class Server implements KubeApi {
  weather: Weather = "fine";
  requests = 0;
  underWay = new Set<string>();
  readonly history = new Map<ObjectKey, (readonly Condition[])[]>();
  readonly seen = new Map<ObjectKey, number>();

  async request({ path, body }: ApiRequest): Promise<ApiResponse> {
    this.requests++;
    expect(this.underWay.has(path)).toBe(false);
    expect(this.underWay.add(path).size).toBeLessThanOrEqual(4);
    const { weather } = this;
    if (weather === "fine" || weather === "lost") {
      const key = keyOf(path.split("/").at(-2) ?? "");
      this.historyOf(key).push(readConditions(body).map((condition) => Object.freeze(condition)));
    }
    await new Promise((resolve) => setImmediate(resolve));
    this.underWay.delete(path);
    if (weather === "down" || weather === "lost") throw new ApiUnreachable("no answer");
    const headers = new Map(weather === "busy" ? [["retry-after", "3"]] : []);
    return { status: { fine: 200, busy: 429, forbidden: 403 }[weather], headers, body: null };
  }

  stream(): never {
    throw new Error("not asked for here");
  }

  close(): void {}

  historyOf(key: ObjectKey): (readonly Condition[])[] {
    const known = this.history.get(key) ?? [[]];
    this.history.set(key, known);
    return known;
  }

  conditionsOf(key: ObjectKey): readonly Condition[] {
    return this.historyOf(key)[this.seen.get(key) ?? 0] ?? [];
  }

  catchUp(key: ObjectKey, by: number): void {
    const last = this.historyOf(key).length - 1;
    this.seen.set(key, Math.min(last, (this.seen.get(key) ?? 0) + by));
  }
}

const name = fc.constantFrom(...names);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("report"), name, value: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("idle") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("watch"), name, by: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("elapse"), ms: fc.nat(5_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("weather"),
      weather: fc.constantFrom<Weather>("fine", "down", "lost", "busy", "forbidden"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart") }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const outcome = (value: number): PolicyOutcome =>
  value % 2 === 0
    ? { type: "Ready-In-Zone-z", status: "True", reason: "SetupSucceeded", message: `${value}` }
    : { type: "Ready-In-Zone-z", status: "False", reason: "SetupFailed", message: `${value}` };

async function play(steps: readonly Step[]): Promise<void> {
  const server = new Server();
  const clock = new HandClock();
  const reported = new Map<string, number>();
  let changes = 0;
  const begin = () =>
    new StatusWriter({
      api: server,
      statusOf: (key) => ({ ...noStatus, conditions: server.conditionsOf(key) }),
      zone: "z",
      shown: shownAmong([resource]),
      clock,
      random: () => 0.5,
      logger: silentLogger,
    });
  let writer = begin();
  let earlier = 0;
  const report = (of: string, value: number) => {
    if (reported.get(of) !== value) changes++;
    reported.set(of, value);
    writer.report({ ...anp(of, {}), uid: `uid-${of}`, generation: 1 }, resource, outcome(value));
  };
  for (const one of steps) {
    if ("value" in one) report(one.name, one.value);
    else if ("by" in one) server.catchUp(keyOf(one.name), one.by);
    else if ("ms" in one) clock.elapse(one.ms);
    else if ("weather" in one) server.weather = one.weather;
    else if (one.do === "idle") await writer.idle();
    else {
      await writer.stop();
      earlier += writer.stats.failures;
      writer = begin();
      // A report that was cut off is written anew.
      changes += reported.size;
      for (const [of, value] of reported) {
        server.catchUp(keyOf(of), Infinity);
        report(of, value);
      }
    }
  }
  const spent = clock.now();
  server.weather = "fine";
  for (let n = 0; n < 60; n++) {
    await writer.idle();
    clock.elapse(30_000);
  }
  for (const [of, value] of reported) {
    const { status, message } = server.historyOf(keyOf(of)).at(-1)?.[0] ?? {};
    expect({ of, status, message }).toMatchObject({
      of,
      status: outcome(value).status,
      message: outcome(value).message,
    });
  }
  // A status that was not seen for half a minute may be written again.
  const doubts = names.length * Math.floor(spent / 30_000);
  expect(server.requests).toBeLessThanOrEqual(changes + doubts + earlier + writer.stats.failures);
  expect(clock.tasks).toBe(0);
  await writer.stop();
}

test("the server ends up saying what was reported last", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), play), { numRuns: 400 });
});
