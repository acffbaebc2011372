// The queue against a server on this machine and a clock moved by hand.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import type { Answer } from "../../../test/support/scripted-api.ts";
import { HandClock, LineLogger, ScriptedApi } from "../../../test/support/scripted-api.ts";
import { failureOfAnswer } from "../transport/failure.ts";
import { WriteQueue } from "./write-queue.ts";
import type { End, Write } from "./write.ts";

let server: ScriptedApi;
let clock: HandClock;
let logger: LineLogger;
let ends: string[];
let faults: unknown[];
let queue: WriteQueue<Write>;

function write(text: string, insistent = true): Write {
  const request = { method: "PATCH", path: `/${text}`, body: text } as const;
  return { request, resource: "things", insistent };
}

const paths = () => server.sent.map(({ path }) => path);
const nameOf = (end: End) => (typeof end === "string" ? end : end.kind);

beforeEach(async () => {
  server = new ScriptedApi();
  await server.start();
  clock = new HandClock();
  logger = new LineLogger();
  ends = [];
  faults = [];
  queue = new WriteQueue<Write>({
    api: server.api,
    clock,
    random: () => 1,
    logger,
    fatal: (error) => faults.push(error),
    judge: (_, response) => {
      if (response.status === 418) throw new Error("a bug");
      return response.status < 300 ? "done" : response.status === 404 ? "moot" : failureOfAnswer(response);
    },
    ended: (key, { request }, end) => ends.push(`${key} ${request.path} ${nameOf(end)}`),
  });
});

afterEach(async () => {
  await queue.stop();
  await server.stop();
});

