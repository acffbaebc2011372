// The listener on real connections: what is learned, who is refused, and that garbage, stalled, cut and foreign connections end, are counted,
// and leave the others alone.

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import type { IpAddress } from "../../model/ip.ts";
import type { Listening } from "../../../test/support/dns/tap-sender.ts";
import {
  answerFrame,
  connected,
  ended,
  listening,
  ready,
  receivedOf,
  start,
  stop,
} from "../../../test/support/dns/tap-sender.ts";
import { dataFrame } from "../../../test/support/dns/tap.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { HandClock, LineLogger } from "../../../test/support/scripted-api.ts";
import { newAuthority } from "../../../test/kube/certificates.ts";
import { controlFrame } from "./stream/control-frame.ts";
import { mostBytesASecond } from "./allowance.ts";
import { idleMs, waitingMs } from "./tap-connection.ts";
import { mostConnections, mostOfServer } from "./tap-sources.ts";

const local = "127.0.0.1" as IpAddress;
const open: Listening[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map(({ listener }) => listener.close()));
});

async function begun(options: Partial<Parameters<typeof listening>[0]> = {}) {
  const [clock, logger] = [new HandClock(), new LineLogger()];
  const one = await listening({ clock, logger, ...options });
  open.push(one);
  const connect = async (address?: string) => {
    const socket = await connected(one.listener, address);
    sockets.push(socket);
    return socket;
  };
  /** A connection whose handshake is complete. */
  const sender = async () => {
    const socket = await connect();
    socket.write(Buffer.concat([ready, start]));
    await once(socket, "data");
    return socket;
  };
  return { ...one, clock, logger, connect, sender };
}

test("answers of a server are learned, with its address and the time", async () => {
  const { listener, learned, clock, sender } = await begun();
  clock.elapse(42);
  const socket = await sender();
  socket.write(Buffer.concat([answerFrame("www.example.org", 1, 2), answerFrame("www.example.com", 3)]));
  const rest = receivedOf(socket);
  socket.write(stop);
  expect(await rest).toEqual(controlFrame({ type: "finish", contentTypes: [] }));
  expect(learned.answers).toEqual([
    {
      ...{ name: "www.example.org", family: "v4", outcome: "answered", at: 42, source: "127.0.0.1" },
      addresses: [
        { ip: "192.0.2.1", ttl: 30 },
        { ip: "192.0.2.2", ttl: 30 },
      ],
    },
  ]);
  expect(listener.counts).toMatchObject({
    taken: 1,
    messages: { answered: 1, "not watched": 1, damaged: 0 },
  });
  await eventually(() => {
    expect(listener.counts.ended).toMatchObject({ finished: 1 });
    expect(listener.source(local)).toEqual({ connections: 0, lastMessageAt: 42, awaySince: 42 });
  });
});

test("a source is known to be away, and to be back", async () => {
  const { listener, clock, sender } = await begun();
  expect(listener.source(local)).toEqual({ connections: 0, lastMessageAt: null, awaySince: null });
  const first = await sender();
  expect(listener.source(local)).toEqual({ connections: 1, lastMessageAt: null, awaySince: null });
  clock.elapse(1000);
  first.resetAndDestroy();
  await eventually(() => {
    expect(listener.source(local)).toMatchObject({ connections: 0, awaySince: 1000 });
  });
  const second = await sender();
  second.write(answerFrame("a.example.org", 1));
  await eventually(() => {
    expect(listener.source(local)).toEqual({ connections: 1, lastMessageAt: 1000, awaySince: null });
  });
});

test("servers of both families are known by their addresses on one socket", async () => {
  const servers = ["127.0.0.1", "::1"];
  const { listener, learned, connect } = await begun({
    ...{ host: "::", isServer: (address: string) => servers.includes(address) },
  });
  for (const [at, address] of servers.entries()) {
    const socket = await connect(address);
    socket.write(Buffer.concat([ready, start, answerFrame("www.example.org", at)]));
    await eventually(() => {
      expect(learned.answers.map(({ source }) => source)).toEqual(servers.slice(0, at + 1));
    });
  }
  expect(await receivedOf(await connect("127.0.0.2"))).toEqual(Buffer.of());
  expect(listener.counts).toMatchObject({ taken: 2, refused: { "not a DNS server": 1 } });
});

