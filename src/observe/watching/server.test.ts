// Watchers that ask wrongly, say nothing, do not read, or are too many: none holds up the others or fills memory.

import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { ip } from "../../../test/support/facts.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import type { SeenEvent } from "../decode/event.ts";
import { watched } from "./client.ts";
import { Hub, mostKept } from "./hub.ts";
import type { AnswerLine, Question } from "./protocol.ts";
import { parseQuestion } from "./protocol.ts";
import { mostWatchers, WatchServer } from "./server.ts";

let folder: string;
let clock: HandClock;
let hub: Hub;
let server: WatchServer;
const sockets: Socket[] = [];
const path = () => join(folder, "below", "observe.sock");
const open = () =>
  WatchServer.open({
    path: path(),
    hub,
    clock,
    now: () => at + 10_000,
    notes: () => ["no rows are sampled"],
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ng-watch-"));
  clock = new HandClock();
  hub = new Hub(() => undefined);
  server = await open();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
  rmSync(folder, { recursive: true });
});

const at = Date.UTC(2026, 0, 1, 12);
const event = (second: number, port = 80): SeenEvent => ({
  ...{ time: new Date(at + second * 1000).toISOString(), verdict: "allowed", connection: "new" },
  ...{ from: { ip: ip("10.0.0.1"), pod: null }, to: { ip: ip("10.0.0.2"), pod: null } },
  ...{ protocol: "tcp", sourcePort: 40_000, port, icmp: null, isReply: false, rule: null, number: 1 },
});
const question: Question = {
  filter: { pod: null, namespace: null, policy: null, verdict: null, toPort: null, hasEstablished: false },
  ...{ sinceSeconds: null, follow: false },
};

async function asked(more: Partial<Question>): Promise<readonly AnswerLine[]> {
  const lines: AnswerLine[] = [];
  const signal = new AbortController().signal;
  for await (const line of watched({ path: path(), question: { ...question, ...more }, signal }))
    lines.push(line);
  return lines;
}

function dial(text: string): Socket {
  const socket = connect(path());
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.write(text);
  return socket;
}

test("what is kept is given in its order, as far back as is asked, with what is not seen", async () => {
  for (let second = 0; second < 10; second++) hub.add(event(second));
  const note = { note: "no rows are sampled" };
  expect(await asked({ sinceSeconds: 3 })).toEqual([
    { event: event(7) },
    { event: event(8) },
    { event: event(9) },
    note,
  ]);
  for (let more = 0; more < mostKept; more++) hub.add(event(10, more));
  const kept = await asked({});
  expect(kept).toHaveLength(mostKept + 1);
  expect([kept[0], kept.at(-2)]).toEqual([{ event: event(10, 0) }, { event: event(10, mostKept - 1) }]);
});

test("a watcher that follows gets what it asks for until it leaves, and only then nobody watches", async () => {
  const ending = new AbortController();
  const got: AnswerLine[] = [];
  const filter = { ...question.filter, toPort: 443 };
  const following = (async () => {
    const follow = { ...question, filter, follow: true };
    for await (const line of watched({ path: path(), question: follow, signal: ending.signal }))
      got.push(line);
  })();
  await eventually(() => {
    expect(hub.watchers).toBe(1);
  });
  hub.add(event(1));
  hub.add(event(2, 443));
  await eventually(() => {
    expect(got).toEqual([{ note: "no rows are sampled" }, { event: event(2, 443) }]);
  });
  ending.abort();
  await following;
  await eventually(() => {
    expect(hub.watchers).toBe(0);
  });
});

test("one that does not read loses events, and learns how many when it reads again", async () => {
  const socket = dial(`${JSON.stringify({ ...question, follow: true })}\n`);
  await eventually(() => {
    expect(hub.watchers).toBe(1);
  });
  socket.pause();
  const sent = 20_000;
  for (let more = 0; more < sent; more++) hub.add(event(1));
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.resume();
  await eventually(() => {
    expect(text).toContain('"lost"');
  });
  const lost = Number(/\{"lost":(\d+)\}/.exec(text)?.[1]);
  const before = text.slice(0, text.indexOf('{"lost"')).match(/"event"/g)?.length ?? 0;
  expect(before + lost).toBeGreaterThanOrEqual(sent);
  expect(lost).toBeGreaterThan(0);
});

test.each([
  ["no JSON", "hello\n"],
  ["another filter", `${JSON.stringify({ ...question, filter: { verdict: "maybe" } })}\n`],
  ["a line without end", "x".repeat(5_000)],
])("%s ends the connection", async (_, text) => {
  const socket = dial(text);
  await eventually(() => {
    expect(socket.closed).toBe(true);
  });
});

test("one that says nothing is let go, and there are never more than a few", async () => {
  const silent = Array.from({ length: mostWatchers }, () => dial("{"));
  await eventually(() => {
    expect(clock.tasks).toBe(mostWatchers);
  });
  const late = dial(`${JSON.stringify(question)}\n`);
  await eventually(() => {
    expect(late.closed).toBe(true);
  });
  clock.elapse(5_000);
  await eventually(() => {
    expect(silent.every(({ closed }) => closed)).toBe(true);
  });
  expect(await asked({})).toHaveLength(1);
});

test("the socket is its owner's alone; a second reader is refused, and a file that was left is no reader", async () => {
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  await expect(open()).rejects.toThrow(`${path()}: another reader listens there`);
  await server.close();
  writeFileSync(path(), "not ours");
  await expect(open()).rejects.toThrow(`${path()}: is no socket`);
  rmSync(path());
  // As a reader that was killed leaves it.
  const killed = createServer().listen(`${path()}.1`);
  renameSync(`${path()}.1`, path());
  killed.close();
  server = await open();
  expect(await asked({})).toHaveLength(1);
});

test("a question is read back as it was asked", () => {
  const filter = {
    ...{ pod: { namespace: "a", name: "b" }, namespace: "a", policy: { namespace: null, name: "p" } },
    ...{ verdict: "dropped" as const, toPort: 443, hasEstablished: true },
  };
  const whole: Question = { filter, sinceSeconds: 5, follow: true };
  expect(parseQuestion(JSON.stringify(whole))).toEqual(whole);
  expect(parseQuestion(JSON.stringify({ ...whole, follow: "yes" }))).toBeNull();
  expect(parseQuestion(JSON.stringify({ ...whole, filter: { ...filter, pod: { name: "b" } } }))).toBeNull();
});