/** The server answers only when the test calls `answer`. */
function held(): { answer: (answer?: Answer) => void; readonly waiting: number } {
  const waiting: ((answer: Answer) => void)[] = [];
  server.script = () => new Promise<Answer>((resolve) => waiting.push(resolve));
  return {
    answer: (answer = { status: 200 }) => {
      for (const resolve of waiting.splice(0)) resolve(answer);
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** The server answers as soon as four requests wait, or the last of so many. */
function atFour(requests: number): void {
  let left = requests;
  const waiting: ((answer: Answer) => void)[] = [];
  server.script = () =>
    new Promise<Answer>((resolve) => {
      waiting.push(resolve);
      if (--left > 0 && waiting.length < 4) return;
      const all = waiting.splice(0);
      // A fifth one may still come.
      setTimeout(() => {
        for (const answer of all) answer({ status: 200 });
      }, 5);
    });
}

describe("what is sent", () => {
  test("of writes put at the same moment only the last one of each key", async () => {
    for (const n of [1, 2, 3]) for (const key of ["a", "b"]) queue.put(key, write(`${key}${n}`));
    await queue.idle();
    expect(paths().sort()).toEqual(["/a3", "/b3"]);
    expect(ends.filter((end) => end.endsWith("abandoned"))).toHaveLength(4);
    expect(ends.slice(-2).sort()).toEqual(["a /a3 done", "b /b3 done"]);
    expect(queue.size).toBe(0);
  });

  test("one of a key at a time: what comes meanwhile waits, and only the last of it", async () => {
    const server = held();
    queue.put("a", write("a1"));
    await eventually(() => {
      expect(server.waiting).toBe(1);
    });
    expect(queue.uncertain("a")).toBe(true);
    queue.put("a", write("a2"));
    queue.put("a", write("a3"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(paths()).toEqual(["/a1"]);
    server.answer();
    await eventually(() => {
      expect(paths()).toEqual(["/a1", "/a3"]);
    });
    server.answer();
    await queue.idle();
    expect(ends).toEqual(["a /a2 abandoned", "a /a1 done", "a /a3 done"]);
    expect(queue.uncertain("a")).toBe(false);
  });

  test("four at a time, in the order in which they came", async () => {
    atFour(40);
    for (let n = 0; n < 40; n++) queue.put(`k${n}`, write(`${n}`));
    await queue.idle();
    expect(server.mostUnderWay).toBe(4);
    expect(paths().length).toBe(40);
    // Requests under way overtake each other, and none is sent while four others before it are.
    expect(paths().filter((path, at) => Number(path.slice(1)) > at + 3)).toEqual([]);
  });

  test("nothing for a key that is forgotten, and a request under way ends without a word of success", async () => {
    const server = held();
    queue.put("a", write("a1"));
    await eventually(() => {
      expect(server.waiting).toBe(1);
    });
    queue.put("a", write("a2"));
    queue.put("b", write("b1"));
    queue.forget("a");
    queue.forget("b");
    queue.forget("nobody");
    server.answer();
    await queue.idle();
    expect(paths()).toEqual(["/a1"]);
    expect(ends).toEqual(["a /a2 abandoned", "b /b1 abandoned", "a /a1 abandoned"]);
    expect(queue.size).toBe(0);
  });

  test("a key that comes back while its forgotten request is under way waits for it", async () => {
    const server = held();
    queue.put("a", write("a1"));
    await eventually(() => {
      expect(server.waiting).toBe(1);
    });
    queue.forget("a");
    queue.put("a", write("a2"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.waiting).toBe(1);
    server.answer();
    await eventually(() => {
      expect(server.waiting).toBe(1);
      expect(paths()).toEqual(["/a1", "/a2"]);
    });
    server.answer();
    await queue.idle();
    expect(ends).toEqual(["a /a1 done", "a /a2 done"]);
  });
});

describe("failures", () => {
  test("a server in trouble is probed with one request, ever more rarely; then everything goes out at once", async () => {
    server.script = () => "reset";
    for (let n = 0; n < 20; n++) queue.put(`k${n}`, write(`${n}`));
    await queue.idle();
    const first = server.sent.length;
    expect(first).toBe(4);
    for (let round = 1; round <= 9; round++) {
      clock.elapse(31_000);
      await queue.idle();
      expect(server.sent.length).toBe(first + round);
    }
    expect(Math.max(...clock.waits)).toBe(30_000);
    // One more probe, and then all others.
    server.script = () => {
      atFour(19);
      return { status: 200 };
    };
    server.mostUnderWay = 0;
    clock.elapse(31_000);
    await queue.idle();
    expect(server.mostUnderWay).toBe(4);
    expect(ends).toHaveLength(20);
    expect(logger.lines.map(({ text }) => text)).toEqual([
      "a write to the API server failed and will be retried",
      "writes to the API server succeed again",
    ]);
    expect(clock.tasks).toBe(0);
    expect(queue.failures).toBe(first + 9);
  });

  test("429 is waited out for as long as the server asks, and not longer than is reasonable", async () => {
    server.script = () => ({ status: 429, headers: { "Retry-After": "7" } });
    queue.put("a", write("a"));
    await queue.idle();
    expect(clock.waits).toContain(7_500);
    clock.elapse(7_499);
    await queue.idle();
    expect(server.sent).toHaveLength(1);
    server.script = () => ({ status: 429, headers: { "Retry-After": "86400" } });
    clock.elapse(1);
    await queue.idle();
    expect(server.sent).toHaveLength(2);
    expect(clock.waits).toContain(121_000);
  });

  test("a successor waits for the rest of the wait, and is what is sent then", async () => {
    server.script = () => ({ status: 500 });
    queue.put("a", write("a1"));
    await queue.idle();
    expect(queue.uncertain("a")).toBe(true);
    queue.put("a", write("a2"));
    await queue.idle();
    expect(server.sent).toHaveLength(1);
    server.script = () => ({ status: 200 });
    clock.elapse(500);
    await queue.idle();
    expect(paths()).toEqual(["/a1", "/a2"]);
    expect(ends).toEqual(["a /a1 abandoned", "a /a2 done"]);
  });

  test("a refusal is waited out too, by what has come since: before the answer or after it", async () => {
    const refusing = held();
    queue.put("a", write("a1"));
    await eventually(() => {
      expect(refusing.waiting).toBe(1);
    });
    queue.put("a", write("a2"));
    refusing.answer({ status: 403 });
    await queue.idle();
    queue.put("a", write("a3"));
    await queue.idle();
    expect(paths()).toEqual(["/a1"]);
    server.script = () => ({ status: 200 });
    clock.elapse(61_000);
    await queue.idle();
    expect(paths()).toEqual(["/a1", "/a3"]);
    expect(ends).toEqual(["a /a1 forbidden", "a /a2 abandoned", "a /a3 done"]);
  });

  test("a refusal is told once and tried again slowly; others are not held back by it", async () => {
    server.script = ({ path }) => ({ status: path === "/fine" ? 200 : 403, body: { message: "no RBAC" } });
    for (let n = 0; n < 200; n++) queue.put(`k${n}`, write(`${n}`));
    await queue.idle();
    expect(server.sent).toHaveLength(200);
    expect(logger.lines).toEqual([
      {
        text: "a write to the API server failed and will be retried",
        fields: { resource: "things", key: expect.any(String), reason: expect.stringContaining("no RBAC") },
      },
    ]);
    queue.put("fine", write("fine"));
    // As many as may be sent at once have been.
    clock.elapse(1_000);
    await queue.idle();
    expect(ends).toEqual(["fine /fine done"]);
    clock.elapse(198_000);
    await queue.idle();
    expect(server.sent).toHaveLength(201);
    server.script = () => ({ status: 200 });
    clock.elapse(2_000);
    await queue.idle();
    expect(ends).toHaveLength(201);
  });

  test("what does not insist gives up: at once when it is refused, after a minute of trouble otherwise", async () => {
    server.script = () => ({ status: 422 });
    queue.put("a", write("a", false));
    await queue.idle();
    expect(ends).toEqual(["a /a refused"]);
    server.script = () => ({ status: 503 });
    queue.put("b", write("b", false));
    for (let n = 0; n < 20; n++) {
      await queue.idle();
      clock.elapse(31_000);
    }
    expect(ends).toEqual(["a /a refused", "b /b unavailable"]);
    expect(server.sent).toHaveLength(9);
    expect(queue.size).toBe(0);
  });

  test("an object that is gone ends its write", async () => {
    server.script = () => ({ status: 404 });
    queue.put("a", write("a"));
    await queue.idle();
    expect(ends).toEqual(["a /a moot"]);
    expect(queue.failures).toBe(0);
  });

  test("a bug of ours is nobody's weather", async () => {
    server.script = () => ({ status: 418 });
    queue.put("a", write("a"));
    await queue.idle();
    expect(faults).toEqual([new Error("a bug")]);
  });
});

test("stop cuts what is under way, abandons the rest and leaves no timer", async () => {
  server.script = ({ path }) => (path === "/bad" ? { status: 500 } : new Promise<Answer>(() => {}));
  queue.put("bad", write("bad"));
  await queue.idle();
  clock.elapse(500);
  server.script = () => new Promise<Answer>(() => {});
  for (const key of ["a", "b"]) queue.put(key, write(key));
  await eventually(() => {
    expect(server.sent).toHaveLength(2);
  });
  await queue.stop();
  queue.put("late", write("late"));
  expect(ends.map((end) => end.split(" ")[0]).sort()).toEqual(["a", "b", "bad", "late"]);
  expect(ends.every((end) => end.endsWith("abandoned"))).toBe(true);
  expect(clock.tasks).toBe(0);
  expect(faults).toEqual([]);
});