describe("connections that are refused or ended", () => {
  test("from another address than a DNS server's: before a byte is read", async () => {
    const { listener, learned, logger, connect } = await begun();
    const foreign = await connect("127.0.0.2");
    foreign.write(Buffer.concat([ready, start, answerFrame("evil.example.org", 6)]));
    expect(await receivedOf(foreign)).toEqual(Buffer.of());
    expect(learned.answers).toEqual([]);
    expect(listener.counts).toMatchObject({ taken: 0, bytes: 0, refused: { "not a DNS server": 1 } });
    expect(logger.lines).toEqual([
      {
        text: "a connection to the names listener was refused",
        fields: { from: "127.0.0.2", reason: "not a DNS server", others: 0 },
      },
    ]);
  });

  test("of an address that is no DNS server any more", async () => {
    let servers: readonly string[] = ["127.0.0.1"];
    const { listener, learned, sender } = await begun({ isServer: (ip) => servers.includes(ip) });
    const socket = await sender();
    servers = [];
    socket.write(answerFrame("a.example.org", 1));
    await ended(socket);
    expect(learned.answers).toEqual([]);
    expect(listener.counts.ended["no longer a DNS server"]).toBe(1);
  });

  test("silent ones of such an address too", async () => {
    let servers: readonly string[] = ["127.0.0.1"];
    const { listener, clock, sender } = await begun({ isServer: (ip) => servers.includes(ip) });
    const socket = await sender();
    servers = [];
    clock.elapse(1000);
    await ended(socket);
    expect(listener.counts.ended["no longer a DNS server"]).toBe(1);
    expect(listener.source(local)).toMatchObject({ lastMessageAt: null, awaySince: null });
  });

  test.each([
    ["garbage", Buffer.from("GET / HTTP/1.1\r\n\r\n"), "frame too long"],
    ["another protocol's start", start, "control frame out of order"],
    ["data before the handshake", answerFrame("a.example.org", 1), "data before the start"],
  ] as const)("%s", async (_, bytes, why) => {
    const { listener, learned, connect } = await begun();
    const socket = await connect();
    socket.write(bytes);
    await receivedOf(socket);
    expect([listener.counts.ended[why], learned.answers.length]).toEqual([1, 0]);
  });

  test("what came in time is read before a connection is called too slow, where the program was busy", async () => {
    const { listener, clock, learned, connect } = await begun();
    const socket = await connect();
    await eventually(() => {
      expect(listener.connections).toBe(1);
    });
    // As the clock of a program: its timers come before what the sockets have. Nothing is read between the two.
    await new Promise((resolve) => setTimeout(resolve, 1));
    socket.write(Buffer.concat([ready, start, answerFrame("a.example.org", 1)]));
    clock.elapse(waitingMs + 1);
    await eventually(() => {
      expect(learned.texts).toEqual(["a.example.org 192.0.2.1"]);
    });
    expect(listener.counts.ended["handshake too slow"]).toBe(0);
  });

  test("damaged messages are counted, and the next is read", async () => {
    const { listener, learned, logger, sender } = await begun();
    const socket = await sender();
    const whole = answerFrame("a.example.org", 1);
    socket.write(Buffer.concat([dataFrame(Buffer.from("xyz")), dataFrame(whole.subarray(4, -9)), whole]));
    await eventually(() => {
      expect(learned.texts).toEqual(["a.example.org 192.0.2.1"]);
    });
    expect(listener.counts.messages.damaged).toBe(2);
    expect(logger.lines.map(({ text }) => text)).toEqual(["a DNS server has sent a damaged message"]);
  });

  test("a handshake that stalls, and a frame that stalls, but none that waits between frames", async () => {
    const { listener, clock, learned, connect, sender } = await begun();
    const [silent, cut, waiting] = [await connect(), await sender(), await sender()];
    cut.write(answerFrame("a.example.org", 1).subarray(0, 30));
    await eventually(() => {
      expect(listener.counts.bytes).toBeGreaterThanOrEqual(2 * (ready.length + start.length) + 30);
    });
    const both = [ended(silent), ended(cut)];
    clock.elapse(waitingMs + 1);
    await Promise.all(both);
    expect(listener.counts.ended).toMatchObject({ "handshake too slow": 1, "frame too slow": 1, idle: 0 });
    waiting.write(answerFrame("b.example.org", 2));
    await eventually(() => {
      expect(learned.texts).toEqual(["b.example.org 192.0.2.2"]);
    });
    clock.elapse(idleMs);
    expect(listener.connections).toBe(1);
    clock.elapse(1000);
    await ended(waiting);
    expect(listener.counts.ended.idle).toBe(1);
  });

  test("a frame that begins after a long silence has its time", async () => {
    const { learned, clock, listener, sender } = await begun();
    const socket = await sender();
    clock.elapse(idleMs - 1000);
    const before = listener.counts.bytes;
    const frame = answerFrame("a.example.org", 1);
    socket.write(frame.subarray(0, 30));
    await eventually(() => {
      expect(listener.counts.bytes).toBe(before + 30);
    });
    clock.elapse(1000);
    socket.write(frame.subarray(30));
    await eventually(() => {
      expect(learned.answers).toHaveLength(1);
    });
  });
});

