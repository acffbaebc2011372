// The nudge, on real connections to servers of the test: what is asked, how often, and that a server that hangs, closes or is away costs
// nothing more.

import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import dnsPacket from "dns-packet";
import { eventually } from "../../../../test/support/eventually.ts";
import { HandClock } from "../../../../test/support/scripted-api.ts";
import { awayEveryMs, Nudge, nudgeMs } from "./nudge.ts";
import { nudgeQuery } from "./nudge-query.ts";
import type { DnsServer } from "./nudged-server.ts";
import { answerMs, mostOpen } from "./nudged-server.ts";

const query = nudgeQuery("kubernetes.default.svc.cluster.local");
const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** A server that counts whole questions; `reply` answers them on a connection. */
async function serverOf(reply: (socket: Socket, questions: number) => void) {
  const seen = { questions: 0, connections: 0, sockets: [] as Socket[] };
  const server: Server = createServer((socket) => {
    seen.connections++;
    seen.sockets.push(socket);
    socket.on("error", () => undefined);
    let bytes = 0;
    socket.on("data", (piece: Buffer) => {
      const before = Math.floor(bytes / query.length);
      bytes += piece.length;
      const whole = Math.floor(bytes / query.length) - before;
      seen.questions += whole;
      reply(socket, whole);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({
    close: () => {
      for (const socket of seen.sockets) socket.destroy();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  return { seen, address: { host: "127.0.0.1", port } satisfies DnsServer };
}

function nudging(
  servers: readonly DnsServer[],
  isWanted = () => true,
  isTapped: (host: string) => boolean = () => true,
) {
  const clock = new HandClock();
  const fatal = (error: unknown) => {
    throw error;
  };
  const nudge = new Nudge({
    ...{ name: "kubernetes.default.svc.cluster.local", isWanted, isTapped, clock, fatal },
    random: () => 1,
  });
  nudge.watch(servers);
  open.push(nudge);
  /** Turns of the timer, with the event loop in between. */
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      clock.elapse(nudgeMs);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  return { nudge, clock, turns };
}

const answer = Buffer.from("000c000081830001000000000000", "hex");

test("the question is one of DNS, with four kilobytes of padding", () => {
  const { questions, additionals } = dnsPacket.streamDecode(query);
  expect(questions).toEqual([{ name: "kubernetes.default.svc.cluster.local", type: "A", class: "IN" }]);
  const [padding] = additionals ?? [];
  expect(padding).toMatchObject({ type: "OPT", ednsVersion: 0, flags: 0 });
  // It decodes no option of this code.
  expect(JSON.stringify(padding)).toContain('"code":12,"type":"PADDING"');
  expect(query.subarray(-4096).equals(Buffer.alloc(4096))).toBe(true);
  expect(() => nudgeQuery("a..b")).toThrow(RangeError);
  expect(() => nudgeQuery(`${"a".repeat(64)}.b`)).toThrow(RangeError);
});

test("a server without a connection of dnstap is asked seldom: a second without a message is left to it", async () => {
  const { seen, address } = await serverOf((socket, questions) => {
    for (let one = 0; one < questions; one++) socket.write(answer);
  });
  const { nudge, turns } = nudging([address], undefined, () => false);
  await turns(4 * Math.ceil(awayEveryMs / nudgeMs));
  await eventually(() => {
    expect(seen.questions).toBeGreaterThan(0);
  });
  expect(nudge.countsOf(address)?.sent).toBeLessThanOrEqual(4);
});

test("each server is asked at each turn, over one connection", async () => {
  const servers = await Promise.all(
    [1, 2].map(() =>
      serverOf((socket, questions) => {
        // Answers in pieces, and two at once.
        for (let one = 0; one < questions; one++) {
          socket.write(answer.subarray(0, 1));
          socket.write(answer.subarray(1, 7));
          socket.write(answer.subarray(7));
        }
      }),
    ),
  );
  const { nudge, turns } = nudging(servers.map(({ address }) => address));
  await eventually(async () => {
    await turns(5);
    for (const { seen, address } of servers) {
      expect(seen.questions).toBeGreaterThan(20);
      expect(seen.connections).toBe(1);
      expect(nudge.countsOf(address)?.answered).toBeGreaterThan(20);
    }
  });
  expect(nudge.countsOf(servers[0]!.address)?.failed).toBe(0);
});

test("nothing is asked while no wildcard is watched, and the connection ends", async () => {
  const { seen, address } = await serverOf((socket, questions) => {
    for (let one = 0; one < questions; one++) socket.write(answer);
  });
  let isWanted = false;
  const { turns } = nudging([address], () => isWanted);
  await turns(10);
  expect(seen).toMatchObject({ connections: 0, questions: 0 });
  isWanted = true;
  await eventually(async () => {
    await turns(2);
    expect(seen.questions).toBeGreaterThan(0);
  });
  isWanted = false;
  await turns(1);
  await eventually(() => {
    expect(seen.sockets.every(({ closed }) => closed)).toBe(true);
  });
  const { questions } = seen;
  await turns(10);
  expect(seen.questions).toBe(questions);
});

test("a server that hangs has a few open questions, and another connection after some seconds", async () => {
  const { seen, address } = await serverOf(() => undefined);
  const { nudge, clock, turns } = nudging([address]);
  await eventually(async () => {
    await turns(3);
    expect(seen.questions).toBe(mostOpen);
  });
  await turns(20);
  expect(seen).toMatchObject({ questions: mostOpen, connections: 1 });
  clock.elapse(answerMs);
  await eventually(async () => {
    await turns(3);
    expect(seen.connections).toBe(2);
  });
  expect(nudge.countsOf(address)).toMatchObject({ answered: 0, failed: 1 });
});

test("a server that closes each connection is asked seldom", async () => {
  const { seen, address } = await serverOf((socket) => {
    socket.destroy();
  });
  const { clock, turns } = nudging([address]);
  await eventually(async () => {
    await turns(5);
    expect(seen.connections).toBe(5);
  });
  // 0.1 + 0.2 + 0.4 + 0.8 seconds have passed, and the next pause is 1.6 seconds long.
  expect(clock.now()).toBeGreaterThanOrEqual(1500);
});

test("one that is no longer watched is left", async () => {
  const [one, other] = await Promise.all([
    serverOf((socket) => socket.write(answer)),
    serverOf((socket) => socket.write(answer)),
  ]);
  const { nudge, turns } = nudging([one.address, other.address]);
  await eventually(async () => {
    await turns(2);
    expect(Math.min(one.seen.questions, other.seen.questions)).toBeGreaterThan(2);
  });
  nudge.watch([other.address]);
  await eventually(() => {
    expect(one.seen.sockets[0]?.closed).toBe(true);
  });
  expect(nudge.countsOf(one.address)).toBeNull();
  const { questions } = other.seen;
  await eventually(async () => {
    await turns(2);
    expect(other.seen.questions).toBeGreaterThan(questions);
  });
  expect(other.seen.connections).toBe(1);
});
