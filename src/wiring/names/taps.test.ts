// Which DNS servers are away: by a real listener, with a clock of the test's. And which instance takes connections.

import { once } from "node:events";
import { afterEach, expect, test } from "@jest/globals";
import {
  aliasedFrame,
  answerFrame,
  connected,
  ended,
  Learned,
  ready,
  start,
} from "../../../test/support/dns/tap-sender.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { HandClock, LineLogger } from "../../../test/support/scripted-api.ts";
import { Taps } from "./taps.ts";

const open: Taps[] = [];

async function stage() {
  const [clock, sink, role] = [new HandClock(), new Learned(), { leads: true }];
  const logger = new LineLogger();
  const taps = new Taps({
    ...{
      host: "127.0.0.1",
      port: 0,
      tls: null,
      clusterDomain: "cluster.local",
      sink,
      clock,
      search: ["corp.example"],
    },
    ...{ random: () => 0.5, logger, leads: () => role.leads },
    fatal: (error) => {
      throw error;
    },
  });
  await taps.open();
  open.push(taps);
  taps.watch(["*.example.org", "www.example.net"]);
  taps.follow(["127.0.0.1:1"]);
  const { listener } = taps;
  if (listener === null) throw new Error("it listens");
  return { taps, clock, sink, role, listener, logger };
}

afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

test("a server is away when it has had no connection for a while, and only wildcards need it", async () => {
  const { taps, clock } = await stage();
  expect([taps.away, taps.missing(["*.example.org"])]).toEqual([[], null]);
  clock.elapse(16_000);
  expect(taps.away).toEqual(["127.0.0.1"]);
  expect(taps.missing(["*.example.org", "*.example.com"])).toBe(
    "not all names of *.example.org, *.example.com are learned: no dnstap from 127.0.0.1",
  );
  expect(taps.missing([])).toBeNull();
  taps.watch(["www.example.net"]);
  expect(taps.away).toEqual([]);
});

test("a server that connects is there, and what it answers is learned", async () => {
  const { taps, clock, sink, listener } = await stage();
  clock.elapse(16_000);
  const socket = await connected(listener);
  socket.write(
    Buffer.concat([ready, start, answerFrame("a.example.org", 1), answerFrame("a.example.com", 1)]),
  );
  await eventually(() => {
    expect(sink.texts).toEqual(["a.example.org 192.0.2.1"]);
  });
  expect(taps.away).toEqual([]);
  socket.destroy();
  await once(socket, "close");
  await eventually(() => {
    expect(listener.connections).toBe(0);
  });
  expect(taps.away).toEqual([]);
  clock.elapse(16_000);
  expect(taps.away).toEqual(["127.0.0.1"]);
});

test("an answer to a question with a search suffix is of the name without it, and a line says which suffixes there are", async () => {
  const { sink, listener, logger } = await stage();
  expect(logger.lines.map(({ fields }) => fields["search"])).toEqual([
    "*.svc.cluster.local,svc.cluster.local,cluster.local,corp.example",
  ]);
  const socket = await connected(listener);
  socket.write(
    Buffer.concat([
      ...[ready, start],
      aliasedFrame("a.example.org.shop.svc.cluster.local", "a.example.org", 1),
      aliasedFrame("b.example.org.corp.example", "b.example.org", 2),
      aliasedFrame("c.example.org.evil.example", "c.example.org", 3),
      answerFrame("d.example.org.shop.svc.cluster.local", 4),
      answerFrame("e.example.org", 5),
    ]),
  );
  await eventually(() => {
    expect(sink.texts).toEqual([
      "a.example.org 192.0.2.1",
      "b.example.org 192.0.2.2",
      "e.example.org 192.0.2.5",
    ]);
  });
});

test("a server that is none any more is neither away nor taken", async () => {
  const { taps, clock, listener } = await stage();
  clock.elapse(16_000);
  taps.follow([]);
  expect(taps.away).toEqual([]);
  await ended(await connected(listener));
  expect(listener.counts.refused["not a DNS server"]).toBe(1);
});

test("on standby connections end after the handshake, and none is missed", async () => {
  const { taps, clock, role, sink, listener } = await stage();
  const socket = await connected(listener);
  const isOver = ended(socket);
  await eventually(() => {
    expect(listener.connections).toBe(1);
  });
  role.leads = false;
  clock.elapse(1_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(listener.connections).toBe(1);
  socket.write(Buffer.concat([ready, start, answerFrame("a.example.org", 1)]));
  await eventually(() => {
    clock.elapse(1_000);
    expect(listener.counts.ended["on standby"]).toBe(1);
  });
  await isOver;
  expect(sink.texts).toEqual([]);
  clock.elapse(60_000);
  expect(taps.away).toEqual([]);
  // An instance that takes over is given time, until the servers connect again.
  role.leads = true;
  expect(taps.away).toEqual([]);
  clock.elapse(16_000);
  expect(taps.away).toEqual(["127.0.0.1"]);
});
