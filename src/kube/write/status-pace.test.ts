// The status of 10,000 policies: so many patches a second, each once; and a server whose priority and fairness answers 429 gets
// none before the time that it has asked for, then one, then the rest. Requests are counted by a clock that the test moves.

import { expect, test } from "@jest/globals";
import { anp } from "../../../test/support/policies.ts";
import { HandClock, LineLogger } from "../../../test/support/scripted-api.ts";
import { conditionWords } from "../../kubernetes/conditions.ts";
import { noStatus } from "../read/conditions.ts";
import type { ApiResponse, KubeApi } from "../transport/api.ts";
import { StatusWriter } from "./status-writer.ts";

const count = 10_000;
const perSecond = 100;
const atOnce = 200;
const resource = {
  ...{ group: "policy.networking.k8s.io", version: "v1alpha1", kind: "AdminNetworkPolicy" },
  ...{ resource: "adminnetworkpolicies", namespaced: false },
};

/** Takes patches in memory, and remembers when each came. */
class CountingApi implements KubeApi {
  readonly sent: { readonly path: string; readonly at: number; readonly status: number }[] = [];
  /** Milliseconds at which it begins to refuse, with the seconds that it asks for; until when it refuses. */
  refusal: { readonly from: number; readonly until: number; readonly retryAfter: number } | null = null;
  mostUnderWay = 0;
  #underWay = 0;
  readonly #clock: HandClock;

  constructor(clock: HandClock) {
    this.#clock = clock;
  }

  get requests(): number {
    return this.sent.length;
  }

  async request({ path }: { readonly path: string }): Promise<ApiResponse> {
    const at = this.#clock.now();
    const refused = this.refusal !== null && at >= this.refusal.from && at < this.refusal.until;
    const status = refused ? 429 : 200;
    this.sent.push({ path, at, status });
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.#underWay);
    await new Promise((resolve) => setImmediate(resolve));
    this.#underWay--;
    const headers = new Map(refused ? [["retry-after", String(this.refusal?.retryAfter)]] : []);
    return { status, headers, body: {} };
  }

  stream(): Promise<never> {
    throw new Error("nothing is streamed");
  }

  close(): void {}

  /** The most requests that came in any time of so many milliseconds. */
  mostWithin(ms: number): number {
    let [most, first] = [0, 0];
    for (const [at, { at: now }] of this.sent.entries()) {
      while ((this.sent[first]?.at ?? 0) <= now - ms) first++;
      most = Math.max(most, at - first + 1);
    }
    return most;
  }
}

async function reported(refusal: CountingApi["refusal"]) {
  const clock = new HandClock();
  const api = new CountingApi(clock);
  api.refusal = refusal;
  const writer = new StatusWriter({
    ...{ api, clock, zone: null, random: () => 1, logger: new LineLogger() },
    statusOf: () => noStatus,
    shown: (key) => key,
    fatal: (error) => {
      throw error;
    },
  });
  const { reasons } = conditionWords();
  for (let n = 0; n < count; n++)
    writer.report({ ...anp(`p${n}`, {}), uid: `u${n}`, generation: 1 }, resource, {
      ...{
        type: conditionWords().type(null),
        status: "True",
        reason: reasons.succeeded,
        message: "in force",
      },
    });
  // 20 ms at a time, and between them as many turns as requests of that time take.
  while (writer.stats.writes < count && clock.now() < 600_000) {
    for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
    clock.elapse(20);
  }
  const { writes } = writer.stats;
  await writer.stop();
  return { api, writes, seconds: clock.now() / 1000 };
}

test("10,000 conditions are patched once each, at a pace", async () => {
  const { api, writes, seconds } = await reported(null);
  expect(writes).toBe(count);
  expect(new Set(api.sent.map(({ path }) => path)).size).toBe(count);
  expect(api.requests).toBe(count);
  expect(api.mostUnderWay).toBeLessThanOrEqual(4);
  expect(api.mostWithin(1000)).toBeLessThanOrEqual(atOnce + perSecond);
  expect(api.mostWithin(10_000)).toBeLessThanOrEqual(atOnce + 10 * perSecond);
  // And no slower than that.
  expect(seconds).toBeLessThan(1.5 * (count / perSecond));
});

test("a server that answers 429 is asked nothing for as long as it says, then once; nobody is lost", async () => {
  const [from, until, retryAfter] = [20_000, 70_000, 15];
  const { api, writes } = await reported({ from, until, retryAfter });
  expect(writes).toBe(count);
  const refused = api.sent.filter(({ status }) => status === 429);
  // Those that were under way when it began, then one probe at a time.
  const [first, ...probes] = [...Map.groupBy(refused, ({ at }) => at)];
  expect(first?.[1].length).toBeLessThanOrEqual(4);
  expect(probes.map(([, { length }]) => length)).toEqual(probes.map(() => 1));
  expect(refused.length).toBeLessThanOrEqual(4 + (until - from) / (retryAfter * 1000));
  for (const { at } of refused) {
    const early = api.sent.filter((one) => one.at > at && one.at < at + retryAfter * 1000);
    expect(early).toEqual([]);
  }
  expect(api.requests).toBe(count + refused.length);
  expect(api.mostWithin(1000)).toBeLessThanOrEqual(atOnce + perSecond);
});