describe("bounds", () => {
  test("of a server the oldest connection gives way, and the newest is read", async () => {
    const { listener, learned, sender } = await begun();
    const first = await sender();
    for (let other = 1; other < mostOfServer; other++) await sender();
    expect(listener.connections).toBe(mostOfServer);
    const closed = ended(first);
    const newest = await sender();
    await closed;
    expect(listener.connections).toBe(mostOfServer);
    expect(listener.counts.ended).toMatchObject({ replaced: 1 });
    newest.write(answerFrame("a.example.org", 1));
    await eventually(() => {
      expect(learned.answers).toHaveLength(1);
    });
  });

  test("at the limit of all connections no other is taken", async () => {
    const { listener, connect } = await begun({ isServer: () => true });
    for (let taken = 0; taken < mostConnections; taken++)
      await connect(`127.0.1.${1 + Math.floor(taken / mostOfServer)}`);
    await eventually(() => {
      expect(listener.connections).toBe(mostConnections);
    });
    expect(await receivedOf(await connect("127.0.2.1"))).toEqual(Buffer.of());
    expect(listener.counts).toMatchObject({
      ...{ taken: mostConnections, refused: { "too many connections": 1 } },
    });
  });

  test("of bytes a second no more are read, and the rest a second later", async () => {
    const { listener, learned, clock, sender } = await begun();
    const frame = answerFrame("a.example.org", 1);
    const half = Math.ceil(mostBytesASecond / frame.length);
    const frames = 2 * half;
    // Over all connections of the server.
    for (const socket of [await sender(), await sender()])
      socket.write(Buffer.concat(Array.from({ length: half }, () => frame)));
    await eventually(() => {
      expect(listener.counts.slowed).toBe(2);
    });
    const read = learned.answers.length;
    // One piece of what each socket gives at once may be beyond it.
    expect(listener.counts.bytes).toBeLessThan(mostBytesASecond + 3 * 65_536);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(learned.answers.length).toBe(read);
    await eventually(() => {
      clock.elapse(1000);
      expect(learned.answers).toHaveLength(frames);
    });
    expect(listener.counts.ended["frame too slow"]).toBe(0);
  });

  test("of the warnings about them there is one a minute", async () => {
    const { logger, clock, listener, connect } = await begun();
    for (let foreign = 1; foreign <= 5; foreign++) await receivedOf(await connect("127.0.0.2"));
    expect(logger.lines).toHaveLength(1);
    clock.elapse(60_000);
    await receivedOf(await connect("127.0.0.2"));
    expect(logger.lines[1]?.fields).toMatchObject({ others: 4 });
    expect(listener.counts.refused["not a DNS server"]).toBe(6);
  });
});

describe("TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "northgate-tap-"));
  const [certificate, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const authority = newAuthority();
  const renew = () => {
    const made = authority.serving();
    writeFileSync(certificate, made.certificate);
    writeFileSync(key, made.key);
  };
  renew();
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function secured({ listener }: Listening, localAddress = "127.0.0.1") {
    const socket = await connected(listener, localAddress);
    const tls = connectTls({ socket, host: "127.0.0.1", ca: authority.certificate });
    sockets.push(socket, tls);
    tls.on("error", () => undefined);
    return tls;
  }

  test("answers are learned, and a foreign address is refused before the handshake", async () => {
    const one = await begun({ tls: { certificate, key } });
    const tls = await secured(one);
    tls.write(Buffer.concat([ready, start, answerFrame("a.example.org", 1)]));
    await eventually(() => {
      expect(one.learned.texts).toEqual(["a.example.org 192.0.2.1"]);
    });
    await receivedOf(await secured(one, "127.0.0.2"));
    expect(one.listener.counts).toMatchObject({ taken: 1, refused: { "not a DNS server": 1 } });
  });

  test("what speaks no TLS ends, and is counted among the connections until then", async () => {
    const one = await begun({ tls: { certificate, key } });
    const plain = await one.connect();
    plain.write(Buffer.concat([ready, start]));
    await ended(plain);
    await eventually(() => {
      expect(one.listener.connections).toBe(0);
    });
    expect(one.logger.lines.map(({ text }) => text)).toEqual([
      "a DNS server and the names listener found no common TLS",
    ]);
  });

  test("a file that cannot be used is named at the start", async () => {
    await expect(begun({ tls: { certificate: join(folder, "none"), key } })).rejects.toThrow(
      /^--names-tls-cert .*none: ENOENT/,
    );
  });
});
