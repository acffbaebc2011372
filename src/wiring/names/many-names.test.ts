// A hundred thousand names below a wildcard, as DNS servers send them on real connections: 1,024 are kept, the latest; what is held and
// the work for each answer are bounded, and so is what a loop that reads now and then has to read.

import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, jest, test } from "@jest/globals";
import { MemorySource } from "../../../test/support/controller.ts";
import { answerFrame, connected, ready, start } from "../../../test/support/dns/tap-sender.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { patience } from "../../../test/support/patience.ts";
import type { HostNameFact } from "../../model/facts.ts";
import { systemClock } from "../../lib/clock.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { ObjectKey } from "../../model/object.ts";
import { splitKey } from "../../model/object.ts";
import { hostNamesLike } from "../../model/selectors/host-names.ts";
import { Names } from "../../names/index.ts";
import type { HostNameGroup } from "../../policy/ir.ts";
import { groupKey } from "../../policy/ir.ts";
import { Taps } from "./taps.ts";

jest.setTimeout(patience(120_000));

const count = 100_000;
const kept = 1_024;
/** Each may send 2 MiB a second. */
const servers = Array.from({ length: 20 }, (_, at) => `127.0.0.${at + 2}`);

function fail(error: unknown): never {
  throw error;
}

/** What a loop reads of names: a key once, however often it has changed since. */
class Loop {
  readonly facts = new Map<string, HostNameFact>();
  readonly #keys = new Set<ObjectKey>();
  readonly #names: Names;
  reads = 0;
  mostKeys = 0;

  constructor(names: Names) {
    this.#names = names;
    names.source.start({
      changed: (key) => {
        this.#keys.add(key);
        this.mostKeys = Math.max(this.mostKeys, this.#keys.size);
      },
      ...{ synced: () => undefined, problem: () => undefined },
    });
  }

  pass(): void {
    for (const key of this.#keys) {
      const object = this.#names.source.read(key);
      this.reads++;
      const { name } = splitKey(key);
      if (object === null) this.facts.delete(name);
      else if ("ips" in object && object.kind === "HostName") this.facts.set(name, object);
    }
    this.#keys.clear();
  }
}

async function stage() {
  const selector = hostNamesLike("*.wild.test");
  if (selector === null) throw new Error("a pattern");
  const group: HostNameGroup = { kind: "hostNames", names: selector };
  const names: Names = new Names({
    ...{ source: new MemorySource(), serviceNetworks: [], clusterDomain: "cluster.local", minTtlMs: 0 },
    ...{ clock: systemClock, logger: silentLogger, fatal: fail },
    ask: () => Promise.reject(new Error("no name is asked for")),
    asked: () => new Map([[groupKey(group), group]]),
    watched: (patterns) => {
      taps.watch(patterns);
    },
    held: { isReadable: () => true, of: () => [] },
  });
  const taps = new Taps({
    ...{
      host: "127.0.0.1",
      port: 0,
      tls: null,
      clusterDomain: "cluster.local",
      search: [],
      sink: names.answers,
    },
    ...{ clock: systemClock, random: () => 0.5, logger: silentLogger, leads: () => true, fatal: fail },
  });
  names.look();
  taps.follow(servers.map((one) => `${one}:1`));
  await taps.open();
  if (taps.listener === null) throw new Error("it listens");
  return { names, taps, listener: taps.listener, loop: new Loop(names) };
}

function usedMegabytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const nameAt = (at: number): string => `n${at}.wild.test`;

/** A share of the names, from one server. */
async function send(socket: Socket, server: number): Promise<void> {
  socket.write(Buffer.concat([ready, start]));
  await once(socket, "data");
  const batch = 100;
  for (let at = server; at < count; at += servers.length * batch) {
    const frames = Array.from({ length: batch }, (_, step) => at + step * servers.length)
      .filter((one) => one < count)
      .map((one) => answerFrame(nameAt(one), one % 250));
    if (!socket.write(Buffer.concat(frames))) await once(socket, "drain");
    // What the kernel takes at once is drained before the listener, in this process, has its turn.
    await turn();
  }
}

test("the latest 1,024 are kept, and nothing grows with the others", async () => {
  const { names, taps, listener, loop } = await stage();
  const { answers, noted } = names;
  const before = usedMegabytes();
  const sockets = await Promise.all(servers.map((one) => connected(listener, one)));
  let most = 0;
  const passes = setInterval(() => {
    most = Math.max(most, answers.size.below, answers.size.addresses);
    loop.pass();
  }, 20);
  await Promise.all(sockets.map(send));
  await eventually(() => {
    expect(listener.counts.messages.answered).toBe(count);
  }, patience(60_000));
  clearInterval(passes);
  loop.pass();
  expect(answers.size).toEqual({ names: kept, addresses: kept, below: kept });
  expect([most, noted.limits("names of a pattern"), noted.answers("answered")]).toEqual([
    kept,
    count - kept,
    count,
  ]);
  const facts = [...loop.facts.values()];
  expect(facts).toHaveLength(kept);
  // Each server has sent in order: what is kept is of the end of each.
  const places = facts.map(({ name }) => Number(/\d+/.exec(name)?.[0]));
  expect(Math.min(...places)).toBeGreaterThan(count / 2);
  expect(facts.every(({ ips }) => ips.length === 1)).toBe(true);
  // A name comes and goes: never more than two reads for each.
  expect(loop.reads).toBeLessThanOrEqual(2 * count);
  expect(usedMegabytes() - before).toBeLessThan(60);
  for (const one of sockets) one.destroy();
  await taps.stop();
  names.stop();
});
