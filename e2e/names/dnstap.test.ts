// dnstap of a real CoreDNS: what its clients are answered is learned, how late, and what hostile connections beside it change: nothing.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { Nudge } from "../../src/names/dnstap/nudge/nudge.ts";
import { searchSuffixes } from "../../src/names/dnstap/search-suffixes.ts";
import type { Listening } from "../../test/support/dns/tap-sender.ts";
import { answerFrame, connected, ended, listening, ready, start } from "../../test/support/dns/tap-sender.ts";
import { eventually } from "../../test/support/eventually.ts";
import { patience } from "../../test/support/patience.ts";
import { LineLogger } from "../../test/support/scripted-api.ts";
import { describeWithCoreDns } from "./describe.ts";
import { localName, TappedCoreDns, zone } from "./tapped-coredns.ts";

jest.setTimeout(patience(60_000));

const many = Array.from({ length: 100 }, (_, host) => `198.51.100.${host}`);
const records = [
  "www 7 IN A 192.0.2.1",
  "www 7 IN AAAA 2001:db8::1",
  "alias 60 IN CNAME inner",
  "inner 9 IN CNAME deep",
  "deep 60 IN A 192.0.2.2",
  "*.wild 30 IN A 192.0.2.3",
  "other 60 IN A 192.0.2.4",
  "*.flood 60 IN A 192.0.2.5",
  ...many.map((ip) => `many 60 IN A ${ip}`),
];
const local = "127.0.0.1" as IpAddress;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** In bytes, without garbage. */
function heldMemory(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function tests(): void {
  let one: Listening;
  let dns: TappedCoreDns;
  const logger = new LineLogger();

  beforeAll(async () => {
    one = await listening({ clock: systemClock, logger });
    const patterns = ["www", "alias", "inner", "deep", "many", "*.wild", "*.flood"].map(
      (name) => `${name}.${zone}`,
    );
    one.names.watch({ patterns, search: searchSuffixes("cluster.local", [zone]) });
    dns = await TappedCoreDns.start(one.listener.port, records);
  });
  afterAll(async () => {
    await dns.stop();
    await one.listener.close();
  });

  const answersOf = (name: string, family: string) =>
    one.learned.answers.filter((answer) => answer.name === `${name}.${zone}` && answer.family === family);
  const lastOf = (name: string, family = "v4") => answersOf(name, family).at(-1)?.addresses;

  /** Asks as a client does, and expects that this answer is learned, with its TTL. CoreDNS' cache gives all its records the least one. */
  async function learns(name: string, address: string) {
    const isV6 = address.includes(":");
    const asked = `${name}.${zone}`;
    const resolver = dns.resolver();
    const got = await (isV6
      ? resolver.resolve6(asked, { ttl: true })
      : resolver.resolve4(asked, { ttl: true }));
    expect(got.map((record) => record.address)).toEqual([address]);
    const answer = got.map((record) => ({ ip: record.address, ttl: record.ttl }));
    await eventually(() => {
      expect(lastOf(name.toLowerCase(), isV6 ? "v6" : "v4")).toEqual(answer);
    });
    return answer[0]?.ttl ?? 0;
  }

  test("exact names, a wildcard, a chain of aliases, both families, and nothing of other names", async () => {
    await dns.resolver().resolve4(`other.${zone}`);
    await Promise.all([
      learns("www", "192.0.2.1"),
      learns("www", "2001:db8::1"),
      learns("alias", "192.0.2.2"),
      learns("a.wild", "192.0.2.3"),
      learns("B.c.Wild", "192.0.2.3"),
    ]);
    expect(one.learned.answers.every(({ source }) => source === local)).toBe(true);
    expect(one.learned.texts.filter((text) => text.includes("other"))).toEqual([]);
    expect(one.listener.source(local)).toMatchObject({ connections: 1, awaySince: null });
  });

  test("questions with a search suffix: the answer is of the name that autopath found, and of no other", async () => {
    const suffix = "shop.svc.cluster.local";
    // What was asked was a whole name, or one below the node's own suffix.
    for (const [asked, found] of [
      [`deep.${zone}`, "deep"],
      ["inner", "inner"],
    ] as const) {
      expect(await dns.resolver().resolve4(`${asked}.${suffix}`)).toEqual(["192.0.2.2"]);
      await eventually(() => {
        expect(lastOf(found)?.map(({ ip }) => ip)).toEqual(["192.0.2.2"]);
      });
    }
    // A Pod's name, by its headless Service: the server has it, and no alias leads from it.
    expect(await dns.resolver().resolve4(`www.${zone}.pods.${suffix}`)).toEqual(["192.0.2.66"]);
    await learns("after.wild", "192.0.2.3");
    expect(one.learned.texts.filter((text) => /cluster\.local|192\.0\.2\.66/.test(text))).toEqual([]);
  });

  test("answers from the cache too, with the time that is left", async () => {
    const ttl = await learns("cached.wild", "192.0.2.3");
    await sleep(1_100);
    expect(await learns("cached.wild", "192.0.2.3")).toBeLessThan(ttl);
  });

  test("of a truncated answer nothing, and of its repetition over TCP all", async () => {
    expect(await dns.resolver().resolve4(`many.${zone}`)).toHaveLength(many.length);
    await eventually(() => {
      expect(answersOf("many", "v4")).toHaveLength(1);
      expect(lastOf("many")?.map(({ ip }) => ip)).toEqual(many);
    });
    expect(one.listener.counts.messages.truncated).toBe(1);
  });

  test("a known name without an address of the other family has no data", async () => {
    expect(await dns.resolver().resolve6(`alias.${zone}`)).toEqual([]);
    await eventually(() => {
      expect(answersOf("alias", "v6").map(({ outcome }) => outcome)).toEqual(["no-data"]);
    });
  });

  test("with the nudge an answer is learned soon, without it after up to a second or more", async () => {
    const without = await delays(15, 120);
    const nudge = new Nudge({
      ...{ name: localName, clock: systemClock, random: Math.random },
      isWanted: () => one.names.hasWildcards,
      isTapped: () => true,
      fatal: (error) => {
        throw error;
      },
    });
    const server = { host: "127.0.0.1", port: dns.port };
    nudge.watch([server]);
    const timeOf = (ms: number) => `${ms.toFixed(0)} ms`;
    try {
      await eventually(() => {
        expect(nudge.countsOf(server)?.answered).toBeGreaterThan(2);
      });
      const nudged = await delays(40, 30);
      const text = [without, nudged].map(({ p50, p99 }) => `p50 ${timeOf(p50)}, p99 ${timeOf(p99)}`);
      process.stderr.write(`dnstap, answer to learning: ${text[0]}; nudged: ${text[1]}\n`);
      // As of an idle machine, 25 and 50 ms, with much room.
      expect(nudged.p50).toBeLessThan(Math.min(patience(250), without.p50));
      expect(nudge.countsOf(server)?.failed).toBe(0);
    } finally {
      nudge.close();
    }
  });

  /** From a client's answer to what is learned of it, in milliseconds: names that were never asked for, one after the other. */
  async function delays(count: number, pauseMs: number) {
    const [resolver, asked] = [dns.resolver(), new Map<string, number>()];
    for (let name = 0; name < count; name++) {
      const text = `${randomUUID()}.wild.${zone}`;
      await resolver.resolve4(text);
      asked.set(text, performance.now());
      await sleep(pauseMs * (0.5 + Math.random()));
    }
    const learnedAt = new Map<string, number>();
    await eventually(() => {
      for (const { name, at } of one.learned.answers) learnedAt.set(name, at);
      expect([...asked.keys()].filter((name) => !learnedAt.has(name))).toEqual([]);
    });
    const took = [...asked].map(([name, at]) => Math.max(0, (learnedAt.get(name) ?? 0) - at));
    const sorted = took.toSorted((a, b) => a - b);
    const of = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
    return { p50: of(0.5), p99: of(0.99) };
  }

  test("garbage, stalled, cut and foreign connections change nothing for the server", async () => {
    const { listener } = one;
    // Each is waited for from its beginning: on a busy machine it ends before the next one has begun.
    const garbage = await connected(listener);
    const garbageEnded = ended(garbage);
    garbage.write("GET / HTTP/1.1\r\n\r\n");
    const stalled = await connected(listener);
    const stalledEnded = ended(stalled);
    stalled.write(ready);
    const cut = await connected(listener);
    const cutEnded = ended(cut);
    cut.write(Buffer.concat([ready, start, answerFrame(`cut.wild.${zone}`, 1).subarray(0, 50)]));
    const foreign = await connected(listener, "127.0.0.2");
    const foreignEnded = ended(foreign);
    foreign.write(Buffer.concat([ready, start, answerFrame(`foreign.wild.${zone}`, 1)]));
    await Promise.all([garbageEnded, foreignEnded]);
    await learns("beside.wild", "192.0.2.3");
    await Promise.all([stalledEnded, cutEnded]);
    expect(listener.counts.ended).toMatchObject({
      ...{ "frame too long": 1, "handshake too slow": 1, "frame too slow": 1 },
    });
    expect(listener.counts.refused["not a DNS server"]).toBe(1);
    expect(one.learned.texts.filter((text) => /foreign|cut\./.test(text))).toEqual([]);
    expect(logger.lines.filter(({ fields }) => fields["from"] === "127.0.0.2")).toHaveLength(1);
    await eventually(() => {
      expect(listener.source(local).connections).toBe(1);
    });
  });

  test("100,000 names below a wildcard: memory is bounded, and the server's own answers are learned", async () => {
    const { listener, learned } = one;
    const before = listener.counts.messages.answered;
    const socket = await connected(listener);
    const isOver = ended(socket);
    socket.write(Buffer.concat([ready, start]));
    const memory = heldMemory();
    for (let block = 0; block < 100; block++) {
      const frames = Array.from({ length: 1000 }, (_, at) => answerFrame(`n${block}-${at}.flood.${zone}`, 5));
      if (!socket.write(Buffer.concat(frames))) await Promise.race([once(socket, "drain"), isOver]);
      // What the kernel takes at once is drained before the listener, in this process, has its turn.
      await turn();
      if (socket.closed) throw new Error(`the listener ended it: ${JSON.stringify(listener.counts.ended)}`);
      // The list is the test's own.
      learned.answers.length = 0;
    }
    await learns("after.wild", "192.0.2.3");
    await eventually(() => {
      expect(listener.counts.messages.answered - before).toBeGreaterThan(100_000);
    }, 30_000);
    socket.destroy();
    learned.answers.length = 0;
    // What sockets held is freed a little later on a busy machine.
    let grown = Infinity;
    await eventually(() => {
      grown = (heldMemory() - memory) / 2 ** 20;
      expect(grown).toBeLessThan(32);
    });
    process.stderr.write(`100,000 names: ${grown.toFixed(1)} MB more\n`);
  });

  test("a server that was away is known, connects again, and its answers are learned", async () => {
    const { listener } = one;
    await dns.restart(() =>
      eventually(() => {
        expect(listener.source(local).awaySince).not.toBeNull();
      }),
    );
    await eventually(() => {
      expect(listener.source(local)).toMatchObject({ connections: 1, awaySince: null });
    });
    await learns("back.wild", "192.0.2.3");
  });
}

await describeWithCoreDns(describe, "dnstap of CoreDNS", tests);
