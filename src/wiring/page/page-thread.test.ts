// The thread of the page: started again when it ends by itself, five times a minute at most, at the same address; and with a real
// thread, one that a defect ends is replaced by one that answers.

import { EventEmitter } from "node:events";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { patience } from "../../../test/support/patience.ts";
import { anp } from "../../../test/support/policies.ts";
import { HandClock, LineLogger } from "../../../test/support/scripted-api.ts";
import { systemClock } from "../../lib/clock.ts";
import { objectKey } from "../../model/object.ts";
import type { PageStart, ToThread } from "./page-messages.ts";
import type { ThreadHandle } from "./page-thread.ts";
import { absorbMs, mostStarts, PageThread, startsWithinMs } from "./page-thread.ts";
import { kindFlags } from "../../../test/support/dialects.ts";
import { byDefault } from "../../../test/support/backend-config.ts";

jest.setTimeout(patience(60_000));

const start: PageStart = {
  page: { host: "127.0.0.1", port: 0, tls: null, auth: { kind: "none" }, basePath: "", hosts: [] },
  log: { level: "warn", format: "text" },
  world: {
    ...{ kind: "fed", families: null, from: "here" },
    kinds: kindFlags({ networkPolicy: true }),
    mode: byDefault,
  },
};

class Scripted extends EventEmitter implements ThreadHandle {
  readonly posted: ToThread[] = [];
  terminated = 0;

  postMessage(message: ToThread): void {
    this.posted.push(message);
  }

  terminate(): Promise<number> {
    this.terminated++;
    this.emit("exit", 1);
    return Promise.resolve(1);
  }
}

describe("scripted", () => {
  const clock = new HandClock();
  const logger = new LineLogger();
  const threads: Scripted[] = [];
  const ports: number[] = [];
  const last = (): Scripted => threads.at(-1)!;
  let absorbed = 0;
  let post: (message: ToThread) => void = () => undefined;
  const open = async (first: (thread: Scripted) => void): Promise<PageThread> => {
    threads.length = ports.length = logger.said.length = absorbed = 0;
    const opened = PageThread.open({
      ...{ start, clock, logger },
      begun: (send) => {
        post = send;
      },
      absorbed: () => {
        absorbed++;
      },
      spawn: ({ page }) => {
        threads.push(new Scripted());
        ports.push(page.port);
        return last();
      },
    });
    first(last());
    return opened;
  };
  const serving = (thread: Scripted): void => {
    thread.emit("message", { kind: "listening", address: "http://127.0.0.1:4321" });
  };
  const crash = (): void => {
    last().emit("error", new Error("a defect"));
    last().emit("exit", 1);
  };

  test("it is started again at once and at its address, but five times a minute at most", async () => {
    const thread = await open(serving);
    for (let at = 1; at < mostStarts; at++) {
      crash();
      clock.elapse(0);
      expect(threads).toHaveLength(at + 1);
      serving(last());
    }
    crash();
    clock.elapse(startsWithinMs - 1);
    expect(threads).toHaveLength(mostStarts);
    clock.elapse(1);
    expect(threads).toHaveLength(mostStarts + 1);
    expect(ports).toEqual([0, ...Array.from({ length: mostStarts }, () => 4321)]);
    expect(logger.lines.map(({ text, fields }) => [text, fields["inSeconds"]])).toEqual(
      Array.from({ length: mostStarts }, (_, at) => [
        "the thread of the page has ended and is restarted",
        at + 1 < mostStarts ? 0 : 60,
      ]),
    );
    expect(logger.lines[0]?.fields["reason"]).toContain("a defect");
    const closed = thread.close();
    expect(last().posted).toEqual([{ kind: "stop" }]);
    last().emit("exit", 0);
    await closed;
    clock.elapse(startsWithinMs);
    expect(threads).toHaveLength(mostStarts + 1);
  });

  test("one that does not end is ended", async () => {
    const thread = await open(serving);
    const closed = thread.close();
    clock.elapse(2_000);
    await closed;
    expect(last().terminated).toBe(1);
  });

  test("one that hangs is ended and started again; one that takes what it is sent is not", async () => {
    const thread = await open(serving);
    post({ kind: "objects", changes: [] });
    last().emit("message", { kind: "absorbed" });
    clock.elapse(absorbMs);
    expect([threads.length, last().terminated]).toEqual([1, 0]);
    post({ kind: "objects", changes: [] });
    clock.elapse(absorbMs - 1);
    expect(last().terminated).toBe(0);
    clock.elapse(1);
    expect(threads[0]?.terminated).toBe(1);
    clock.elapse(0);
    expect(threads).toHaveLength(2);
    const closed = thread.close();
    last().emit("exit", 0);
    await closed;
  });

  test("one that cannot begin is an error in its words, and is not started again", async () => {
    await expect(
      open((thread) => {
        thread.emit("message", { kind: "failed", message: "listen EADDRINUSE" });
        thread.emit("exit", 0);
      }),
    ).rejects.toThrow(/^listen EADDRINUSE$/);
    clock.elapse(startsWithinMs);
    expect(threads).toHaveLength(1);
  });

  test.each([null, 7, "listening", {}, { kind: "listening" }, { kind: "failed", message: {} }, ["absorbed"]])(
    "%j is no message",
    async (message) => {
      const thread = await open((one) => {
        one.emit("message", message);
        serving(one);
      });
      expect([thread.address, absorbed]).toEqual(["http://127.0.0.1:4321", 0]);
      last().emit("message", { kind: "absorbed" });
      expect(absorbed).toBe(1);
    },
  );
});

describe("real", () => {
  let thread: PageThread | null = null;
  afterEach(() => thread?.close());

  test("one that a defect ends is replaced by one that answers at the same address", async () => {
    const logger = new LineLogger();
    let begun = 0;
    let post: (message: ToThread) => void = () => undefined;
    thread = await PageThread.open({
      ...{ start, clock: systemClock, logger, absorbed: () => undefined },
      begun: (send) => {
        begun++;
        post = send;
      },
    });
    const { address } = thread;
    const ready = async (): Promise<unknown> => (await fetch(`${address}/api/state`)).json();
    expect(await ready()).toMatchObject({ isReady: false });
    expect((await fetch(`${address}/api/pods`)).status).toBe(503);
    post({ kind: "synced" });
    await eventually(async () => {
      expect(await ready()).toMatchObject({ isReady: true });
    });
    // The model has no such kind, and throws.
    const key = objectKey({ group: "no.example", kind: "Such" }, null, "x");
    const object = { ...anp("x", {}), kind: "Such", apiVersion: "no.example/v1" };
    post({
      kind: "objects",
      changes: [{ key, object, kept: null, isNew: false, places: [] }],
    });
    await eventually(() => {
      expect([begun, logger.lines.length]).toEqual([2, 1]);
    });
    expect(thread.address).toBe(address);
    await eventually(async () => {
      expect(await ready()).toMatchObject({ isReady: false });
    });
  });
});
